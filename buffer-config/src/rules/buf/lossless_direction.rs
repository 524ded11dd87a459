//! # BUF020 lossless-is-ingress
//!
//! Severity: error (lower where it is the ASIC vendor's convention).
//!
//! A profile with headroom (`xoff`) belongs to an egress pool.
//!
//! ## Why it matters
//!
//! Headroom exists at ingress only. At egress the field has no meaning, and the dynamic model rejects the profile.
//!
//! ## Example
//!
//! ```json
//! {
//!   "BUFFER_PROFILE": {
//!     "egress_lossless_profile": {"pool": "egress_lossless_pool", "size": "0", "static_th": "12766208", "xoff": "1000"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Remove `xoff` from the egress profile.
//!
//! ## Source
//!
//! buffermgrdyn.cpp.

use super::super::context::{Context, Findings, field};
use super::super::{Meta, effect};
use crate::finding::Severity;
use crate::resolved::Direction;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "BUF020",
    name: "lossless-is-ingress",
    severity: Severity::Error,
    effect: effect::NOT_PORT_SPECIFIC,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    for profile in &cx.sw.profiles {
        if profile.is_lossless() && cx.pool_of(profile).is_some_and(|p| p.direction == Direction::Egress) {
            let severity = if cx.is_dynamic { Severity::Error } else { Severity::Warning };
            let message = format!("profile {} has headroom but is in an egress pool", profile.name);
            cx.report(out, &META, field("BUFFER_PROFILE", &profile.name, "xoff"), message)
                .severity(severity)
                .remove();
        }
    }
}
