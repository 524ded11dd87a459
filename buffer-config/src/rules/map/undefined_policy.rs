//! # MAP010 undefined-policy
//!
//! Severity: error.
//!
//! A port or policy of NVUE, EOS or NX-OS refers to a profile, policy map or class map that the file does not define.
//!
//! ## Why it matters
//!
//! The reference has no effect: the port has the defaults of the system, usually without PFC.
//!
//! ## Example
//!
//! ```eos
//! hostname leaf1
//! interface Ethernet1
//!    mtu 9214
//!    service-profile ROCE
//! ```
//!
//! ## Fix
//!
//! Define the profile, or correct the name.
//!
//! ## Source
//!
//! Arista EOS user manual, QoS profiles; Cumulus Linux user guide, port groups; NX-OS QoS configuration guide.

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "MAP010",
    name: "undefined-policy",
    severity: Severity::Error,
    effect: effect::NOT_PORT_SPECIFIC,
};

/// [`crate::device::check`] reports violations: SONiC has no such setting.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
