//! # FLEET012 link-negotiation
//!
//! Severity: error (a warning for link training, and where one end does not state the setting).
//!
//! Only one end of a link uses auto-negotiation or link training.
//!
//! ## Why it matters
//!
//! The end with auto-negotiation sends no data until the other end answers, so the link stays down, or comes up at
//! another speed or without the FEC that both ends were meant to use. Link training also takes both ends: alone, it
//! times out.
//!
//! ## Example
//!
//! Of each switch:
//!
//! ```json
//! {
//!   "DEVICE_NEIGHBOR": {"Ethernet0": {"name": "b", "port": "Ethernet0"}},
//!   "PORT": {
//!     "Ethernet0": {"lanes": "1,2,3,4", "speed": "100000", "mtu": "9100", "admin_status": "up", "autoneg": "on"}
//!   }
//! }
//! ```
//!
//! ```json
//! {
//!   "DEVICE_NEIGHBOR": {"Ethernet0": {"name": "a", "port": "Ethernet0"}},
//!   "PORT": {
//!     "Ethernet0": {"lanes": "1,2,3,4", "speed": "100000", "mtu": "9100", "admin_status": "up", "autoneg": "off"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Use the same setting at both ends: on for copper cables between switches that support it, off for optics.
//!
//! ## Source
//!
//! IEEE 802.3 clauses 73 (auto-negotiation) and 72, 93 and 136 (training); [Port
//! auto-negotiation](https://github.com/sonic-net/SONiC/blob/master/doc/port_auto_neg/port-auto-negotiation-design.md).

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "FLEET012", name: "link-negotiation", severity: Severity::Error, effect: effect::LINK };

/// [`crate::fleet::Fleet::check`] reports violations, because they concern several switches.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
