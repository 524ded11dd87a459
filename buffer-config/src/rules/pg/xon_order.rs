//! # PG012 xon-above-pause
//!
//! Severity: error. Rows: HR-10.
//!
//! A lossless group resumes below the point at which it pauses: xon at most the reserved size where xon counts,
//! xon_offset above 0 and below the dynamic limit elsewhere.
//!
//! ## Why it matters
//!
//! Resuming above the pause point means that pause and resume chase each other, or that the sender is never
//! resumed.
//!
//! ## Example
//!
//! ```json
//! {
//!   "DEVICE_METADATA": {"localhost": {"platform": "x86_64-mlnx_msn4700-r0"}},
//!   "BUFFER_PROFILE": {
//!     "pg_lossless_100000_40m_profile": {"pool": "ingress_lossless_pool", "size": "1248", "dynamic_th": "-2",
//!       "xon": "99999999", "xoff": "100000"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Lower `xon`, or set `xon_offset`.
//!
//! ## Source
//!
//! YANG xon_offset; SAI PR 203.

use super::super::Meta;
use super::super::context::{Context, Findings, bytes, field};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "PG012", name: "xon-above-pause", severity: Severity::Error, ids: &["HR-10"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let pool = cx.lossless_pool().and_then(|p| p.size_bytes);
    for profile in cx.lossless_in_use() {
        let trip = profile.threshold.zip(pool).map(|(t, size)| t.trip_bytes(size, 1));
        let at = field("BUFFER_PROFILE", &profile.name, "xon");
        if let Some(limit) = trip.map(|t| t.saturating_add(profile.reserved_bytes)).filter(|limit| profile.xon_bytes > *limit) {
            let message = format!("profile {}: resumes at {}, pauses at {}", profile.name, bytes(profile.xon_bytes), bytes(limit));
            cx.report(out, &META, at, message);
        }
        if let (Some(offset), Some(trip)) = (profile.xon_offset_bytes, trip)
            && offset >= trip
            && trip > 0
        {
            let at = field("BUFFER_PROFILE", &profile.name, "xon_offset");
            let message = format!("profile {}: xon_offset {} is not below the limit {}", profile.name, bytes(offset), bytes(trip));
            cx.report(out, &META, at, message);
        }
    }
}
