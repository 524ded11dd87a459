//! # WD004 faster-than-polling
//!
//! Severity: error.
//!
//! Detection or restoration time is shorter than the poll interval.
//!
//! ## Why it matters
//!
//! The watchdog checks its queues only once per interval. `pfcwd start` accepts shorter times; loading a file does
//! not.
//!
//! ## Example
//!
//! ```json
//! {
//!   "PFC_WD": {
//!     "GLOBAL": {"POLL_INTERVAL": "200"},
//!     "Ethernet0": {"action": "drop", "detection_time": "100", "restoration_time": "800"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Increase the time or reduce the interval.
//!
//! ## Source
//!
//! sonic-buildimage issues 27865 and 9490.

use super::super::context::{Context, Findings, field};
use super::super::{Meta, effect};
use crate::finding::Severity;
use std::collections::{BTreeMap, BTreeSet};

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "WD004", name: "faster-than-polling", severity: Severity::Error, effect: effect::WATCHDOG };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let mut facts = BTreeSet::new();
    let mut first: BTreeMap<String, (usize, &str, &str)> = BTreeMap::new();
    for violation in cx.violations.iter().filter(|v| v.code == META.code) {
        let Some(entry) = cx.db.rows("PFC_WD").get(violation.entry) else { continue };
        // `detection_time` and `restoration_time` both miss the poll interval.
        let fact =
            violation.message.split_once(", but ").map_or(violation.message.as_str(), |(_, fact)| fact);
        if !facts.insert((violation.entry, fact)) {
            continue;
        }
        let name = violation.field.as_deref().unwrap_or_default();
        first.entry(violation.message.clone()).or_insert((0, entry.key.as_ref(), name)).0 += 1;
    }
    for (message, (count, key, name)) in first {
        cx.report(out, &META, field("PFC_WD", key, name), format!("{message} ({count} ports)"));
    }
}
