//! # PG029 speed-without-quanta
//!
//! Severity: warning.
//!
//! The pause response time is not defined for the port's speed.
//!
//! ## Why it matters
//!
//! SONiC's table has no pause quanta for 1.6 Tb/s: the arithmetic falls back to 3.8 KiB, less than at 100G.
//!
//! ## Example
//!
//! ```json
//! {
//!   "PORT": {
//!     "Ethernet0": {"lanes": "11,12,13,14,15,16,17,18", "speed": "1600000", "mtu": "9100", "admin_status": "up"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Set the headroom manually, from the vendor's specification.
//!
//! ## Source
//!
//! IEEE 802.3 31B.3.7; buffer_headroom_mellanox.lua.

use super::super::context::{Context, Findings, hit};
use super::super::{Meta, effect};
use crate::finding::Severity;
use crate::headroom;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "PG029",
    name: "speed-without-quanta",
    severity: Severity::Warning,
    effect: effect::INFORMATIONAL,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.by_port(out, &META, |port| {
        let odd = port.pfc_priorities != 0
            && port.speed_mbps > 0
            && headroom::pause_quanta(port.speed_mbps).is_none();
        odd.then(|| {
            hit(
                "PORT",
                &port.name,
                "speed",
                format!("no pause quanta are defined for {} Mb/s", port.speed_mbps),
            )
        })
        .flatten()
    });
}
