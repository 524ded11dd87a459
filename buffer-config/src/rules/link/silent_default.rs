//! # LINK005 default-cable
//!
//! Severity: warning (less where the ASIC makes it an idiom). Rows: HR-20, HR-21.
//!
//! Few ports have the length that SONiC falls back to (300 m) while the rest has lengths of their role.
//!
//! ## Why it matters
//!
//! A pair of roles that is missing in the table of cable roles gets the default silently: far too much headroom, or
//! too little on long spans.
//!
//! ## Example
//!
//! ```json
//! {"CABLE_LENGTH": {"AZURE": {"Ethernet0": "40m", "Ethernet4": "300m"}}}
//! ```
//!
//! ## Fix
//!
//! Add the role pair, or set the length.
//!
//! ## Source
//!
//! sonic-mgmt issue 8700, PR 27894; buffers_config.j2 ports2cable.

use super::super::Meta;
use super::super::context::{Context, Findings, row};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "LINK005", name: "default-cable", severity: Severity::Warning, ids: &["HR-20", "HR-21"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let at = |m: u32| cx.sw.ports.iter().filter(move |p| p.is_up && p.cable_m == Some(m)).count();
    let (default, all) = (at(300), cx.sw.ports.iter().filter(|p| p.is_up && p.cable_m.is_some_and(|m| m > 0)).count());
    let role = cx.sw.role.as_str();
    // T1 to T2 is 300 m by design.
    let expected = matches!(role, "LeafRouter" | "SpineRouter");
    if default > 0 && default < all && !expected && let Some(port) = cx.sw.ports.iter().find(|p| p.is_up && p.cable_m == Some(300)) {
        let message = format!("{default} ports, first {}, have 300 m, the silent default, on a {role}", port.name);
        let severity = if role == "ToRRouter" { Severity::Warning } else { Severity::Info };
        cx.report(out, &META, row("PORT", &port.name), message).severity(severity);
    }
}
