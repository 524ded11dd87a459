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
//! ## Example
//!
//! ```toml
//! [[suppress]]
//! code = "BUF042"
//! file = "*"
//! reason = "until the new row is built"
//! until = "2025-12-31"
//! ```
//!
//! ## Fix
//!
//! Repair the cause, or extend the day with a reason.
//!
//! ## Source
//!
//! docs/check.md, suppressions.

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "SRC013", name: "expired-suppression", severity: Severity::Warning, ids: &[] };

/// Suppressions are applied after all rules ([`crate::hold::Holder::remarks`]), which reports this.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
