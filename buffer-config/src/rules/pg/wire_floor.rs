//! # PG005 below-the-wire
//!
//! Severity: error.
//!
//! Headroom is smaller than the bytes in flight on the cable, in both directions. On NX-OS, an input queue has no
//! headroom: its `pause-threshold` is not below its `buffer-size`.
//!
//! ## Why it matters
//!
//! On any ASIC, packets are dropped. Twenty shipped rows violate this rule, all for 1.5 and 2 km.
//!
//! ## Example
//!
//! ```json
//! {
//!   "BUFFER_PROFILE": {
//!     "pg_lossless_100000_40m_profile": {"pool": "ingress_lossless_pool", "size": "1248", "dynamic_th": "-2",
//!       "xon": "2288", "xon_offset": "2288", "xoff": "3000"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Increase `xoff`, or set the real cable length.
//!
//! ## Source
//!
//! 2 * length * speed / 198,000 km/s, the speed of light in fibre that buffer_headroom_mellanox.lua uses.

use super::super::context::{Context, Findings, Hit, bytes, field, hit_as};
use super::super::{Meta, effect};
use crate::finding::Severity;
use crate::headroom::{self, Floor};
use crate::resolved::ResolvedPort;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "PG005",
    name: "below-the-wire",
    severity: Severity::Error,
    effect: effect::HEADROOM_TOO_SMALL,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.by_port(out, &META, |port| short(cx, port, Floor::Wire, Severity::Error));
    for row in cx.lookup.iter().flat_map(|l| &l.rows) {
        let needed =
            headroom::wire_bytes(row.speed_mbps, f64::from(row.cable_m().unwrap_or(0))).ceil() as u64;
        if row.xoff_bytes < needed {
            let message = format!(
                "the lookup table has {} for {} Mb/s and {}, but {} are in flight on the cable",
                bytes(row.xoff_bytes),
                row.speed_mbps,
                row.cable,
                bytes(needed)
            );
            cx.report(out, &META, field("BUFFER_POOL", crate::LOSSLESS_POOL, "xoff"), message);
        }
    }
}

/// Reports a lossless group of the port below a floor.
pub(super) fn short(
    cx: &Context<'_, '_>,
    port: &ResolvedPort,
    floor: Floor,
    severity: Severity,
) -> Option<Hit> {
    let (profile, has, cable) = cx.headroom_of(port)?;
    let need =
        |f| headroom::floor_bytes(f, port.speed_mbps, f64::from(cable), port.mtu_bytes, cx.lossless_mtu());
    let needed = need(floor);
    // Values below the bytes in flight are reported by PG005.
    if has >= needed || (floor != Floor::Wire && has < need(Floor::Wire)) {
        return None;
    }
    let missing = headroom::deficit(needed - has, port.speed_mbps);
    let message = format!(
        "profile {} has headroom {}, but {} Mb/s over {cable} m need at least {}: {} too small, the bytes of {:.1} us or {:.0} m of cable",
        profile.name,
        bytes(has),
        port.speed_mbps,
        bytes(needed),
        bytes(needed - has),
        missing.nanoseconds / 1e3,
        missing.metres
    );
    hit_as(severity, "BUFFER_PROFILE", &profile.name, "xoff", message)
}
