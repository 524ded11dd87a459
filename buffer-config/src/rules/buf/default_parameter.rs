//! # BUF039 default-lossless-parameter
//!
//! Severity: error (less where the ASIC makes it an idiom). Rows: SCH-21.
//!
//! DEFAULT_LOSSLESS_BUFFER_PARAMETER has exactly one entry with `default_dynamic_th` -8..=7.
//!
//! ## Why it matters
//!
//! It is the alpha of every computed lossless profile. `max_headroom_size`, which some templates write, is unknown
//! to the models.
//!
//! ## Example
//!
//! ```json
//! {
//!   "DEFAULT_LOSSLESS_BUFFER_PARAMETER": {
//!     "AZURE": {"default_dynamic_th": "0", "max_headroom_size": "1"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Keep one entry.
//!
//! ## Source
//!
//! YANG; buffers_config.j2.

use super::super::Meta;
use super::super::context::{Context, Findings, field, row};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "BUF039", name: "default-lossless-parameter", severity: Severity::Error, ids: &["SCH-21"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
    let rows = cx.db.rows("DEFAULT_LOSSLESS_BUFFER_PARAMETER");
    if let [_, second, ..] = rows {
        let message = format!("{} entries; the first one met counts", rows.len());
        cx.report(out, &META, row("DEFAULT_LOSSLESS_BUFFER_PARAMETER", &second.key), message);
    }
    for entry in rows.iter().filter(|e| cx.db.field(e, "max_headroom_size").is_some()) {
        let at = field("DEFAULT_LOSSLESS_BUFFER_PARAMETER", &entry.key, "max_headroom_size");
        let message = "`max_headroom_size` is unknown to the YANG model, which refuses the file".to_string();
        cx.report(out, &META, at, message).severity(Severity::Warning).remove();
    }
}
