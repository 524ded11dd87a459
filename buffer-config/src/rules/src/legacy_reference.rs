//! # SRC010 legacy-reference
//!
//! Severity: info. Rows: none.
//!
//! References are written as `[TABLE|name]`, as before database version 3.
//!
//! ## Why it matters
//!
//! The migrator rewrites them at an upgrade; a release after it refuses them when such a file is loaded as it is.
//!
//! ## Example
//!
//! ```json
//! {"BUFFER_PG": {"Ethernet0|0": {"profile": "[BUFFER_PROFILE|p]"}}}
//! ```
//!
//! ## Fix
//!
//! Write the bare name.
//!
//! ## Source
//!
//! sonic-utilities db_migrator, version 3_0_x.

use super::super::Meta;
use super::super::context::{Context, Findings, field};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "SRC010", name: "legacy-reference", severity: Severity::Info, ids: &[] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    // Most files have none: the fields as they are kept are fewer than those of all entries.
    if !cx.db.fields.iter().any(|f| f.value.starts_with('[')) {
        return;
    }
    for table in &cx.db.tables {
        if crate::schema::table(&table.name).is_none() {
            continue;
        }
        let legacy = |e: &&crate::db::Entry<'_>| {
            cx.db.fields_of(e).find(|f| f.value.starts_with('[')).map(|f| f.name.to_string())
        };
        let rows = cx.db.entries_of(table);
        if let Some((entry, name)) = rows.iter().find_map(|e| Some((e, legacy(&e)?))) {
            let count = rows.iter().filter(|e| legacy(e).is_some()).count();
            let message = format!("{count} entries of {} use references of the old form `[TABLE|name]`", table.name);
            cx.report(out, &META, field(&table.name, &entry.key, &name), message);
        }
    }
}
