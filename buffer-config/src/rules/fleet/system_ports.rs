//! # FLEET017 system-ports-differ
//!
//! Severity: error.
//!
//! The cards of one chassis do not have the same SYSTEM_PORT table.
//!
//! ## Why it matters
//!
//! Every chip creates the ports of all chips of the chassis, by number. With another number or chip, packets leave at
//! another port; with another speed, the credits of the VOQs do not fit the port, and it is overrun or idle; without an
//! entry, packets for the port are dropped.
//!
//! ## Example
//!
//! Of each switch:
//!
//! ```json
//! {
//!   "DEVICE_METADATA": {"localhost": {"hostname": "a", "asic_name": "asic0"}},
//!   "SYSTEM_PORT": {"b|asic0|Ethernet0": {"system_port_id": "9", "speed": "100000"}}
//! }
//! ```
//!
//! ```json
//! {
//!   "DEVICE_METADATA": {"localhost": {"hostname": "b", "asic_name": "asic0"}},
//!   "SYSTEM_PORT": {"b|asic0|Ethernet0": {"system_port_id": "9", "speed": "400000"}}
//! }
//! ```
//!
//! ## Fix
//!
//! Generate SYSTEM_PORT of all cards from one source.
//!
//! ## Source
//!
//! `SAI_SWITCH_ATTR_SYSTEM_PORT_CONFIG_LIST` in
//! [orchagent main.cpp](https://github.com/sonic-net/sonic-swss/blob/master/orchagent/main.cpp); the
//! [VOQ HLD](https://github.com/sonic-net/SONiC/blob/master/doc/voq/voq_hld.md): the table is global to the chassis.

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "FLEET017",
    name: "system-ports-differ",
    severity: Severity::Error,
    effect: effect::FLEET_DIFFERENCE,
};

/// [`crate::fleet::Fleet::check`] reports violations, because they concern several switches.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
