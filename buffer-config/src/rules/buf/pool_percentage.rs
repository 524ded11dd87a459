//! # BUF005 pool-percentage
//!
//! Severity: error. Rows: SCH-05.
//!
//! `percentage` excludes `size` and needs the dynamic buffer model.
//!
//! ## Why it matters
//!
//! The models refuse the file; the traditional model has nothing to take a share of.
//!
//! ## Example
//!
//! ```json
//! {
//!   "BUFFER_POOL": {
//!     "ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "10000000", "percentage": "50"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Keep one of the two.
//!
//! ## Source
//!
//! YANG buffer-pool.

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "BUF005", name: "pool-percentage", severity: Severity::Error, ids: &["SCH-05"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
}
