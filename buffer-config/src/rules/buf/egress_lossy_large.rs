//! # BUF027 egress-lossy-large
//!
//! Severity: error (less where the ASIC makes it an idiom). Rows: POOL-06.
//!
//! The egress lossy pool is not larger than the ingress lossless pool.
//!
//! ## Why it matters
//!
//! Otherwise lossy traffic can fill all of the memory that lossless traffic is admitted to, and lossless senders
//! are paused for it.
//!
//! ## Example
//!
//! ```json
//! {"BUFFER_POOL": {"egress_lossy_pool": {"type": "egress", "mode": "dynamic", "size": "11000000"}}}
//! ```
//!
//! ## Fix
//!
//! Lower the egress lossy pool; the difference is exclusive to lossless traffic.
//!
//! ## Source
//!
//! Azure 6.2.

use super::super::Meta;
use super::super::context::{Context, Findings, bytes, field};
use crate::finding::Severity;
use crate::asic::Vendor;
use crate::resolved::Direction;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "BUF027", name: "egress-lossy-large", severity: Severity::Error, ids: &["POOL-06"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let (Some(ingress), Some(lossy)) = (cx.lossless_pool(), cx.pool("egress_lossy_pool")) else { return };
    let (Some(s), Some(e)) = (ingress.size_bytes, lossy.size_bytes) else { return };
    // A lossy pool of its own at ingress keeps the two apart already.
    let apart = cx.pool("ingress_lossy_pool").is_some_and(|p| p.size_bytes.is_some());
    if e > s && ingress.direction == Direction::Ingress {
        let severity = if apart || cx.is(Vendor::Nvidia) { Severity::Info } else { Severity::Error };
        let message = format!("egress_lossy_pool is {}, {} only {}: lossy traffic can take all of it", bytes(e), ingress.name, bytes(s));
        cx.report(out, &META, field("BUFFER_POOL", &lossy.name, "size"), message).severity(severity).replace(s.to_string());
    }
}
