//! # CHG005 model-switch
//!
//! Severity: warning. Rows: TPL-04.
//!
//! Between two revisions: buffer_model changes.
//!
//! ## Why it matters
//!
//! It takes effect at a restart of swss, which interrupts traffic; a dynamic file without sizes in a traditional
//! switch crashes orchagent.
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

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "CHG005", name: "model-switch", severity: Severity::Warning, ids: &["TPL-04"] };

/// It takes more than one file: [`crate::diff::compare`] reports it.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
