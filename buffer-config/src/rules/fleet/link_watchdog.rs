//! # FLEET011 link-watchdog
//!
//! Severity: warning.
//!
//! One end of a link with PFC has a PFC watchdog, and the other does not; a note where their detection times differ.
//! Links between SONiC switches are compared by role (FLEET002).
//!
//! ## Why it matters
//!
//! A storm from the direction of the end without a watchdog is never stopped there. With different detection times, the
//! wrong switch drops packets first.
//!
//! ## Example
//!
//! Of each switch:
//!
//! ```eos
//! hostname a
//! priority-flow-control pause watchdog default timeout 0.2
//! interface Ethernet1
//!    description to b Ethernet1
//!    priority-flow-control on
//!    priority-flow-control priority 3 no-drop
//! ```
//!
//! ```eos
//! hostname b
//! interface Ethernet1
//!    description to a Ethernet1
//!    priority-flow-control on
//!    priority-flow-control priority 3 no-drop
//!    no priority-flow-control pause watchdog
//! ```
//!
//! ## Fix
//!
//! Turn the watchdog on at both ends, with the same times.
//!
//! ## Source
//!
//! RDMA over Commodity Ethernet at Scale 4.3.

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "FLEET011", name: "link-watchdog", severity: Severity::Warning, effect: effect::WATCHDOG };

/// [`crate::fleet::Fleet::check`] reports violations, because they concern several switches.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
