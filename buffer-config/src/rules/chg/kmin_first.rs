//! # CHG006 kmin-before-threshold
//!
//! Severity: warning.
//!
//! Kmin rises above XOFF, and the lossless threshold does not rise with it.
//!
//! ## Why it matters
//!
//! PFC then pauses before ECN marks.
//!
//! ## Example
//!
//! Before:
//!
//! ```json
//! {
//!   "WRED_PROFILE": {
//!     "W": {"ecn": "ecn_all", "wred_green_enable": "true", "green_min_threshold": "1000000",
//!       "green_max_threshold": "1500000", "green_drop_probability": "5"}
//!   }
//! }
//! ```
//!
//! After:
//!
//! ```json
//! {
//!   "WRED_PROFILE": {
//!     "W": {"ecn": "ecn_all", "wred_green_enable": "true", "green_min_threshold": "2500000",
//!       "green_max_threshold": "3000000", "green_drop_probability": "5"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Increase alpha or the pool in the same change or earlier.
//!
//! ## Source
//!
//! Azure 7.3.

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "CHG006",
    name: "kmin-before-threshold",
    severity: Severity::Warning,
    effect: effect::CHANGE,
};

/// [`crate::diff::compare`] reports violations, because they concern two revisions.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
