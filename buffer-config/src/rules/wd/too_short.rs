//! # WD019 shorter-than-nic
//!
//! Severity: warning. Rows: WD-19, WD-20.
//!
//! Detection is at least 100 ms, the NIC's own watchdog, and longer than any pause of a legal incast.
//!
//! ## Why it matters
//!
//! The switch would drop lossless traffic for a storm that the NIC ends by itself.
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

use super::super::Meta;
use super::super::context::{Context, Findings, hit};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "WD019", name: "shorter-than-nic", severity: Severity::Warning, ids: &["WD-19", "WD-20"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.by_port(out, &META, |port| {
        let watchdog = port.watchdog.filter(|w| w.detection_ms < 100)?;
        hit("PFC_WD", &port.name, "detection_time", format!("detection {} ms is shorter than the NIC's 100 ms", watchdog.detection_ms))
    });
}
