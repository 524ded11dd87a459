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
    let ports = || cx.sw.ports.iter().filter(|port| port.is_up && port.lanes > 0);
    cx.by_port_entry(out, &META, |port, entry| {
        // Ports inside the switch have lanes of their own kind.
        let is_internal = cx.db.field(entry, "role").is_some_and(|f| f.value != "Ext");
        if !port.is_up || port.lanes == 0 || is_internal {
            return None;
        }
        let lanes = counted(u64::from(port.lanes), "lane");
        if port.speed_mbps / port.lanes > FASTEST_LANE_MBPS {
            let message = format!(
                "{} Mb/s over {lanes}: no lane is faster than {FASTEST_LANE_MBPS} Mb/s",
                port.speed_mbps
            );
            return hit("PORT", &port.name, "lanes", message);
        }
        let of_speed = || ports().filter(|other| other.speed_mbps == port.speed_mbps);
        let is_only = of_speed().filter(|other| other.lanes == port.lanes).count() == 1;
        let usual = of_speed().find(|other| other.name != port.name)?.lanes;
        let others = of_speed().filter(|other| other.lanes == usual).count();
        if !is_only || others < MANY || others + 1 < of_speed().count() || port.lanes >= usual {
            return None;
        }
        let message = format!("{lanes}, but all other ports with {} Mb/s have {usual}", port.speed_mbps);
        hit_as(Severity::Warning, "PORT", &port.name, "lanes", message)
    });
}
