//! # PG006 below-the-standard
//!
//! Severity: error (a warning where only the worst case does not fit). Rows: HR-03.
//!
//! Headroom holds the wire, the response of the peer that IEEE 802.3 31B.3.7 allows and one lossless frame: less is an
//! error. It holds the worst case, in which the pause frame waits for a frame of the port's MTU, and frames come whole and
//! fill whole cells: less is a warning.
//!
//! ## Why it matters
//!
//! The peer may keep sending for that long after the pause was due. `harrier check --prove` shows the frame that is
//! dropped. The assumption below which it is an error can be changed (`--floor`).
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
//! Raise `xoff`.
//!
//! ## Source
//!
//! IEEE 802.3 annex 31B; vendors' white papers on PFC.

use super::super::Meta;
use super::super::context::{Context, Findings, bytes, hit_as};
use super::wire_floor::short;
use crate::finding::Severity;
use crate::headroom::{self, Link};

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "PG006", name: "below-the-standard", severity: Severity::Error, ids: &["HR-03"] };

/// Runs the rule.
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
        // Below the declared floor there is an error already.
        if has >= needed || has < declared {
            return None;
        }
        let missing = headroom::deficit(needed - has, link.speed_mbps);
        let message = format!(
            "profile {} has headroom {}, the worst case at {} Mb/s over {cable_m} m takes {} (frames of {} B in cells of {} B): {} short = {:.0} m = {:.0} ns",
            profile.name,
            bytes(has),
            link.speed_mbps,
            bytes(needed),
            link.lossless_mtu,
            link.cell_bytes,
            bytes(needed - has),
            missing.metres,
            missing.nanoseconds
        );
        hit_as(Severity::Warning, "BUFFER_PROFILE", &profile.name, "xoff", message)
    });
}
