//! # PG016 size-with-sharing
//!
//! Severity: warning.
//!
//! With a shared headroom pool, the `size` of a profile on Spectrum differs from its `xon`.
//!
//! ## Why it matters
//!
//! A larger `size` reserves memory that is not needed; a smaller one fails the SDK's check.
//!
//! ## Example
//!
//! ```json
//! {
//!   "DEVICE_METADATA": {"localhost": {"platform": "x86_64-mlnx_msn4700-r0"}},
//!   "BUFFER_PROFILE": {
//!     "pg_lossless_100000_40m_profile": {"pool": "ingress_lossless_pool", "size": "40000", "dynamic_th": "-2",
//!       "xon": "19456", "xon_offset": "2288", "xoff": "100000"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Set `size` to `xon`.
//!
//! ## Source
//!
//! HLD of the dynamic buffer model.

use super::super::context::{Context, Findings, bytes, field};
use super::super::{Meta, effect};
use crate::asic::Vendor;
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "PG016",
    name: "size-with-sharing",
    severity: Severity::Warning,
    effect: effect::XON_NOT_AS_INTENDED,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    if !cx.is(Vendor::Nvidia) || cx.lossless_pool().is_none_or(|p| p.shared_headroom_bytes == 0) {
        return;
    }
    for profile in cx.lossless_in_use().filter(|p| p.reserved_bytes != p.xon_bytes) {
        let message = format!(
            "profile {}: headroom is shared, but size is {} and xon is {}",
            profile.name,
            bytes(profile.reserved_bytes),
            bytes(profile.xon_bytes)
        );
        cx.report(out, &META, field("BUFFER_PROFILE", &profile.name, "size"), message);
    }
}
