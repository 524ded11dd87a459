//! Values that several switches state: MAC addresses, the two switches of a dual ToR, system ports of a chassis, and how
//! both ends of a link frame packets.

use crate::db::{ConfigDb, Entry};
use crate::resolved::{MacsecKeys, SharedValues};
use crate::schema;

/// The type of a cable that the file does not state (YANG mux-cable).
const DEFAULT_CABLE: &str = "active-standby";

/// Fields of a system port that all cards of a chassis must state alike.
const OF_SYSTEM_PORT: [&str; 6] =
    ["system_port_id", "switch_id", "core_index", "core_port_index", "speed", "num_voq"];

/// Settings of a tunnel that both switches of a dual ToR state alike.
const OF_TUNNEL: [&str; 4] = ["dscp_mode", "ecn_mode", "encap_ecn_mode", "ttl_mode"];

/// Maps of a tunnel, and their tables.
const MAPS_OF_TUNNEL: [(&str, &str); 4] = [
    ("decap_dscp_to_tc_map", "DSCP_TO_TC_MAP"),
    ("decap_tc_to_pg_map", "TC_TO_PRIORITY_GROUP_MAP"),
    ("encap_tc_to_dscp_map", "TC_TO_DSCP_MAP"),
    ("encap_tc_to_queue_map", "TC_TO_QUEUE_MAP"),
];

/// The VLAN tag type of a port that the file does not state.
const DEFAULT_TAG_TYPE: &str = "0x8100";

/// Reads the values.
pub(super) fn values(db: &ConfigDb<'_>) -> SharedValues {
    let value =
        |entry: &Entry<'_>, name: &str| db.field(entry, name).map(|field| field.value.trim().to_string());
    let peer = db.rows("PEER_SWITCH").first();
    let cable = |entry: &Entry<'_>| {
        let kind = value(entry, "cable_type").unwrap_or(DEFAULT_CABLE.to_string());
        Some((value(entry, "server_ipv4").filter(|server| !server.is_empty())?, kind))
    };
    SharedValues {
        mac: db.value("DEVICE_METADATA", "localhost", "mac").unwrap_or_default().to_ascii_lowercase(),
        peer: peer.map(|peer| (peer.key.to_string(), value(peer, "address_ipv4").unwrap_or_default())),
        loopbacks: db.rows("LOOPBACK_INTERFACE").iter().filter_map(loopback).collect(),
        cables: db.rows("MUX_CABLE").iter().filter_map(cable).collect(),
        system_ports: db
            .rows("SYSTEM_PORT")
            .iter()
            .map(|entry| (entry.key.to_string(), system_port(db, entry)))
            .collect(),
        tunnel: db.rows("TUNNEL").first().map_or(Vec::new(), |entry| tunnel(db, entry)),
        macsec: db.rows("PORT").iter().filter_map(|entry| macsec(db, entry)).collect(),
        tag_types: db.rows("PORT").iter().filter_map(|entry| tag_type(db, entry)).collect(),
    }
}

/// The settings of a tunnel that it states. A map is its entries, because each switch may name it differently.
fn tunnel(db: &ConfigDb<'_>, entry: &Entry<'_>) -> Vec<(String, String)> {
    let mode = |name: &&str| Some((name.to_string(), db.field(entry, name)?.value.trim().to_string()));
    let map = |(name, table): &(&str, &str)| {
        let value = db.field(entry, name)?.value;
        let map = db.row(table, schema::reference(table, value))?;
        let mut pairs: Vec<String> =
            db.fields_of(map).map(|pair| format!("{}={}", pair.name, pair.value.trim())).collect();
        pairs.sort();
        Some((name.to_string(), pairs.join(" ")))
    };
    OF_TUNNEL.iter().filter_map(mode).chain(MAPS_OF_TUNNEL.iter().filter_map(map)).collect()
}

/// The keys of a port with MACsec. A profile that does not exist is the finding of another rule (LINK024).
fn macsec(db: &ConfigDb<'_>, port: &Entry<'_>) -> Option<(String, MacsecKeys)> {
    let profile = db.field(port, "macsec").map(|field| field.value.trim()).filter(|name| !name.is_empty())?;
    let profile = db.row("MACSEC_PROFILE", profile)?;
    let value = |name: &&str| db.field(profile, name).map(|field| field.value.trim().to_ascii_uppercase());
    let names: Vec<String> =
        ["primary_ckn", "fallback_ckn"].iter().filter_map(value).filter(|name| !name.is_empty()).collect();
    let bits = if value(&"cipher_suite").is_some_and(|suite| suite.ends_with("256")) { 256 } else { 128 };
    Some((port.key.to_string(), MacsecKeys { bits, names }))
}

/// The VLAN tag type of a port, unless it is the usual one.
fn tag_type(db: &ConfigDb<'_>, port: &Entry<'_>) -> Option<(String, String)> {
    let kind = db.field(port, "tpid")?.value.trim().to_ascii_lowercase();
    (!kind.is_empty() && kind != DEFAULT_TAG_TYPE).then(|| (port.key.to_string(), kind))
}

/// The IPv4 address of a key such as `Loopback0|10.1.0.32/32`.
fn loopback(entry: &Entry<'_>) -> Option<String> {
    let (address, _) = entry.key.strip_prefix("Loopback0|")?.split_once('/')?;
    address.parse::<std::net::Ipv4Addr>().ok().map(|address| address.to_string())
}

fn system_port(db: &ConfigDb<'_>, entry: &Entry<'_>) -> String {
    let text = |name: &&str| Some(format!("{name} {}", db.field(entry, name)?.value.trim()));
    OF_SYSTEM_PORT.iter().filter_map(text).collect::<Vec<_>>().join(", ")
}
