//! # BUF001 pool-type
//!
//! Severity: error. Rows: SCH-01.
//!
//! A pool has a `type` of ingress, egress or both.
//!
//! ## Why it matters
//!
//! orchagent creates no pool without it. It is create-only: changing it on a live pool is silently skipped.
//!
//! ## Example
//!
//! ```json
//! {"BUFFER_POOL": {"p": {"type": "in", "mode": "dynamic", "size": "1"}}}
//! ```
//!
//! ## Fix
//!
//! Set `type`, and restart swss if the pool is live.
//!
//! ## Source
//!
//! YANG buffer-pool; bufferorch.

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "BUF001", name: "pool-type", severity: Severity::Error, ids: &["SCH-01"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
}
