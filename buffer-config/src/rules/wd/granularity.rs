//! # WD005 coarse-polling
//!
//! Severity: warning (lower where it is the ASIC vendor's convention).
//!
//! The detection time is less than two poll intervals.
//!
//! ## Why it matters
//!
//! A storm is detected between (detection - poll) and (detection + poll). If both times are equal, a short pause
//! can be mistaken for a storm.
//!
//! ## Example
//!
//! ```json
//! {
//!   "PFC_WD": {
//!     "GLOBAL": {"POLL_INTERVAL": "200"},
//!     "Ethernet0": {"action": "drop", "detection_time": "200", "restoration_time": "800"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Halve the poll interval or double the detection time.
//!
//! ## Source
//!
//! sonic-mgmt PR 4431.

use super::super::context::{Context, Findings, hit_as};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "WD005", name: "coarse-polling", severity: Severity::Warning, effect: effect::WATCHDOG };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let poll = cx.sw.watchdog_poll_ms;
    cx.by_port(out, &META, |port| {
        let watchdog =
            port.watchdog.filter(|w| w.detection_ms >= poll && w.detection_ms < poll.saturating_mul(2))?;
        let detection = watchdog.detection_ms;
        let message = format!(
            "detection time {detection} ms with a poll interval of {poll} ms: a storm is detected after {} to {} ms",
            detection - poll,
            detection.saturating_add(poll)
        );
        // `pfcwd start_default` sets both to the same value.
        let severity = if detection == poll { Severity::Info } else { Severity::Warning };
        hit_as(severity, "PFC_WD", &port.name, "detection_time", message)
    });
}
