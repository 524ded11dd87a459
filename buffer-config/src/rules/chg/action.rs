//! # CHG004 action-on-the-fly
//!
//! Severity: warning.
//!
//! The action of a running watchdog changes between drop and forward.
//!
//! ## Why it matters
//!
//! On some releases the drop rule is lost: the port appears to be protected but is not.
//!
//! ## Example
//!
//! Before:
//!
//! ```json
//! {"PFC_WD": {"Ethernet0": {"action": "forward", "detection_time": "400", "restoration_time": "800"}}}
//! ```
//!
//! After:
//!
//! ```json
//! {"PFC_WD": {"Ethernet0": {"action": "drop", "detection_time": "400", "restoration_time": "800"}}}
//! ```
//!
//! ## Fix
//!
//! Stop the watchdog on the port and start it with the new action.
//!
//! ## Source
//!
//! sonic-buildimage issue 26359.

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "CHG004", name: "action-on-the-fly", severity: Severity::Warning, effect: effect::CHANGE };

/// [`crate::diff::compare`] reports violations, because they concern two revisions.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
