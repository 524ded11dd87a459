//! # SRC010 legacy-reference
//!
//! Severity: info (an error where `VERSIONS|DATABASE` is past the migration).
//!
//! References use the form `[TABLE|name]` from before database version 3.0.3.
//!
//! ## Why it matters
//!
//! An upgrade migrates them. Later releases do not find what such references name if a file is loaded unchanged, or if
//! it states a later version, so that it is not migrated: buffers and maps are never applied.
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
//! `migrate_qos_fieldval_reference_format`, from version 3_0_2 to 3_0_3, in
//! [db_migrator.py](https://github.com/sonic-net/sonic-utilities/blob/master/scripts/db_migrator.py).

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
    let past = cx.value("VERSIONS", "DATABASE", "VERSION").filter(|version| is_migrated(version));
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
            let mut message = format!(
                "{}: references of the obsolete form `[TABLE|name]` in {}",
                table.name,
                counted(count as u64, "key")
            );
            if let Some(version) = past {
                message.push_str(&format!(
                    ", but `{version}` is past their migration: orchagent never finds them"
                ));
            }
            let severity = if past.is_some() { Severity::Error } else { META.severity };
            cx.report(out, &META, field(&table.name, &entry.key, &name), message).severity(severity);
        }
    }
}

/// Whether a version such as `version_3_0_3` or `version_202411_01` has plain references.
fn is_migrated(version: &str) -> bool {
    let numbers = version.trim().strip_prefix("version_").unwrap_or_default().split('_');
    let numbers: Result<Vec<u32>, _> = numbers.map(str::parse).collect();
    numbers.is_ok_and(|numbers| numbers.as_slice() >= &[3, 0, 3][..])
}
