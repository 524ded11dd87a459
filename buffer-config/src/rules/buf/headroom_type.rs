//! # BUF012 headroom-type
//!
//! Severity: error. Rows: SCH-12.
//!
//! `headroom_type` is static or dynamic.
//!
//! ## Why it matters
//!
//! The models refuse anything else.
//!
//! ## Example
//!
//! ```json
//! {
//!   "BUFFER_PROFILE": {
//!     "pg_lossless_100000_40m_profile": {"pool": "ingress_lossless_pool", "size": "1248", "dynamic_th": "-2", "xon": "2288",
//!       "xon_offset": "2288", "xoff": "100000", "headroom_type": "computed"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Set one of the two, or remove the field for static.
//!
//! ## Source
//!
//! YANG buffer-profile.

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "BUF012", name: "headroom-type", severity: Severity::Error, ids: &["SCH-12"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
}
