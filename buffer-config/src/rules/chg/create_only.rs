//! # CHG001 create-only
//!
//! Severity: error.
//!
//! A create-only attribute changes on an existing object.
//!
//! ## Why it matters
//!
//! A pool's type and mode, a profile's pool and its threshold type cannot change on a live switch: orchagent
//! silently ignores the change (older releases log an error), and the ASIC no longer matches the file.
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
//! Restart swss, or create the object under a new name.
//!
//! ## Source
//!
//! bufferorch.cpp; sonic-buildimage issue 3971.

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "CHG001", name: "create-only", severity: Severity::Error, effect: effect::CHANGE };

/// [`crate::diff::compare`] reports violations, because they concern two revisions.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
