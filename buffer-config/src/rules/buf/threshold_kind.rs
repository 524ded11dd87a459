//! # BUF022 threshold-kind
//!
//! Severity: error (a warning for lossless profiles in the traditional model, lower where it is the ASIC vendor's
//! convention).
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
//! For lossless profiles, no vendor does that. `buffermgrd` writes the threshold of a profile that it creates into the
//! field of the pool's mode: after a change of speed or cable, an exponent such as 0 or -3 becomes a limit in bytes, or
//! a number of bytes an exponent.
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
//! buffermgrdyn.cpp; swss issue 2438; Azure, appendix A; `m_bufferPoolMode` in
//! [buffermgr.cpp](https://github.com/sonic-net/sonic-swss/blob/master/cfgmgr/buffermgr.cpp).

use super::super::context::{Context, Findings, field};
use super::super::{Meta, effect};
use crate::finding::{PatchOp, Severity};
use crate::resolved::{PoolMode, ResolvedProfile, Threshold};

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
        let severity = match profile.headroom_bytes.is_some_and(|bytes| bytes > 0) {
            _ if cx.is_dynamic || tiny => Severity::Error,
            true => Severity::Warning,
            false => Severity::Info,
        };
        let tail = if tiny { ": the value looks like an exponent and admits almost nothing" } else { "" };
        let mode = if pool.mode == PoolMode::Static { "static" } else { "dynamic" };
        let message = format!("profile {} has {name} in the {mode} pool {}{tail}", profile.name, pool.name);
        let operations = if severity == Severity::Info { None } else { mode_of_profiles(cx, &pool.name) };
        cx.report(out, &META, field("BUFFER_PROFILE", &profile.name, name), message)
            .severity(severity)
            .operations(operations);
    }
}

/// The operation that gives a pool the mode of all its lossless profiles, if that is the other one.
fn mode_of_profiles(cx: &Context<'_, '_>, pool: &str) -> Option<PatchOp> {
    let is_lossless = |profile: &&ResolvedProfile| profile.headroom_bytes.is_some_and(|bytes| bytes > 0);
    let of_pool =
        cx.sw.profiles.iter().filter(|profile| cx.pool_of(profile).is_some_and(|own| own.name == pool));
    let mut modes = of_pool.filter(is_lossless).filter_map(|profile| match profile.threshold? {
        Threshold::Static { .. } => Some("static"),
        Threshold::Dynamic { .. } => Some("dynamic"),
    });
    let mode = modes.next().filter(|first| modes.all(|other| other == *first))?;
    let pointer = cx.pointer_of("BUFFER_POOL", pool, "mode")?;
    let is_other = cx.value("BUFFER_POOL", pool, "mode") != Some(mode);
    // Which profiles are wrong in a dynamic pool, the file does not say.
    (is_other && mode == "dynamic").then(|| PatchOp::new("replace", pointer, Some(mode.into())))
}
