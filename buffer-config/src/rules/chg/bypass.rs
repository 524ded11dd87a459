//! # CHG007 profile-bypass
//!
//! Severity: warning.
//!
//! A lossless profile is added or removed as a whole.
//!
//! ## Why it matters
//!
//! The generic config updater validates fields, not objects: an invalid lossless profile was installed this way.
//!
//! ## Example
//!
//! Before:
//!
//! ```json
//! {"BUFFER_PROFILE": {}}
//! ```
//!
//! After:
//!
//! ```json
//! {
//!   "BUFFER_PROFILE": {
//!     "pg_lossless_new": {"pool": "ingress_lossless_pool", "size": "1248", "dynamic_th": "-2",
//!       "xon": "2288", "xon_offset": "2288", "xoff": "100000"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Check the new profile with Harrier before you apply it.
//!
//! ## Source
//!
//! sonic-mgmt issue 25395.

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "CHG007", name: "profile-bypass", severity: Severity::Warning, effect: effect::CHANGE };

/// [`crate::diff::compare`] reports violations, because they concern two revisions.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
