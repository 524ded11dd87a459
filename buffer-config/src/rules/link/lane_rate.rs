//! # LINK013 lane-rate
//!
//! Severity: error (a warning where only one port has another number of lanes).
//!
//! The speed of a port is more than 200 Gb/s for each of its lanes, or one port has fewer lanes than all other ports of
//! its speed.
//!
//! ## Why it matters
//!
//! No lane is faster than 200 Gb/s: the port is not created or stays down. After a change of the breakout, a port that
//! kept the lanes of its old mode does not come up either.
//!
//! ## Example
//!
//! ```json
//! {
//!   "PORT": {
//!     "Ethernet0": {"lanes": "1", "speed": "400000", "mtu": "9100", "admin_status": "up"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Use the lanes and the speed of one breakout mode of `platform.json`.
//!
//! ## Source
//!
//! IEEE 802.3dj, 200 Gb/s for each lane; `breakout_modes` of
//! [platform.json](https://github.com/sonic-net/SONiC/blob/master/doc/dynamic-port-breakout/sonic-dynamic-port-breakout-HLD.md).

use std::collections::BTreeMap;

use super::super::context::{Context, Findings, hit, hit_as};
use super::super::{Meta, effect};
use crate::finding::Severity;
use model::units::counted;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "LINK013", name: "lane-rate", severity: Severity::Error, effect: effect::LINK };

/// The fastest lane that a standard defines, Mb/s.
const FASTEST_LANE_MBPS: u32 = 200_000;
/// The fewest ports that show how many lanes a speed has on this switch.
const MANY: usize = 4;

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    // The number of ports by speed and lanes.
    let mut counts: BTreeMap<(u32, u32), usize> = BTreeMap::new();
    for (port, count) in cx.port_kinds().filter(|(port, _)| port.is_up && port.lanes > 0) {
        *counts.entry((port.speed_mbps, port.lanes)).or_default() += count;
    }
    cx.by_port_entry(out, &META, |port, entry| {
        let (speed, own) = (port.speed_mbps, port.lanes);
        let is_too_fast = own > 0 && speed / own > FASTEST_LANE_MBPS;
        let is_only = counts.get(&(speed, own)) == Some(&1);
        if !port.is_up || !(is_too_fast || is_only) {
            return None;
        }
        // Ports inside the switch have lanes of their own kind.
        if cx.db.field(entry, "role").is_some_and(|f| f.value != "Ext") {
            return None;
        }
        let lanes = counted(u64::from(own), "lane");
        if is_too_fast {
            let message =
                format!("{speed} Mb/s over {lanes}: no lane is faster than {FASTEST_LANE_MBPS} Mb/s");
            return hit("PORT", &port.name, "lanes", message);
        }
        let mut others = counts.range((speed, 0)..=(speed, u32::MAX)).filter(|((_, lanes), _)| *lanes != own);
        let ((_, usual), count) = others.next()?;
        if others.next().is_some() || *count < MANY || own >= *usual {
            return None;
        }
        let message = format!("{lanes}, but all other ports with {speed} Mb/s have {usual}");
        hit_as(Severity::Warning, "PORT", &port.name, "lanes", message)
    });
}
