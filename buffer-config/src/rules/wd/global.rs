//! # WD008 global-fields
//!
//! Severity: error. Rows: WD-08.
//!
//! PFC_WD|GLOBAL holds POLL_INTERVAL (and BIG_RED_SWITCH) only.
//!
//! ## Why it matters
//!
//! The models refuse action and times there.
//!
//! ## Example
//!
//! ```json
//! {"PFC_WD": {"GLOBAL": {"POLL_INTERVAL": "200", "action": "drop"}}}
//! ```
//!
//! ## Fix
//!
//! Move them to the ports.
//!
//! ## Source
//!
//! YANG pfcwd.

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "WD008", name: "global-fields", severity: Severity::Error, ids: &["WD-08"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
}
