//! # PG012 xon-above-pause
//!
//! Severity: error.
//!
//! A lossless priority group resumes at or above XOFF: `xon` exceeds the reserved size (where `xon` applies), or
//! `xon_offset` is 0 or not below the dynamic limit (elsewhere). On NX-OS, the `resume-threshold` of an input queue
//! exceeds its `pause-threshold`.
//!
//! ## Why it matters
//!
//! If XON is above XOFF, pause and resume frames alternate, or the sender is never resumed.
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
//! Reduce `xon`, or set `xon_offset`.
//!
//! ## Source
//!
//! YANG xon_offset; SAI PR 203.

use super::super::context::{Context, Findings, bytes, field};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "PG012",
    name: "xon-above-pause",
    severity: Severity::Error,
    effect: effect::XON_NOT_AS_INTENDED,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let pool = cx.lossless_pool().and_then(|p| p.size_bytes);
    for profile in cx.lossless_in_use() {
        let trip = profile.threshold.zip(pool).map(|(t, size)| t.trip_bytes(size, 1));
        let at = field("BUFFER_PROFILE", &profile.name, "xon");
        if let Some(limit) =
            trip.map(|t| t.saturating_add(profile.reserved_bytes)).filter(|limit| profile.xon_bytes > *limit)
        {
            let message = format!(
                "profile {}: resumes at {}, pauses at {}",
                profile.name,
                bytes(profile.xon_bytes),
                bytes(limit)
            );
            cx.report(out, &META, at, message);
        }
        if let (Some(offset), Some(trip)) = (profile.xon_offset_bytes, trip)
            && offset >= trip
            && trip > 0
        {
            let at = field("BUFFER_PROFILE", &profile.name, "xon_offset");
            let message = format!(
                "profile {}: xon_offset {} is not below the limit {}",
                profile.name,
                bytes(offset),
                bytes(trip)
            );
            cx.report(out, &META, at, message);
        }
    }
}
