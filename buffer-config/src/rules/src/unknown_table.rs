//! # SRC009 unknown-table
//!
//! Severity: info.
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
//! Correct the name. If the name is correct, no action is needed.
//!
//! ## Source
//!
//! sonic-buildimage src/sonic-yang-models, August 2026.

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "SRC009", name: "unknown-table", severity: Severity::Info, effect: effect::FILE };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    use crate::schema::{is_table, nearest_name, read_tables};
    for table in cx.db.tables.iter().filter(|table| !is_table(&table.name) && !table.name.is_empty()) {
        // A table that the file has as well is not meant.
        let absent: Vec<&str> = read_tables().filter(|name| cx.db.table(name).is_none()).collect();
        let hint = nearest_name(&table.name, absent.iter().copied())
            .map(|name| format!("; did you mean `{name}`?"))
            .unwrap_or_default();
        cx.report_text(
            out,
            &META,
            table.span,
            format!("unknown table `{}` was not checked{hint}", table.name),
        );
    }
}
