//! # MAP007 queue-key
//!
//! Severity: error.
//!
//! The key of a QUEUE entry does not end in a queue number or an ascending range, or has the parts of another kind of
//! switch: host, ASIC, port and queues with virtual output queues (`switch_type` voq), port and queues without.
//!
//! ## Why it matters
//!
//! YANG accepts any text there; orchagent's parser fails later and drops the entry.
//!
//! ## Example
//!
//! ```json
//! {"QUEUE": {"Ethernet0|x": {"scheduler": "s1"}}}
//! ```
//!
//! ## Fix
//!
//! Write `Ethernet0|3` or `Ethernet0|3-4`.
//!
//! ## Source
//!
//! YANG queue; qosorch.cpp.

use super::super::context::{Context, Findings, row};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "MAP007", name: "queue-key", severity: Severity::Error, effect: effect::FILE };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
    for entry in cx.db.rows("QUEUE") {
        let good = |numbers: &str| {
            crate::resolve::range(numbers).is_some_and(|(l, h)| l < h || (l == h && !numbers.contains('-')))
        };
        if !entry.owner_and_numbers().is_some_and(|(_, numbers)| good(numbers)) {
            cx.report(
                out,
                &META,
                row("QUEUE", &entry.key),
                format!("`{}` does not end in a queue number or an ascending range", entry.key),
            );
        }
    }
}
