//! # PG015 size-without-sharing
//!
//! Severity: warning (less where the ASIC makes it an idiom). Rows: HR-13.
//!
//! Without a shared headroom pool, a profile's `size` covers xon and xoff.
//!
//! ## Why it matters
//!
//! The group owns its headroom then; a smaller size promises bytes that are not reserved. An error on Spectrum,
//! where the SDK computes so.
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
//! Set `size` to xon + xoff (+ the MTU on eight lanes).
//!
//! ## Source
//!
//! HLD of the dynamic buffer model; swss PR 4153.

use super::super::Meta;
use super::super::context::{Context, Findings, bytes, field};
use crate::finding::Severity;
use crate::asic::Vendor;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "PG015", name: "size-without-sharing", severity: Severity::Warning, ids: &["HR-13"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let Some(pool) = cx.lossless_pool().filter(|p| p.shared_headroom_bytes == 0) else { return };
    let ratio = cx.db.rows("DEFAULT_LOSSLESS_BUFFER_PARAMETER").iter().any(|e| cx.db.field(e, "over_subscribe_ratio").is_some_and(|f| f.value.trim() != "0"));
    for profile in cx.lossless_in_use().filter(|p| !ratio && cx.pool_of(p).is_some_and(|q| q.name == pool.name)) {
        let needed = profile.xon_bytes.saturating_add(profile.headroom_bytes.unwrap_or(0));
        if profile.reserved_bytes < needed {
            let severity = if cx.is(Vendor::Nvidia) { Severity::Error } else { Severity::Warning };
            let message = format!("profile {}: headroom is not shared, but size {} is below xon + xoff = {}", profile.name, bytes(profile.reserved_bytes), bytes(needed));
            cx.report(out, &META, field("BUFFER_PROFILE", &profile.name, "size"), message).severity(severity).replace(needed.to_string());
        }
    }
}
