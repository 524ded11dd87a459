//! The ports of RDMA devices and their addresses, from sysfs (Linux kernel, `Documentation/ABI/stable/sysfs-class-infiniband`).
#![allow(clippy::disallowed_methods, reason = "the edge that reads files")]

use std::fs;
use std::io::{self, ErrorKind, Read as _};
use std::net::{IpAddr, Ipv6Addr};
use std::path::Path;

use super::Error;

/// Folder of devices below the root of sysfs.
const DEVICES: &str = "class/infiniband";
/// Maximum devices that are read, by name, and maximum ports of a device.
const MAX_DEVICES: usize = 64;
/// Maximum bytes of a file; the rest is ignored.
const FILE_BYTES: u64 = 4096;

/// A port of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// Name of the device, e.g. `mlx5_0`.
    pub device: String,
    /// Name of its driver, e.g. `mlx5_core`, if the device has one.
    pub driver: Option<String>,
    /// Number of the port, from 1.
    pub number: u8,
    /// Whether it can send and receive.
    pub is_active: bool,
    /// What it is connected to.
    pub link_layer: LinkLayer,
    /// Its addresses that are not empty.
    pub gids: Vec<Gid>,
}

/// What a port is connected to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkLayer {
    /// Ethernet: RoCE.
    Ethernet,
    /// InfiniBand.
    InfiniBand,
    /// Something else.
    Other,
}

/// An address of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gid {
    /// Its place in the port's table; only the first 256 are read, because an address handle has 8 bits for it.
    pub index: u8,
    /// The bytes.
    pub bytes: [u8; 16],
    /// Which packets have it.
    pub kind: GidKind,
}

/// Which packets have an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GidKind {
    /// RoCEv2: IP and UDP.
    RoceV2,
    /// RoCEv1 or InfiniBand.
    Other,
}

/// Returns the IP address of a RoCEv2 GID.
pub fn gid_address(gid: [u8; 16]) -> IpAddr {
    IpAddr::from(Ipv6Addr::from(gid)).to_canonical()
}

/// Returns the GID of an IP address.
pub fn gid_bytes(address: IpAddr) -> [u8; 16] {
    match address {
        IpAddr::V4(address) => address.to_ipv6_mapped().octets(),
        IpAddr::V6(address) => address.octets(),
    }
}

impl Port {
    /// Returns the index of the RoCEv2 GID of an address.
    pub fn gid_of(&self, address: IpAddr) -> Option<u8> {
        let bytes = gid_bytes(address.to_canonical());
        self.gids.iter().find(|gid| gid.kind == GidKind::RoceV2 && gid.bytes == bytes).map(|gid| gid.index)
    }
}

/// Returns the ports of all devices below the root of sysfs, by name and number: none if the kernel has no RDMA.
///
/// # Errors
/// The list of devices cannot be read.
pub fn ports(sysfs: &Path) -> Result<Vec<Port>, Error> {
    let folder = sysfs.join(DEVICES);
    let mut ports = Vec::new();
    for device in names(&folder)? {
        let path = folder.join(&device);
        let driver = fs::canonicalize(path.join("device/driver")).ok();
        let driver = driver.and_then(|path| Some(path.file_name()?.to_str()?.to_string()));
        for number in names(&path.join("ports"))? {
            if let Ok(number) = number.parse() {
                ports.push(port(
                    &device,
                    driver.clone(),
                    number,
                    &path.join("ports").join(number.to_string()),
                ));
            }
        }
    }
    ports.sort_by(|a, b| (&a.device, a.number).cmp(&(&b.device, b.number)));
    Ok(ports)
}

fn port(device: &str, driver: Option<String>, number: u8, path: &Path) -> Port {
    let link_layer = match text(&path.join("link_layer")).as_deref() {
        Some("Ethernet") => LinkLayer::Ethernet,
        Some("InfiniBand") => LinkLayer::InfiniBand,
        _ => LinkLayer::Other,
    };
    // "4: ACTIVE"
    let is_active = text(&path.join("state")).is_some_and(|state| state.starts_with("4:"));
    let gids = (0..=u8::MAX).filter_map(|index| gid(path, index)).collect();
    Port { device: device.to_string(), driver, number, is_active, link_layer, gids }
}

/// Reads an address; `None` if the place in the table is empty, of which the kernel reads no type.
fn gid(path: &Path, index: u8) -> Option<Gid> {
    let address: Ipv6Addr = text(&path.join(format!("gids/{index}")))?.parse().ok()?;
    let kind = match text(&path.join(format!("gid_attrs/types/{index}"))).as_deref() {
        Some("RoCE v2") => GidKind::RoceV2,
        _ => GidKind::Other,
    };
    (!address.is_unspecified()).then(|| Gid { index, bytes: address.octets(), kind })
}

fn names(folder: &Path) -> Result<Vec<String>, Error> {
    let unreadable = |source| Error::Sysfs { path: folder.display().to_string(), source };
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(unreadable)?,
    };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names.truncate(MAX_DEVICES);
    Ok(names)
}

fn text(path: &Path) -> Option<String> {
    let read = || -> io::Result<String> {
        let mut text = String::new();
        fs::File::open(path)?.take(FILE_BYTES).read_to_string(&mut text)?;
        Ok(text)
    };
    read().ok().map(|text| text.trim().to_string())
}

/// Returns the first active Ethernet port with a RoCEv2 GID of one of the host's addresses; of the device with a name, if
/// there is one.
///
/// # Errors
/// There is none: what is missing.
pub fn choose<'p>(ports: &'p [Port], device: Option<&str>, own: &[IpAddr]) -> Result<&'p Port, Error> {
    let all = listed(ports.iter().map(|port| &port.device));
    let candidates: Vec<&Port> =
        ports.iter().filter(|port| device.is_none_or(|device| port.device == device)).collect();
    match device {
        _ if ports.is_empty() => return Err(Error::NoDevice),
        Some(device) if candidates.is_empty() => {
            return Err(Error::UnknownDevice { device: device.to_string(), known: all });
        }
        _ => {}
    }
    let devices = listed(candidates.iter().map(|port| &port.device));
    let usable = |port: &&&Port| port.is_active && port.link_layer == LinkLayer::Ethernet;
    let active: Vec<&Port> = candidates.iter().filter(usable).copied().collect();
    if active.is_empty() {
        return Err(Error::NoActivePort { devices });
    }
    let has_own = |port: &&Port| own.iter().any(|address| port.gid_of(*address).is_some());
    active.into_iter().find(has_own).ok_or_else(|| {
        let own: Vec<String> = own.iter().map(IpAddr::to_string).collect();
        Error::NoGid { devices, own: own.join(", ") }
    })
}

fn listed<'n>(names: impl Iterator<Item = &'n String>) -> String {
    let mut names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    names.dedup();
    names.join(", ")
}
