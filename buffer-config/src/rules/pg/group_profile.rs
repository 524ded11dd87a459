//! # PG002 group-profile
//!
//! Severity: error. Rows: REF-02.
//!
//! The profile of a priority group exists, or is `NULL` in the dynamic model.
//!
//! ## Why it matters
//!
//! orchagent retries for ever: the group has no headroom. `NULL` in the traditional model is never filled in.
//!
//! ## Example
//!
//! ```json
//! {"BUFFER_PG": {"Ethernet0|3-4": {"profile": "missing"}}}
//! ```
//!
//! ## Fix
//!
//! Name a profile of this file.
//!
//! ## Source
//!
//! YANG buffer-pg; buffermgrdyn.cpp.

use super::super::Meta;
use super::super::context::{Context, Findings, field};
use crate::finding::Severity;
use std::collections::BTreeMap;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "PG002", name: "group-profile", severity: Severity::Error, ids: &["REF-02"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let mut by_name: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
    for violation in cx.violations.iter().filter(|v| v.code == META.code) {
        let Some(entry) = cx.db.rows(violation.table).get(violation.entry) else { continue };
        by_name.entry(&violation.message).or_insert((0, entry.key.as_ref())).0 += 1;
    }
    for (message, (count, key)) in by_name {
        cx.report(out, &META, field("BUFFER_PG", key, "profile"), format!("{message} ({count} priority groups)"));
    }
}
