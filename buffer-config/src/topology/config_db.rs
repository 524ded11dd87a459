//! A switch's neighbours from CONFIG_DB.

use super::{Cable, Described, Device, End, PortName, address, natural};
use crate::db::{ConfigDb, Entry};
use crate::input;
use crate::source::position;

/// Highest number of a port.
const MAX_PORTS: usize = 511;

pub(super) fn read(file: &str, text: &str, problems: &mut Vec<String>) -> Described {
    let place = |offset: u32| format!("{file}:{}", position(text, offset));
    let databases = input::load_all(text);
    let [only] = databases.as_slice() else {
        let several = databases.len();
        problems.push(format!(
            "{file}: {several} databases; expected the configuration of a switch with one chip"
        ));
        return Described::default();
    };
    let db = &only.db;
    problems.extend(db.problems.iter().map(|p| format!("{}: {}", place(p.span.start), p.message)));
    let Some(switch) = db.value("DEVICE_METADATA", "localhost", "hostname") else {
        problems
            .push(format!("{file}: DEVICE_METADATA|localhost has no field `hostname`: the switch's name"));
        return Described::default();
    };
    let mut described = Described { file: file.into(), switch: switch.into(), ..Described::default() };
    described.ports = ports(db);
    if described.ports.as_ref().is_some_and(|ports| ports.len() > MAX_PORTS) {
        problems.push(format!("{file}: more than {MAX_PORTS} ports"));
    }
    described.devices.push(Device {
        name: switch.into(),
        kind: db.value("DEVICE_METADATA", "localhost", "type").map(str::to_owned),
        addresses: Vec::new(),
        place: file.into(),
    });
    for entry in db.rows("DEVICE_NEIGHBOR_METADATA") {
        described.devices.push(device(db, entry, place(entry.key_span.start)));
    }
    for entry in db.rows("DEVICE_NEIGHBOR") {
        let place = place(entry.key_span.start);
        match cable(db, &described, entry, place.clone()) {
            Ok(cable) => {
                let servers = mux_addresses(db, &cable.near.port);
                if !servers.is_empty() {
                    let name = cable.far.device.clone();
                    described.devices.push(Device { name, kind: None, addresses: servers, place });
                }
                described.cables.push(cable);
            }
            Err(why) => problems.push(format!("{place}: DEVICE_NEIGHBOR|{}: {why}", entry.key)),
        }
    }
    described
}

/// The ports in natural order; those inside of the switch have another role than `Ext`.
fn ports(db: &ConfigDb<'_>) -> Option<Vec<PortName>> {
    db.table("PORT")?;
    let is_outside = |entry: &&Entry<'_>| {
        db.field(entry, "role").is_none_or(|role| role.value.eq_ignore_ascii_case("ext"))
    };
    let port = |entry: &Entry<'_>| PortName {
        name: entry.key.to_string(),
        alias: db.field(entry, "alias").map(|field| field.value.to_owned()),
    };
    let mut ports: Vec<PortName> = db.rows("PORT").iter().filter(is_outside).map(port).collect();
    ports.sort_by(|a, b| natural::compare(&a.name, &b.name));
    ports.dedup_by(|a, b| a.name == b.name);
    Some(ports)
}

fn device(db: &ConfigDb<'_>, entry: &Entry<'_>, place: String) -> Device {
    let value = |name: &str| db.field(entry, name).map(|field| field.value);
    let addresses = ["lo_addr", "lo_addr_v6"].into_iter().filter_map(|name| address(value(name)?));
    Device {
        name: entry.key.to_string(),
        kind: value("type").map(str::to_owned),
        addresses: addresses.collect(),
        place,
    }
}

fn cable(
    db: &ConfigDb<'_>,
    described: &Described,
    entry: &Entry<'_>,
    place: String,
) -> Result<Cable, String> {
    let value = |name: &str| {
        let field = db.field(entry, name).filter(|field| !field.value.is_empty());
        field.map(|field| field.value.to_owned()).ok_or_else(|| format!("there is no field `{name}`"))
    };
    let near =
        db.field(entry, "local_port").map_or_else(|| entry.key.to_string(), |port| port.value.to_owned());
    let ports = described.ports.iter().flatten();
    let own = ports.clone().find(|port| port.name == near || port.alias.as_deref() == Some(&near));
    let name = own.map_or(near.clone(), |port| port.name.clone());
    let speed = db.value("PORT", &name, "speed");
    let speed_mbps =
        speed.map(|text| text.parse().map_err(|_| format!("`{text}` is not the speed of {name}")));
    Ok(Cable {
        near: End { device: described.switch.clone(), port: name.clone() },
        far: End { device: value("name")?, port: value("port")? },
        speed_mbps: speed_mbps.transpose()?,
        length_m: length_m(db, &name),
        place,
    })
}

/// `CABLE_LENGTH|AZURE` has a length such as `5m` for each port. 0 m means that the length is unknown.
fn length_m(db: &ConfigDb<'_>, port: &str) -> Option<u64> {
    let rows = db.rows("CABLE_LENGTH").iter();
    let lengths = rows.filter_map(|row| db.field(row, port)?.value.strip_suffix('m')?.parse().ok());
    lengths.filter(|metres| *metres > 0).max()
}

/// The addresses of a server behind a dual-homed port.
fn mux_addresses(db: &ConfigDb<'_>, port: &str) -> Vec<std::net::IpAddr> {
    let value = |name: &str| db.value("MUX_CABLE", port, name);
    ["server_ipv4", "server_ipv6"].into_iter().filter_map(|name| address(value(name)?)).collect()
}
