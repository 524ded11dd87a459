//! # BUF008 dynamic-th-range
//!
//! Severity: error. Rows: SCH-08.
//!
//! `dynamic_th` is a whole number from -8 to 7; alpha is 2 to this power.
//!
//! ## Why it matters
//!
//! mmuconfig takes 8, the command line takes any text, and bufferorch casts to eight bits: 260 becomes 4.
//!
//! ## Example
//!
//! ```json
//! {"BUFFER_PROFILE": {"p": {"dynamic_th": "8"}}}
//! ```
//!
//! ## Fix
//!
//! Give the exponent, not the fraction: 1/16 is -4.
//!
//! ## Source
//!
//! YANG buffer-profile; mmuconfig; bufferorch.

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "BUF008", name: "dynamic-th-range", severity: Severity::Error, ids: &["SCH-08"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
}
