//! # SRC003 duplicate-key
//!
//! Severity: error (a warning where the copies are equal).
//!
//! An object contains the same name more than once.
//!
//! ## Why it matters
//!
//! SONiC uses the last value and ignores the others without a message, so a correction of the first one has no
//! effect. A table that occurs twice is replaced as a whole: entries that only the first copy has are lost. All other
//! rules check the last copy.
//!
//! ## Example
//!
//! ```json
//! {"SCHEDULER": {"s1": {"type": "DWRR", "weight": "15"}, "s1": {"type": "DWRR", "weight": "30"}}}
//! ```
//!
//! ## Fix
//!
//! Keep one of them.
//!
//! ## Source
//!
//! `sonic-cfggen` reads the file with Python's `json.load`, which keeps the last value of a repeated name
//! ([documentation](https://docs.python.org/3/library/json.html#repeated-names-within-an-object)).

use std::collections::BTreeMap;

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::db::{ConfigDb, Entry};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "SRC003", name: "duplicate-key", severity: Severity::Error, effect: effect::FILE };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    if cx.db.duplicates.is_empty() {
        return;
    }
    let differs = contradictions(cx.db);
    for (span, name) in &cx.db.duplicates {
        let (is_other, severity) = match differs.get(&span.start) {
            Some(false) => ("with the same content", Severity::Warning),
            _ => ("with another content", Severity::Error),
        };
        let message = format!("duplicate name `{name}` {is_other}; SONiC uses the last one");
        cx.report_text(out, &META, *span, message).severity(severity);
    }
}

type Content<'d> = BTreeMap<&'d str, &'d str>;

fn content<'d, 'a>(db: &'d ConfigDb<'a>, entry: &Entry<'a>) -> Content<'d> {
    db.fields_of(entry).map(|field| (field.name, field.value)).collect()
}

/// Whether the content of a repeated table, entry or field differs from that of its first copy, by the position of its
/// name.
fn contradictions(db: &ConfigDb<'_>) -> BTreeMap<u32, bool> {
    let mut differs = BTreeMap::new();
    let mut tables: BTreeMap<&str, BTreeMap<&str, Content<'_>>> = BTreeMap::new();
    for table in &db.tables {
        let mut entries: BTreeMap<&str, Content<'_>> = BTreeMap::new();
        for entry in db.replaced_entries_of(table).iter().chain(db.entries_of(table)) {
            let mut fields = Content::new();
            for field in db.fields_of(entry) {
                if let Some(first) = fields.insert(field.name, field.value) {
                    differs.insert(field.name_span.start, first != field.value);
                }
            }
            let this = content(db, entry);
            if let Some(first) = entries.get(entry.key.as_ref()) {
                differs.insert(entry.key_span.start, *first != this);
            } else {
                entries.insert(&entry.key, this);
            }
        }
        if let Some(first) = tables.get(table.name.as_ref()) {
            differs.insert(table.span.start, *first != entries);
        } else {
            tables.insert(&table.name, entries);
        }
    }
    differs
}
