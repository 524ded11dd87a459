//! # MAP011 unapplied-policy
//!
//! Severity: warning.
//!
//! A policy with lossless classes is defined, but not applied: an EOS QoS profile that no port uses, an NX-OS network
//! QoS policy that `system qos` does not name, or the only policy map that puts packets into a lossless class.
//!
//! ## Why it matters
//!
//! Its classes are lossy.
//!
//! ## Example
//!
//! ```eos
//! hostname leaf1
//! qos profile ROCE
//!    priority-flow-control on
//!    priority-flow-control priority 3 no-drop
//! ```
//!
//! ## Fix
//!
//! Apply the policy, or remove it.
//!
//! ## Source
//!
//! [Arista EOS user manual, QoS](https://www.arista.com/en/um-eos/eos-quality-of-service), QoS profiles; [NX-OS QoS
//! configuration
//! guide](https://www.cisco.com/c/en/us/td/docs/dcn/nx-os/nexus9000/106x/configuration/qos/cisco-nexus-9000-series-nx-os-quality-of-service-configuration-guide-106x.pdf),
//! network QoS policies.

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "MAP011",
    name: "unapplied-policy",
    severity: Severity::Warning,
    effect: effect::NOT_PORT_SPECIFIC,
};

/// [`crate::device::check`] reports violations: SONiC has no such setting.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
