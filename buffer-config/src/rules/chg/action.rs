//! # CHG004 action-on-the-fly
//!
//! Severity: warning. Rows: WD-07.
//!
//! Between two revisions: the action of a running watchdog changes between drop and forward.
//!
//! ## Why it matters
//!
//! The rule that drops is lost on some releases: the port looks protected and is not.
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

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "CHG004", name: "action-on-the-fly", severity: Severity::Warning, ids: &["WD-07"] };

/// It takes more than one file: [`crate::diff::compare`] reports it.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
