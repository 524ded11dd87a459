//! # SRC012 unused-suppression
//!
//! Severity: warning.
//!
//! A suppression in the suppressions file matches no finding.
//!
//! ## Why it matters
//!
//! The finding that it suppressed is gone. If the suppression stays, it hides the next finding of that kind.
//!
//! ## Example
//!
//! ```toml
//! [[suppress]]
//! code = "BUF001"
//! file = "tor-9/*"
//! reason = "the switch was replaced"
//! ```
//!
//! ## Fix
//!
//! Remove the suppression.
//!
//! ## Source
//!
//! docs/check.md, suppressions.

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "SRC012", name: "unused-suppression", severity: Severity::Warning, effect: effect::FILE };

/// Suppressions are applied after all rules ([`crate::baseline::FindingFilter::remarks`]), which reports violations.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
