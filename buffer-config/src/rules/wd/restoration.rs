//! # WD002 restoration-time
//!
//! Severity: error. Rows: WD-02.
//!
//! `restoration_time` is 100 to 60,000 ms.
//!
//! ## Why it matters
//!
//! Out of range the entry is refused. Absent, a queue never comes back by itself.
//!
//! ## Example
//!
//! ```json
//! {"PFC_WD": {"Ethernet0": {"action": "drop", "detection_time": "400", "restoration_time": "70000"}}}
//! ```
//!
//! ## Fix
//!
//! Twice the detection time is the command line's default.
//!
//! ## Source
//!
//! pfcwdorch.cpp; sonic-utilities pfcwd.

use super::super::Meta;
use super::super::context::{Context, Findings, hit_as};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "WD002", name: "restoration-time", severity: Severity::Error, ids: &["WD-02"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
    cx.by_port(out, &META, |port| {
        let watchdog = port.watchdog.filter(|w| w.restoration_ms.is_none())?;
        let message = format!("no restoration_time (detection {} ms): a stormed queue never comes back", watchdog.detection_ms);
        hit_as(Severity::Warning, "PFC_WD", &port.name, "detection_time", message)
    });
}
