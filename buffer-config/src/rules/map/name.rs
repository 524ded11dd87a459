//! # MAP003 map-name
//!
//! Severity: warning. Rows: SCH-30.
//!
//! Names of maps, WRED profiles and cable tables are letters, digits, `-` and `_`, at most 32, beginning with a
//! letter or digit.
//!
//! ## Why it matters
//!
//! The YANG models refuse others.
//!
//! ## Example
//!
//! ```json
//! {"DSCP_TO_TC_MAP": {"-AZURE": {"0": "0"}}}
//! ```
//!
//! ## Fix
//!
//! Rename it.
//!
//! ## Source
//!
//! YANG.

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "MAP003", name: "map-name", severity: Severity::Warning, ids: &["SCH-30"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
}
