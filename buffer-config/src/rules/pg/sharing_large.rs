//! # PG028 headroom-above-pool
//!
//! Severity: warning. Rows: POOL-11.
//!
//! The shared headroom is smaller than the pool it belongs to.
//!
//! ## Why it matters
//!
//! Headroom is for what arrives after a pause; more of it than of shared buffer means that the senders are paused
//! almost all the time, or that two numbers were mixed up.
//!
//! ## Example
//!
//! ```json
//! {
//!   "BUFFER_POOL": {
//!     "ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "1000000", "xoff": "2000000"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Swap or correct the numbers.
//!
//! ## Source
//!
//! two shipped switches have it by copy and paste (Arista 7170).

use super::super::Meta;
use super::super::context::{Context, Findings, bytes, field};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "PG028", name: "headroom-above-pool", severity: Severity::Warning, ids: &["POOL-11"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let Some(pool) = cx.lossless_pool() else { return };
    if pool.size_bytes.is_some_and(|size| size > 0 && pool.shared_headroom_bytes >= size) {
        let message = format!("shared headroom {} is not below the pool's size {}", bytes(pool.shared_headroom_bytes), bytes(pool.size_bytes.unwrap_or(0)));
        cx.report(out, &META, field("BUFFER_POOL", &pool.name, "xoff"), message);
    }
}
