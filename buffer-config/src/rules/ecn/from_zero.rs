//! # ECN005 marks-from-zero
//!
//! Severity: error.
//!
//! An enabled colour has no thresholds.
//!
//! ## Why it matters
//!
//! Missing thresholds are 0: every packet is marked (or dropped) from the first byte.
//!
//! ## Example
//!
//! ```json
//! {
//!   "WRED_PROFILE": {
//!     "W": {"ecn": "ecn_all", "wred_green_enable": "true", "green_drop_probability": "5"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Set Kmin and Kmax.
//!
//! ## Source
//!
//! qosorch.cpp.

use super::super::context::{Context, Findings, row};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "ECN005",
    name: "marks-from-zero",
    severity: Severity::Error,
    effect: effect::ECN_NOT_AS_INTENDED,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    for wred in &cx.sw.wred {
        let zero = |c: Option<crate::resolved::Curve>| c.is_some_and(|c| c.max_bytes == 0);
        if zero(wred.green) || zero(wred.yellow) || zero(wred.red) {
            let message =
                format!("{}: an enabled colour has no thresholds: marking starts at 0 bytes", wred.name);
            cx.report(out, &META, row("WRED_PROFILE", &wred.name), message);
        }
    }
}
