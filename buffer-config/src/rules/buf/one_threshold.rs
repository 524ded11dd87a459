//! # BUF011 one-threshold
//!
//! Severity: error (lower where it is the ASIC vendor's convention).
//!
//! A profile has both `dynamic_th` and `static_th`, or neither.
//!
//! ## Why it matters
//!
//! With both, orchagent uses the field that it processes last. With neither, SAI's default applies.
//!
//! ## Example
//!
//! ```json
//! {
//!   "BUFFER_PROFILE": {
//!     "ingress_lossy_profile": {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "3", "static_th": "12766208"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Keep the field that matches the pool's mode.
//!
//! ## Source
//!
//! bufferorch field loop; buffermgrdyn.cpp; swss issue 2438.

use super::super::context::{Context, Findings, row};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "BUF011",
    name: "one-threshold",
    severity: Severity::Error,
    effect: effect::ALPHA_NOT_AS_INTENDED,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    for entry in cx.db.rows("BUFFER_PROFILE") {
        let has = |name| cx.db.field(entry, name).is_some();
        let message = match (has("dynamic_th"), has("static_th")) {
            (true, true) => {
                "has both dynamic_th and static_th; orchagent uses the one that it processes last"
            }
            (false, false) => "has neither dynamic_th nor static_th",
            _ => continue,
        };
        // A profile that nothing uses does no harm without a threshold.
        let index = cx.sw.profiles.iter().position(|p| p.name == entry.key);
        let is_used = index.and_then(|i| cx.uses.get(i)).is_some_and(|uses| *uses != [0; 3]);
        let severity = if has("dynamic_th") || is_used { Severity::Error } else { Severity::Warning };
        let at = row("BUFFER_PROFILE", &entry.key);
        cx.report(out, &META, at, format!("profile {} {message}", entry.key)).severity(severity);
    }
}
