//! # SRC009 unknown-table
//!
//! Severity: info (error for a name that resembles that of a table which the file does not have).
//!
//! The file contains a table that Harrier neither checks nor recognises as part of another feature.
//!
//! ## Why it matters
//!
//! No daemon reads a table with a misspelt name, so its contents have no effect.
//!
//! ## Example
//!
//! ```json
//! {"BUFFER_POOLS": {"p": {"type": "ingress"}}}
//! ```
//!
//! ## Fix
//!
//! Correct the name; `--fix` corrects one that resembles a known name. If the name is correct, no action is needed.
//!
//! ## Source
//!
//! The tables of the [YANG
//! models](https://github.com/sonic-net/sonic-buildimage/tree/master/src/sonic-yang-models/yang-models) of August 2026.

use serde_json::{Map, Value};

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::db::escape;
use crate::finding::{PatchOp, Severity};

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "SRC009", name: "unknown-table", severity: Severity::Info, effect: effect::FILE };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    use crate::schema::{is_table, nearest_name, read_tables};
    for table in cx.db.tables.iter().filter(|table| !is_table(&table.name) && !table.name.is_empty()) {
        // A table that the file has as well is not meant.
        let absent: Vec<&str> = read_tables().filter(|name| cx.db.table(name).is_none()).collect();
        let meant = nearest_name(&table.name, absent.iter().copied());
        let hint = meant.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
        let message = format!("unknown table `{}` was not checked{hint}", table.name);
        let reported = cx.report_text(out, &META, table.span, message);
        if let Some(name) = meant {
            reported.severity(Severity::Error).operations(renamed(cx, &table.name, name));
        }
    }
}

/// Gives a table another name. Empty if a part of it cannot be copied.
fn renamed(cx: &Context<'_, '_>, from: &str, to: &str) -> Vec<PatchOp> {
    let pointer = |name: &str| format!("{}/{}", cx.db.prefix, escape(name));
    let mut entries = Map::new();
    for entry in cx.db.rows(from) {
        // Other input formats have no member for the table.
        if !cx.db.pointer(from, entry, None).starts_with(&format!("{}/", pointer(from))) {
            return Vec::new();
        }
        let mut fields = Map::new();
        for field in cx.db.fields_of(entry) {
            if field.is_list {
                return Vec::new();
            }
            fields.insert(field.name.to_string(), Value::from(field.value));
        }
        entries.insert(entry.key.to_string(), Value::Object(fields));
    }
    vec![
        PatchOp::new("add", pointer(to), Some(Value::Object(entries))),
        PatchOp::new("remove", pointer(from), None),
    ]
}
