//! # MAP006 missing-queue-reference
//!
//! Severity: error.
//!
//! A queue refers to a scheduler or WRED profile that does not exist.
//!
//! ## Why it matters
//!
//! orchagent retries indefinitely: the queue has neither a weight nor ECN marking.
//!
//! ## Example
//!
//! ```json
//! {"QUEUE": {"Ethernet0|3": {"scheduler": "s9", "wred_profile": "W"}}}
//! ```
//!
//! ## Fix
//!
//! Use existing names.
//!
//! ## Source
//!
//! qosorch.cpp.

use super::super::context::{Context, Findings, field};
use super::super::{Meta, effect};
use crate::finding::Severity;
use model::units::counted;
use std::collections::BTreeMap;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "MAP006",
    name: "missing-queue-reference",
    severity: Severity::Error,
    effect: effect::ECN_NOT_AS_INTENDED,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let mut first: BTreeMap<&str, (Vec<&str>, &str)> = BTreeMap::new();
    for violation in cx.violations.iter().filter(|v| v.code == META.code) {
        let Some(entry) = cx.db.rows("QUEUE").get(violation.entry) else { continue };
        let name = violation.field.as_deref().unwrap_or_default();
        first.entry(&violation.message).or_insert((Vec::new(), name)).0.push(entry.key.as_ref());
    }
    for (message, (keys, name)) in first {
        let Some((key, others)) = keys.split_first() else { continue };
        let text = format!("{message} ({})", counted(keys.len() as u64, "queue key"));
        cx.report(out, &META, field("QUEUE", key, name), text).also(others.iter().copied());
    }
}
