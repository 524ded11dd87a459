//! # BUF028 ingress-lossy-limit
//!
//! Severity: info.
//!
//! The ingress lossy profile has a static threshold that is smaller than its pool.
//!
//! ## Why it matters
//!
//! Lossy packets are dropped at ingress, where the switch cannot share the buffer fairly between egress queues.
//!
//! ## Example
//!
//! ```json
//! {
//!   "BUFFER_PROFILE": {
//!     "ingress_lossy_profile": {"pool": "ingress_lossless_pool", "size": "0", "static_th": "1000000"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Set `static_th` to the size of the packet memory.
//!
//! ## Source
//!
//! Azure 6.2.

use super::super::context::{Context, Findings, bytes, field};
use super::super::{Meta, effect};
use crate::finding::Severity;
use crate::resolved::PoolMode;
use crate::resolved::Threshold;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "BUF028",
    name: "ingress-lossy-limit",
    severity: Severity::Info,
    effect: effect::NOT_PORT_SPECIFIC,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let Some(profile) = cx.profile_named("ingress_lossy_profile") else { return };
    let (Some(Threshold::Static { bytes: limit }), Some(pool)) = (profile.threshold, cx.pool_of(profile))
    else {
        return;
    };
    if pool.size_bytes.is_some_and(|size| limit < size) && pool.mode == PoolMode::Dynamic {
        let message = format!(
            "ingress_lossy_profile limits lossy traffic to {} of {}",
            bytes(limit),
            bytes(pool.size_bytes.unwrap_or(0))
        );
        cx.report(out, &META, field("BUFFER_PROFILE", &profile.name, "static_th"), message);
    }
}
