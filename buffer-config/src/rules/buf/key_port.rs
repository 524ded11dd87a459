//! # BUF017 key-port
//!
//! Severity: error.
//!
//! A key names a port that is not in PORT.
//!
//! ## Why it matters
//!
//! The entry is never applied. After a breakout, for example, the ports with the new names have no entries.
//!
//! ## Example
//!
//! ```json
//! {"BUFFER_PG": {"Ethernet400|3-4": {"profile": "pg_lossless_100000_40m_profile"}}}
//! ```
//!
//! ## Fix
//!
//! Use a port of this file.
//!
//! ## Source
//!
//! YANG; VOQ entries of other line cards are exempt.

use super::super::context::{Context, Findings, row};
use super::super::{Meta, effect};
use crate::finding::Severity;
use model::units::counted;
use std::collections::BTreeMap;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "BUF017", name: "key-port", severity: Severity::Error, effect: effect::NOT_PORT_SPECIFIC };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    if cx.sw.ports.is_empty() {
        // A buffer template has no ports.
        return;
    }
    let mut by_table: BTreeMap<&str, (usize, &str, &str)> = BTreeMap::new();
    for violation in cx.violations.iter().filter(|v| v.code == META.code) {
        let Some(entry) = cx.db.rows(violation.table).get(violation.entry) else { continue };
        let count =
            by_table.entry(violation.table).or_insert((0, entry.key.as_ref(), violation.message.as_str()));
        count.0 += 1;
    }
    for (table, (count, key, message)) in by_table {
        cx.report(
            out,
            &META,
            row(table, key),
            format!("{table}: {message} ({})", counted(count as u64, "key")),
        );
    }
}
