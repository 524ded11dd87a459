//! # WD021 storm-loop
//!
//! Severity: warning.
//!
//! The restoration time is not longer than the detection time on a chip that does not count received pauses while
//! PFC is off (Tomahawk 4 and later).
//!
//! ## Why it matters
//!
//! If all priorities storm, the queue is restored after `restoration_time` although the storm continues, and the
//! storm is detected again, in an endless loop.
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
//! Set the restoration time to several times the detection time.
//!
//! ## Source
//!
//! sonic-buildimage issue 29203.

use super::super::context::{Context, Findings, hit};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "WD021", name: "storm-loop", severity: Severity::Warning, effect: effect::WATCHDOG };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    if !cx.asic.is_some_and(|a| matches!(a.name, "tomahawk-4" | "tomahawk-5" | "tomahawk-6")) {
        return;
    }
    cx.by_port(out, &META, |port| {
        let watchdog = port.watchdog?;
        let restoration = watchdog.restoration_ms.filter(|r| *r <= watchdog.detection_ms)?;
        hit(
            "PFC_WD",
            &port.name,
            "restoration_time",
            format!("restoration {restoration} ms is not longer than detection {} ms", watchdog.detection_ms),
        )
    });
}
