//! # MAP010 undefined-policy
//!
//! Severity: error.
//!
//! A port or policy of NVUE, EOS or NX-OS refers to a profile, policy map, class map or access list that the file does
//! not define.
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
//! [Arista EOS user manual, QoS](https://www.arista.com/en/um-eos/eos-quality-of-service), QoS profiles; [NVUE
//! reference, QoS](https://docs.nvidia.com/networking-ethernet-software/nvue-reference/Set-and-Unset-Commands/QoS),
//! profiles; [NX-OS QoS configuration
//! guide](https://www.cisco.com/c/en/us/td/docs/dcn/nx-os/nexus9000/106x/configuration/qos/cisco-nexus-9000-series-nx-os-quality-of-service-configuration-guide-106x.pdf).

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
