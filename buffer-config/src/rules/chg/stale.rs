//! # CHG008 stale-after-change
//!
//! Severity: warning.
//!
//! A port's speed or cable length changes, but its lossless priority group keeps the old profile.
//!
//! ## Why it matters
//!
//! buffermgrd has kept the stale profile after a cable change; after a breakout, groups had the profile of another
//! port.
//!
//! ## Example
//!
//! Before:
//!
//! ```json
//! {"CABLE_LENGTH": {"AZURE": {"Ethernet0": "40m", "Ethernet4": "40m"}}}
//! ```
//!
//! After:
//!
//! ```json
//! {"CABLE_LENGTH": {"AZURE": {"Ethernet0": "40m", "Ethernet4": "5m"}}}
//! ```
//!
//! ## Fix
//!
//! Change the group's profile in the same change.
//!
//! ## Source
//!
//! swss PR 4004; sonic-mgmt issue 19653.

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "CHG008", name: "stale-after-change", severity: Severity::Warning, effect: effect::CHANGE };

/// [`crate::diff::compare`] reports violations, because they concern two revisions.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
