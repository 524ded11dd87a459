//! # BUF053 reservations-over-memory
//!
//! Severity: error.
//!
//! The reservations (`size`) of all priority groups, of all queues, or of the profile lists of all ports, together exceed
//! the packet memory.
//!
//! ## Why it matters
//!
//! Reserved bytes are taken from the memory for each group, queue and port, whether they are used or not. The SAI rejects
//! the profiles that no longer fit, so some ports have no buffers, or the shared pool is empty.
//!
//! ## Example
//!
//! ```json
//! {
//!   "BUFFER_PROFILE": {
//!     "egress_lossy_profile": {"pool": "egress_lossy_pool", "size": "1000000000", "dynamic_th": "3"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Set `size` to the minimum guarantee of one group or queue, often one or two frames.
//!
//! ## Source
//!
//! [buffer_pool_mellanox.lua](https://github.com/sonic-net/sonic-swss/blob/master/cfgmgr/buffer_pool_mellanox.lua)
//! subtracts the reservations of all groups, queues and profile lists from the memory.

use super::super::context::{Context, Findings, bytes, field};
use super::super::{Meta, effect};
use crate::finding::Severity;
use crate::resolved::ResolvedProfile;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "BUF053",
    name: "reservations-over-memory",
    severity: Severity::Error,
    effect: effect::OVERSUBSCRIBED_MEMORY,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let largest_pool = || cx.sw.pools.iter().filter_map(|pool| pool.size_bytes).max();
    let Some(memory) = cx.memory().map(|m| m.bytes).or_else(largest_pool).filter(|bytes| *bytes > 0) else {
        return;
    };
    for (kind, what) in [(0, "priority groups"), (1, "queues"), (2, "profile lists of ports")] {
        let reserved = |(profile, uses): (&ResolvedProfile, &[u32; 3])| {
            profile.reserved_bytes.saturating_mul(u64::from(uses[kind]))
        };
        // Virtual output queues exist for every port of a chassis, but share memory.
        let all = || cx.sw.profiles.iter().zip(&cx.uses);
        let sum = all().map(reserved).fold(0, u64::saturating_add);
        let Some((largest, _)) = all().max_by_key(|pair| reserved(*pair)).filter(|_| sum > memory) else {
            continue;
        };
        let message = format!(
            "{what} reserve {}, most of it by profile {}, but the packet memory is {}",
            bytes(sum),
            largest.name,
            bytes(memory)
        );
        cx.report(out, &META, field("BUFFER_PROFILE", &largest.name, "size"), message);
        return;
    }
}
