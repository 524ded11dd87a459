//! # BUF041 alpha-of-nothing
//!
//! Severity: error. Rows: ALPHA-06.
//!
//! A lossless profile in use has an alpha above 1/256 (`dynamic_th` -8).
//!
//! ## Why it matters
//!
//! -8 marks profiles of ports that are down; on a live port the group pauses its sender almost at once.
//!
//! ## Example
//!
//! ```json
//! {
//!   "BUFFER_PROFILE": {
//!     "pg_lossless_100000_40m_profile": {"pool": "ingress_lossless_pool", "size": "1248", "dynamic_th": "-8",
//!       "xon": "2288", "xon_offset": "2288", "xoff": "100000"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Use the fleet's alpha for lossless traffic.
//!
//! ## Source
//!
//! zero profiles of the shipped templates.

use super::super::Meta;
use super::super::context::{Context, Findings, field};
use crate::finding::Severity;
use crate::resolved::Threshold;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "BUF041", name: "alpha-of-nothing", severity: Severity::Error, ids: &["ALPHA-06"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    for profile in cx.lossless_in_use() {
        if profile.threshold == Some(Threshold::Dynamic { exponent: -8 }) && !profile.name.contains("zero") {
            let message = format!("lossless profile {} has alpha 1/256, which is for unused ports", profile.name);
            cx.report(out, &META, field("BUFFER_PROFILE", &profile.name, "dynamic_th"), message);
        }
    }
}
