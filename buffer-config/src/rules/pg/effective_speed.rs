//! # PG019 effective-speed
//!
//! Severity: warning.
//!
//! With autonegotiation, the headroom is too small for the fastest speed that the port can negotiate.
//!
//! ## Why it matters
//!
//! The traditional model sizes headroom for `speed`, but the link may come up at a higher speed.
//!
//! ## Example
//!
//! ```json
//! {
//!   "PORT": {
//!     "Ethernet0": {"lanes": "1,2,3,4", "speed": "100000", "mtu": "9100",
//!       "admin_status": "up", "autoneg": "on", "adv_speeds": "40000,200000"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Set `adv_speeds` to the speed that the headroom is sized for.
//!
//! ## Source
//!
//! buffermgrdyn.cpp.

use super::super::context::{Context, Findings, hit};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "PG019",
    name: "effective-speed",
    severity: Severity::Warning,
    effect: effect::HEADROOM_TOO_SMALL,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.by_port_entry(out, &META, |port, entry| {
        if port.pfc_priorities == 0 || cx.is_dynamic {
            return None;
        }
        cx.db.field(entry, "autoneg").filter(|f| f.value == "on")?;
        let speeds = cx.db.field(entry, "adv_speeds")?;
        let fastest = speeds.value.split(',').filter_map(|s| s.trim().parse::<u32>().ok()).max()?;
        if fastest <= port.speed_mbps {
            return None;
        }
        hit(
            "PORT",
            &port.name,
            "adv_speeds",
            format!("may negotiate {fastest} Mb/s, but its headroom is sized for {}", port.speed_mbps),
        )
    });
}
