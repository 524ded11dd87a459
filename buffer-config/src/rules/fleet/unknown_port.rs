//! # FLEET006 unknown-neighbour-port
//!
//! Severity: error.
//!
//! DEVICE_NEIGHBOR names a port that the neighbour does not have.
//!
//! ## Why it matters
//!
//! The entry is stale or misspelt. The link cannot be compared, and tools that derive cable lengths and roles from
//! neighbours use wrong ones.
//!
//! ## Example
//!
//! Of each switch:
//!
//! ```json
//! {"DEVICE_NEIGHBOR": {"Ethernet0": {"name": "b", "port": "Ethernet999"}}}
//! ```
//!
//! ```json
//! {"DEVICE_NEIGHBOR": {"Ethernet0": {"name": "a", "port": "Ethernet0"}}}
//! ```
//!
//! ## Fix
//!
//! Name the port of the neighbour, or its alias.
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
    code: "FLEET006",
    name: "unknown-neighbour-port",
    severity: Severity::Error,
    effect: effect::FLEET_DIFFERENCE,
};

/// [`crate::fleet::Fleet::check`] reports violations, because they concern several switches.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
