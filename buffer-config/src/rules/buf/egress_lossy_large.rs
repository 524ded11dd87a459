//! # BUF027 egress-lossy-large
//!
//! Severity: error (lower where it is the ASIC vendor's convention).
//!
//! The egress lossy pool is larger than the ingress lossless pool.
//!
//! ## Why it matters
//!
//! Lossy traffic can fill all memory that lossless traffic is admitted to, so lossless senders are paused because
//! of lossy traffic.
//!
//! ## Example
//!
//! ```json
//! {"BUFFER_POOL": {"egress_lossy_pool": {"type": "egress", "mode": "dynamic", "size": "11000000"}}}
//! ```
//!
//! ## Fix
//!
//! Reduce the egress lossy pool. The difference is then available to lossless traffic only.
//!
//! ## Source
//!
//! Azure 6.2.

use super::super::context::{Context, Findings, bytes, field};
use super::super::{Meta, effect};
use crate::asic::Vendor;
use crate::finding::Severity;
use crate::resolved::Direction;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "BUF027",
    name: "egress-lossy-large",
    severity: Severity::Error,
    effect: effect::NOT_PORT_SPECIFIC,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let (Some(ingress), Some(lossy)) = (cx.lossless_pool(), cx.pool("egress_lossy_pool")) else { return };
    let (Some(s), Some(e)) = (ingress.size_bytes, lossy.size_bytes) else { return };
    // A separate ingress lossy pool already isolates lossless traffic.
    let apart = cx.pool("ingress_lossy_pool").is_some_and(|p| p.size_bytes.is_some());
    if e > s && ingress.direction == Direction::Ingress {
        let severity = if apart || cx.is(Vendor::Nvidia) { Severity::Info } else { Severity::Error };
        let message = format!(
            "egress_lossy_pool is {}, but {} only {}: lossy traffic can fill all of it",
            bytes(e),
            ingress.name,
            bytes(s)
        );
        cx.report(out, &META, field("BUFFER_POOL", &lossy.name, "size"), message)
            .severity(severity)
            .replace(s.to_string());
    }
}
