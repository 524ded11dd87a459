//! # PG026 shared-headroom-small
//!
//! Severity: error.
//!
//! The shared headroom is smaller than the headroom of a single priority group.
//!
//! ## Why it matters
//!
//! Packets are dropped even if only one group pauses.
//!
//! ## Example
//!
//! ```json
//! {
//!   "BUFFER_POOL": {
//!     "ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "10000000", "xoff": "50000"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Increase `xoff` of the pool.
//!
//! ## Source
//!
//! Azure 7.1.

use super::super::context::{Context, Findings, bytes, field};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "PG026",
    name: "shared-headroom-small",
    severity: Severity::Error,
    effect: effect::HEADROOM_TOO_SMALL,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let Some(pool) = cx.lossless_pool().filter(|p| p.shared_headroom_bytes > 0) else { return };
    let largest = cx
        .lossless_in_use()
        .filter(|p| cx.pool_of(p).is_some_and(|q| q.name == pool.name))
        .max_by_key(|p| p.headroom_bytes);
    if let Some(profile) = largest.filter(|p| p.headroom_bytes.unwrap_or(0) > pool.shared_headroom_bytes) {
        let message = format!(
            "shared headroom is {}, but one group of profile {} may need {}",
            bytes(pool.shared_headroom_bytes),
            profile.name,
            bytes(profile.headroom_bytes.unwrap_or(0))
        );
        cx.report(out, &META, field("BUFFER_POOL", &pool.name, "xoff"), message);
    }
}
