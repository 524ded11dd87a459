//! # ECN015 other-colour
//!
//! Severity: info (lower where it is the ASIC vendor's convention).
//!
//! The colour that the chip uses for plain traffic is not enabled (green; red on Jericho).
//!
//! ## Why it matters
//!
//! Thresholds of other colours have no effect on plain traffic.
//!
//! ## Example
//!
//! ```json
//! {
//!   "DEVICE_METADATA": {"localhost": {"platform": "x86_64-arista_7800r3_48cq2_lc"}},
//!   "WRED_PROFILE": {
//!     "W": {"ecn": "ecn_all", "wred_green_enable": "true", "green_min_threshold": "1000000",
//!       "green_max_threshold": "1500000", "green_drop_probability": "5"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Use the same values for all three colours, as the default templates do.
//!
//! ## Source
//!
//! sonic-mgmt issue 14439.

use super::super::context::{Context, Findings, row};
use super::super::{Meta, effect};
use crate::asic::Vendor;
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "ECN015",
    name: "other-colour",
    severity: Severity::Info,
    effect: effect::ECN_NOT_AS_INTENDED,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    for (i, wred) in cx.sw.wred.iter().enumerate() {
        let used = cx.sw.ports.iter().any(|p| p.queue_wred.contains(&Some(i)));
        let (seen, name) = if cx.is(Vendor::BroadcomDnx) { (wred.red, "red") } else { (wred.green, "green") };
        let any = wred.green.is_some() || wred.yellow.is_some() || wred.red.is_some();
        if used && any && seen.is_none() {
            let message = format!("{}: this chip uses {name}, which is not enabled", wred.name);
            cx.report(out, &META, row("WRED_PROFILE", &wred.name), message).severity(Severity::Warning);
        }
    }
}
