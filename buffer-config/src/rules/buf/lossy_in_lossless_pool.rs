//! # BUF056 lossy-in-lossless-pool
//!
//! Severity: warning.
//!
//! A profile of lossy queues or priority groups belongs to the pool of lossless traffic, although lossy traffic has a
//! pool of its own.
//!
//! ## Why it matters
//!
//! Lossy traffic without flow control takes what its threshold allows of the pool. Lossless queues then reach the end
//! of their pool and drop packets, although their senders are within their limits; in an ingress pool, lossless groups
//! pause earlier.
//!
//! ## Example
//!
//! ```json
//! {
//!   "BUFFER_PROFILE": {"egress_lossy_profile": {"pool": "egress_lossless_pool", "size": "1518", "dynamic_th": "3"}}
//! }
//! ```
//!
//! ## Fix
//!
//! Set `pool` to the pool of lossy traffic.
//!
//! ## Source
//!
//! Empowering Azure Storage with RDMA, 6.2: one pool for lossless and one for lossy traffic at egress, so that lossy
//! queues take no space from lossless ones.

use std::collections::BTreeSet;

use super::super::context::{Context, Findings, field};
use super::super::{Meta, effect};
use crate::finding::Severity;
use crate::resolved::{ResolvedPool, ResolvedProfile};

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "BUF056",
    name: "lossy-in-lossless-pool",
    severity: Severity::Warning,
    effect: effect::MIXED_CLASSES,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    if !cx.sw.pools.iter().any(is_for_lossy) {
        return;
    }
    let lossless = lossless_profiles(cx);
    for (index, profile) in cx.sw.profiles.iter().enumerate() {
        if lossless.contains(&index) || !is_lossy(cx, index, profile) {
            continue;
        }
        let Some(pool) = cx.pool_of(profile).filter(|pool| pool.name.contains("lossless")) else { continue };
        let is_other = |other: &&ResolvedPool| other.direction == pool.direction && is_for_lossy(other);
        let Some(other) = cx.sw.pools.iter().find(is_other) else { continue };
        let message = format!(
            "profile {} of lossy traffic is in pool {}, although there is {}",
            profile.name, pool.name, other.name
        );
        let at = field("BUFFER_PROFILE", &profile.name, "pool");
        cx.report(out, &META, at, message).replace(other.name.as_str());
    }
}

/// Whether a pool with space is named after lossy traffic.
fn is_for_lossy(pool: &ResolvedPool) -> bool {
    pool.name.contains("lossy") && pool.size_bytes != Some(0)
}

/// Whether priority groups or queues use the profile, and it is for neither lossless traffic nor ports that are down.
fn is_lossy(cx: &Context<'_, '_>, index: usize, profile: &ResolvedProfile) -> bool {
    let is_used = cx.uses.get(index).is_some_and(|[groups, queues, _]| *groups > 0 || *queues > 0);
    is_used && !profile.is_lossless() && profile.name.contains("lossy") && !profile.name.contains("zero")
}

/// The profiles of lossless queues: one that is meant for lossy traffic has its own rule.
fn lossless_profiles(cx: &Context<'_, '_>) -> BTreeSet<usize> {
    let of_port = |port: &crate::resolved::ResolvedPort| {
        let queues = cx.lossless_classes(port).map(|class| usize::from(port.tc_to_queue[class]));
        queues.filter_map(|queue| port.queues.get(queue).copied().flatten()).collect::<Vec<_>>()
    };
    cx.port_kinds().flat_map(|(port, _)| of_port(port)).collect()
}
