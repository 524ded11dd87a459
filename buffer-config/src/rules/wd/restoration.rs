//! # WD002 restoration-time
//!
//! Severity: error (a warning where it is missing).
//!
//! `restoration_time` is missing or not within 100 to 60,000 ms.
//!
//! ## Why it matters
//!
//! A value out of range is rejected. Without a value, a queue is never restored.
//!
//! ## Example
//!
//! ```json
//! {"PFC_WD": {"Ethernet0": {"action": "drop", "detection_time": "400", "restoration_time": "50"}}}
//! ```
//!
//! ## Fix
//!
//! Set the time; the command line's default is twice the detection time.
//!
//! ## Source
//!
//! pfcwdorch.cpp; sonic-utilities pfcwd.

use super::super::context::{Context, Findings, hit_as};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "WD002", name: "restoration-time", severity: Severity::Error, effect: effect::WATCHDOG };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
    cx.by_port(out, &META, |port| {
        // A time that is no number is reported already.
        let is_stated = cx.value("PFC_WD", &port.name, "restoration_time").is_some();
        let watchdog = port.watchdog.filter(|w| w.restoration_ms.is_none() && !is_stated)?;
        let message = format!(
            "no restoration_time (detection {} ms): a queue is never restored after a storm",
            watchdog.detection_ms
        );
        hit_as(Severity::Warning, "PFC_WD", &port.name, "detection_time", message)
    });
}
