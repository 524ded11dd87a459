//! # FLEET016 dual-tor-pair
//!
//! Severity: error (a warning for cables and the settings of the tunnel).
//!
//! The two switches of a dual ToR disagree: one is not the peer of its peer, the address of the peer is not that of its
//! Loopback0, a server has a cable to one of them only or cables of two types, or their tunnels have different modes or
//! maps.
//!
//! ## Why it matters
//!
//! A switch sends packets for servers whose active switch is the peer through a tunnel to the address of the peer. If
//! the peer does not have the address, or does not know the server, it drops them, lossless ones included. With other
//! maps at its end, packets of a lossless class leave the tunnel in a lossy one.
//!
//! ## Example
//!
//! Of each switch:
//!
//! ```json
//! {"PEER_SWITCH": {"b": {"address_ipv4": "10.1.0.33"}}}
//! ```
//!
//! ```json
//! {"PEER_SWITCH": {"c": {"address_ipv4": "10.1.0.34"}}}
//! ```
//!
//! ## Fix
//!
//! Name the other switch and the address of its Loopback0 in PEER_SWITCH of both, the same servers in MUX_CABLE, and
//! the same settings in TUNNEL.
//!
//! ## Source
//!
//! `handlePeerSwitch` in [muxorch.cpp](https://github.com/sonic-net/sonic-swss/blob/master/orchagent/muxorch.cpp);
//! [sonic-mux-cable.yang](https://github.com/sonic-net/sonic-buildimage/blob/master/src/sonic-yang-models/yang-models/sonic-mux-cable.yang).

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "FLEET016",
    name: "dual-tor-pair",
    severity: Severity::Error,
    effect: effect::FLEET_DIFFERENCE,
};

/// [`crate::fleet::Fleet::check`] reports violations, because they concern several switches.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
