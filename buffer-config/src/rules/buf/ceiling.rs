//! # BUF043 ceiling-of-a-group
//!
//! Severity: warning. Rows: ALPHA-05.
//!
//! A single lossless group may hold at least a few frames before it pauses, even when all groups of its port are
//! busy.
//!
//! ## Why it matters
//!
//! With less, every burst pauses the sender and the link runs far below its speed.
//!
//! ## Example
//!
//! ```json
//! {
//!   "BUFFER_POOL": {
//!     "ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "20000", "xoff": "2000000"}
//!   },
//!   "BUFFER_PROFILE": {
//!     "pg_lossless_100000_40m_profile": {"pool": "ingress_lossless_pool", "size": "1248", "dynamic_th": "-6",
//!       "xon": "2288", "xon_offset": "2288", "xoff": "100000"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Raise alpha or the pool.
//!
//! ## Source
//!
//! alpha*S/(1+n*alpha), Azure 7.3.

use super::super::Meta;
use super::super::context::{Context, Findings, bytes, row, smallest_trip};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "BUF043", name: "ceiling-of-a-group", severity: Severity::Warning, ids: &["ALPHA-05"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let groups = cx.sw.ports.iter().map(|p| u64::from(p.pfc_priorities.count_ones())).max().unwrap_or(0).max(1);
    let Some((trip, _, name)) = smallest_trip(cx, groups) else { return };
    let frames = 4 * u64::from(crate::DEFAULT_MTU);
    if trip < frames {
        let message = format!("profile {name}: with {groups} busy groups each pauses at {}, fewer than four frames", bytes(trip));
        cx.report(out, &META, row("BUFFER_PROFILE", &name), message);
    }
}
