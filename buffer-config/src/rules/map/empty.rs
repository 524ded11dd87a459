//! # MAP002 empty-number
//!
//! Severity: error.
//!
//! A QoS map contains an empty number.
//!
//! ## Why it matters
//!
//! The YANG pattern accepts the empty text, but orchagent's `stoi` raises an exception.
//!
//! ## Example
//!
//! ```json
//! {"TC_TO_QUEUE_MAP": {"AZURE": {"0": "0", "3": "3", "4": ""}}}
//! ```
//!
//! ## Fix
//!
//! Set the number or remove the row.
//!
//! ## Source
//!
//! YANG patterns `[0-7]?`.

use super::super::context::{Context, Findings, field};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "MAP002",
    name: "empty-number",
    severity: Severity::Error,
    effect: effect::DSCP_NOT_AS_INTENDED,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    for table in cx.db.loaded_tables() {
        if !crate::schema::is_map(&table.name) {
            continue;
        }
        for entry in cx.db.entries_of(table) {
            if let Some(f) = cx.db.fields_of(entry).find(|f| f.value.is_empty() || f.name.is_empty()) {
                let message = format!(
                    "{}|{}: `{}` maps to `{}`: an empty number",
                    table.name, entry.key, f.name, f.value
                );
                cx.report(out, &META, field(&table.name, &entry.key, f.name), message);
            }
        }
    }
}
