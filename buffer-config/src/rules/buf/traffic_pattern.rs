//! # BUF038 traffic-pattern
//!
//! Severity: error (a warning for an `mtu` below 1024).
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

use super::super::context::{Context, Findings, field, row};
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

/// The usual MTU of RDMA, and the template's, bytes.
const SMALL_MTU: u64 = 1024;

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
    // Without a valid number, the schema's violation is reported.
    let small = |entry: &&crate::db::Entry<'_>| {
        let mtu = cx.db.field(entry, "mtu").and_then(|field| crate::resolve::number(field.value));
        mtu.is_some_and(|mtu| (1..SMALL_MTU).contains(&mtu))
    };
    if let Some(entry) = rows.iter().find(small) {
        let message = format!(
            "{}: headroom is computed for lossless frames of less than {SMALL_MTU} B; RDMA sends larger ones",
            entry.key
        );
        let at = field("LOSSLESS_TRAFFIC_PATTERN", &entry.key, "mtu");
        cx.report(out, &META, at, message).severity(Severity::Warning);
    }
}
