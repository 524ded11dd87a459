//! # FLEET004 link-cable
//!
//! Severity: error.
//!
//! The two ends of a link have different cable lengths.
//!
//! ## Why it matters
//!
//! The end with the shorter length has too little headroom.
//!
//! ## Example
//!
//! Of each switch:
//!
//! ```json
//! {
//!   "DEVICE_NEIGHBOR": {"Ethernet0": {"name": "b", "port": "Ethernet0"}},
//!   "CABLE_LENGTH": {"AZURE": {"Ethernet0": "40m", "Ethernet4": "40m"}}
//! }
//! ```
//!
//! ```json
//! {
//!   "DEVICE_NEIGHBOR": {"Ethernet0": {"name": "a", "port": "Ethernet0"}},
//!   "CABLE_LENGTH": {"AZURE": {"Ethernet0": "5m", "Ethernet4": "40m"}}
//! }
//! ```
//!
//! ## Fix
//!
//! Set the measured length at both ends.
//!
//! ## Source
//!
//! sonic-mgmt issue 8700.

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "FLEET004",
    name: "link-cable",
    severity: Severity::Error,
    effect: effect::HEADROOM_TOO_SMALL,
};

/// [`crate::fleet::Fleet::check`] reports violations, because they concern several switches.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
