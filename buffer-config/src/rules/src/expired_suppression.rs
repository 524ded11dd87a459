//! # SRC013 expired-suppression
//!
//! Severity: warning.
//!
//! A suppression in the suppressions file has expired.
//!
//! ## Why it matters
//!
//! The finding is reported again: its `until` date has passed.
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
//! Fix the cause, or set a later date and update the reason.
//!
//! ## Source
//!
//! docs/check.md, suppressions.

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "SRC013", name: "expired-suppression", severity: Severity::Warning, effect: effect::FILE };

/// Suppressions are applied after all rules ([`crate::baseline::FindingFilter::remarks`]), which reports violations.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
