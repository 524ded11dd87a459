//! # PG002 group-profile
//!
//! Severity: error.
//!
//! A priority group has no profile, one that does not exist, or `NULL` without the dynamic model.
//!
//! ## Why it matters
//!
//! orchagent retries indefinitely, or ignores an entry without `profile`, and the group has no headroom. The
//! traditional model never replaces `NULL`.
//!
//! ## Example
//!
//! ```json
//! {"BUFFER_PG": {"Ethernet0|3-4": {"profile": "missing"}}}
//! ```
//!
//! ## Fix
//!
//! Use a profile of this file.
//!
//! ## Source
//!
//! YANG buffer-pg; buffermgrdyn.cpp.

use super::super::context::{Context, Findings, field, names, row};
use super::super::{Meta, effect};
use crate::finding::Severity;
use model::units::counted;
use std::collections::BTreeMap;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "PG002", name: "group-profile", severity: Severity::Error, effect: effect::NOT_LOSSLESS };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    without(cx, out);
    let mut by_name: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for violation in cx.violations.iter().filter(|v| v.code == META.code) {
        let Some(entry) = cx.db.rows(violation.table).get(violation.entry) else { continue };
        by_name.entry(&violation.message).or_default().push(entry.key.as_ref());
    }
    for (message, keys) in by_name {
        let key = keys.first().unwrap_or(&"");
        cx.report(
            out,
            &META,
            field("BUFFER_PG", key, "profile"),
            format!("{message} ({})", counted(keys.len() as u64, "priority group key")),
        )
        .also(keys);
    }
}

/// Reports entries without a profile, which the YANG model accepts.
fn without(cx: &Context<'_, '_>, out: &mut Findings) {
    let rows = cx.db.rows("BUFFER_PG").iter();
    let bare: Vec<&str> = rows
        .filter(|entry| cx.db.field(entry, "profile").is_none())
        .map(|entry| entry.key.as_ref())
        .collect();
    if let Some((first, others)) = bare.split_first() {
        let message = format!("BUFFER_PG|{}: no `profile`", names(&bare));
        cx.report(out, &META, row("BUFFER_PG", first), message).also(others.iter().copied());
    }
}
