//! # WD016 blind-watchdog
//!
//! Severity: error.
//!
//! Polling of the watchdog's counters is disabled, or slower than a detection time.
//!
//! ## Why it matters
//!
//! With FLEX_COUNTER_STATUS disable, the watchdog is configured but detects nothing. A fast reboot can leave it in this
//! state. A POLL_INTERVAL of FLEX_COUNTER_TABLE replaces that of PFC_WD: if it is longer than the detection time,
//! storms end before they are seen.
//!
//! ## Example
//!
//! ```json
//! {"FLEX_COUNTER_TABLE": {"PFCWD": {"FLEX_COUNTER_STATUS": "disable"}}}
//! ```
//!
//! ## Fix
//!
//! Set FLEX_COUNTER_STATUS to enable.
//!
//! ## Source
//!
//! flexcounterorch; sonic-mgmt PR 3736.

use super::super::context::{Context, Findings, field};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "WD016", name: "blind-watchdog", severity: Severity::Error, effect: effect::WATCHDOG };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
    let watched = cx.sw.ports.iter().any(|p| p.watchdog.is_some());
    if watched && cx.value("FLEX_COUNTER_TABLE", "PFCWD", "FLEX_COUNTER_STATUS") == Some("disable") {
        let at = field("FLEX_COUNTER_TABLE", "PFCWD", "FLEX_COUNTER_STATUS");
        cx.report(out, &META, at, "the watchdog's counters are not polled: it detects nothing".into())
            .replace("enable");
    }
    let shortest = cx.sw.ports.iter().filter_map(|port| port.watchdog).map(|w| w.detection_ms).min();
    let poll = cx.value("FLEX_COUNTER_TABLE", "PFCWD", "POLL_INTERVAL").and_then(crate::resolve::number);
    if let (Some(shortest), Some(poll)) = (shortest, poll)
        && poll > u64::from(shortest)
    {
        let message = format!(
            "the watchdog's counters are polled every {poll} ms, but storms are to be detected in {shortest} ms"
        );
        cx.report(out, &META, field("FLEX_COUNTER_TABLE", "PFCWD", "POLL_INTERVAL"), message).remove();
    }
}
