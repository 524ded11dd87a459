//! # WD023 zero-buffer-handler
//!
//! Severity: info. Rows: WD-23.
//!
//! Reports how the platform stops a stormed queue.
//!
//! ## Why it matters
//!
//! Spectrum, Teralynx and Prestera take its buffers away (they need zero profiles), Tofino and Broadcom use rules
//! or the chip's own timers, which replace the configured times.
//!
//! ## Example
//!
//! ```json
//! {"PFC_WD": {"Ethernet0": {"action": "drop", "detection_time": "400", "restoration_time": "800"}}}
//! ```
//!
//! ## Fix
//!
//! Nothing; know it when reading the counters.
//!
//! ## Source
//!
//! orchdaemon.cpp.

use super::super::Meta;
use super::super::context::{Context, Findings, row};
use crate::finding::Severity;
use crate::asic::Vendor;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "WD023", name: "zero-buffer-handler", severity: Severity::Info, ids: &["WD-23"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let Some(port) = cx.sw.ports.iter().find(|p| p.watchdog.is_some()) else { return };
    let zero = |v| matches!(v, Vendor::Nvidia | Vendor::Teralynx | Vendor::Prestera);
    if let Some(asic) = cx.asic {
        let how = if zero(asic.vendor) { "takes the queue's buffers away" } else { "drops by rule, or by the chip's own recovery" };
        cx.report(out, &META, row("PFC_WD", &port.name), format!("on {} the watchdog {how}", asic.name));
    }
}
