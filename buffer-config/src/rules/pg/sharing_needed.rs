//! # PG025 no-shared-headroom
//!
//! Severity: error (lower where it is the ASIC vendor's convention).
//!
//! Profiles reserve less than their headroom, but there is no shared headroom pool (`xoff` of the lossless pool is
//! 0 or missing).
//!
//! ## Why it matters
//!
//! Headroom that is neither reserved nor shared does not exist.
//!
//! ## Example
//!
//! ```json
//! {
//!   "DEVICE_METADATA": {"localhost": {"platform": "x86_64-arista_7050cx3_32s"}},
//!   "BUFFER_POOL": {
//!     "ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "10000000"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Set `xoff` of ingress_lossless_pool, or reserve the headroom in the profiles.
//!
//! ## Source
//!
//! HLD of the dynamic buffer model.

use super::super::context::{Context, Findings, bytes, row};
use super::super::{Meta, effect};
use crate::asic::Vendor;
use crate::finding::Severity;
use crate::resolved::ResolvedProfile;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "PG025",
    name: "no-shared-headroom",
    severity: Severity::Error,
    effect: effect::HEADROOM_TOO_SMALL,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let Some(pool) = cx.lossless_pool().filter(|p| p.shared_headroom_bytes == 0 && !cx.is_dynamic) else {
        return;
    };
    let poor = |p: &&ResolvedProfile| p.reserved_bytes < p.headroom_bytes.unwrap_or(0) && !p.is_generated;
    if let Some(profile) = cx.lossless_in_use().find(poor) {
        let severity = if cx.is(Vendor::Nvidia) { Severity::Error } else { Severity::Warning };
        let message = format!(
            "pool {} has no shared headroom, but profile {} reserves only {} of its headroom of {}",
            pool.name,
            profile.name,
            bytes(profile.reserved_bytes),
            bytes(profile.headroom_bytes.unwrap_or(0))
        );
        cx.report(out, &META, row("BUFFER_POOL", &pool.name), message).severity(severity);
    }
}
