//! # WD015 stat-history
//!
//! Severity: error. Rows: WD-15.
//!
//! `pfc_stat_history` is enable or disable.
//!
//! ## Why it matters
//!
//! The entry is refused.
//!
//! ## Example
//!
//! ```json
//! {
//!   "PFC_WD": {
//!     "Ethernet0": {"action": "drop", "detection_time": "400", "restoration_time": "800", "pfc_stat_history": "on"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Use one of the two.
//!
//! ## Source
//!
//! YANG pfcwd.

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "WD015", name: "stat-history", severity: Severity::Error, ids: &["WD-15"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
}
