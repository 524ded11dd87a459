//! # CHG001 create-only
//!
//! Severity: error. Rows: GCU-05, SCH-01.
//!
//! Between two revisions: an attribute that can only be set when the object is made changes on an object that
//! stays.
//!
//! ## Why it matters
//!
//! A pool's type and mode, a profile's pool and the kind of its threshold are silently skipped on a live switch
//! (older releases log an error): the file says one thing, the chip does another.
//!
//! ## Example
//!
//! Before:
//!
//! ```json
//! {"BUFFER_POOL": {"egress_lossy_pool": {"type": "egress", "mode": "dynamic", "size": "7000000"}}}
//! ```
//!
//! After:
//!
//! ```json
//! {"BUFFER_POOL": {"egress_lossy_pool": {"type": "egress", "mode": "static", "size": "7000000"}}}
//! ```
//!
//! ## Fix
//!
//! Restart swss, or give the object a new name.
//!
//! ## Source
//!
//! bufferorch.cpp; sonic-buildimage issue 3971.

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "CHG001", name: "create-only", severity: Severity::Error, ids: &["GCU-05", "SCH-01"] };

/// It takes more than one file: [`crate::diff::compare`] reports it.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
