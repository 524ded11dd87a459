//! # PG024 long-haul
//!
//! Severity: error. Rows: HR-24.
//!
//! Over 10 km and more, headroom fits the memory: it takes packet DRAM.
//!
//! ## Why it matters
//!
//! A link of 100 km at 100G has 2.5 MB in flight on the way back alone; a few such ports exceed what a chip holds.
//!
//! ## Example
//!
//! ```json
//! {"CABLE_LENGTH": {"AZURE": {"Ethernet0": "80000m", "Ethernet4": "40m"}}}
//! ```
//!
//! ## Fix
//!
//! Use a chip with DRAM for such links.
//!
//! ## Source
//!
//! Azure 7.1.

use super::super::Meta;
use super::super::context::{Context, Findings, bytes, row};
use crate::finding::Severity;
use crate::asic::Vendor;
use crate::resolved::ResolvedPort;
use crate::headroom;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "PG024", name: "long-haul", severity: Severity::Error, ids: &["HR-24"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let Some(memory) = cx.memory().filter(|_| !cx.is(Vendor::BroadcomDnx)) else { return };
    let far = |p: &&ResolvedPort| p.cable_m.is_some_and(|m| m >= 10_000) && p.pfc_priorities != 0;
    let need = |p: &ResolvedPort| headroom::wire_bytes(p.speed_mbps, f64::from(p.cable_m.unwrap_or(0))) * f64::from(p.pfc_priorities.count_ones());
    let sum: f64 = cx.sw.ports.iter().filter(far).map(need).sum();
    if let Some(port) = cx.sw.ports.iter().find(far).filter(|_| sum > memory.bytes as f64) {
        let message = format!("ports over 10 km and more have {} in flight, the memory is {}", bytes(sum as u64), bytes(memory.bytes));
        cx.report(out, &META, row("PORT", &port.name), message);
    }
}
