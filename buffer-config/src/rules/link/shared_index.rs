//! # LINK021 shared-index
//!
//! Severity: warning.
//!
//! Two ports of one cage (`index`) have the same `subport`, or one `index` has more lanes than any other cage of the
//! switch.
//!
//! ## Why it matters
//!
//! SONiC finds the transceiver of a port by its `index`, and the lanes of a module that several ports share by
//! `subport`. With those of another port, the wrong module or the wrong lanes are set up, and the link stays down or
//! loses packets.
//!
//! ## Example
//!
//! ```json
//! {
//!   "PORT": {
//!     "Ethernet0": {
//!       "lanes": "1,2", "index": "1", "subport": "1", "speed": "100000", "mtu": "9100", "admin_status": "up"
//!     },
//!     "Ethernet4": {
//!       "lanes": "3,4", "index": "1", "subport": "1", "speed": "100000", "mtu": "9100", "admin_status": "up"
//!     }
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Use the `index` of `platform.json` or `port_config.ini`, and number the ports of one cage from 1.
//!
//! ## Source
//!
//! [port_mapping.py](https://github.com/sonic-net/sonic-platform-daemons/blob/master/sonic-xcvrd/xcvrd/xcvrd_utilities/port_event_helper.py)
//! of xcvrd; [YANG
//! port](https://github.com/sonic-net/sonic-buildimage/blob/master/src/sonic-yang-models/yang-models/sonic-port.yang).

use std::collections::BTreeMap;

use super::super::context::{Context, Findings, field, names};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "LINK021", name: "shared-index", severity: Severity::Warning, effect: effect::LINK };

/// The fewest other cages that a cage with more lanes is compared with.
const FEWEST_CAGES: usize = 3;

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    // Index, name and lanes of each port; those of one cage become neighbours.
    let mut all: Vec<(&str, &str, u32)> = Vec::new();
    for (port, entry) in cx.sw.ports.iter().zip(cx.db.rows("PORT")).filter(|(port, _)| port.is_up) {
        if let Some(index) = cx.db.field(entry, "index") {
            all.push((index.value.trim(), &port.name, port.lanes));
        }
    }
    all.sort_by_key(|(index, ..)| *index);
    let cages = || all.chunk_by(|(one, ..), (next, ..)| one == next);
    if cages().all(|ports| ports.len() == 1) {
        return;
    }
    let mut counts: Vec<u32> = cages().map(lanes).collect();
    counts.sort_unstable();
    let largest = counts.last().copied().unwrap_or(0);
    // The most lanes of another cage, if one cage alone has more than any other.
    let most =
        counts.iter().rev().nth(1).copied().filter(|most| counts.len() > FEWEST_CAGES && *most < largest);
    for ports in cages().filter(|ports| ports.len() > 1) {
        let own: Vec<&str> = ports.iter().map(|(_, name, _)| *name).collect();
        let (Some(last), Some((index, ..))) = (own.last(), ports.first()) else { continue };
        let mut subports: BTreeMap<&str, &str> = BTreeMap::new();
        let shared = own.iter().find_map(|name| {
            let subport = cx.value("PORT", name, "subport").map(str::trim).filter(|s| *s != "0")?;
            subports.insert(subport, name).map(|other| (subport, other, *name))
        });
        if let Some((subport, one, other)) = shared {
            let message = format!("{one} and {other} have index {index} and subport {subport}");
            cx.report(out, &META, field("PORT", other, "subport"), message).of_ports(&[one, other]);
        } else if let Some(most) = most.filter(|_| lanes(ports) == largest) {
            let message = format!(
                "{} have index {index}, with {largest} lanes; no other cage has more than {most}",
                names(&own)
            );
            cx.report(out, &META, field("PORT", last, "index"), message).of_ports(&own);
        }
    }
}

/// The lanes of the ports of one cage.
fn lanes(ports: &[(&str, &str, u32)]) -> u32 {
    ports.iter().map(|(.., lanes)| lanes).sum()
}
