//! # MAP018 list-misses-roce
//!
//! Severity: error (a warning if the class may be meant for other traffic, or packets get into it in another way).
//!
//! An access list of a class map does not select RoCEv2 for a lossless class of EOS or NX-OS: it has no rules, rules
//! for another protocol or port, or deny rules that a class map does not obey. Or it puts RoCEv2 into a lossy class.
//!
//! ## Why it matters
//!
//! RDMA is in a lossy class and is dropped under congestion, although PFC is configured on all ports. A deny rule of
//! NX-OS puts the packets that it names into the lossless class.
//!
//! ## Example
//!
//! ```nxos
//! !Command: show running-config
//! switchname leaf1
//! ip access-list ROCE
//!   10 permit tcp any any eq 4791
//! class-map type qos match-any RDMA
//!   match access-group name ROCE
//! policy-map type qos CLASSIFY
//!   class RDMA
//!     set qos-group 3
//! policy-map type network-qos LOSSLESS
//!   class type network-qos c-8q-nq3
//!     pause pfc-cos 3
//! system qos
//!   service-policy type network-qos LOSSLESS
//! interface Ethernet1/1
//!   priority-flow-control mode on
//!   service-policy type qos input CLASSIFY
//! ```
//!
//! ## Fix
//!
//! Permit UDP with the destination port 4791, and list no packets that shall not be in the class.
//!
//! ## Source
//!
//! InfiniBand Architecture, annex A17: the UDP destination port of RoCEv2 is 4791. [Arista EOS user manual, traffic
//! management](https://www.arista.com/en/um-eos/eos-traffic-management): class maps use permit rules only. [NX-OS QoS
//! configuration
//! guide](https://www.cisco.com/c/en/us/td/docs/dcn/nx-os/nexus9000/106x/configuration/qos/cisco-nexus-9000-series-nx-os-quality-of-service-configuration-guide-106x.pdf),
//! ACL classification, and [a test of it](https://netcraftsmen.com/deny-equals-permit-in-nx-os-qos-acls): permit and
//! deny match alike.

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "MAP018",
    name: "list-misses-roce",
    severity: Severity::Error,
    effect: effect::NOT_PORT_SPECIFIC,
};

/// [`crate::device::check`] reports violations; [`super::acl_class`] judges access lists of SONiC.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
