//! # BUF022 threshold-kind
//!
//! Severity: error (less where the ASIC makes it an idiom). Rows: DIR-05.
//!
//! The kind of a profile's threshold is its pool's mode: `dynamic_th` in a dynamic pool, `static_th` in a static
//! one.
//!
//! ## Why it matters
//!
//! The dynamic model refuses the profile. In the traditional model it is an idiom: a static threshold as high as
//! the sky in a dynamic pool switches admission off (Azure's listing does so). A static 0 in a dynamic pool is a
//! number from the other column and stops everything.
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
//! Use the threshold of the pool's mode.
//!
//! ## Source
//!
//! buffermgrdyn.cpp; swss issue 2438; Azure, appendix A.

use super::super::Meta;
use super::super::context::{Context, Findings, field};
use crate::finding::Severity;
use crate::resolved::PoolMode;
use crate::resolved::Threshold;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "BUF022", name: "threshold-kind", severity: Severity::Error, ids: &["DIR-05"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    for profile in &cx.sw.profiles {
        let Some(pool) = cx.pool_of(profile) else { continue };
        let (name, tiny) = match (profile.threshold, pool.mode) {
            (Some(Threshold::Static { bytes }), PoolMode::Dynamic) => ("static_th", bytes < 4096),
            (Some(Threshold::Dynamic { .. }), PoolMode::Static) => ("dynamic_th", false),
            _ => continue,
        };
        let severity = if cx.is_dynamic || tiny { Severity::Error } else { Severity::Info };
        let tail = if tiny { ": it looks like an exponent, and admits next to nothing" } else { "" };
        let mode = if pool.mode == PoolMode::Static { "static" } else { "dynamic" };
        let message = format!("profile {} has {name} in the {mode} pool {}{tail}", profile.name, pool.name);
        cx.report(out, &META, field("BUFFER_PROFILE", &profile.name, name), message).severity(severity);
    }
}
