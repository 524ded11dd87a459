//! # BUF040 over-subscribe-ratio
//!
//! Severity: error.
//!
//! `over_subscribe_ratio` is not an integer from 0 (off) to the number of ports.
//!
//! ## Why it matters
//!
//! The command line checks the value, but loading a file does not. A larger ratio leaves less shared headroom than
//! a single port needs.
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
//! Set a ratio up to the number of ports; 2 is common.
//!
//! ## Source
//!
//! sonic-utilities; HLD of the dynamic buffer model.

use super::super::context::{Context, Findings, field};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "BUF040",
    name: "over-subscribe-ratio",
    severity: Severity::Error,
    effect: effect::NOT_PORT_SPECIFIC,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
    for entry in cx.db.rows("DEFAULT_LOSSLESS_BUFFER_PARAMETER") {
        let ratio =
            cx.db.field(entry, "over_subscribe_ratio").and_then(|f| f.value.trim().parse::<usize>().ok());
        if ratio.is_some_and(|r| r > cx.sw.ports.len()) && !cx.sw.ports.is_empty() {
            let message =
                format!("ratio {} exceeds the number of ports, {}", ratio.unwrap_or(0), cx.sw.ports.len());
            cx.report(
                out,
                &META,
                field("DEFAULT_LOSSLESS_BUFFER_PARAMETER", &entry.key, "over_subscribe_ratio"),
                message,
            );
        }
    }
}
