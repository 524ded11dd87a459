//! # WD016 blind-watchdog
//!
//! Severity: error. Rows: WD-16.
//!
//! Polling of the watchdog's counters is not disabled.
//!
//! ## Why it matters
//!
//! With FLEX_COUNTER_STATUS disable nothing is polled: the watchdog is configured and blind. Fast reboot leaves it
//! so.
//!
//! ## Example
//!
//! ```json
//! {"FLEX_COUNTER_TABLE": {"PFCWD": {"FLEX_COUNTER_STATUS": "disable"}}}
//! ```
//!
//! ## Fix
//!
//! Set it to enable.
//!
//! ## Source
//!
//! flexcounterorch; sonic-mgmt PR 3736.

use super::super::Meta;
use super::super::context::{Context, Findings, field};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "WD016", name: "blind-watchdog", severity: Severity::Error, ids: &["WD-16"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
    let watched = cx.sw.ports.iter().any(|p| p.watchdog.is_some());
    if watched && cx.value("FLEX_COUNTER_TABLE", "PFCWD", "FLEX_COUNTER_STATUS") == Some("disable") {
        let at = field("FLEX_COUNTER_TABLE", "PFCWD", "FLEX_COUNTER_STATUS");
        cx.report(out, &META, at, "the watchdog's counters are not polled: it sees nothing".into()).replace("enable");
    }
}
