//! # SRC012 unused-suppression
//!
//! Severity: warning. Rows: none.
//!
//! A suppression of the side file matches no finding.
//!
//! ## Why it matters
//!
//! What it excused is gone; left in place it would hide the next finding of that kind.
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
//! Remove it.
//!
//! ## Source
//!
//! docs/check.md, suppressions.

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "SRC012", name: "unused-suppression", severity: Severity::Warning, ids: &[] };

/// Suppressions are applied after all rules ([`crate::hold::Holder::remarks`]), which reports this.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
