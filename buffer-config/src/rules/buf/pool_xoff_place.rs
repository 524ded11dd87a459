//! # BUF004 pool-xoff-place
//!
//! Severity: warning (an error where `xoff` is no number of bytes, and lower where it is the ASIC vendor's convention).
//!
//! `xoff`, the shared headroom, is set on a pool other than ingress_lossless_pool, or is not an integer number of
//! bytes.
//!
//! ## Why it matters
//!
//! The dynamic model logs an error and ignores `xoff` on any other pool. The profiles then rely on headroom that
//! does not exist.
//!
//! ## Example
//!
//! ```json
//! {
//!   "BUFFER_POOL": {
//!     "egress_lossy_pool": {"type": "egress", "mode": "dynamic", "size": "7000000", "xoff": "1000000"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Move `xoff` to ingress_lossless_pool.
//!
//! ## Source
//!
//! buffermgrdyn.cpp.

use super::super::context::{Context, Findings, field};
use super::super::{Meta, effect};
use crate::finding::Severity;
use crate::resolved::Direction;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "BUF004",
    name: "pool-xoff-place",
    severity: Severity::Warning,
    effect: effect::NOT_PORT_SPECIFIC,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    for violation in cx.violations.iter().filter(|v| v.code == META.code) {
        let Some(pool) = cx.db.rows("BUFFER_POOL").get(violation.entry) else { continue };
        let message = format!("{}: {}", pool.key, violation.message);
        cx.report(out, &META, field("BUFFER_POOL", &pool.key, "xoff"), message).severity(Severity::Error);
    }
    for pool in &cx.sw.pools {
        if pool.shared_headroom_bytes > 0 && pool.name != crate::LOSSLESS_POOL {
            let message = format!(
                "pool {} has shared headroom; the dynamic model supports it on ingress_lossless_pool only",
                pool.name
            );
            let severity = if cx.is_dynamic || pool.direction == Direction::Egress {
                Severity::Warning
            } else {
                Severity::Info
            };
            cx.report(out, &META, field("BUFFER_POOL", &pool.name, "xoff"), message).severity(severity);
        }
    }
}
