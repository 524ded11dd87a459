//! # SRC004 blanks-in-number
//!
//! Severity: warning. Rows: SCH-28.
//!
//! A number has blanks before or behind it.
//!
//! ## Why it matters
//!
//! orchagent's stoi passes over them, the YANG models and strict readers do not: the same file loads on one release
//! and is refused by the next. Two shipped SKUs carry `" 166912"`.
//!
//! ## Example
//!
//! ```json
//! {"WRED_PROFILE": {"W": {"green_min_threshold": " 166912"}}}
//! ```
//!
//! ## Fix
//!
//! Remove the blanks.
//!
//! ## Source
//!
//! sonic-buildimage PR 25626.

use super::super::Meta;
use super::super::context::{Context, Findings, field};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "SRC004", name: "blanks-in-number", severity: Severity::Warning, ids: &["SCH-28"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    use crate::schema::Kind;
    for violation in cx.violations.iter().filter(|v| v.kind == Kind::Blanks) {
        let Some(entry) = cx.db.rows(violation.table).get(violation.entry) else { continue };
        let name = violation.field.as_deref().unwrap_or_default();
        let value = cx.db.field(entry, name).map_or("", |f| f.value.trim()).to_string();
        cx.report(out, &META, field(violation.table, &entry.key, name), violation.message.clone()).replace(value);
    }
}
