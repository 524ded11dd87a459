//! # PG029 speed-without-quanta
//!
//! Severity: warning. Rows: HR-01.
//!
//! The peer's response is defined for the port's speed.
//!
//! ## Why it matters
//!
//! 1.6 Tb/s has no pause quanta in SONiC's table: the arithmetic falls back to 3.8 KiB, less than a port at 100G
//! gets.
//!
//! ## Example
//!
//! ```json
//! {
//!   "PORT": {
//!     "Ethernet0": {"lanes": "1,2,3,4", "speed": "1600000", "mtu": "9100", "admin_status": "up"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Set the headroom by hand, from the vendor's figures.
//!
//! ## Source
//!
//! IEEE 802.3 31B.3.7; buffer_headroom_mellanox.lua.

use super::super::Meta;
use super::super::context::{Context, Findings, hit};
use crate::finding::Severity;
use crate::headroom;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "PG029", name: "speed-without-quanta", severity: Severity::Warning, ids: &["HR-01"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.by_port(out, &META, |port| {
        let odd = port.pfc_priorities != 0 && port.speed_mbps > 0 && headroom::pause_quanta(port.speed_mbps).is_none();
        odd.then(|| hit("PORT", &port.name, "speed", format!("no pause quanta are defined for {} Mb/s", port.speed_mbps))).flatten()
    });
}
