//! # BUF026 egress-lossless-limit
//!
//! Severity: error (lower where it is the ASIC vendor's convention).
//!
//! The profile of the lossless queues limits them: its static threshold is smaller than the pool, or its alpha is
//! too small.
//!
//! ## Why it matters
//!
//! A lossless queue that reaches its egress limit drops packets, even if ingress headroom is available.
//!
//! ## Example
//!
//! ```json
//! {
//!   "BUFFER_PROFILE": {
//!     "egress_lossless_profile": {"pool": "egress_lossless_pool", "size": "0", "static_th": "6000000"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Set `static_th` to the size of the pool, or `dynamic_th` to 7 on Spectrum.
//!
//! ## Source
//!
//! Azure 6.2 and appendix A.

use super::super::context::{Context, Findings, bytes, field};
use super::super::{Meta, effect};
use crate::finding::Severity;
use crate::resolved::Direction;
use crate::resolved::Threshold;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "BUF026",
    name: "egress-lossless-limit",
    severity: Severity::Error,
    effect: effect::NOT_LOSSLESS,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let Some(profile) = cx.profile_named("egress_lossless_profile") else { return };
    let Some(pool) = cx.pool_of(profile).filter(|p| p.direction != Direction::Ingress) else { return };
    let (Some(Threshold::Static { bytes: limit }), Some(size)) = (profile.threshold, pool.size_bytes) else {
        return;
    };
    if limit < size && limit >= 4096 {
        let halves =
            cx.asic.is_some_and(|a| matches!(a.name, "tomahawk-4" | "tomahawk-5")) && limit >= size / 2;
        // A limit of half the pool, within a percent, suggests an unknown chip with two halves.
        let may_be_half = (limit.saturating_mul(2)).abs_diff(size) <= size / 50;
        let severity = match cx.asic {
            _ if halves => Severity::Info,
            Some(_) => Severity::Warning,
            None if may_be_half => Severity::Warning,
            None => Severity::Error,
        };
        let message = format!(
            "egress_lossless_profile limits a queue to {}, below the {} of pool {}",
            bytes(limit),
            bytes(size),
            pool.name
        );
        cx.report(out, &META, field("BUFFER_PROFILE", &profile.name, "static_th"), message)
            .severity(severity)
            .replace(size.to_string());
    }
}
