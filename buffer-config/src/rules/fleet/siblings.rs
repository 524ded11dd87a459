//! # FLEET002 siblings-differ
//!
//! Severity: warning. Rows: X-03, TPL-03.
//!
//! In a fleet: switches of one role and ASIC have the same Kmin, Kmax, watchdog times and PFC priorities.
//!
//! ## Why it matters
//!
//! What differs was changed on one and forgotten on the other, and shows only under load.
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
//! Compare with the configuration that is meant.
//!
//! ## Source
//!
//! RDMA over Commodity Ethernet at Scale 5.1.

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "FLEET002", name: "siblings-differ", severity: Severity::Warning, ids: &["X-03", "TPL-03"] };

/// It takes more than one file: [`crate::fleet::Fleet::check`] reports it.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
