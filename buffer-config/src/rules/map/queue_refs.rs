//! # MAP006 missing-queue-reference
//!
//! Severity: error. Rows: REF-05.
//!
//! The scheduler and the WRED profile of a queue exist.
//!
//! ## Why it matters
//!
//! orchagent retries for ever: the queue has neither weight nor marking.
//!
//! ## Example
//!
//! ```json
//! {"QUEUE": {"Ethernet0|3": {"scheduler": "s9", "wred_profile": "W"}}}
//! ```
//!
//! ## Fix
//!
//! Name one that exists.
//!
//! ## Source
//!
//! qosorch.cpp.

use super::super::Meta;
use super::super::context::{Context, Findings, field};
use crate::finding::Severity;
use std::collections::BTreeMap;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "MAP006", name: "missing-queue-reference", severity: Severity::Error, ids: &["REF-05"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let mut first: BTreeMap<&str, (usize, &str, &str)> = BTreeMap::new();
    for violation in cx.violations.iter().filter(|v| v.code == META.code) {
        let Some(entry) = cx.db.rows("QUEUE").get(violation.entry) else { continue };
        let name = violation.field.as_deref().unwrap_or_default();
        first.entry(&violation.message).or_insert((0, entry.key.as_ref(), name)).0 += 1;
    }
    for (message, (count, key, name)) in first {
        cx.report(out, &META, field("QUEUE", key, name), format!("{message} ({count} queues)"));
    }
}
