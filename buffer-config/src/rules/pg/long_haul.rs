//! # PG024 long-haul
//!
//! Severity: error.
//!
//! The headroom of links over 10 km and more exceeds the packet memory.
//!
//! ## Why it matters
//!
//! A 100 km link at 100G has 2.5 MB in flight in the return direction alone. A few such ports need more headroom
//! than the chip has; such links need packet DRAM.
//!
//! ## Example
//!
//! ```json
//! {"CABLE_LENGTH": {"AZURE": {"Ethernet0": "80000m", "Ethernet4": "40m"}}}
//! ```
//!
//! ## Fix
//!
//! Use a chip with packet DRAM for such links.
//!
//! ## Source
//!
//! Azure 7.1.

use super::super::context::{Context, Findings, bytes, row};
use super::super::{Meta, effect};
use crate::asic::Vendor;
use crate::finding::Severity;
use crate::headroom;
use crate::resolved::ResolvedPort;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "PG024", name: "long-haul", severity: Severity::Error, effect: effect::HEADROOM_TOO_SMALL };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let Some(memory) = cx.memory().filter(|_| !cx.is(Vendor::BroadcomDnx)) else { return };
    let far = |p: &&ResolvedPort| p.cable_m.is_some_and(|m| m >= 10_000) && p.pfc_priorities != 0;
    let need = |p: &ResolvedPort| {
        headroom::wire_bytes(p.speed_mbps, f64::from(p.cable_m.unwrap_or(0)))
            * f64::from(p.pfc_priorities.count_ones())
    };
    let sum: f64 = cx.sw.ports.iter().filter(far).map(need).sum();
    if let Some(port) = cx.sw.ports.iter().find(far).filter(|_| sum > memory.bytes as f64) {
        let message = format!(
            "links of 10 km or more have {} in flight, but the packet memory is {}",
            bytes(sum as u64),
            bytes(memory.bytes)
        );
        cx.report(out, &META, row("PORT", &port.name), message);
    }
}
