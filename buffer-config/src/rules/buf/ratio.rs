//! # BUF040 over-subscribe-ratio
//!
//! Severity: error. Rows: SCH-22.
//!
//! `over_subscribe_ratio` is a whole number from 0 (off) to the number of ports.
//!
//! ## Why it matters
//!
//! The command line checks it, a loaded file does not; a larger ratio leaves less shared headroom than one port
//! needs.
//!
//! ## Example
//!
//! ```json
//! {
//!   "DEFAULT_LOSSLESS_BUFFER_PARAMETER": {
//!     "AZURE": {"default_dynamic_th": "0", "over_subscribe_ratio": "999"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Give a ratio up to the number of ports; 2 is usual.
//!
//! ## Source
//!
//! sonic-utilities; HLD of the dynamic buffer model.

use super::super::Meta;
use super::super::context::{Context, Findings, field};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "BUF040", name: "over-subscribe-ratio", severity: Severity::Error, ids: &["SCH-22"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
    for entry in cx.db.rows("DEFAULT_LOSSLESS_BUFFER_PARAMETER") {
        let ratio = cx.db.field(entry, "over_subscribe_ratio").and_then(|f| f.value.trim().parse::<usize>().ok());
        if ratio.is_some_and(|r| r > cx.sw.ports.len()) && !cx.sw.ports.is_empty() {
            let message = format!("ratio {} is above the number of ports, {}", ratio.unwrap_or(0), cx.sw.ports.len());
            cx.report(out, &META, field("DEFAULT_LOSSLESS_BUFFER_PARAMETER", &entry.key, "over_subscribe_ratio"), message);
        }
    }
}
