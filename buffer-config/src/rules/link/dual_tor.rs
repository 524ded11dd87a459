//! # LINK020 dual-tor
//!
//! Severity: warning (a note where the file has neither a peer nor a tunnel).
//!
//! A switch with `subtype` DualToR has no peer or no tunnel to it, or its peer is this switch or differs between the tables; or
//! MUX_CABLE names a port that does not exist or gives two ports the same server.
//!
//! ## Why it matters
//!
//! Packets for servers whose active switch is the peer go through the tunnel. Without it they are dropped, lossless ones
//! included, as long as this switch receives them.
//!
//! ## Example
//!
//! ```json
//! {
//!   "DEVICE_METADATA": {"localhost": {"hostname": "s1", "subtype": "DualToR", "peer_switch": "s2"}},
//!   "PEER_SWITCH": {"s3": {"address_ipv4": "10.1.0.33"}},
//!   "TUNNEL": {
//!     "MuxTunnel0": {"tunnel_type": "IPINIP", "dst_ip": "10.1.0.32", "dscp_mode": "uniform",
//!       "ecn_mode": "copy_from_outer", "encap_ecn_mode": "standard", "ttl_mode": "pipe"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Name the peer in PEER_SWITCH, and define MuxTunnel0 in TUNNEL.
//!
//! ## Source
//!
//! [muxorch.cpp](https://github.com/sonic-net/sonic-swss/blob/master/orchagent/muxorch.cpp), which creates the tunnel from
//! PEER_SWITCH and TUNNEL.

use std::collections::BTreeMap;

use super::super::context::{Context, Findings, field, row};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "LINK020", name: "dual-tor", severity: Severity::Warning, effect: effect::LINK };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cables(cx, out);
    let value = |name| cx.value("DEVICE_METADATA", "localhost", name).unwrap_or_default();
    if value("subtype") != "DualToR" {
        return;
    }
    let at = field("DEVICE_METADATA", "localhost", "subtype");
    let (peers, tunnels) = (cx.db.rows("PEER_SWITCH"), cx.db.rows("TUNNEL"));
    // A file with neither is the output of the templates of buffers and maps.
    let missing = match (peers.is_empty(), tunnels.is_empty()) {
        (true, true) => Some(("PEER_SWITCH and TUNNEL have no entries", Severity::Info)),
        (true, false) => Some(("PEER_SWITCH has no entry", Severity::Warning)),
        (false, true) => Some(("TUNNEL has no entry", Severity::Warning)),
        (false, false) => None,
    };
    if let Some((missing, severity)) = missing {
        cx.report(out, &META, at, format!("subtype is DualToR, but {missing}")).severity(severity);
    }
    let Some(peer) = peers.first() else { return };
    let name = value("peer_switch");
    if peer.key == cx.sw.hostname {
        let message = format!("{} is its own peer", peer.key);
        cx.report(out, &META, row("PEER_SWITCH", &peer.key), message);
    } else if !name.is_empty() && !peers.iter().any(|peer| peer.key == name) {
        let message = format!("peer_switch is {name}, but PEER_SWITCH names {}", peer.key);
        cx.report(out, &META, field("DEVICE_METADATA", "localhost", "peer_switch"), message);
    }
}

/// Reports cables to two switches with a wrong port or server.
fn cables(cx: &Context<'_, '_>, out: &mut Findings) {
    let mut servers: BTreeMap<&str, &str> = BTreeMap::new();
    for entry in cx.db.rows("MUX_CABLE") {
        if !cx.sw.ports.is_empty() && cx.db.row("PORT", &entry.key).is_none() {
            let message = format!("{} has a cable to two switches, but is not in PORT", entry.key);
            cx.report(out, &META, row("MUX_CABLE", &entry.key), message);
        }
        let Some(server) = cx.db.field(entry, "server_ipv4") else { continue };
        if let Some(other) = servers.insert(server.value, &entry.key) {
            let message = format!("{other} and {} both lead to server {}", entry.key, server.value);
            cx.report(out, &META, field("MUX_CABLE", &entry.key, "server_ipv4"), message);
        }
    }
}
