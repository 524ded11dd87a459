//! # BUF026 egress-lossless-limit
//!
//! Severity: error (lower where it is the ASIC vendor's convention).
//!
//! The profile of the lossless queues limits them: a queue reaches the limit before the ingress port has paused its
//! sender, or the limit is smaller than the pool.
//!
//! ## Why it matters
//!
//! A lossless queue that reaches its egress limit drops packets, even if ingress headroom is available. Up to the XOFF
//! threshold and the headroom of one priority group arrive for one queue before its sender stops; with several senders,
//! up to the whole pool.
//!
//! ## Example
//!
//! ```json
//! {
//!   "BUFFER_PROFILE": {
//!     "egress_lossless_profile": {"pool": "egress_lossless_pool", "size": "0", "static_th": "6000000"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Set `static_th` to the size of the pool, or `dynamic_th` to 7 on Spectrum.
//!
//! ## Source
//!
//! Empowering Azure Storage with RDMA, 6.2 and appendix A.

use std::collections::BTreeMap;

use super::super::context::{Context, Findings, bytes, field};
use super::super::{Meta, effect};
use crate::finding::Severity;
use crate::resolved::{Direction, ResolvedPool, ResolvedProfile, Threshold};

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "BUF026",
    name: "egress-lossless-limit",
    severity: Severity::Error,
    effect: effect::NOT_LOSSLESS,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    for (index, arriving) in lossless_queue_profiles(cx) {
        let Some(profile) = cx.profile(Some(index)).filter(|p| !p.name.contains("lossy")) else { continue };
        // A queue profile in an ingress pool: the vendor's convention for no limit.
        let Some(pool) = cx.pool_of(profile).filter(|p| p.direction != Direction::Ingress) else { continue };
        let (Some(threshold), Some(size)) = (profile.threshold, pool.size_bytes.filter(|s| *s > 0)) else {
            continue;
        };
        let limit = threshold.trip_bytes(size, 1);
        if let Some((severity, message)) = judge(cx, profile, pool, (threshold, limit, size), arriving) {
            let name = if matches!(threshold, Threshold::Static { .. }) { "static_th" } else { "dynamic_th" };
            let reported = cx
                .report(out, &META, field("BUFFER_PROFILE", &profile.name, name), message)
                .severity(severity);
            if name == "static_th" {
                reported.replace(size.to_string());
            }
        }
    }
}

/// The profiles of lossless queues, each with the most bytes that one priority group sends to such a queue before its
/// sender stops: XOFF threshold and headroom; `None` if `buffermgrd` adds the group, so that they are not known here.
fn lossless_queue_profiles(cx: &Context<'_, '_>) -> BTreeMap<usize, Option<u64>> {
    let mut found = BTreeMap::new();
    for port in &cx.sw.ports {
        for (priority, group) in cx.lossless_priorities(port) {
            let queue = usize::from(port.tc_to_queue[priority]);
            let Some(profile) = port.queues.get(queue).copied().flatten() else { continue };
            let size = cx.pool_of(group).and_then(|pool| pool.size_bytes).unwrap_or(0);
            let trip = group.threshold.map_or(0, |threshold| threshold.trip_bytes(size, 1));
            let arriving = trip.min(size).saturating_add(group.headroom_bytes.unwrap_or(0));
            let most = found.entry(profile).or_insert(None);
            *most = (*most).max(Some(arriving));
        }
        for class in cx.lossless_classes(port).filter(|_| cx.gets_groups(port)) {
            let queue = usize::from(port.tc_to_queue[class]);
            if let Some(profile) = port.queues.get(queue).copied().flatten() {
                found.entry(profile).or_insert(None);
            }
        }
    }
    // Without PORT_QOS_MAP, only the name shows that queues are lossless.
    if let Some(index) = cx.sw.profiles.iter().position(|p| p.name == "egress_lossless_profile") {
        found.entry(index).or_insert(Some(0));
    }
    found
}

/// The severity and message for a limit; `None` if it is sufficient.
fn judge(
    cx: &Context<'_, '_>,
    profile: &ResolvedProfile,
    pool: &ResolvedPool,
    (threshold, limit, size): (Threshold, u64, u64),
    arriving: Option<u64>,
) -> Option<(Severity, String)> {
    // A limit of the whole pool, such as alpha 128: BUF025 reports that the pool is too small.
    let is_whole_pool = pool.name == "egress_lossless_pool" && limit >= size - size / 64;
    if is_whole_pool && super::egress_lossless_small::is_small(cx) {
        return None;
    }
    let limits = format!("{} limits a queue to {}", profile.name, bytes(limit));
    let is_static = matches!(threshold, Threshold::Static { .. });
    // Each half of these chips has its own egress pool, and receives half of what the ingress pool admits.
    let has_halves = cx.asic.is_some_and(|a| a.memory_parts() == 2);
    let halves = has_halves && limit >= size / 2 && is_static;
    let is_half =
        has_halves && cx.lossless_pool().and_then(|p| p.size_bytes).is_some_and(|s| size < s / 4 * 3);
    let is_unknown = arriving.is_none();
    let arriving = arriving.map_or(0, |bytes| if is_half { bytes / 2 } else { bytes });
    if limit < arriving && !halves {
        let message = format!("{limits}, but {} arrive before its sender is paused", bytes(arriving));
        return Some((Severity::Error, message));
    }
    if is_static && limit < size && (limit >= 4096 || arriving > 0) {
        // A limit of half the pool, within a percent, suggests an unknown chip with two halves.
        let may_be_half = cx.asic.is_none() && (limit.saturating_mul(2)).abs_diff(size) <= size / 50;
        let severity = match (halves, may_be_half) {
            (true, _) => Severity::Info,
            (_, true) => Severity::Warning,
            _ => Severity::Error,
        };
        return Some((severity, format!("{limits}, below the {} of pool {}", bytes(size), pool.name)));
    }
    // Half of the pool or less: a few senders are enough.
    let is_low = matches!(threshold, Threshold::Dynamic { exponent } if exponent <= 0);
    (is_low && (arriving > 0 || is_unknown) && pool.direction == Direction::Egress)
        .then(|| (Severity::Warning, format!("{limits} of the {} of pool {}", bytes(size), pool.name)))
}
