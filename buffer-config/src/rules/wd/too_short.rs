//! # WD019 shorter-than-nic
//!
//! Severity: warning.
//!
//! The detection time is shorter than 100 ms, the time of the NIC watchdog, or than the longest pause of a
//! legitimate incast.
//!
//! ## Why it matters
//!
//! The switch drops lossless traffic because of a storm that the NIC would end itself.
//!
//! ## Example
//!
//! ```json
//! {"PFC_WD": {"Ethernet0": {"action": "drop", "detection_time": "80", "restoration_time": "800"}}}
//! ```
//!
//! ## Fix
//!
//! Use 200 ms or more.
//!
//! ## Source
//!
//! RDMA over Commodity Ethernet at Scale 4.3; a pause frame is at most 65,535 quanta = 335.5 us at 100G.

use super::super::context::{Context, Findings, hit};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "WD019", name: "shorter-than-nic", severity: Severity::Warning, effect: effect::WATCHDOG };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.by_port(out, &META, |port| {
        let watchdog = port.watchdog.filter(|w| w.detection_ms < 100)?;
        hit(
            "PFC_WD",
            &port.name,
            "detection_time",
            format!("detection {} ms is shorter than the NIC's 100 ms", watchdog.detection_ms),
        )
    });
}
