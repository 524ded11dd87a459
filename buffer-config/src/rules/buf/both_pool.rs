//! # BUF057 pool-of-both-directions
//!
//! Severity: error (a warning where the ASIC is unknown).
//!
//! A pool has type `both` on a switch whose ingress and egress pools are separate, or with the dynamic buffer model.
//!
//! ## Why it matters
//!
//! orchagent creates the pool as `SAI_BUFFER_POOL_TYPE_BOTH`, which only chips with one common memory for both
//! directions support, such as Jericho; elsewhere the SAI refuses the pool, and every profile in it is missing. The
//! dynamic buffer model treats a pool of any other type than `ingress` as an egress pool: it refuses lossless profiles
//! and priority groups in it.
//!
//! ## Example
//!
//! ```json
//! {
//!   "BUFFER_POOL": {
//!     "ingress_lossless_pool": {"type": "both", "mode": "dynamic", "size": "10000000", "xoff": "2000000"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Set `type` to ingress or egress, and use one pool for each direction.
//!
//! ## Source
//!
//! `processBufferPool` in bufferorch.cpp; `handleBufferPoolTable` in buffermgrdyn.cpp, which knows two directions; of
//! the configurations that vendors ship, only those of Jericho and Qumran have such a pool.

use super::super::context::{Context, Findings, field};
use super::super::{Meta, effect};
use crate::asic::Vendor;
use crate::finding::Severity;
use crate::resolved::{Direction, ResolvedPool};

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "BUF057",
    name: "pool-of-both-directions",
    severity: Severity::Error,
    effect: effect::NOT_PORT_SPECIFIC,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    for pool in cx.sw.pools.iter().filter(|pool| pool.direction == Direction::Both) {
        let Some((severity, why)) = judge(cx, pool) else { continue };
        let at = field("BUFFER_POOL", &pool.name, "type");
        let message = format!("pool {} has type both, but {why}", pool.name);
        let reported = cx.report(out, &META, at, message).severity(severity);
        if let Some(direction @ ("ingress" | "egress")) = pool.name.split('_').next() {
            reported.replace(direction);
        }
    }
}

/// The severity and the reason why a pool cannot have type `both`.
fn judge(cx: &Context<'_, '_>, pool: &ResolvedPool) -> Option<(Severity, String)> {
    if cx.is_dynamic {
        let why = "the dynamic buffer model takes it for an egress pool";
        return Some((Severity::Error, why.to_string()));
    }
    match cx.asic {
        Some(asic) if asic.vendor == Vendor::BroadcomDnx => None,
        Some(asic) => Some((Severity::Error, format!("{} has separate ingress and egress pools", asic.name))),
        None => {
            let other = cx.sw.pools.iter().find(|other| other.direction != pool.direction)?;
            Some((Severity::Warning, format!("pool {} is for one direction", other.name)))
        }
    }
}
