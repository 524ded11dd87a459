//! # BUF034 queue-range
//!
//! Severity: error. Rows: SCH-16.
//!
//! The queue range of a BUFFER_QUEUE key is within 0..=15, first below last.
//!
//! ## Why it matters
//!
//! orchagent drops a reversed range; a queue that the port does not have is refused.
//!
//! ## Example
//!
//! ```json
//! {"BUFFER_QUEUE": {"Ethernet0|4-3": {"profile": "egress_lossless_profile"}}}
//! ```
//!
//! ## Fix
//!
//! Write `low-high` or one number.
//!
//! ## Source
//!
//! YANG buffer-queue; bufferorch.

use super::super::Meta;
use super::super::context::{Context, Findings, row};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "BUF034", name: "queue-range", severity: Severity::Error, ids: &["SCH-16"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
    for entry in cx.db.rows("BUFFER_QUEUE") {
        let Some((_, numbers)) = entry.owner_and_numbers() else { continue };
        if numbers.contains('-') && crate::resolve::range(numbers).is_some_and(|(l, h)| l >= h) {
            let message = format!("`{}`: the range `{numbers}` is not ascending, orchagent drops it", entry.key);
            cx.report(out, &META, row("BUFFER_QUEUE", &entry.key), message);
        }
    }
}
