//! # MAP002 empty-number
//!
//! Severity: error. Rows: SCH-25.
//!
//! No number of a map is empty.
//!
//! ## Why it matters
//!
//! The YANG pattern accepts the empty text, orchagent's stoi throws.
//!
//! ## Example
//!
//! ```json
//! {"TC_TO_QUEUE_MAP": {"AZURE": {"0": "0", "3": "3", "4": ""}}}
//! ```
//!
//! ## Fix
//!
//! Give the number or remove the row.
//!
//! ## Source
//!
//! YANG patterns `[0-7]?`.

use super::super::Meta;
use super::super::context::{Context, Findings, field};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "MAP002", name: "empty-number", severity: Severity::Error, ids: &["SCH-25"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    for table in &cx.db.tables {
        if !crate::schema::is_map(&table.name) {
            continue;
        }
        for entry in cx.db.entries_of(table) {
            if let Some(f) = cx.db.fields_of(entry).find(|f| f.value.is_empty() || f.name.is_empty()) {
                let message = format!("{}|{}: `{}` maps to `{}`: an empty number", table.name, entry.key, f.name, f.value);
                cx.report(out, &META, field(&table.name, &entry.key, f.name), message);
            }
        }
    }
}
