//! # ECN001 wred-order
//!
//! Severity: error. Rows: ECN-01, SCH-27.
//!
//! For each colour the minimum threshold is at most the maximum, both are there, and both fit 31 bits.
//!
//! ## Why it matters
//!
//! orchagent drops the profile, older releases crash; a number above 2,147,483,647 throws out of stoi and orchagent
//! exits.
//!
//! ## Example
//!
//! ```json
//! {"WRED_PROFILE": {"W": {"green_min_threshold": "2000000", "green_max_threshold": "1000000"}}}
//! ```
//!
//! ## Fix
//!
//! Give Kmin and Kmax in order.
//!
//! ## Source
//!
//! qosorch.cpp; sonic-utilities PR 579.

use super::super::Meta;
use super::super::context::{Context, Findings, field};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "ECN001", name: "wred-order", severity: Severity::Error, ids: &["ECN-01", "SCH-27"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
    for entry in cx.db.rows("WRED_PROFILE") {
        for f in cx.db.fields_of(entry).filter(|f| f.name.ends_with("_threshold")) {
            if f.value.trim().parse::<u64>().is_ok_and(|n| n > i32::MAX as u64) {
                let message = format!("{} {}: {} does not fit 31 bits, orchagent exits", entry.key, f.name, f.value);
                cx.report(out, &META, field("WRED_PROFILE", &entry.key, f.name), message);
            }
        }
    }
}
