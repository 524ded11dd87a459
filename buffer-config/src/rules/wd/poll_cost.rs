//! # WD022 polling-too-often
//!
//! Severity: warning (lower where it is the ASIC vendor's convention).
//!
//! The poll interval is shorter than 200 ms per 32 ports.
//!
//! ## Why it matters
//!
//! On a large switch, one round of polling takes longer than the interval, and late polls look like storms (false
//! alarms).
//!
//! ## Example
//!
//! ```json
//! {"PFC_WD": {"GLOBAL": {"POLL_INTERVAL": "100"}}}
//! ```
//!
//! ## Fix
//!
//! Use the interval that `pfcwd start_default` computes. Above 800 ports, its detection time exceeds the limit of
//! 5000 ms.
//!
//! ## Source
//!
//! sonic-utilities pfcwd; swss PR 3036.

use super::super::context::{Context, Findings, field};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "WD022", name: "polling-too-often", severity: Severity::Warning, effect: effect::WATCHDOG };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let ports = cx.sw.ports.len();
    let watched = cx.sw.ports.iter().filter(|p| p.watchdog.is_some()).count();
    let usual = (200 * (ports.saturating_sub(1) / 32 + 1).max(1)).min(1000) as u32;
    let poll = cx.sw.watchdog_poll_ms;
    if watched > 0 && poll < usual {
        let message = format!(
            "poll interval of {poll} ms with {watched} watched ports; `pfcwd start_default` uses {usual} ms"
        );
        let severity = if poll < usual / 2 { Severity::Warning } else { Severity::Info };
        // The times must not be shorter than the new interval.
        let times = cx
            .sw
            .ports
            .iter()
            .filter_map(|p| p.watchdog)
            .flat_map(|w| [Some(w.detection_ms), w.restoration_ms]);
        let fits = times.flatten().all(|ms| ms >= usual);
        let reported =
            cx.report(out, &META, field("PFC_WD", "GLOBAL", "POLL_INTERVAL"), message).severity(severity);
        if fits {
            reported.replace(usual.to_string());
        }
    }
}
