//! # CHG003 removes-used
//!
//! Severity: error.
//!
//! A pool or profile is removed while the new revision still refers to it.
//!
//! ## Why it matters
//!
//! orchagent keeps the old object as long as it is referenced, and retries the deletion indefinitely.
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

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "CHG003", name: "removes-used", severity: Severity::Error, effect: effect::CHANGE };

/// [`crate::diff::compare`] reports violations, because they concern two revisions.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
