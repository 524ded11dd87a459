//! # WD001 detection-time
//!
//! Severity: error.
//!
//! `detection_time` is missing or not within 100 to 5000 ms.
//!
//! ## Why it matters
//!
//! orchagent rejects the entry and the port has no watchdog.
//!
//! ## Example
//!
//! ```json
//! {"PFC_WD": {"Ethernet0": {"action": "drop", "detection_time": "50", "restoration_time": "800"}}}
//! ```
//!
//! ## Fix
//!
//! Set the time; 200 ms is common on small switches.
//!
//! ## Source
//!
//! pfcwdorch.cpp; YANG pfcwd.

use super::super::context::{Context, Findings, row};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "WD001", name: "detection-time", severity: Severity::Error, effect: effect::WATCHDOG };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
    // At least two poll intervals, within the range of the field.
    let detection = cx.sw.watchdog_poll_ms.saturating_mul(2).clamp(200, 5000);
    for entry in cx.db.rows("PFC_WD").iter().filter(|e| e.key != "GLOBAL") {
        if cx.db.field(entry, "detection_time").is_some() {
            continue;
        }
        let message = format!("{} has no detection_time: orchagent rejects the entry", entry.key);
        let reported = cx.report(out, &META, row("PFC_WD", &entry.key), message);
        // An entry without fields gets those of another port.
        if cx.db.fields_of(entry).len() == 0 {
            reported.of_ports(&[entry.key.as_ref()]);
        } else {
            reported.add("detection_time", detection.to_string());
        }
    }
}
