//! # BUF010 profile-number
//!
//! Severity: error. Rows: SCH-10.
//!
//! Sizes and thresholds of a profile are whole numbers of bytes.
//!
//! ## Why it matters
//!
//! bufferorch reads them with stoul: -1 becomes 18,446,744,073,709,551,615 bytes.
//!
//! ## Example
//!
//! ```json
//! {"BUFFER_PROFILE": {"p": {"xoff": "-1"}}}
//! ```
//!
//! ## Fix
//!
//! Give a number of bytes without a sign.
//!
//! ## Source
//!
//! bufferorch.

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "BUF010", name: "profile-number", severity: Severity::Error, ids: &["SCH-10"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
}
