//! # ECN006 step-marking
//!
//! Severity: info.
//!
//! Kmin and Kmax are equal.
//!
//! ## Why it matters
//!
//! Equal thresholds mark in a step, which suits DCTCP. DCQCN flows then all reduce their rates at the same time and
//! oscillate.
//!
//! ## Example
//!
//! ```json
//! {
//!   "WRED_PROFILE": {
//!     "W": {"ecn": "ecn_all", "wred_green_enable": "true", "green_min_threshold": "1000000",
//!       "green_max_threshold": "1000000", "green_drop_probability": "5"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Use different values for DCQCN.
//!
//! ## Source
//!
//! Azure 7.3.

use super::super::context::{Context, Findings, bytes, row};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "ECN006",
    name: "step-marking",
    severity: Severity::Info,
    effect: effect::ECN_NOT_AS_INTENDED,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    for wred in &cx.sw.wred {
        if let Some(curve) =
            wred.green.filter(|c| c.min_bytes == c.max_bytes && c.max_bytes > 0 && wred.marks_green)
        {
            let message = format!("{}: Kmin = Kmax = {}", wred.name, bytes(curve.min_bytes));
            cx.report(out, &META, row("WRED_PROFILE", &wred.name), message);
        }
    }
}
