//! Values that several switches state: MAC addresses, the two switches of a dual ToR, system ports of a chassis.

use crate::db::{ConfigDb, Entry};
use crate::resolved::SharedValues;

/// The type of a cable that the file does not state (YANG mux-cable).
const DEFAULT_CABLE: &str = "active-standby";

/// Fields of a system port that all cards of a chassis must state alike.
const OF_SYSTEM_PORT: [&str; 6] =
    ["system_port_id", "switch_id", "core_index", "core_port_index", "speed", "num_voq"];

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
    }
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
