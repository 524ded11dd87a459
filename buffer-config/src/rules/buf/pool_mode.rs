//! # BUF002 pool-mode
//!
//! Severity: error. Rows: SCH-02.
//!
//! A pool has a `mode` of static or dynamic.
//!
//! ## Why it matters
//!
//! orchagent creates no pool without it; it is create-only.
//!
//! ## Example
//!
//! ```json
//! {"BUFFER_POOL": {"egress_lossy_pool": {"type": "egress", "mode": "shared", "size": "7000000"}}}
//! ```
//!
//! ## Fix
//!
//! Set `mode`.
//!
//! ## Source
//!
//! YANG buffer-pool; bufferorch.

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "BUF002", name: "pool-mode", severity: Severity::Error, ids: &["SCH-02"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
}
