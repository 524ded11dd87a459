//! # CHG008 stale-after-change
//!
//! Severity: warning. Rows: HR-18.
//!
//! Between two revisions: a port's speed or cable length changes, and its lossless group keeps the old profile.
//!
//! ## Why it matters
//!
//! buffermgrd kept the stale profile after a change of cable; after a breakout, groups had another port's.
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
//! Change the group's profile with it.
//!
//! ## Source
//!
//! swss PR 4004; sonic-mgmt issue 19653.

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "CHG008", name: "stale-after-change", severity: Severity::Warning, ids: &["HR-18"] };

/// It takes more than one file: [`crate::diff::compare`] reports it.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
