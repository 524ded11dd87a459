//! The network's topology from the configurations of its SONiC switches: CONFIG_DB of each switch (`DEVICE_NEIGHBOR`,
//! `DEVICE_NEIGHBOR_METADATA`, `PORT`, `CABLE_LENGTH`, `MUX_CABLE`), or their minigraphs (`PngDec`). The formats are those
//! of `sonic-config-engine/minigraph.py` of sonic-buildimage and of SONiC's configuration guide.
//!
//! Each file describes its own switch and that switch's cables ([`Described`]); [`merge`] puts them together and compares
//! the two ends of a cable. Ports get numbers in the natural order of their names, from 1.

mod config_db;
mod merge;
mod minigraph;
mod natural;

use std::collections::BTreeMap;
use std::net::IpAddr;

use model::{PortRef, Topology};

pub use merge::{PS_PER_METRE, merge};

/// What a file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Described {
    /// Name of the file, for problems.
    pub file: String,
    /// The switch whose configuration this is.
    pub switch: String,
    /// Its ports in natural order; `None` if the file does not list them.
    pub ports: Option<Vec<PortName>>,
    /// The devices that it knows, itself included.
    pub devices: Vec<Device>,
    /// Its cables.
    pub cables: Vec<Cable>,
}

/// A port of a switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortName {
    /// Its name, e.g. `Ethernet4`.
    pub name: String,
    /// The name that the vendor gives it, e.g. `fortyGigE0/4`.
    pub alias: Option<String>,
}

/// A device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// Its name.
    pub name: String,
    /// Its type, e.g. `LeafRouter` or `Server`.
    pub kind: Option<String>,
    /// Its addresses.
    pub addresses: Vec<IpAddr>,
    /// Where it is described: `file:line:column`.
    pub place: String,
}

/// One end of a cable.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct End {
    /// The device.
    pub device: String,
    /// Name or alias of the port.
    pub port: String,
}

/// A cable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cable {
    /// The end at the switch whose configuration this is.
    pub near: End,
    /// The other end.
    pub far: End,
    /// Speed in Mb/s.
    pub speed_mbps: Option<u64>,
    /// Length in metres.
    pub length_m: Option<u64>,
    /// Where it is described: `file:line:column`.
    pub place: String,
}

/// What the configurations do not say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Supplement {
    /// Hosts by name with their addresses, which replace those of the configurations.
    pub addresses: BTreeMap<String, Vec<IpAddr>>,
    /// Length of cables without one.
    pub cable_m: u64,
}

/// The result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// The network.
    pub topology: Topology,
    /// The name of each port in the configurations.
    pub port_names: BTreeMap<PortRef, String>,
    /// Everything that is missing or contradicts itself; empty: the topology is complete.
    pub problems: Vec<String>,
}

/// Reads a file: a minigraph if it starts with `<`, otherwise CONFIG_DB. Adds what is wrong to `problems`.
pub fn read(file: &str, text: &str, problems: &mut Vec<String>) -> Described {
    if text.trim_start_matches('\u{feff}').trim_start().starts_with('<') {
        minigraph::read(file, text, problems)
    } else {
        config_db::read(file, text, problems)
    }
}

/// Reads an address, with or without the length of its prefix. `None` for the unspecified address, which stands for an
/// unknown one, and for what is no address.
fn address(text: &str) -> Option<IpAddr> {
    let address: IpAddr = text.trim().split('/').next()?.parse().ok()?;
    (!address.is_unspecified()).then_some(address)
}

/// Whether a type of a device means a host. SONiC's other types are routers and appliances.
fn is_host(kind: &str) -> bool {
    kind.to_ascii_lowercase().contains("server")
}
