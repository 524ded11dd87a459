//! # SRC006 value-refused
//!
//! Severity: warning. Rows: SCH-23.
//!
//! A value that SONiC's YANG model of its table refuses.
//!
//! ## Why it matters
//!
//! `config load`, `config apply-patch` and GCU refuse the file, or a daemon falls back to its default.
//!
//! ## Example
//!
//! ```json
//! {"DEVICE_METADATA": {"localhost": {"platform": "x86_64-dell_s6000_s1220-r0", "type": "Spine"}}}
//! ```
//!
//! ## Fix
//!
//! Give a value of the kind that is named.
//!
//! ## Source
//!
//! sonic-yang-models.

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "SRC006", name: "value-refused", severity: Severity::Warning, ids: &["SCH-23"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
}
