//! # BUF032 no-reserve
//!
//! Severity: warning.
//!
//! The lossless pool leaves no memory for the SAI's own reservation.
//!
//! ## Why it matters
//!
//! A recent SAI reserves 608 cells in each half of the chip: pools that span the whole memory then fail and
//! orchagent crashes.
//!
//! ## Example
//!
//! ```json
//! {
//!   "BUFFER_POOL": {
//!     "ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "10766208", "xoff": "2000000"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Reduce the size by at least 608 cells for each half of the chip.
//!
//! ## Source
//!
//! sonic-buildimage issue 24749, PR 24750.

use super::super::context::{Context, Findings, bytes, field};
use super::super::{Meta, effect};
use crate::asic::Vendor;
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "BUF032",
    name: "no-reserve",
    severity: Severity::Warning,
    effect: effect::OVERSUBSCRIBED_MEMORY,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let Some(asic) = cx.asic.filter(|a| a.vendor == Vendor::BroadcomXgs) else { return };
    let (Some(pool), Some(memory)) = (cx.lossless_pool(), asic.memory_bytes) else { return };
    let reserve = asic.sai_reserve_bytes();
    let sum = pool.size_bytes.unwrap_or(0).saturating_add(pool.shared_headroom_bytes);
    if sum <= memory && sum > memory.saturating_sub(reserve) {
        let message = format!(
            "pool {} leaves {} of the packet memory unused; the SAI may reserve {}",
            pool.name,
            bytes(memory - sum),
            bytes(reserve)
        );
        cx.report(out, &META, field("BUFFER_POOL", &pool.name, "size"), message);
    }
}
