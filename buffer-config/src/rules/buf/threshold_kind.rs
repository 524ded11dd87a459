//! # BUF022 threshold-kind
//!
//! Severity: error (lower where it is the ASIC vendor's convention).
//!
//! A profile's threshold type differs from its pool's mode: `dynamic_th` belongs in a dynamic pool, `static_th` in
//! a static one.
//!
//! ## Why it matters
//!
//! The dynamic model rejects the profile. In the traditional model, a very large static threshold in a dynamic pool
//! is a common way to disable the admission limit (as in Azure's published configuration). A static threshold of 0
//! in a dynamic pool is usually an exponent in the wrong field and blocks all traffic.
//!
//! ## Example
//!
//! ```json
//! {
//!   "BUFFER_PROFILE": {
//!     "egress_lossy_profile": {"pool": "egress_lossy_pool", "size": "1518", "static_th": "12766208"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Use the threshold type of the pool's mode.
//!
//! ## Source
//!
//! buffermgrdyn.cpp; swss issue 2438; Azure, appendix A.

use super::super::context::{Context, Findings, field};
use super::super::{Meta, effect};
use crate::finding::Severity;
use crate::resolved::PoolMode;
use crate::resolved::Threshold;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "BUF022",
    name: "threshold-kind",
    severity: Severity::Error,
    effect: effect::ALPHA_NOT_AS_INTENDED,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    for profile in &cx.sw.profiles {
        let Some(pool) = cx.pool_of(profile) else { continue };
        let (name, tiny) = match (profile.threshold, pool.mode) {
            (Some(Threshold::Static { bytes }), PoolMode::Dynamic) => ("static_th", bytes < 4096),
            (Some(Threshold::Dynamic { .. }), PoolMode::Static) => ("dynamic_th", false),
            _ => continue,
        };
        let severity = if cx.is_dynamic || tiny { Severity::Error } else { Severity::Info };
        let tail = if tiny { ": the value looks like an exponent and admits almost nothing" } else { "" };
        let mode = if pool.mode == PoolMode::Static { "static" } else { "dynamic" };
        let message = format!("profile {} has {name} in the {mode} pool {}{tail}", profile.name, pool.name);
        cx.report(out, &META, field("BUFFER_PROFILE", &profile.name, name), message).severity(severity);
    }
}
