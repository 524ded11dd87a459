//! # ECN003 ecn-mode
//!
//! Severity: error. Rows: ECN-03.
//!
//! `ecn` is one of the eight known words.
//!
//! ## Why it matters
//!
//! Another word makes orchagent's look-up throw: it exits. Absent is ecn_none: packets are dropped instead of
//! marked.
//!
//! ## Example
//!
//! ```json
//! {"WRED_PROFILE": {"W": {"ecn": "ecn_on"}}}
//! ```
//!
//! ## Fix
//!
//! Use ecn_all, or name the colours.
//!
//! ## Source
//!
//! qosorch.cpp.

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "ECN003", name: "ecn-mode", severity: Severity::Error, ids: &["ECN-03"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
}
