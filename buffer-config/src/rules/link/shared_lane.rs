//! # LINK011 shared-lane
//!
//! Severity: error.
//!
//! Two ports that are up use the same lane.
//!
//! ## Why it matters
//!
//! A lane belongs to one port. orchagent creates the first one only, or stops, and the other port stays down.
//!
//! ## Example
//!
//! ```json
//! {
//!   "PORT": {
//!     "Ethernet0": {"lanes": "1,2,3,4", "speed": "100000", "mtu": "9100", "admin_status": "up"},
//!     "Ethernet4": {"lanes": "4,5,6,7", "speed": "100000", "mtu": "9100", "admin_status": "up"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Use the lanes of `platform.json` or `port_config.ini`.
//!
//! ## Source
//!
//! [portsorch.cpp](https://github.com/sonic-net/sonic-swss/blob/master/orchagent/portsorch.cpp), which identifies
//! ports by their lanes.

use std::collections::BTreeMap;

use super::super::context::{Context, Findings, field};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "LINK011", name: "shared-lane", severity: Severity::Error, effect: effect::LINK };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    if are_distinct(cx) {
        return;
    }
    let mut owners: BTreeMap<&str, &str> = BTreeMap::new();
    let mut found: Vec<(&str, &str, &str)> = Vec::new();
    for (port, entry) in cx.sw.ports.iter().zip(cx.db.rows("PORT")).filter(|(port, _)| port.is_up) {
        let lanes = cx.db.field(entry, "lanes").map_or("", |field| field.value);
        for lane in lanes.split(',').map(str::trim).filter(|lane| !lane.is_empty()) {
            match owners.get(lane) {
                Some(owner) if *owner == port.name => {}
                // One finding a port.
                Some(_) if found.last().is_some_and(|(name, ..)| *name == port.name) => {}
                Some(owner) => found.push((&port.name, owner, lane)),
                None => {
                    owners.insert(lane, &port.name);
                }
            }
        }
    }
    for (name, owner, lane) in found {
        cx.report(
            out,
            &META,
            field("PORT", name, "lanes"),
            format!("{name} and {owner} both use lane {lane}"),
        );
    }
}

/// Whether all lanes of ports that are up are different numbers, as on nearly all switches.
fn are_distinct(cx: &Context<'_, '_>) -> bool {
    let mut all: Vec<u32> = Vec::new();
    for (_, entry) in cx.sw.ports.iter().zip(cx.db.rows("PORT")).filter(|(port, _)| port.is_up) {
        let lanes = cx.db.field(entry, "lanes").map_or("", |field| field.value);
        for lane in lanes.split(',').filter(|lane| !lane.is_empty()) {
            let Ok(lane) = lane.parse() else { return false };
            all.push(lane);
        }
    }
    all.sort_unstable();
    all.windows(2).all(|pair| pair.first() != pair.last())
}
