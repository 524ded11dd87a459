//! # BUF004 pool-xoff-place
//!
//! Severity: warning (less where the ASIC makes it an idiom). Rows: SCH-04.
//!
//! `xoff`, the shared headroom, belongs to ingress_lossless_pool and is a whole number of bytes.
//!
//! ## Why it matters
//!
//! The dynamic model logs an error and ignores it on any other pool; the profiles then rely on headroom that is not
//! there.
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
//! Move it to ingress_lossless_pool.
//!
//! ## Source
//!
//! buffermgrdyn.cpp.

use super::super::Meta;
use super::super::context::{Context, Findings, field};
use crate::finding::Severity;
use crate::resolved::Direction;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "BUF004", name: "pool-xoff-place", severity: Severity::Warning, ids: &["SCH-04"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
    for pool in &cx.sw.pools {
        if pool.shared_headroom_bytes > 0 && pool.name != crate::LOSSLESS_POOL {
            let message = format!("pool {} has shared headroom; the dynamic model honours it on ingress_lossless_pool only", pool.name);
            let severity = if cx.is_dynamic || pool.direction == Direction::Egress { Severity::Warning } else { Severity::Info };
            cx.report(out, &META, field("BUFFER_POOL", &pool.name, "xoff"), message).severity(severity);
        }
    }
}
