//! # SRC009 unknown-table
//!
//! Severity: info. Rows: none.
//!
//! Tables that are neither checked here nor known to belong to something else.
//!
//! ## Why it matters
//!
//! A misspelt table name is read by no daemon: everything in it is silently without effect.
//!
//! ## Example
//!
//! ```json
//! {"BUFFER_POOLS": {"p": {"type": "ingress"}}}
//! ```
//!
//! ## Fix
//!
//! Correct the name; if the table is right, nothing needs to be done.
//!
//! ## Source
//!
//! sonic-buildimage src/sonic-yang-models, August 2026.

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "SRC009", name: "unknown-table", severity: Severity::Info, ids: &[] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    use crate::schema::is_table;
    for table in &cx.db.tables {
        if !is_table(&table.name) && !table.name.is_empty() {
            cx.report_text(out, &META, table.span, format!("table `{}` is not known and was not checked", table.name));
        }
    }
}
