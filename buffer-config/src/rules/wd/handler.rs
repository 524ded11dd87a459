//! # WD023 zero-buffer-handler
//!
//! Severity: info.
//!
//! Reports how the platform handles a queue after the watchdog detects a storm.
//!
//! ## Why it matters
//!
//! Spectrum, Teralynx and Prestera remove the queue's buffers (they need zero profiles). Tofino and Broadcom use
//! rules or the chip's own timers, which replace the configured times.
//!
//! ## Example
//!
//! ```json
//! {"PFC_WD": {"Ethernet0": {"action": "drop", "detection_time": "400", "restoration_time": "800"}}}
//! ```
//!
//! ## Fix
//!
//! No action is needed; take it into account when you read the counters.
//!
//! ## Source
//!
//! orchdaemon.cpp.

use super::super::context::{Context, Findings, row};
use super::super::{Meta, effect};
use crate::asic::Vendor;
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "WD023", name: "zero-buffer-handler", severity: Severity::Info, effect: effect::WATCHDOG };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let Some(port) = cx.sw.ports.iter().find(|p| p.watchdog.is_some()) else { return };
    let zero = |v| matches!(v, Vendor::Nvidia | Vendor::Teralynx | Vendor::Prestera);
    if let Some(asic) = cx.asic {
        let how = if zero(asic.vendor) {
            "removes the queue's buffers"
        } else {
            "drops by rule, or by the chip's hardware recovery"
        };
        cx.report(out, &META, row("PFC_WD", &port.name), format!("on {}, the watchdog {how}", asic.name));
    }
}
