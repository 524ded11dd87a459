//! # BUF046 threshold-unit
//!
//! Severity: error.
//!
//! The threshold of a lossless profile has the wrong unit: static pools use bytes, dynamic pools an exponent.
//!
//! ## Why it matters
//!
//! The lookup table has one column for both. A 0 or -2 in a static pool admits nothing; 36,736 as an exponent is
//! cast to eight bits.
//!
//! ## Example
//!
//! ```json
//! {
//!   "BUFFER_PROFILE": {
//!     "pg_lossless_100000_40m_profile": {"pool": "ingress_lossless_pool", "size": "1248", "xon": "2288",
//!       "xon_offset": "2288", "xoff": "100000", "static_th": "3"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Use a lookup table for the pool's mode.
//!
//! ## Source
//!
//! buffermgr.cpp appends `_th` to the pool's mode.

use super::super::context::{Context, Findings, field};
use super::super::{Meta, effect};
use crate::finding::Severity;
use crate::resolved::PoolMode;
use crate::resolved::Threshold;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "BUF046",
    name: "threshold-unit",
    severity: Severity::Error,
    effect: effect::ALPHA_NOT_AS_INTENDED,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    for profile in cx.lossless_in_use() {
        let Some(Threshold::Static { bytes: limit }) = profile.threshold else { continue };
        if limit < 1024 {
            let message = format!(
                "lossless profile {} has a limit of {limit} bytes: an exponent instead of a number of bytes",
                profile.name
            );
            cx.report(out, &META, field("BUFFER_PROFILE", &profile.name, "static_th"), message);
        }
    }
    let Some(lookup) = cx.lookup else { return };
    let Some(pool) = cx.pool(crate::LOSSLESS_POOL) else { return };
    let wrong = |t: i64| match pool.mode {
        PoolMode::Static => t < 1024,
        PoolMode::Dynamic => !(-8..=7).contains(&t),
    };
    if let Some(bad) = lookup.rows.iter().find(|r| wrong(r.threshold)) {
        let message = format!(
            "the lookup table has {} for {} Mb/s and {}, which is not a valid threshold for the pool's mode",
            bad.threshold, bad.speed_mbps, bad.cable
        );
        cx.report(out, &META, field("BUFFER_POOL", &pool.name, "mode"), message);
    }
}
