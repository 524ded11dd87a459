//! # WD001 detection-time
//!
//! Severity: error. Rows: WD-01.
//!
//! `detection_time` is 100 to 5000 ms and is there.
//!
//! ## Why it matters
//!
//! orchagent refuses the entry: the port is not watched.
//!
//! ## Example
//!
//! ```json
//! {"PFC_WD": {"Ethernet0": {"action": "drop", "detection_time": "50", "restoration_time": "800"}}}
//! ```
//!
//! ## Fix
//!
//! 200 ms is usual on small switches.
//!
//! ## Source
//!
//! pfcwdorch.cpp; YANG pfcwd.

use super::super::Meta;
use super::super::context::{Context, Findings, row};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "WD001", name: "detection-time", severity: Severity::Error, ids: &["WD-01"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
    // Two polls at least, within what the field may hold.
    let detection = cx.sw.watchdog_poll_ms.saturating_mul(2).clamp(200, 5000);
    for entry in cx.db.rows("PFC_WD").iter().filter(|e| e.key != "GLOBAL") {
        if cx.db.field(entry, "detection_time").is_none() {
            let message = format!("{} has no detection_time: orchagent refuses the entry", entry.key);
            cx.report(out, &META, row("PFC_WD", &entry.key), message).add("detection_time", detection.to_string());
        }
    }
}
