//! # SRC014 nothing-to-check
//!
//! Severity: warning.
//!
//! The file contains no table that any rule checks.
//!
//! ## Why it matters
//!
//! A pipeline that points at the wrong file never reports anything.
//!
//! ## Example
//!
//! ```json
//! {"VLAN": {"Vlan10": {"vlanid": "10"}}}
//! ```
//!
//! ## Fix
//!
//! Specify the file with the switch's buffers, maps and PFC settings, usually config_db.json.
//!
//! ## Source
//!
//! The tables that rules read are those of `buffer-config/src/schema`, which follow the YANG models.

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::finding::Severity;
use crate::schema;
use crate::source::Span;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "SRC014", name: "nothing-to-check", severity: Severity::Warning, effect: effect::FILE };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    // A syntax error has its own finding, a lookup table is checked separately, and in a file for several
    // chips the host's database has none of these tables.
    let is_whole = cx.db.problems.is_empty() && cx.lookup.is_none() && cx.db.prefix.is_empty();
    if is_whole && cx.db.tables.iter().all(|table| schema::table(&table.name).is_none()) {
        let message = "the file has no table of buffers, queues, maps, PFC or ports: nothing was checked";
        cx.report_text(out, &META, Span::default(), message.to_string());
    }
}
