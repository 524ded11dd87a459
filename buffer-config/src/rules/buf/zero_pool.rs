//! # BUF033 zero-pool
//!
//! Severity: error (lower where it is the ASIC vendor's convention).
//!
//! A pool that carries traffic has size 0.
//!
//! ## Why it matters
//!
//! An egress lossless pool of size 0 drops every lossless packet. Only pools for ports that are down
//! (`*_zero_pool`) are empty.
//!
//! ## Example
//!
//! ```json
//! {"BUFFER_POOL": {"egress_lossless_pool": {"type": "egress", "mode": "static", "size": "0"}}}
//! ```
//!
//! ## Fix
//!
//! Set the size of the pool.
//!
//! ## Source
//!
//! One SKU ships it: Quanta IX9,
//! [buffers_defaults_t0.j2](https://github.com/sonic-net/sonic-buildimage/blob/master/device/quanta/x86_64-quanta_ix9_bwde-r0/Quanta-IX9-32X/buffers_defaults_t0.j2).

use super::super::context::{Context, Findings, field};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "BUF033", name: "zero-pool", severity: Severity::Error, effect: effect::ALPHA_TOO_LOW };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    for pool in &cx.sw.pools {
        // The dynamic model computes the size of a pool that states none: a negative one has its own rule.
        if pool.size_bytes != Some(0) || pool.name.contains("zero") || pool.is_computed {
            continue;
        }
        let used = cx.sw.profiles.iter().zip(&cx.uses).any(|(p, uses)| {
            !p.name.contains("zero")
                && cx.pool_of(p).is_some_and(|q| q.name == pool.name)
                && (uses[0] > 0 || uses[1] > 0)
        });
        let lost = pool.name == "egress_lossless_pool" && cx.sw.ports.iter().any(|p| p.pfc_priorities != 0);
        let severity = if used || lost { Severity::Error } else { Severity::Warning };
        let message =
            format!("pool {} has size 0{}", pool.name, if used { ", and traffic uses it" } else { "" });
        cx.report(out, &META, field("BUFFER_POOL", &pool.name, "size"), message).severity(severity);
    }
}
