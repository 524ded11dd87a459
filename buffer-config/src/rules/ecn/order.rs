//! # ECN001 wred-order
//!
//! Severity: error.
//!
//! A colour's minimum threshold is above its maximum, one of the two is missing, or a threshold does not fit 31
//! bits.
//!
//! ## Why it matters
//!
//! orchagent drops the profile; older releases crash. A number above 2,147,483,647 raises an exception in `stoi`,
//! and orchagent exits.
//!
//! ## Example
//!
//! ```json
//! {
//!   "WRED_PROFILE": {
//!     "W": {"ecn": "ecn_all", "wred_green_enable": "true", "green_min_threshold": "2000000",
//!       "green_max_threshold": "1000000", "green_drop_probability": "5"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Set Kmin no larger than Kmax.
//!
//! ## Source
//!
//! qosorch.cpp; sonic-utilities PR 579.

use super::super::context::{Context, Findings, field};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "ECN001",
    name: "wred-order",
    severity: Severity::Error,
    effect: effect::ECN_NOT_AS_INTENDED,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
    for entry in cx.db.rows("WRED_PROFILE") {
        for f in cx.db.fields_of(entry).filter(|f| f.name.ends_with("_threshold")) {
            if f.value.trim().parse::<u64>().is_ok_and(|n| n > i32::MAX as u64) {
                let message =
                    format!("{} {}: {} does not fit in 31 bits; orchagent exits", entry.key, f.name, f.value);
                cx.report(out, &META, field("WRED_PROFILE", &entry.key, f.name), message);
            }
        }
    }
}
