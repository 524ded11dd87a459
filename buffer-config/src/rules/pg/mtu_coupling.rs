//! # PG018 mtu-above-table
//!
//! Severity: warning.
//!
//! The port's MTU is above 9100, the value that the headroom tables are computed for.
//!
//! ## Why it matters
//!
//! A larger frame that is already being transmitted delays the PFC frame for longer than the headroom allows.
//!
//! ## Example
//!
//! ```json
//! {
//!   "PORT": {
//!     "Ethernet0": {"lanes": "1,2,3,4", "speed": "100000", "mtu": "9216", "admin_status": "up"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Reduce the MTU, or increase the headroom by the difference.
//!
//! ## Source
//!
//! buffermgrdyn.cpp.

use super::super::context::{Context, Findings, hit};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "PG018",
    name: "mtu-above-table",
    severity: Severity::Warning,
    effect: effect::HEADROOM_TOO_SMALL,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.by_port(out, &META, |port| {
        let lossless = port
            .priority_groups
            .iter()
            .any(|g| cx.profile(*g).is_some_and(|p| p.is_lossless() && !p.is_generated));
        if port.mtu_bytes <= crate::DEFAULT_MTU || !lossless {
            return None;
        }
        hit(
            "PORT",
            &port.name,
            "mtu",
            format!("MTU {}, but the headroom is computed for 9100", port.mtu_bytes),
        )
    });
}
