//! # BUF012 headroom-type
//!
//! Severity: error. Rows: SCH-12.
//!
//! `headroom_type` is static or dynamic.
//!
//! ## Why it matters
//!
//! The models refuse anything else.
//!
//! ## Fix
//!
//! Set one of the two, or remove the field for static.
//!
//! ## Source
//!
//! YANG buffer-profile.

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "BUF012", name: "headroom-type", severity: Severity::Error, ids: &["SCH-12"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
}
