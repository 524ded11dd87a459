//! # BUF016 queue-profile
//!
//! Severity: error.
//!
//! An entry of BUFFER_QUEUE has no `profile`, or one that does not exist, or `NULL`, which is not allowed for queues.
//!
//! ## Why it matters
//!
//! orchagent retries indefinitely, or refuses an entry without a profile, and the queue has no limit. One template
//! shipped with a dangling reference to egress_lossless_profile.
//!
//! ## Example
//!
//! ```json
//! {"BUFFER_QUEUE": {"Ethernet0|3-4": {"profile": "egress_lossless_profile"}}}
//! ```
//!
//! ## Fix
//!
//! Use a profile of this file.
//!
//! ## Source
//!
//! sonic-buildimage PR 25078.

use super::super::context::{Context, Findings, field};
use super::super::{Meta, effect};
use crate::finding::Severity;
use model::units::counted;
use std::collections::BTreeMap;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "BUF016",
    name: "queue-profile",
    severity: Severity::Error,
    effect: effect::NOT_PORT_SPECIFIC,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let found: Vec<_> = cx.violations.iter().filter(|v| v.code == META.code).collect();
    let mut by_name: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for violation in found {
        let Some(entry) = cx.db.rows(violation.table).get(violation.entry) else { continue };
        by_name.entry(&violation.message).or_default().push(entry.key.as_ref());
    }
    for (message, keys) in by_name {
        let key = keys.first().unwrap_or(&"");
        cx.report(
            out,
            &META,
            field("BUFFER_QUEUE", key, "profile"),
            format!("{message} ({})", counted(keys.len() as u64, "queue key")),
        )
        .also(keys);
    }
}
