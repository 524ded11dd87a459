//! # SRC010 legacy-reference
//!
//! Severity: info.
//!
//! References use the form `[TABLE|name]` from before database version 3.
//!
//! ## Why it matters
//!
//! An upgrade migrates them. Later releases reject a file with such references if it is loaded unchanged.
//!
//! ## Example
//!
//! ```json
//! {"BUFFER_PG": {"Ethernet0|0": {"profile": "[BUFFER_PROFILE|ingress_lossy_profile]"}}}
//! ```
//!
//! ## Fix
//!
//! Write the plain name.
//!
//! ## Source
//!
//! sonic-utilities db_migrator, version 3_0_x.

use super::super::context::{Context, Findings, field};
use super::super::{Meta, effect};
use crate::finding::Severity;
use model::units::counted;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "SRC010", name: "legacy-reference", severity: Severity::Info, effect: effect::FILE };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    // Most files have none, and there are fewer stored fields than fields of all entries.
    if !cx.db.fields.iter().any(|f| f.value.starts_with('[')) {
        return;
    }
    for table in cx.db.loaded_tables() {
        if crate::schema::table(&table.name).is_none() {
            continue;
        }
        let legacy = |e: &&crate::db::Entry<'_>| {
            cx.db.fields_of(e).find(|f| f.value.starts_with('[')).map(|f| f.name.to_string())
        };
        let rows = cx.db.entries_of(table);
        if let Some((entry, name)) = rows.iter().find_map(|e| Some((e, legacy(&e)?))) {
            let count = rows.iter().filter(|e| legacy(e).is_some()).count();
            let message = format!(
                "{}: references of the obsolete form `[TABLE|name]` in {}",
                table.name,
                counted(count as u64, "key")
            );
            cx.report(out, &META, field(&table.name, &entry.key, &name), message);
        }
    }
}
