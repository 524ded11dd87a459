//! # FLEET002 siblings-differ
//!
//! Severity: warning.
//!
//! A few switches differ from the others of their role: DSCP map, priority groups, queues, PFC priorities; with the
//! same ASIC, also watchdog and its poll interval, ECN thresholds, schedulers, and headroom for the same speed and
//! cable length; with the same SKU, also the lossless pools and the threshold of lossless queues. Switches with the
//! same deviation are one finding. If as many switches have one value as another one, the finding names both.
//!
//! ## Why it matters
//!
//! A difference usually means that a change was made on some switches only. The effect shows only under load.
//!
//! ## Example
//!
//! Of each switch:
//!
//! ```json
//! {"PFC_WD": {"Ethernet0": {"action": "drop", "detection_time": "400", "restoration_time": "800"}}}
//! ```
//!
//! ```json
//! {"PFC_WD": {"Ethernet0": {"action": "drop", "detection_time": "400", "restoration_time": "800"}}}
//! ```
//!
//! ```json
//! {"PFC_WD": {"Ethernet0": {"action": "drop", "detection_time": "800", "restoration_time": "800"}}}
//! ```
//!
//! ## Fix
//!
//! Compare with the intended configuration.
//!
//! ## Source
//!
//! RDMA over Commodity Ethernet at Scale 5.1.

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "FLEET002",
    name: "siblings-differ",
    severity: Severity::Warning,
    effect: effect::FLEET_DIFFERENCE,
};

/// [`crate::fleet::Fleet::check`] reports violations, because they concern several switches.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
