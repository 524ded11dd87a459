//! # WD005 coarse-polling
//!
//! Severity: warning (less where the ASIC makes it an idiom). Rows: WD-05.
//!
//! Detection is at least two poll intervals.
//!
//! ## Why it matters
//!
//! A storm is seen between detection - poll and detection + poll. With both equal, a short pause can be taken for a
//! storm.
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
//! Halve the interval or double the detection time.
//!
//! ## Source
//!
//! sonic-mgmt PR 4431.

use super::super::Meta;
use super::super::context::{Context, Findings, hit_as};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "WD005", name: "coarse-polling", severity: Severity::Warning, ids: &["WD-05"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let poll = cx.sw.watchdog_poll_ms;
    cx.by_port(out, &META, |port| {
        let watchdog = port.watchdog.filter(|w| w.detection_ms >= poll && w.detection_ms < poll.saturating_mul(2))?;
        let detection = watchdog.detection_ms;
        let message = format!("detection {detection} ms with polls of {poll} ms: a storm is seen after {} to {} ms", detection - poll, detection.saturating_add(poll));
        // The default command chooses them equal.
        let severity = if detection == poll { Severity::Info } else { Severity::Warning };
        hit_as(severity, "PFC_WD", &port.name, "detection_time", message)
    });
}
