//! # WD003 poll-interval
//!
//! Severity: error. Rows: WD-03.
//!
//! `POLL_INTERVAL` stands in GLOBAL and is 100 to 1000 ms.
//!
//! ## Why it matters
//!
//! orchagent itself takes any number; the models refuse the file.
//!
//! ## Example
//!
//! ```json
//! {"PFC_WD": {"GLOBAL": {"POLL_INTERVAL": "5000"}}}
//! ```
//!
//! ## Fix
//!
//! Set it in PFC_WD|GLOBAL.
//!
//! ## Source
//!
//! YANG pfcwd; pfcwdsworch.cpp.

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "WD003", name: "poll-interval", severity: Severity::Error, ids: &["WD-03"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
}
