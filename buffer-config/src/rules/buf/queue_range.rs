//! # BUF034 queue-range
//!
//! Severity: error.
//!
//! The queue range of a BUFFER_QUEUE key is not within 0 to 15 or not in ascending order, or the key has the parts of
//! another kind of switch: host, ASIC, port and queues with virtual output queues (`switch_type` voq), port and queues
//! without.
//!
//! ## Why it matters
//!
//! orchagent drops a reversed range and a key with another number of parts, and rejects a queue that the port does not
//! have.
//!
//! ## Example
//!
//! ```json
//! {"BUFFER_QUEUE": {"Ethernet0|4-3": {"profile": "egress_lossless_profile"}}}
//! ```
//!
//! ## Fix
//!
//! Write `low-high` or a single number.
//!
//! ## Source
//!
//! YANG buffer-queue; bufferorch.

use super::super::context::{Context, Findings, row};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "BUF034",
    name: "queue-range",
    severity: Severity::Error,
    effect: effect::NOT_PORT_SPECIFIC,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
    for entry in cx.db.rows("BUFFER_QUEUE") {
        let Some((_, numbers)) = entry.owner_and_numbers() else { continue };
        if numbers.contains('-') && crate::resolve::range(numbers).is_some_and(|(l, h)| l >= h) {
            let message =
                format!("`{}`: the range `{numbers}` is not ascending; orchagent drops the entry", entry.key);
            cx.report(out, &META, row("BUFFER_QUEUE", &entry.key), message);
        }
    }
}
