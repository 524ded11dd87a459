//! # BUF009 alpha-window
//!
//! Severity: warning. Rows: SCH-09.
//!
//! The exponent is within what the ASIC's SAI takes (Tomahawk 5: -7 to 3 for shared buffers).
//!
//! ## Why it matters
//!
//! SAI refuses it or clips it, and the queue gets another limit than was planned.
//!
//! ## Example
//!
//! ```json
//! {
//!   "DEVICE_METADATA": {"localhost": {"platform": "x86_64-nexthop_4010-r0"}},
//!   "BUFFER_PROFILE": {
//!     "pg_lossless_100000_40m_profile": {"pool": "ingress_lossless_pool", "size": "1248", "dynamic_th": "7",
//!       "xon": "2288", "xon_offset": "2288", "xoff": "100000"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Stay within the window.
//!
//! ## Source
//!
//! sonic-buildimage PR 27270.

use super::super::Meta;
use super::super::context::{Context, Findings, field};
use crate::finding::Severity;
use crate::resolved::Threshold;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "BUF009", name: "alpha-window", severity: Severity::Warning, ids: &["SCH-09"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let Some(asic) = cx.asic else { return };
    let (low, high) = asic.alpha_window;
    for profile in &cx.sw.profiles {
        if let Some(Threshold::Dynamic { exponent }) = profile.threshold
            && !(low..=high).contains(&exponent)
            && (-8..=7).contains(&exponent)
        {
            let message = format!("profile {}: dynamic_th {exponent} is outside {low}..={high}, which {} takes", profile.name, asic.name);
            cx.report(out, &META, field("BUFFER_PROFILE", &profile.name, "dynamic_th"), message);
        }
    }
}
