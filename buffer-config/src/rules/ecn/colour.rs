//! # ECN015 other-colour
//!
//! Severity: info (less where the ASIC makes it an idiom). Rows: ECN-15.
//!
//! The colour that the chip looks at is enabled: green, on Jericho red.
//!
//! ## Why it matters
//!
//! Thresholds of another colour are never looked at for plain traffic.
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
//! Give all three colours the same numbers, as the defaults do.
//!
//! ## Source
//!
//! sonic-mgmt issue 14439.

use super::super::Meta;
use super::super::context::{Context, Findings, row};
use crate::finding::Severity;
use crate::asic::Vendor;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "ECN015", name: "other-colour", severity: Severity::Info, ids: &["ECN-15"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    for (i, wred) in cx.sw.wred.iter().enumerate() {
        let used = cx.sw.ports.iter().any(|p| p.queue_wred.contains(&Some(i)));
        let (seen, name) = if cx.is(Vendor::BroadcomDnx) { (wred.red, "red") } else { (wred.green, "green") };
        let any = wred.green.is_some() || wred.yellow.is_some() || wred.red.is_some();
        if used && any && seen.is_none() {
            let message = format!("{}: this chip looks at {name}, which is not enabled", wred.name);
            cx.report(out, &META, row("WRED_PROFILE", &wred.name), message).severity(Severity::Warning);
        }
    }
}
