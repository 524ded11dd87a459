//! # MAP019 policed-lossless-class
//!
//! Severity: warning.
//!
//! A policy map of EOS or NX-OS, or an access list of NVUE, polices packets of a lossless class at less than the speed
//! of the port.
//!
//! ## Why it matters
//!
//! A policer does not queue: packets above its rate are dropped, or leave with a DSCP that other switches drop first.
//! PFC and ECN never notice it, and a dropped packet of RDMA makes the sender send all later packets again.
//!
//! ## Example
//!
//! ```eos
//! hostname leaf1
//! class-map type qos match-any RDMA
//!    match dscp 26
//! policy-map type quality-of-service LIMIT
//!    class RDMA
//!       police cir 1 gbps bc 256 kbytes
//! interface Ethernet1
//!    speed 100g-4
//!    qos trust dscp
//!    priority-flow-control on
//!    priority-flow-control priority 3 no-drop
//!    service-policy type qos input LIMIT
//! ```
//!
//! ## Fix
//!
//! Remove the policer from the class.
//!
//! ## Source
//!
//! [Arista EOS, ingress policing](https://www.arista.com/en/support/toi/tag/qos); [NX-OS QoS configuration guide,
//! policing](https://cisco.com/c/en/us/td/docs/switches/datacenter/nexus9000/sw/7-x/qos/configuration/guide/b_Cisco_Nexus_9000_Series_NX-OS_Quality_of_Service_Configuration_Guide_7x/b_Cisco_Nexus_9000_Series_NX-OS_Quality_of_Service_Configuration_Guide_7x_chapter_0111.html);
//! [Cumulus Linux,
//! policing](https://docs.nvidia.com/networking-ethernet-software/cumulus-linux-519/Layer-1-and-Switch-Ports/Quality-of-Service/).

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "MAP019",
    name: "policed-lossless-class",
    severity: Severity::Warning,
    effect: effect::NOT_PORT_SPECIFIC,
};

/// [`crate::device::check`] reports violations; [`super::acl_class`] judges policers of SONiC.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
