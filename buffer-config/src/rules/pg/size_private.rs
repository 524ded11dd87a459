//! # PG015 size-without-sharing
//!
//! Severity: warning (lower where it is the ASIC vendor's convention).
//!
//! Without a shared headroom pool, a profile's `size` is below `xon` + `xoff`.
//!
//! ## Why it matters
//!
//! Without sharing, `size` is what the group reserves. A smaller `size` leaves part of the headroom unreserved.
//! This is an error on Spectrum, where the SDK requires the sum.
//!
//! ## Example
//!
//! ```json
//! {
//!   "BUFFER_POOL": {
//!     "ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "10000000"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Set `size` to `xon` + `xoff` (plus the MTU on ports with eight lanes).
//!
//! ## Source
//!
//! HLD of the dynamic buffer model; swss PR 4153.

use super::super::context::{Context, Findings, bytes, field};
use super::super::{Meta, effect};
use crate::asic::Vendor;
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "PG015",
    name: "size-without-sharing",
    severity: Severity::Warning,
    effect: effect::HEADROOM_TOO_SMALL,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let Some(pool) = cx.lossless_pool().filter(|p| p.shared_headroom_bytes == 0) else { return };
    let ratio = cx
        .db
        .rows("DEFAULT_LOSSLESS_BUFFER_PARAMETER")
        .iter()
        .any(|e| cx.db.field(e, "over_subscribe_ratio").is_some_and(|f| f.value.trim() != "0"));
    for profile in
        cx.lossless_in_use().filter(|p| !ratio && cx.pool_of(p).is_some_and(|q| q.name == pool.name))
    {
        let needed = profile.xon_bytes.saturating_add(profile.headroom_bytes.unwrap_or(0));
        if profile.reserved_bytes < needed {
            let severity = if cx.is(Vendor::Nvidia) { Severity::Error } else { Severity::Warning };
            let message = format!(
                "profile {}: headroom is not shared, but size {} is below xon + xoff = {}",
                profile.name,
                bytes(profile.reserved_bytes),
                bytes(needed)
            );
            cx.report(out, &META, field("BUFFER_PROFILE", &profile.name, "size"), message)
                .severity(severity)
                .replace(needed.to_string());
        }
    }
}
