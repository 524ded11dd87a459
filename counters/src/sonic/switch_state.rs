//! The ports and neighbours of a switch, from APPL_DB, STATE_DB and CONFIG_DB.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use super::database::{DatabaseName, Databases, in_natural_order};
use crate::reading::{LocalNeighbour, PortReading};

/// What the databases say about a port besides its counters.
pub(super) struct PortState<'d> {
    pub(super) alias: Option<&'d str>,
    pub(super) speed_mbps: Option<&'d str>,
    pub(super) up: Option<bool>,
}

/// Reads a port's state. APPL_DB is what is applied; STATE_DB has the state of the net device; CONFIG_DB is the last
/// resort.
pub(super) fn state_of<'d>(databases: &'d Databases, port: &str) -> PortState<'d> {
    let applied = format!("PORT_TABLE:{port}");
    let state = format!("PORT_TABLE|{port}");
    let configured = format!("PORT|{port}");
    let either = |field: &str| {
        let value = databases.value(DatabaseName::Appl, &applied, field);
        value.or_else(|| databases.value(DatabaseName::Config, &configured, field))
    };
    let oper = databases.value(DatabaseName::Appl, &applied, "oper_status");
    let oper = oper.or_else(|| databases.value(DatabaseName::State, &state, "netdev_oper_status"));
    PortState { alias: either("alias"), speed_mbps: either("speed"), up: oper.map(|status| status == "up") }
}

/// The numbers of ports: their position in the natural order of CONFIG_DB's external ports, as in topologies that are
/// made from configurations; without CONFIG_DB, of the ports that have counters.
pub(super) fn numbers<'d>(
    databases: &'d Databases,
    counted: impl Iterator<Item = &'d String>,
) -> BTreeMap<&'d str, u16> {
    let configured: Vec<&str> = databases
        .table(DatabaseName::Config, "PORT|")
        .filter(|(_, fields)| fields.get("role").is_none_or(|role| role.eq_ignore_ascii_case("ext")))
        .map(|(name, _)| name)
        .collect();
    let names: Vec<&str> = if configured.is_empty() {
        in_natural_order(counted)
    } else {
        let mut names = configured;
        names.sort_by(|a, b| super::natural::compare(a, b));
        names
    };
    names.into_iter().zip(1..=u16::MAX).collect()
}

/// Tables of CONFIG_DB whose keys are interfaces, some with an address: `LOOPBACK_INTERFACE|Loopback0|10.1.0.1/32`.
const INTERFACE_TABLES: [&str; 5] =
    ["MGMT_INTERFACE|", "LOOPBACK_INTERFACE|", "INTERFACE|", "PORTCHANNEL_INTERFACE|", "VLAN_INTERFACE|"];
/// The maximum number of addresses of a switch that are kept.
const MAX_ADDRESSES: usize = 1_024;

/// The addresses that CONFIG_DB gives to the switch, those for its management first.
pub(super) fn addresses(databases: &Databases) -> Vec<IpAddr> {
    let keys = INTERFACE_TABLES.into_iter().flat_map(|table| databases.table(DatabaseName::Config, table));
    let address = |key: &str| key.rsplit_once('|')?.1.split('/').next()?.parse().ok();
    let mut found: Vec<IpAddr> = Vec::new();
    for address in keys.filter_map(|(key, _)| address(key)).take(MAX_ADDRESSES) {
        if !found.contains(&address) {
            found.push(address);
        }
    }
    found
}

/// The neighbours: by LLDP where a port has one, else by DEVICE_NEIGHBOR.
pub(super) fn neighbours(
    databases: &Databases,
    ports: &BTreeMap<String, PortReading>,
) -> Vec<LocalNeighbour> {
    let mut neighbours = Vec::new();
    let mut known: BTreeSet<String> = BTreeSet::new();
    for (port, fields) in databases.table(DatabaseName::Appl, "LLDP_ENTRY_TABLE:") {
        let field = |name: &str| fields.get(name).map(|text| text.trim()).filter(|text| !text.is_empty());
        // The management port has a neighbour too.
        if !ports.is_empty() && !ports.contains_key(port) {
            continue;
        }
        let Some(system) = field("lldp_rem_sys_name").or_else(|| field("lldp_rem_chassis_id")) else {
            continue;
        };
        known.insert(port.to_string());
        neighbours.push(LocalNeighbour {
            port: port.to_string(),
            system: system.to_string(),
            remote_port: field("lldp_rem_port_id").map(str::to_owned),
            remote_description: field("lldp_rem_port_desc").map(str::to_owned),
            is_host: field("lldp_rem_sys_cap_enabled").and_then(is_host),
        });
    }
    for (key, fields) in databases.table(DatabaseName::Config, "DEVICE_NEIGHBOR|") {
        let field = |name: &str| fields.get(name).map(|text| text.trim()).filter(|text| !text.is_empty());
        let port = local_name(field("local_port").unwrap_or(key), ports);
        let Some(system) = field("name") else { continue };
        if known.contains(&port) {
            continue;
        }
        neighbours.push(LocalNeighbour {
            port,
            system: system.to_string(),
            remote_port: field("port").map(str::to_owned),
            remote_description: None,
            is_host: None,
        });
    }
    for neighbour in &mut neighbours {
        let key = format!("DEVICE_NEIGHBOR_METADATA|{}", neighbour.system);
        let kind = databases.value(DatabaseName::Config, &key, "type");
        neighbour.is_host = kind.map(|kind| kind.eq_ignore_ascii_case("server")).or(neighbour.is_host);
    }
    neighbours
        .sort_by(|a, b| super::natural::compare(&a.port, &b.port).then_with(|| a.system.cmp(&b.system)));
    neighbours
}

/// Whether a system is a host, by its enabled capabilities as octets in hexadecimal, `28 00`: bridge, router or station
/// (IEEE 802.1AB, clause 8.5.8; the first capability is the highest bit).
fn is_host(capabilities: &str) -> Option<bool> {
    const BRIDGE: u8 = 0x20;
    const ROUTER: u8 = 0x08;
    const STATION: u8 = 0x01;
    let first = capabilities.split_whitespace().next()?;
    let octet = u8::from_str_radix(first.get(..2)?, 16).ok()?;
    if octet & (BRIDGE | ROUTER) != 0 { Some(false) } else { (octet & STATION != 0).then_some(true) }
}

/// The port's name, where the configuration uses its alias.
fn local_name(text: &str, ports: &BTreeMap<String, PortReading>) -> String {
    let aliased = || ports.iter().find(|(_, port)| port.alias.as_deref() == Some(text)).map(|(name, _)| name);
    if ports.contains_key(text) {
        text.to_string()
    } else {
        aliased().map_or(text, String::as_str).to_string()
    }
}
