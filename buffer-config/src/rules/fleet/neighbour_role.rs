//! # FLEET014 neighbour-role
//!
//! Severity: warning.
//!
//! DEVICE_NEIGHBOR_METADATA gives a neighbour another `type` than the neighbour's own DEVICE_METADATA.
//!
//! ## Why it matters
//!
//! The templates of buffers and maps take cable lengths and the classes of a port from the roles of both ends. With a
//! wrong role, headroom is computed for another cable, and ports to other racks have the maps of ports to servers.
//!
//! ## Example
//!
//! Of each switch:
//!
//! ```json
//! {"DEVICE_NEIGHBOR_METADATA": {"b": {"type": "SpineRouter"}}}
//! ```
//!
//! ```json
//! {"DEVICE_METADATA": {"localhost": {"hostname": "b", "type": "ToRRouter"}}}
//! ```
//!
//! ## Fix
//!
//! Correct the role that is wrong, and generate buffers and maps again.
//!
//! ## Source
//!
//! buffers_config.j2, which looks up the cable length by both roles.

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "FLEET014",
    name: "neighbour-role",
    severity: Severity::Warning,
    effect: effect::FLEET_DIFFERENCE,
};

/// [`crate::fleet::Fleet::check`] reports violations, because they concern several switches.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
