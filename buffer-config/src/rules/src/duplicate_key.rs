//! # SRC003 duplicate-key
//!
//! Severity: warning.
//!
//! An object contains the same name more than once.
//!
//! ## Why it matters
//!
//! SONiC uses the last value and ignores the others without a message, so a correction of the first one has no
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

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "SRC003", name: "duplicate-key", severity: Severity::Warning, effect: effect::FILE };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    for (span, name) in &cx.db.duplicates {
        cx.report_text(out, &META, *span, format!("duplicate name `{name}`; SONiC uses the last value"));
    }
}
