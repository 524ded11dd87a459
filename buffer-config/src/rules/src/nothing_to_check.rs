//! # SRC014 nothing-to-check
//!
//! Severity: warning. Rows: none.
//!
//! The file has no table that any rule looks at.
//!
//! ## Why it matters
//!
//! A pipeline that is pointed at the wrong file finds nothing wrong with it, for ever.
//!
//! ## Example
//!
//! ```json
//! {"VLAN": {"Vlan10": {"vlanid": "10"}}}
//! ```
//!
//! ## Fix
//!
//! Name the file that holds the buffers, maps and PFC of the switch, usually config_db.json.
//!
//! ## Source
//!
//! The tables that rules look at are those of `buffer-config/src/schema`.

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;
use crate::schema;
use crate::source::Span;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "SRC014", name: "nothing-to-check", severity: Severity::Warning, ids: &[] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    // A broken text has its own finding, a look-up table beside the file is checked by itself, and of a file for several
    // chips the part for the host has none of these tables.
    let is_whole = cx.db.problems.is_empty() && cx.lookup.is_none() && cx.db.prefix.is_empty();
    if is_whole && cx.db.tables.iter().all(|table| schema::table(&table.name).is_none()) {
        let message = "no table of buffers, queues, maps, PFC or ports is here: nothing was checked";
        cx.report_text(out, &META, Span::default(), message.to_string());
    }
}
