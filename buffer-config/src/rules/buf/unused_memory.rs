//! # BUF036 unused-memory
//!
//! Severity: warning. Rows: POOL-01.
//!
//! The memory is used: lossless pool, shared headroom and reservations add up to nearly all of it.
//!
//! ## Why it matters
//!
//! Memory that no pool may use absorbs no burst. On a chip with known reservations some slack is normal.
//!
//! ## Example
//!
//! ```json
//! {
//!   "BUFFER_POOL": {
//!     "ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "15000000", "xoff": "5000000"},
//!     "egress_lossless_pool": {"type": "egress", "mode": "static", "size": "24000000"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Raise the shared headroom or the pool.
//!
//! ## Source
//!
//! Azure, appendix A: size + xoff equals the memory.

use super::super::Meta;
use super::super::context::{Context, Findings, bytes, field};
use crate::finding::Severity;
use crate::resolved::Direction;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "BUF036", name: "unused-memory", severity: Severity::Warning, ids: &["POOL-01"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let Some(memory) = cx.memory().filter(|m| m.is_certain && cx.asic.is_none()) else { return };
    let Some(pool) = cx.lossless_pool().filter(|p| p.shared_headroom_bytes > 0) else { return };
    let mut reserved = 0u64;
    for (profile, uses) in cx.sw.profiles.iter().zip(&cx.uses) {
        reserved = reserved.saturating_add(profile.reserved_bytes.saturating_mul(u64::from(uses[0] + uses[1])));
    }
    let used = pool.size_bytes.unwrap_or(0).saturating_add(pool.shared_headroom_bytes).saturating_add(reserved);
    let unused = memory.bytes.saturating_sub(used);
    if pool.direction == Direction::Ingress && unused > memory.bytes / 50 {
        let message = format!("{} of {} are in no pool and not reserved", bytes(unused), bytes(memory.bytes));
        cx.report(out, &META, field("BUFFER_POOL", &pool.name, "xoff"), message);
    }
}
