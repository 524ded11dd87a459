//! # FLEET007 neighbours-contradict
//!
//! Severity: error.
//!
//! Two switches name each other as neighbours, but not with the same ports, or one of them names a third switch.
//!
//! ## Why it matters
//!
//! At least one of the entries is wrong: a cable was moved, or an entry was copied. Checks of both ends of the link
//! compare the wrong ports.
//!
//! ## Example
//!
//! Of each switch:
//!
//! ```json
//! {"DEVICE_NEIGHBOR": {"Ethernet0": {"name": "b", "port": "Ethernet0"}}}
//! ```
//!
//! ```json
//! {"DEVICE_NEIGHBOR": {"Ethernet0": {"name": "a", "port": "Ethernet4"}}}
//! ```
//!
//! ## Fix
//!
//! Correct the entry that does not match the cable; LLDP shows the neighbour.
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
    code: "FLEET007",
    name: "neighbours-contradict",
    severity: Severity::Error,
    effect: effect::FLEET_DIFFERENCE,
};

/// [`crate::fleet::Fleet::check`] reports violations, because they concern several switches.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
