//! # LINK001 unknown-cable
//!
//! Severity: warning (lower where it is the ASIC vendor's convention).
//!
//! A port enables PFC but its cable length is unknown.
//!
//! ## Why it matters
//!
//! buffermgrd waits for the length, and the port has no lossless priority group.
//!
//! ## Example
//!
//! ```json
//! {"CABLE_LENGTH": {"AZURE": {"Ethernet4": "40m"}}}
//! ```
//!
//! ## Fix
//!
//! Add the port to CABLE_LENGTH.
//!
//! ## Source
//!
//! buffermgr.cpp. Recycle, inband and backplane ports are exempt.

use super::super::context::{Context, Findings, hit_as};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "LINK001",
    name: "unknown-cable",
    severity: Severity::Warning,
    effect: effect::HEADROOM_FOR_ANOTHER_LINK,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    if cx.db.rows("CABLE_LENGTH").is_empty() && cx.sw.ports.iter().all(|p| p.pfc_priorities == 0) {
        return;
    }
    cx.by_port(out, &META, |port| {
        let internal =
            ["Ethernet-Rec", "Ethernet-IB", "Ethernet-BP"].iter().any(|p| port.name.starts_with(p));
        if port.cable_m.is_some() || internal || port.pfc_priorities == 0 || !port.is_up {
            return None;
        }
        let headroom = port.priority_groups.iter().any(|g| cx.profile(*g).is_some_and(|p| p.is_lossless()));
        let severity = if headroom { Severity::Warning } else { Severity::Error };
        hit_as(severity, "PORT", &port.name, "speed", "enables PFC, but has no cable length".to_string())
    });
}
