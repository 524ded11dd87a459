//! # FLEET008 shared-hostname
//!
//! Severity: warning.
//!
//! Several files have the same hostname (and the same `asic_name`).
//!
//! ## Why it matters
//!
//! The name identifies no switch, so links to it are not compared. Often a configuration was copied to a new
//! switch, or an old copy is still in the folder.
//!
//! ## Example
//!
//! Of each switch:
//!
//! ```json
//! {"DEVICE_METADATA": {"localhost": {"hostname": "tor-1"}}}
//! ```
//!
//! ```json
//! {"DEVICE_METADATA": {"localhost": {"hostname": "tor-1"}}}
//! ```
//!
//! ## Fix
//!
//! Give each switch its own hostname, or remove the old copy.
//!
//! ## Source
//!
//! RDMA over Commodity Ethernet at Scale 5.1, which compares the running configuration with the intended one;
//! [sonic-device_neighbor.yang](https://github.com/sonic-net/sonic-buildimage/blob/master/src/sonic-yang-models/yang-models/sonic-device_neighbor.yang).

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "FLEET008",
    name: "shared-hostname",
    severity: Severity::Warning,
    effect: effect::FLEET_DIFFERENCE,
};

/// [`crate::fleet::Fleet::check`] reports violations, because they concern several switches.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
