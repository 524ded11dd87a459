//! # PG001 group-range
//!
//! Severity: error.
//!
//! The range of a BUFFER_PG key is not within 0 to 7 or not in ascending order.
//!
//! ## Why it matters
//!
//! The YANG pattern accepts `4-3` and `3-3`, but orchagent requires the first number to be below the last and drops
//! the entry.
//!
//! ## Example
//!
//! ```json
//! {"BUFFER_PG": {"Ethernet0|4-3": {"profile": "pg_lossless_100000_40m_profile"}}}
//! ```
//!
//! ## Fix
//!
//! Write `3-4`, or `3` for one priority group.
//!
//! ## Source
//!
//! YANG buffer-pg; orchagent parseIndexRange.

use super::super::context::{Context, Findings, row};
use super::super::{Meta, effect};
use crate::finding::Severity;
use model::units::counted;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "PG001", name: "group-range", severity: Severity::Error, effect: effect::NOT_LOSSLESS };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
    let bad = |e: &&crate::db::Entry<'_>| {
        let Some((_, numbers)) = e.owner_and_numbers() else { return false };
        numbers.contains('-') && crate::resolve::range(numbers).is_some_and(|(l, h)| l >= h)
    };
    let rows = cx.db.rows("BUFFER_PG");
    if let Some(entry) = rows.iter().find(bad) {
        let count = rows.iter().filter(bad).count();
        let message = format!(
            "`{}`: the range is not ascending; orchagent drops the entry ({})",
            entry.key,
            counted(count as u64, "such key")
        );
        cx.report(out, &META, row("BUFFER_PG", &entry.key), message);
    }
}
