//! # WD004 faster-than-polling
//!
//! Severity: error. Rows: WD-04.
//!
//! Detection and restoration are at least one poll interval.
//!
//! ## Why it matters
//!
//! The watchdog only looks that often. `pfcwd start` accepts shorter times, a loaded file does not.
//!
//! ## Example
//!
//! ```json
//! {"PFC_WD": {"GLOBAL": {"POLL_INTERVAL": "200"}, "Ethernet0": {"detection_time": "100"}}}
//! ```
//!
//! ## Fix
//!
//! Lengthen the time or shorten the interval.
//!
//! ## Source
//!
//! sonic-buildimage issues 27865 and 9490.

use super::super::Meta;
use super::super::context::{Context, Findings, field};
use crate::finding::Severity;
use std::collections::BTreeMap;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "WD004", name: "faster-than-polling", severity: Severity::Error, ids: &["WD-04"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let mut first: BTreeMap<String, (usize, &str, &str)> = BTreeMap::new();
    for violation in cx.violations.iter().filter(|v| v.code == META.code) {
        let Some(entry) = cx.db.rows("PFC_WD").get(violation.entry) else { continue };
        let name = violation.field.as_deref().unwrap_or_default();
        first.entry(violation.message.clone()).or_insert((0, entry.key.as_ref(), name)).0 += 1;
    }
    for (message, (count, key, name)) in first {
        cx.report(out, &META, field("PFC_WD", key, name), format!("{message} ({count} ports)"));
    }
}
