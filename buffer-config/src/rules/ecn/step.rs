//! # ECN006 step-marking
//!
//! Severity: info. Rows: ECN-06.
//!
//! Kmin and Kmax differ.
//!
//! ## Why it matters
//!
//! Equal ones mark in a step, as DCTCP wants it; DCQCN flows then all slow down at once and swing.
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
//! Spread the two for DCQCN.
//!
//! ## Source
//!
//! Azure 7.3.

use super::super::Meta;
use super::super::context::{Context, Findings, bytes, row};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "ECN006", name: "step-marking", severity: Severity::Info, ids: &["ECN-06"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    for wred in &cx.sw.wred {
        if let Some(curve) = wred.green.filter(|c| c.min_bytes == c.max_bytes && c.max_bytes > 0 && wred.marks_green) {
            let message = format!("{}: Kmin = Kmax = {}", wred.name, bytes(curve.min_bytes));
            cx.report(out, &META, row("WRED_PROFILE", &wred.name), message);
        }
    }
}
