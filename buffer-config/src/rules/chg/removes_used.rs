//! # CHG003 removes-used
//!
//! Severity: error. Rows: REF-07.
//!
//! Between two revisions: a pool or profile is removed that the new revision still refers to.
//!
//! ## Why it matters
//!
//! orchagent keeps the old object for as long as something refers to it, and the deletion is retried for ever.
//!
//! ## Example
//!
//! Before:
//!
//! ```json
//! {"BUFFER_PROFILE": {"old": {"pool": "egress_lossy_pool", "size": "0", "dynamic_th": "3"}}}
//! ```
//!
//! After:
//!
//! ```json
//! {"BUFFER_QUEUE": {"Ethernet0|5": {"profile": "old"}}}
//! ```
//!
//! ## Fix
//!
//! Remove the references first.
//!
//! ## Source
//!
//! bufferorch.cpp, isObjectBeingReferenced.

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "CHG003", name: "removes-used", severity: Severity::Error, ids: &["REF-07"] };

/// It takes more than one file: [`crate::diff::compare`] reports it.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
