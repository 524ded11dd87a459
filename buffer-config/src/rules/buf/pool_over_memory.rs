//! # BUF024 pool-over-memory
//!
//! Severity: error (a warning where the size of the memory is only assumed, up to half more than that size, and for
//! pools whose size only lifts a limit).
//!
//! A pool is larger than the packet memory.
//!
//! ## Why it matters
//!
//! The dynamic model rejects the size. Other SAIs clip it or crash.
//!
//! ## Example
//!
//! ```json
//! {"BUFFER_POOL": {"egress_lossy_pool": {"type": "egress", "mode": "dynamic", "size": "99000000"}}}
//! ```
//!
//! ## Fix
//!
//! Reduce the size.
//!
//! ## Source
//!
//! buffermgrdyn.cpp; sonic-utilities.

use super::super::context::{Context, EGRESS_POOL, Findings, bytes, field};
use super::super::{Meta, effect};
use crate::finding::Severity;
use crate::resolved::{Direction, PoolMode};

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "BUF024",
    name: "pool-over-memory",
    severity: Severity::Error,
    effect: effect::OVERSUBSCRIBED_MEMORY,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let Some(memory) = cx.memory().filter(|m| m.from != EGRESS_POOL || cx.asic.is_none()) else {
        return;
    };
    for pool in &cx.sw.pools {
        if pool.size_bytes.is_some_and(|size| size > memory.bytes) {
            // An egress pool larger than the memory has no effect as a limit, which is intended for lossless traffic:
            // Spectrum shipped with 16 MiB for years.
            let lifts_limit = pool.direction == Direction::Egress
                && (pool.mode == PoolMode::Static || pool.name == "egress_lossless_pool");
            let severity = match lifts_limit {
                true => Severity::Warning,
                false => memory.severity(pool.size_bytes.unwrap_or(0)),
            };
            let message = format!(
                "pool {} is {}, but the packet memory is {} ({})",
                pool.name,
                bytes(pool.size_bytes.unwrap_or(0)),
                bytes(memory.bytes),
                memory.from
            );
            cx.report(out, &META, field("BUFFER_POOL", &pool.name, "size"), message)
                .severity(severity)
                .replace(memory.bytes.to_string());
        }
    }
}
