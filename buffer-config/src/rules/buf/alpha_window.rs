//! # BUF009 alpha-window
//!
//! Severity: warning.
//!
//! `dynamic_th` is outside the range that the ASIC's SAI supports (Tomahawk 5: -7 to 3 for shared buffers).
//!
//! ## Why it matters
//!
//! SAI rejects or clips the value, so the threshold is not the one that was configured.
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
//! Use a value within the range.
//!
//! ## Source
//!
//! sonic-buildimage PR 27270.

use super::super::context::{Context, Findings, field};
use super::super::{Meta, effect};
use crate::finding::Severity;
use crate::resolved::Threshold;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "BUF009",
    name: "alpha-window",
    severity: Severity::Warning,
    effect: effect::ALPHA_NOT_AS_INTENDED,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let Some(asic) = cx.asic else { return };
    let (low, high) = asic.alpha_window;
    for profile in &cx.sw.profiles {
        if let Some(Threshold::Dynamic { exponent }) = profile.threshold
            && !(low..=high).contains(&exponent)
            && (-8..=7).contains(&exponent)
        {
            let message = format!(
                "profile {}: dynamic_th {exponent} is outside {low}..={high}, the range that {} supports",
                profile.name, asic.name
            );
            cx.report(out, &META, field("BUFFER_PROFILE", &profile.name, "dynamic_th"), message);
        }
    }
}
