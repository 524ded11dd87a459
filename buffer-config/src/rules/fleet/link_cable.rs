//! # FLEET004 link-cable
//!
//! Severity: error. Rows: HR-20.
//!
//! In a fleet: both ends of a link have the same cable length.
//!
//! ## Why it matters
//!
//! The end with the shorter one has too little headroom.
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
//! Set the measured length on both.
//!
//! ## Source
//!
//! sonic-mgmt issue 8700.

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "FLEET004", name: "link-cable", severity: Severity::Error, ids: &["HR-20"] };

/// It takes more than one file: [`crate::fleet::Fleet::check`] reports it.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
