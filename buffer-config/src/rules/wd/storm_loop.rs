//! # WD021 storm-loop
//!
//! Severity: warning. Rows: WD-21.
//!
//! Where the chip stops counting received pauses once PFC is off (Tomahawk 4 and later), restoration is longer than
//! detection.
//!
//! ## Why it matters
//!
//! When all priorities storm, the queue is restored after restoration_time though the storm goes on, and is found
//! again: a loop.
//!
//! ## Example
//!
//! ```json
//! {
//!   "DEVICE_METADATA": {"localhost": {"platform": "x86_64-nokia_ixr7220_h4-r0"}},
//!   "PFC_WD": {"Ethernet0": {"action": "drop", "detection_time": "400", "restoration_time": "400"}}
//! }
//! ```
//!
//! ## Fix
//!
//! Make restoration several times the detection.
//!
//! ## Source
//!
//! sonic-buildimage issue 29203.

use super::super::Meta;
use super::super::context::{Context, Findings, hit};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "WD021", name: "storm-loop", severity: Severity::Warning, ids: &["WD-21"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    if !cx.asic.is_some_and(|a| matches!(a.name, "tomahawk-4" | "tomahawk-5" | "tomahawk-6")) {
        return;
    }
    cx.by_port(out, &META, |port| {
        let watchdog = port.watchdog?;
        let restoration = watchdog.restoration_ms.filter(|r| *r <= watchdog.detection_ms)?;
        hit("PFC_WD", &port.name, "restoration_time", format!("restoration {restoration} ms is not longer than detection {} ms", watchdog.detection_ms))
    });
}
