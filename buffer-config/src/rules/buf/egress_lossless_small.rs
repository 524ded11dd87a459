//! # BUF025 egress-lossless-small
//!
//! Severity: error (lower where it is the ASIC vendor's convention).
//!
//! The egress lossless pool is smaller than the ingress lossless pool.
//!
//! ## Why it matters
//!
//! Lossless packets are dropped at egress before the headroom that is reserved for them is used. This caused drops
//! in a dual-ToR fleet, and ten SKUs still ship with it.
//!
//! ## Example
//!
//! ```json
//! {"BUFFER_POOL": {"egress_lossless_pool": {"type": "egress", "mode": "static", "size": "9999999"}}}
//! ```
//!
//! ## Fix
//!
//! Make the egress lossless pool as large as the packet memory.
//!
//! ## Source
//!
//! sonic-buildimage PR 21320; Azure 6.2.

use super::super::context::{Context, Findings, bytes, field};
use super::super::{Meta, effect};
use crate::finding::Severity;
use crate::resolved::{Direction, Threshold};

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "BUF025",
    name: "egress-lossless-small",
    severity: Severity::Error,
    effect: effect::NOT_LOSSLESS,
};

/// Whether the egress pool is smaller than what the ingress pool admits without its headroom.
pub(super) fn is_small(cx: &Context<'_, '_>) -> bool {
    let (Some(ingress), Some(egress)) = (cx.lossless_pool(), cx.pool("egress_lossless_pool")) else {
        return false;
    };
    let (Some(s), Some(e)) = (ingress.size_bytes, egress.size_bytes) else { return false };
    e < s && e > 0 && ingress.direction == Direction::Ingress
}

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let (Some(ingress), Some(egress)) = (cx.lossless_pool(), cx.pool("egress_lossless_pool")) else { return };
    let (Some(s), Some(e)) = (ingress.size_bytes, egress.size_bytes) else { return };
    let total = s.saturating_add(ingress.shared_headroom_bytes);
    let at = field("BUFFER_POOL", &egress.name, "size");
    if is_small(cx) {
        // The pool may be that of one half of the memory.
        let halves = cx.asic.is_some_and(|a| a.memory_parts() == 2) && e >= s / 2;
        let severity = if halves { Severity::Warning } else { Severity::Error };
        let message = format!(
            "egress_lossless_pool is {}, but {} admits {}: lossless packets are dropped at egress",
            bytes(e),
            ingress.name,
            bytes(s)
        );
        let mut reported = cx.report(out, &META, at, message).severity(severity).replace(total.to_string());
        // Limits for the smaller pool must grow with it.
        for profile in
            cx.sw.profiles.iter().filter(|p| cx.pool_of(p).is_some_and(|pool| pool.name == egress.name))
        {
            let is_small = matches!(profile.threshold, Some(Threshold::Static { bytes }) if bytes < total);
            if let Some(pointer) =
                cx.pointer_of("BUFFER_PROFILE", &profile.name, "static_th").filter(|_| is_small)
            {
                reported = reported.with(pointer, total.to_string());
            }
        }
    } else if e >= s && e < total && cx.asic.is_none() {
        let message = format!(
            "egress_lossless_pool is {}, but {} with its headroom admits {}",
            bytes(e),
            ingress.name,
            bytes(total)
        );
        cx.report(out, &META, at, message).severity(Severity::Warning);
    }
}
