//! # PG006 below-the-standard
//!
//! Severity: error (a warning where only the worst case does not fit).
//!
//! Headroom is below the floor (error), or below the worst case (warning). The floor is the bytes in flight on the
//! cable, the response time of the peer that IEEE 802.3 31B.3.7 allows, and one lossless frame. In the worst case,
//! the pause frame also waits for a frame of the port's MTU, and only whole frames arrive, each of which fills
//! whole cells, unless frames share them (Broadcom DNX).
//!
//! ## Why it matters
//!
//! The peer may continue to send for that long after the switch decides to pause. `harrier check --prove` shows
//! which frame is dropped. `--floor` selects the floor below which this is an error.
//!
//! ## Example
//!
//! ```json
//! {
//!   "BUFFER_PROFILE": {
//!     "pg_lossless_100000_40m_profile": {"pool": "ingress_lossless_pool", "size": "1248", "dynamic_th": "-2",
//!       "xon": "2288", "xon_offset": "2288", "xoff": "20000"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Increase `xoff`.
//!
//! ## Source
//!
//! IEEE 802.3 annex 31B; vendors' white papers on PFC.

use super::super::context::{Context, Findings, bytes, hit_as};
use super::super::{Meta, effect};
use super::wire_floor::short;
use crate::finding::Severity;
use crate::headroom::{self, Link};

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "PG006",
    name: "below-the-standard",
    severity: Severity::Error,
    effect: effect::HEADROOM_TOO_SMALL,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.by_port(out, &META, |port| short(cx, port, cx.options.floor, Severity::Error));
    cx.by_port(out, &META, |port| {
        let (profile, has, cable_m) = cx.headroom_of(port)?;
        let link = Link {
            speed_mbps: port.speed_mbps,
            cable_m,
            port_mtu: port.mtu_bytes,
            lossless_mtu: cx.lossless_mtu(),
            cell_bytes: cx.sw.cell_bytes.unwrap_or(1),
        };
        let declared = headroom::floor_bytes(
            cx.options.floor,
            link.speed_mbps,
            f64::from(cable_m),
            link.port_mtu,
            link.lossless_mtu,
        );
        let needed = headroom::worst_case_bytes(&link);
        // Values below the declared floor are already an error.
        if has >= needed || has < declared {
            return None;
        }
        let missing = headroom::deficit(needed - has, link.speed_mbps);
        let cells = cx.sw.cell_bytes.map_or(String::new(), |cell| format!(" in cells of {cell} B"));
        let message = format!(
            "profile {} has headroom {}, but the worst case at {} Mb/s over {cable_m} m needs {} (frames of {} B{cells}): {} too small, the bytes of {:.1} us or {:.0} m of cable",
            profile.name,
            bytes(has),
            link.speed_mbps,
            bytes(needed),
            link.lossless_mtu,
            bytes(needed - has),
            missing.nanoseconds / 1e3,
            missing.metres
        );
        hit_as(Severity::Warning, "BUFFER_PROFILE", &profile.name, "xoff", message)
    });
}
