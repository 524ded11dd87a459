//! # CHG005 model-switch
//!
//! Severity: warning.
//!
//! `buffer_model` changes.
//!
//! ## Why it matters
//!
//! The change takes effect when swss restarts, which interrupts traffic. A dynamic file without pool sizes crashes
//! orchagent if the switch uses the traditional model.
//!
//! ## Example
//!
//! Before:
//!
//! ```json
//! {
//!   "DEVICE_METADATA": {
//!     "localhost": {"platform": "x86_64-dell_s6000_s1220-r0", "buffer_model": "traditional"}
//!   }
//! }
//! ```
//!
//! After:
//!
//! ```json
//! {
//!   "DEVICE_METADATA": {
//!     "localhost": {"platform": "x86_64-dell_s6000_s1220-r0", "buffer_model": "dynamic"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Plan the restart.
//!
//! ## Source
//!
//! swss PR 1975.

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "CHG005", name: "model-switch", severity: Severity::Warning, effect: effect::CHANGE };

/// [`crate::diff::compare`] reports violations, because they concern two revisions.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
