//! # PG018 mtu-above-table
//!
//! Severity: warning. Rows: HR-16.
//!
//! The port's MTU is at most 9100, for which the headroom tables are made.
//!
//! ## Why it matters
//!
//! A larger frame of ours delays the pause longer than the headroom allows for.
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
//! Lower the MTU, or raise the headroom by the difference.
//!
//! ## Source
//!
//! buffermgrdyn.cpp.

use super::super::Meta;
use super::super::context::{Context, Findings, hit};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "PG018", name: "mtu-above-table", severity: Severity::Warning, ids: &["HR-16"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.by_port(out, &META, |port| {
        let lossless = port.priority_groups.iter().any(|g| cx.profile(*g).is_some_and(|p| p.is_lossless() && !p.is_generated));
        if port.mtu_bytes <= crate::DEFAULT_MTU || !lossless {
            return None;
        }
        hit("PORT", &port.name, "mtu", format!("MTU {} with headroom made for 9100", port.mtu_bytes))
    });
}
