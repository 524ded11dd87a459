//! # PG033 odd-headroom
//!
//! Severity: warning.
//!
//! One port or a few have less headroom than nearly all other ports with the same speed and cable length.
//!
//! ## Why it matters
//!
//! The bytes that arrive after a pause depend on speed and length only. If the usual headroom is right, these ports
//! drop packets; often their groups kept a profile that was written for a test.
//!
//! ## Example
//!
//! ```json
//! {
//!   "PORT": {
//!     "Ethernet8": {"lanes": "9,10,11,12", "speed": "100000", "admin_status": "up"},
//!     "Ethernet12": {"lanes": "13,14,15,16", "speed": "100000", "admin_status": "up"}
//!   },
//!   "CABLE_LENGTH": {"AZURE": {"Ethernet0": "40m", "Ethernet4": "40m", "Ethernet8": "40m", "Ethernet12": "40m"}},
//!   "BUFFER_PROFILE": {
//!     "test": {"pool": "ingress_lossless_pool", "size": "1248", "dynamic_th": "-2", "xon": "2288",
//!       "xon_offset": "2288", "xoff": "90000"}
//!   },
//!   "BUFFER_PG": {
//!     "Ethernet8|3-4": {"profile": "pg_lossless_100000_40m_profile"},
//!     "Ethernet12|3-4": {"profile": "test"}
//!   },
//!   "PORT_QOS_MAP": {
//!     "Ethernet8": {"dscp_to_tc_map": "AZURE", "tc_to_pg_map": "AZURE", "tc_to_queue_map": "AZURE",
//!       "pfc_to_queue_map": "AZURE", "pfc_enable": "3,4"},
//!     "Ethernet12": {"dscp_to_tc_map": "AZURE", "tc_to_pg_map": "AZURE", "tc_to_queue_map": "AZURE",
//!       "pfc_to_queue_map": "AZURE", "pfc_enable": "3,4"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Use the profile of the other ports.
//!
//! ## Source
//!
//! buffer_headroom_mellanox.lua: headroom is a function of speed, cable length and MTU.

use super::super::context::{Context, Findings, bytes, hit};
use super::super::{Meta, effect, siblings};
use crate::finding::Severity;
use crate::resolved::ResolvedPort;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "PG033",
    name: "odd-headroom",
    severity: Severity::Warning,
    effect: effect::HEADROOM_TOO_SMALL,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let up = cx.port_kinds().filter(|(port, _)| port.is_up);
    let usual = siblings::usual_counted(up.filter_map(|(port, count)| {
        let (least, cable_m) = least_headroom(cx, port)?;
        Some(((port.speed_mbps, cable_m), least, count))
    }));
    cx.by_port(out, &META, |port| {
        let (own, cable_m) = least_headroom(cx, port).filter(|_| port.is_up)?;
        let usual = usual.get(&(port.speed_mbps, cable_m)).copied().filter(|usual| own < *usual)?;
        let message = format!(
            "headroom {}, but {} on most ports with {} Mb/s over {cable_m} m",
            bytes(own),
            bytes(usual),
            port.speed_mbps
        );
        let group = port.priority_groups.iter().position(|at| {
            cx.profile(*at).is_some_and(|p| p.is_lossless() && p.headroom_bytes == Some(own))
        })?;
        hit("BUFFER_PG", cx.group_key("BUFFER_PG", &port.name, group), "profile", message)
    });
}

/// The least headroom of a port's lossless groups, as the file states it, and the length of its cable.
fn least_headroom(cx: &Context<'_, '_>, port: &ResolvedPort) -> Option<(u64, u32)> {
    let profiles = cx.lossless_priorities(port).filter(|(_, profile)| !profile.is_generated);
    let least = profiles.filter_map(|(_, profile)| profile.headroom_bytes).min()?;
    Some((least, port.cable_m?))
}
