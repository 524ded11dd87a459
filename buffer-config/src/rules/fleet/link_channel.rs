//! # FLEET013 link-port-channel
//!
//! Severity: error.
//!
//! The two ends of a link form no port channel: only one of them is a member of one, only one uses LACP, or members of
//! one port channel lead to two port channels of the same switch.
//!
//! ## Why it matters
//!
//! LACP selects a port only if its partner answers and all ports have the same partner. A member that is not selected
//! carries no packets, so the others carry its share: they congest, mark and pause at a load that the port channel was
//! built for. Without LACP at one end, that end sends packets into a port that the other end does not use.
//!
//! ## Example
//!
//! Of each switch:
//!
//! ```json
//! {
//!   "DEVICE_NEIGHBOR": {"Ethernet0": {"name": "b", "port": "Ethernet0"}},
//!   "PORTCHANNEL": {"PortChannel1": {"admin_status": "up", "mtu": "9100"}},
//!   "PORTCHANNEL_MEMBER": {"PortChannel1|Ethernet0": {}}
//! }
//! ```
//!
//! ```json
//! {"DEVICE_NEIGHBOR": {"Ethernet0": {"name": "a", "port": "Ethernet0"}}}
//! ```
//!
//! ## Fix
//!
//! Make both ends members of a port channel with LACP, or neither.
//!
//! ## Source
//!
//! IEEE 802.1AX clause 6 (LACP); [teammgr.cpp](https://github.com/sonic-net/sonic-swss/blob/master/cfgmgr/teammgr.cpp),
//! which starts teamd with LACP for every port channel.

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "FLEET013", name: "link-port-channel", severity: Severity::Error, effect: effect::LINK };

/// [`crate::fleet::Fleet::check`] reports violations, because they concern several switches.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
