//! # BUF051 lossless-outside-pool
//!
//! Severity: error.
//!
//! A lossless profile that priority groups use belongs to a pool other than the ingress lossless pool, or the profile
//! of lossless queues to the egress pool of lossy traffic. On NVUE: a traffic pool for lossy traffic lists a lossless
//! switch priority, or the one for lossless traffic lists others only.
//!
//! ## Why it matters
//!
//! The shared headroom belongs to the lossless pool. A group in the lossy pool shares its space with lossy traffic,
//! and one in a zero pool has none: it drops packets, or pauses permanently. `buffermgrd` creates lossless profiles
//! only in `ingress_lossless_pool`. Queues in the egress pool of lossy traffic drop packets when that traffic fills it.
//!
//! ## Example
//!
//! ```json
//! {
//!   "BUFFER_POOL": {"ingress_lossy_pool": {"type": "ingress", "mode": "dynamic", "size": "3000000"}},
//!   "BUFFER_PROFILE": {
//!     "pg_lossless_100000_40m_profile": {"pool": "ingress_lossy_pool", "size": "1248", "dynamic_th": "-2",
//!       "xon": "2288", "xon_offset": "2288", "xoff": "100000"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Set `pool` to `ingress_lossless_pool`, or to `egress_lossless_pool` for queues.
//!
//! ## Source
//!
//! `INGRESS_LOSSLESS_PG_POOL_NAME` in
//! [buffermgr.cpp](https://github.com/sonic-net/sonic-swss/blob/master/cfgmgr/buffermgr.cpp).

use std::collections::BTreeSet;

use super::super::context::{Context, Findings, field};
use super::super::{Meta, effect};
use crate::finding::Severity;
use crate::resolved::Direction;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "BUF051",
    name: "lossless-outside-pool",
    severity: Severity::Error,
    effect: effect::NOT_LOSSLESS,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    egress(cx, out);
    let has_pool = cx.pool(crate::LOSSLESS_POOL).is_some();
    for profile in cx.lossless_in_use() {
        // A profile in an egress pool has its own rule.
        let Some(pool) = cx.pool_of(profile).filter(|p| p.direction != Direction::Egress) else { continue };
        let is_other = has_pool && pool.name != crate::LOSSLESS_POOL;
        let is_lossy = pool.name.contains("lossy") || pool.name.contains("zero");
        if is_other || is_lossy {
            let message = format!("lossless profile {} is in pool {}", profile.name, pool.name);
            let at = field("BUFFER_PROFILE", &profile.name, "pool");
            let reported = cx.report(out, &META, at, message);
            if has_pool {
                reported.replace(crate::LOSSLESS_POOL);
            }
        }
    }
}

/// Reports profiles of lossless queues in a pool of lossy traffic.
fn egress(cx: &Context<'_, '_>, out: &mut Findings) {
    let mut found: BTreeSet<usize> = BTreeSet::new();
    for port in &cx.sw.ports {
        for class in cx.lossless_classes(port) {
            found.extend(port.queues.get(usize::from(port.tc_to_queue[class])).copied().flatten());
        }
    }
    for profile in found.into_iter().filter_map(|index| cx.profile(Some(index))) {
        // A profile for lossy queues has its own rule.
        if profile.name.contains("lossy") || cx.pool("egress_lossless_pool").is_none() {
            continue;
        }
        let Some(pool) = cx.pool_of(profile).filter(|p| p.direction == Direction::Egress) else { continue };
        if pool.name.contains("lossy") {
            let message = format!("profile {} of lossless queues is in pool {}", profile.name, pool.name);
            let at = field("BUFFER_PROFILE", &profile.name, "pool");
            cx.report(out, &META, at, message).replace("egress_lossless_pool");
        }
    }
}
