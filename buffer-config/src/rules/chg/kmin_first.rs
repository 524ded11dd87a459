//! # CHG006 kmin-before-threshold
//!
//! Severity: warning. Rows: ECN-17.
//!
//! Between two revisions: Kmin rises above the point where PFC pauses, and the lossless threshold does not rise
//! with it.
//!
//! ## Why it matters
//!
//! PFC then comes before ECN.
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
//! Raise alpha or the pool in the same change, or before.
//!
//! ## Source
//!
//! Azure 7.3.

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "CHG006", name: "kmin-before-threshold", severity: Severity::Warning, ids: &["ECN-17"] };

/// It takes more than one file: [`crate::diff::compare`] reports it.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
