//! # SRC004 blanks-in-number
//!
//! Severity: warning.
//!
//! A number has leading or trailing blanks.
//!
//! ## Why it matters
//!
//! orchagent's `stoi` skips the blanks, but the YANG models and strict parsers do not: one release loads the file
//! and the next one rejects it. Two shipped SKUs contain `" 166912"`.
//!
//! ## Example
//!
//! ```json
//! {
//!   "WRED_PROFILE": {
//!     "W": {"ecn": "ecn_all", "wred_green_enable": "true", "green_min_threshold": " 166912",
//!       "green_max_threshold": "1500000", "green_drop_probability": "5"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Remove the blanks.
//!
//! ## Source
//!
//! sonic-buildimage PR 25626.

use super::super::context::{Context, Findings, field};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "SRC004", name: "blanks-in-number", severity: Severity::Warning, effect: effect::FILE };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    use crate::schema::Kind;
    for violation in cx.violations.iter().filter(|v| v.kind == Kind::Blanks) {
        let Some(entry) = cx.db.rows(violation.table).get(violation.entry) else { continue };
        let name = violation.field.as_deref().unwrap_or_default();
        let value = cx.db.field(entry, name).map_or("", |f| f.value.trim()).to_string();
        cx.report(out, &META, field(violation.table, &entry.key, name), violation.message.clone())
            .replace(value);
    }
}
