//! # LINK020 dual-tor
//!
//! Severity: warning (a note where the file has neither a peer nor a tunnel).
//!
//! A switch with `subtype` DualToR has no peer or no tunnel to it, its peer is this switch or differs between the
//! tables, or the tunnel ends at an address that is not its own, lacks maps although SYSTEM_DEFAULTS has
//! `tunnel_qos_remap`, or copies the DSCP although it has a map for it; or MUX_CABLE names a port that does not exist
//! or gives two ports the same server.
//!
//! ## Why it matters
//!
//! Packets for servers whose active switch is the peer go through the tunnel. Without it they are dropped, lossless
//! ones included, as long as this switch receives them. Without the maps, packets that come back from the peer share
//! the classes of those from servers, and their pauses can form a loop.
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
//! Name the peer in PEER_SWITCH, and define MuxTunnel0 in TUNNEL with the address of Loopback0 as `dst_ip`. With
//! `tunnel_qos_remap`, give it `dscp_mode` pipe and the four maps of the template.
//!
//! ## Source
//!
//! [muxorch.cpp](https://github.com/sonic-net/sonic-swss/blob/master/orchagent/muxorch.cpp), which creates the tunnel
//! from PEER_SWITCH and TUNNEL; [DSCP remapping for tunnel
//! traffic](https://github.com/sonic-net/SONiC/blob/master/doc/qos/tunnel_dscp_remapping.md).

use std::collections::BTreeMap;

use super::super::context::{Context, Findings, field, names, row};
use super::super::{Meta, effect};
use crate::db::Entry;
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "LINK020", name: "dual-tor", severity: Severity::Warning, effect: effect::LINK };

/// The maps of a tunnel with remapping.
const MAPS: [&str; 4] =
    ["decap_dscp_to_tc_map", "decap_tc_to_pg_map", "encap_tc_to_dscp_map", "encap_tc_to_queue_map"];

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
    for tunnel in tunnels {
        self::tunnel(cx, out, tunnel);
    }
    let Some(peer) = peers.first() else { return };
    let name = value("peer_switch");
    if peer.key == cx.sw.hostname {
        let message = format!("{} is its own peer", peer.key);
        cx.report(out, &META, row("PEER_SWITCH", &peer.key), message);
    } else if let Some(address) = cx.db.field(peer, "address_ipv4").map(|field| field.value.trim())
        && loopbacks(cx).any(|own| own == address)
    {
        let message = format!("peer {} has the address {address} of this switch's Loopback0", peer.key);
        cx.report(out, &META, field("PEER_SWITCH", &peer.key, "address_ipv4"), message);
    } else if !name.is_empty() && !peers.iter().any(|peer| peer.key == name) {
        let message = format!("peer_switch is {name}, but PEER_SWITCH names {}", peer.key);
        cx.report(out, &META, field("DEVICE_METADATA", "localhost", "peer_switch"), message);
    }
}

/// The addresses of Loopback0.
fn loopbacks<'c>(cx: &'c Context<'_, '_>) -> impl Iterator<Item = &'c str> {
    cx.sw.shared.loopbacks.iter().map(String::as_str)
}

/// Reports a tunnel that ends elsewhere, or whose maps contradict its mode or are missing.
fn tunnel(cx: &Context<'_, '_>, out: &mut Findings, tunnel: &Entry<'_>) {
    let value = |name| cx.db.field(tunnel, name).map(|field| field.value.trim()).filter(|v| !v.is_empty());
    if let Some(end) = value("dst_ip")
        && let Some(own) = loopbacks(cx).next()
        && !loopbacks(cx).any(|own| own == end)
    {
        let message = format!("{} ends at {end}, but Loopback0 has {own}", tunnel.key);
        cx.report(out, &META, field("TUNNEL", &tunnel.key, "dst_ip"), message);
    }
    if value("dscp_mode") == Some("uniform") && value("encap_tc_to_dscp_map").is_some() {
        let message = format!(
            "{}: dscp_mode is uniform, which copies the DSCP, but encap_tc_to_dscp_map sets another one",
            tunnel.key
        );
        cx.report(out, &META, field("TUNNEL", &tunnel.key, "dscp_mode"), message);
    }
    if cx.value("SYSTEM_DEFAULTS", "tunnel_qos_remap", "status") != Some("enabled") {
        return;
    }
    let missing: Vec<&str> = MAPS.into_iter().filter(|name| value(*name).is_none()).collect();
    if !missing.is_empty() {
        let message = format!("{} has no {}, but tunnel_qos_remap is enabled", tunnel.key, names(&missing));
        cx.report(out, &META, row("TUNNEL", &tunnel.key), message);
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
