//! # ECN005 marks-from-zero
//!
//! Severity: error (a warning where only Kmin is 0).
//!
//! An enabled colour has no thresholds, or its Kmin is 0.
//!
//! ## Why it matters
//!
//! Missing thresholds are 0: every packet is marked (or dropped) from the first byte. With a Kmin of 0, packets are
//! marked although no queue builds up, and flows do not reach the line rate.
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
        let curves = || [wred.green, wred.yellow, wred.red].into_iter().flatten();
        let (what, severity) = if curves().any(|c| c.max_bytes == 0) {
            ("an enabled colour has no thresholds: marking starts at 0 bytes", Severity::Error)
        } else if curves().any(|c| c.min_bytes == 0) {
            ("Kmin is 0: packets are marked although no queue builds up", Severity::Warning)
        } else {
            continue;
        };
        let at = row("WRED_PROFILE", &wred.name);
        cx.report(out, &META, at, format!("{}: {what}", wred.name)).severity(severity);
    }
}
