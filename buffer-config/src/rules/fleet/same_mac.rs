//! # FLEET015 shared-mac
//!
//! Severity: warning.
//!
//! Several switches have the same MAC address or the same address of Loopback0.
//!
//! ## Why it matters
//!
//! The address is the source of all packets that a switch routes, and the base of its link-local addresses. A switch
//! drops packets of a neighbour with its own address, LACP and LLDP take both for one system, and IPv6 detects a
//! duplicate address. A router has one Loopback0: packets to it, and through tunnels to it, reach either switch. Often
//! a configuration was copied to a new switch.
//!
//! ## Example
//!
//! Of each switch:
//!
//! ```json
//! {"DEVICE_METADATA": {"localhost": {"hostname": "a", "mac": "00:11:22:33:44:55"}}}
//! ```
//!
//! ```json
//! {"DEVICE_METADATA": {"localhost": {"hostname": "b", "mac": "00:11:22:33:44:55"}}}
//! ```
//!
//! ## Fix
//!
//! Set `mac` to the address in the EEPROM of the switch (`decode-syseeprom -m`), and give each
//! switch its own Loopback0.
//!
//! ## Source
//!
//! `gMacAddress` in [orchagent main.cpp](https://github.com/sonic-net/sonic-swss/blob/master/orchagent/main.cpp), the
//! source of routed packets; IEEE 802.1AX 6.3.2, system identifier.

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "FLEET015",
    name: "shared-mac",
    severity: Severity::Warning,
    effect: effect::FLEET_DIFFERENCE,
};

/// [`crate::fleet::Fleet::check`] reports violations, because they concern several switches.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
