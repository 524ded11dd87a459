//! # PG006 below-the-worst-case
//!
//! Severity: error (a warning above the floor that `--floor` selects).
//!
//! Headroom is below the worst case: the bytes in flight on the cable, those of the response time of the peer that
//! IEEE 802.3 31B.3.7 allows, and those of the frame of the port's MTU for which the pause frame waits. Only whole
//! frames arrive, each of which fills whole cells, unless frames share them (Broadcom DNX).
//!
//! ## Why it matters
//!
//! The peer may continue to send for that long after the switch decides to pause. `harrier check --prove` shows
//! which frame is dropped. `--floor standard` accepts, with a warning, headroom for the bytes in flight, the response
//! time and one lossless frame: frames are dropped only if a longer frame delays the pause frame.
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
use crate::headroom::{self, Floor, Link};

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "PG006",
    name: "below-the-worst-case",
    severity: Severity::Error,
    effect: effect::HEADROOM_TOO_SMALL,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    if let Some(floor) = cx.options.floor {
        cx.by_port(out, &META, |port| short(cx, port, floor, Severity::Error));
    }
    let severity = if cx.options.floor.is_some() { Severity::Warning } else { Severity::Error };
    cx.by_port(out, &META, |port| {
        let (profile, has, cable_m) = cx.headroom_of(port)?;
        let link = Link {
            speed_mbps: port.speed_mbps,
            cable_m,
            port_mtu: port.mtu_bytes,
            lossless_mtu: cx.lossless_mtu(),
            cell_bytes: cx.sw.cell_bytes.unwrap_or(1),
        };
        // Values below the selected floor are already an error, and those below the bytes in flight are PG005.
        let reported = headroom::floor_bytes(
            cx.options.floor.unwrap_or(Floor::Wire),
            link.speed_mbps,
            f64::from(cable_m),
            link.port_mtu,
            link.lossless_mtu,
        );
        let needed = headroom::worst_case_bytes(&link);
        if has >= needed || has < reported {
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
        hit_as(severity, "BUFFER_PROFILE", &profile.name, "xoff", message)
    });
}
