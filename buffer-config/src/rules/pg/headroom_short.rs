//! # PG004 headroom-short
//!
//! Severity: error (lower where it is the ASIC vendor's convention).
//!
//! The headroom of a lossless priority group is below the result of SONiC's own arithmetic for the port's speed,
//! cable and MTU (on ASICs that it covers).
//!
//! ## Why it matters
//!
//! Packets that still arrive after the pause was sent are dropped. This happened at 400G with 50 m cables.
//!
//! ## Example
//!
//! ```json
//! {
//!   "DEVICE_METADATA": {"localhost": {"platform": "x86_64-mlnx_msn4700-r0"}},
//!   "BUFFER_PROFILE": {
//!     "pg_lossless_100000_40m_profile": {"pool": "ingress_lossless_pool", "size": "1248", "dynamic_th": "-2",
//!       "xon": "2288", "xon_offset": "2288", "xoff": "30000"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Increase `xoff` to the bytes that the link needs.
//!
//! ## Source
//!
//! buffer_headroom_mellanox.lua, buffer_headroom_barefoot.lua; sonic-mgmt issue 20422.

use super::super::context::{Context, Findings, bytes, hit_as};
use super::super::{Meta, effect};
use crate::finding::Severity;
use crate::headroom;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "PG004",
    name: "headroom-short",
    severity: Severity::Error,
    effect: effect::HEADROOM_TOO_SMALL,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let Some(asic) = cx.asic.filter(|a| a.headroom.is_some()) else { return };
    let shared = cx.lossless_pool().map_or(0, |p| p.shared_headroom_bytes);
    let pattern = crate::resolve::traffic_pattern(cx.db);
    let small = pattern
        .and_then(|e| cx.db.field(e, "small_packet_percentage"))
        .and_then(|f| f.value.trim().parse().ok());
    let mut known: Vec<((u32, u32, u32, u32), u64)> = Vec::new();
    let known = std::cell::RefCell::new(&mut known);
    cx.by_port(out, &META, |port| {
        let (profile, has, cable) = cx.headroom_of(port)?;
        let key = (port.speed_mbps, cable, port.mtu_bytes, port.lanes);
        let mut known = known.borrow_mut();
        let needed = match known.iter().find(|(k, _)| *k == key) {
            Some((_, needed)) => *needed,
            None => {
                let inputs = headroom::Inputs {
                    speed_mbps: port.speed_mbps,
                    cable_m: f64::from(cable),
                    port_mtu: port.mtu_bytes,
                    lanes: port.lanes,
                    small_packet_percentage: small.unwrap_or(50),
                    lossless_mtu: cx.lossless_mtu(),
                    gearbox_delay: 0.0,
                    over_subscribe_ratio: 1,
                    pool_xoff: shared,
                };
                let needed = headroom::headroom(asic, &inputs)?.xoff;
                known.push((key, needed));
                needed
            }
        };
        if has >= needed {
            return None;
        }
        let missing = headroom::deficit(needed - has, port.speed_mbps);
        let message = format!(
            "profile {} has headroom {}, but {} Mb/s over {cable} m need {}: {} too small, the bytes of {:.1} us or {:.0} m of cable",
            profile.name,
            bytes(has),
            port.speed_mbps,
            bytes(needed),
            bytes(needed - has),
            missing.nanoseconds / 1e3,
            missing.metres
        );
        // The arithmetic became stricter over the years: a slightly smaller value was correct when the table was made.
        let severity = if has < needed - needed / 4 { Severity::Error } else { Severity::Warning };
        hit_as(severity, "BUFFER_PROFILE", &profile.name, "xoff", message)
    });
}
