//! # BUF036 unused-memory
//!
//! Severity: warning.
//!
//! Lossless pool, shared headroom and reservations use much less than the packet memory. On a chip whose memory is
//! known and whose SAI reservations are not, this is reported if the ingress pools use less than half of the
//! memory, or if a pool leaves two fifths unused and has exactly the size of a smaller chip's memory, which
//! suggests copied values.
//!
//! ## Why it matters
//!
//! Memory outside every pool cannot absorb bursts. A template that was copied from a switch with a smaller chip
//! leaves most of the memory unused: pools made for Trident 2 ship on switches with Trident 3, which has two and a
//! half times the memory.
//!
//! ## Example
//!
//! ```json
//! {
//!   "BUFFER_POOL": {
//!     "ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "15000000", "xoff": "5000000"},
//!     "egress_lossless_pool": {"type": "egress", "mode": "static", "size": "24000000"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Increase the shared headroom or the pool.
//!
//! ## Source
//!
//! Azure, appendix A: size + xoff equals the memory. Copied pool sizes were found on shipped switches.

use super::super::context::{Context, Findings, bytes, field};
use super::super::{Meta, effect};
use crate::asic::{ASICS, Asic};
use crate::finding::Severity;
use crate::resolved::{Direction, ResolvedPool};

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "BUF036",
    name: "unused-memory",
    severity: Severity::Warning,
    effect: effect::INFORMATIONAL,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    if let Some((asic, memory)) = cx.asic.and_then(|asic| Some((asic, asic.memory_bytes?))) {
        return copied(cx, out, asic, memory);
    }
    let Some(memory) = cx.memory().filter(|_| cx.asic.is_none()) else { return };
    let Some(pool) = cx.lossless_pool().filter(|p| p.shared_headroom_bytes > 0) else { return };
    let mut reserved = 0u64;
    for (profile, uses) in cx.sw.profiles.iter().zip(&cx.uses) {
        reserved =
            reserved.saturating_add(profile.reserved_bytes.saturating_mul(u64::from(uses[0] + uses[1])));
    }
    let used =
        pool.size_bytes.unwrap_or(0).saturating_add(pool.shared_headroom_bytes).saturating_add(reserved);
    let unused = memory.bytes.saturating_sub(used);
    if pool.direction == Direction::Ingress && unused > memory.bytes / 50 {
        let message =
            format!("{} of {} are neither in a pool nor reserved", bytes(unused), bytes(memory.bytes));
        cx.report(out, &META, field("BUFFER_POOL", &pool.name, "xoff"), message);
    }
}

/// Finds pool sizes copied from another chip, if the chip's memory is known.
fn copied(cx: &Context<'_, '_>, out: &mut Findings, asic: &Asic, memory: u64) {
    let is_ingress = |p: &&ResolvedPool| p.direction == Direction::Ingress && p.size_bytes.is_some();
    let ingress = || cx.sw.pools.iter().filter(is_ingress);
    let used = ingress().fold(0u64, |sum, p| {
        sum.saturating_add(p.size_bytes.unwrap_or(0)).saturating_add(p.shared_headroom_bytes)
    });
    let Some(first) = cx.lossless_pool().filter(is_ingress).or_else(|| ingress().next()) else { return };
    // Other rules report pools of size 0.
    if used == 0 || used >= memory / 5 * 3 {
        return;
    }
    let donor = cx.sw.pools.iter().find_map(|pool| {
        let donor = ASICS
            .iter()
            .find(|a| a.memory_bytes.is_some_and(|m| m < memory && pool.size_bytes == Some(m)))?;
        Some((pool, donor.name))
    });
    let (name, why) = match donor {
        Some((pool, donor)) => {
            (&pool.name, format!("; {} has the size of the memory of a {donor}", pool.name))
        }
        None if used < memory / 2 => (&first.name, String::new()),
        None => return,
    };
    let message = format!(
        "ingress pools and headroom use {} of the {} of {}{why}",
        bytes(used),
        bytes(memory),
        asic.name
    );
    cx.report(out, &META, field("BUFFER_POOL", name, "size"), message);
}
