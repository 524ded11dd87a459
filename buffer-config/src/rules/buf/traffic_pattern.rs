//! # BUF038 traffic-pattern
//!
//! Severity: error.
//!
//! LOSSLESS_TRAFFIC_PATTERN does not have exactly one entry with `mtu` 1 to 9216 and `small_packet_percentage` 0 to
//! 100.
//!
//! ## Why it matters
//!
//! The headroom arithmetic reads the first entry that it finds. Without an entry the script fails, and headroom is
//! not computed.
//!
//! ## Example
//!
//! ```json
//! {"LOSSLESS_TRAFFIC_PATTERN": {"AZURE": {"mtu": "1024", "small_packet_percentage": "150"}}}
//! ```
//!
//! ## Fix
//!
//! Keep one entry.
//!
//! ## Source
//!
//! YANG; buffer_headroom_mellanox.lua.

use super::super::context::{Context, Findings, row};
use super::super::{Meta, effect};
use crate::finding::Severity;
use crate::resolve::BufferModel;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "BUF038",
    name: "traffic-pattern",
    severity: Severity::Error,
    effect: effect::NOT_PORT_SPECIFIC,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
    let rows = cx.db.rows("LOSSLESS_TRAFFIC_PATTERN");
    match rows {
        [] if cx.is_dynamic && !cx.sw.pools.is_empty() => {
            let key = cx.sw.pools.first().map_or("", |p| p.name.as_str());
            // A buffer template may have it in another file.
            let is_alone = cx.model == BufferModel::DynamicByContent;
            let severity = if is_alone { Severity::Warning } else { Severity::Error };
            let message = "the dynamic model requires LOSSLESS_TRAFFIC_PATTERN".to_string();
            cx.report(out, &META, row("BUFFER_POOL", key), message).severity(severity);
        }
        [_, second, ..] => {
            let message =
                format!("{} entries; the headroom arithmetic uses the first one that it reads", rows.len());
            cx.report(out, &META, row("LOSSLESS_TRAFFIC_PATTERN", &second.key), message);
        }
        _ => {}
    }
}
