//! # SRC003 duplicate-key
//!
//! Severity: warning. Rows: SCH-29.
//!
//! A name stands twice in one object.
//!
//! ## Why it matters
//!
//! SONiC takes the last one and says nothing about the others, so a correction made in the first place has no
//! effect.
//!
//! ## Example
//!
//! ```json
//! {"BUFFER_POOL": {"p": {"size": "1"}, "p": {"size": "2"}}}
//! ```
//!
//! ## Fix
//!
//! Keep one of them.
//!
//! ## Source
//!
//! JSON semantics of sonic-cfggen.

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "SRC003", name: "duplicate-key", severity: Severity::Warning, ids: &["SCH-29"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    for (span, name) in &cx.db.duplicates {
        cx.report_text(out, &META, *span, format!("`{name}` stands here a second time; SONiC takes the last one"));
    }
}
