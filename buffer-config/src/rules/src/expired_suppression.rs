//! # SRC013 expired-suppression
//!
//! Severity: warning. Rows: none.
//!
//! A suppression of the side file is past its last day.
//!
//! ## Why it matters
//!
//! The finding is back; somebody promised to look at it by then.
//!
//! ## Fix
//!
//! Repair the cause, or extend the day with a reason.

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "SRC013", name: "expired-suppression", severity: Severity::Warning, ids: &[] };

/// Suppressions are applied after all rules ([`crate::hold::Holder::remarks`]), which reports this.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
