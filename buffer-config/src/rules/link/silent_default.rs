//! # LINK005 default-cable
//!
//! Severity: warning (lower where it is the ASIC vendor's convention).
//!
//! A few ports have SONiC's default cable length (300 m), while the others have lengths that match their roles.
//!
//! ## Why it matters
//!
//! A pair of roles that is missing from the cable-length table silently gets the default: far too much headroom, or
//! too little on longer links.
//!
//! ## Example
//!
//! ```json
//! {"CABLE_LENGTH": {"AZURE": {"Ethernet0": "40m", "Ethernet4": "300m"}}}
//! ```
//!
//! ## Fix
//!
//! Add the pair of roles, or set the length.
//!
//! ## Source
//!
//! sonic-mgmt issue 8700, PR 27894; buffers_config.j2 ports2cable.

use super::super::context::{Context, Findings, row};
use super::super::{Meta, effect};
use crate::finding::Severity;
use model::units::counted;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "LINK005",
    name: "default-cable",
    severity: Severity::Warning,
    effect: effect::HEADROOM_FOR_ANOTHER_LINK,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let at = |m: u32| cx.sw.ports.iter().filter(move |p| p.is_up && p.cable_m == Some(m)).count();
    let (default, all) =
        (at(300), cx.sw.ports.iter().filter(|p| p.is_up && p.cable_m.is_some_and(|m| m > 0)).count());
    let role = cx.sw.role.as_str();
    // T1 to T2 is 300 m by design.
    let expected = matches!(role, "LeafRouter" | "SpineRouter");
    if default > 0
        && default < all
        && !expected
        && let Some(port) = cx.sw.ports.iter().find(|p| p.is_up && p.cable_m == Some(300))
    {
        let message = format!(
            "cable length 300 m, SONiC's default, on a {role}: {}, first {}",
            counted(default as u64, "port"),
            port.name
        );
        let severity = if role == "ToRRouter" { Severity::Warning } else { Severity::Info };
        cx.report(out, &META, row("PORT", &port.name), message).severity(severity);
    }
}
