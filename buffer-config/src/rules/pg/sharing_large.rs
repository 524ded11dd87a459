//! # PG028 headroom-above-pool
//!
//! Severity: warning.
//!
//! The shared headroom is not smaller than the pool that it belongs to.
//!
//! ## Why it matters
//!
//! Headroom is for packets that arrive after a pause was sent. If it exceeds the shared buffer, senders are paused
//! almost permanently, or the two numbers were swapped.
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
//! Correct or swap the numbers.
//!
//! ## Source
//!
//! Two shipped switches have copied it, such as the Arista 7170,
//! [buffers_defaults_t1.j2](https://github.com/sonic-net/sonic-buildimage/blob/master/device/arista/x86_64-arista_7170_64c/Arista-7170-64C/buffers_defaults_t1.j2).

use super::super::context::{Context, Findings, bytes, field};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "PG028",
    name: "headroom-above-pool",
    severity: Severity::Warning,
    effect: effect::OVERSUBSCRIBED_MEMORY,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let Some(pool) = cx.lossless_pool() else { return };
    if pool.size_bytes.is_some_and(|size| size > 0 && pool.shared_headroom_bytes >= size) {
        let message = format!(
            "shared headroom {} is not smaller than the pool's size {}",
            bytes(pool.shared_headroom_bytes),
            bytes(pool.size_bytes.unwrap_or(0))
        );
        cx.report(out, &META, field("BUFFER_POOL", &pool.name, "xoff"), message);
    }
}
