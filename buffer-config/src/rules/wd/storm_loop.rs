//! # WD021 storm-loop
//!
//! Severity: warning.
//!
//! The restoration time is shorter than the detection time, or not longer on a chip that does not count received pauses
//! while PFC is off (Tomahawk 4 and later).
//!
//! ## Why it matters
//!
//! The queue is restored between two bursts of a storm, and pauses block it again for the whole detection time. On
//! Tomahawk 4 and later, if all priorities storm, the queue is restored after `restoration_time` although the storm
//! continues, and the storm is detected again, in an endless loop.
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
    let is_blind = cx.asic.is_some_and(|a| matches!(a.name, "tomahawk-4" | "tomahawk-5" | "tomahawk-6"));
    cx.by_port(out, &META, |port| {
        let detection = port.watchdog?.detection_ms;
        let restoration =
            port.watchdog?.restoration_ms.filter(|r| *r < detection || is_blind && *r == detection)?;
        let message = match is_blind {
            true => format!("restoration {restoration} ms is not longer than detection {detection} ms"),
            false => format!("restoration {restoration} ms is shorter than detection {detection} ms"),
        };
        hit("PFC_WD", &port.name, "restoration_time", message)
    });
}
