//! Counters in sysfs: RDMA ports (Linux kernel, Documentation/ABI/stable/sysfs-class-infiniband) and PCIe links
//! (Documentation/ABI/testing/sysfs-bus-pci).
//!
//! The input is a map of texts by path below the root of sysfs, so that a recorded tree is as good as a live one.

use std::collections::BTreeMap;

use super::records::{HostCounters, InterfaceCounters, PcieLink, RdmaPort};

/// Folder of RDMA devices below the root of sysfs.
pub const RDMA: &str = "class/infiniband";
/// Folder of network interfaces below the root of sysfs.
pub const NET: &str = "class/net";
/// Folders with counters of an RDMA port.
pub const PORT_FOLDERS: [&str; 2] = ["counters", "hw_counters"];
/// Further files of an RDMA port: its state, its rate, and the interface of its first address.
pub const PORT_FILES: [&str; 3] = ["state", "rate", "gid_attrs/ndevs/0"];
/// Files of an interface's PCIe link.
pub const PCIE_FILES: [&str; 4] = [
    "device/current_link_speed",
    "device/current_link_width",
    "device/max_link_speed",
    "device/max_link_width",
];
/// Files among the counters that hold a setting: how long the driver caches the values, in ms.
const SETTINGS: [&str; 1] = ["lifespan"];

/// A file whose text is no counter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// Path below the root.
    pub path: String,
    /// Its text, cut off after 64 characters.
    pub text: String,
}

/// Reads the texts of files by path below the root. Files that belong to no record are ignored.
///
/// Counters that are not a number (a driver without the counter writes a remark) are absent from the records and listed
/// in the second result.
pub fn read(files: &BTreeMap<String, String>) -> (HostCounters, Vec<Unreadable>) {
    let mut ports: BTreeMap<(&str, u32), RdmaPort> = BTreeMap::new();
    let mut interfaces: BTreeMap<&str, InterfaceCounters> = BTreeMap::new();
    let mut unreadable = Vec::new();
    for (path, text) in files {
        let known = match path.split('/').collect::<Vec<_>>().as_slice() {
            ["class", "infiniband", device, "ports", port, rest @ ..] => {
                port.parse().ok().is_none_or(|number| {
                    let port = ports.entry((*device, number)).or_insert_with(|| RdmaPort {
                        device: (*device).to_string(),
                        port: number,
                        ..RdmaPort::default()
                    });
                    set_port(port, rest, text.trim())
                })
            }
            ["class", "net", name, "device", file] => {
                let interface = interfaces.entry(*name).or_insert_with(|| InterfaceCounters {
                    name: (*name).to_string(),
                    ..InterfaceCounters::default()
                });
                set_pcie(interface, file, text.trim())
            }
            _ => true,
        };
        if !known {
            unreadable.push(Unreadable { path: path.clone(), text: text.trim().chars().take(64).collect() });
        }
    }
    let counters = HostCounters {
        rdma_ports: ports.into_values().collect(),
        interfaces: interfaces.into_values().filter(|interface| !interface.is_empty()).collect(),
    };
    (counters, unreadable)
}

/// Sets the field of a file. Returns `false` if the text is no value.
fn set_port(port: &mut RdmaPort, path: &[&str], text: &str) -> bool {
    let counters = match path {
        ["counters", name] if !SETTINGS.contains(name) => (&mut port.counters, *name),
        ["hw_counters", name] if !SETTINGS.contains(name) => (&mut port.hw_counters, *name),
        ["state"] => {
            // `4: ACTIVE`
            let number = text.split(':').next().and_then(|number| number.trim().parse::<u8>().ok());
            port.is_active = number.map(|number| number == 4);
            return number.is_some();
        }
        ["rate"] => {
            port.rate_bps = rate_bps(text);
            return port.rate_bps.is_some();
        }
        ["gid_attrs", "ndevs", "0"] => {
            port.interface = (!text.is_empty()).then(|| text.to_string());
            return true;
        }
        _ => return true,
    };
    let (counters, name) = counters;
    match text.parse() {
        Ok(value) => {
            counters.insert(name.to_string(), value);
            true
        }
        Err(_) => false,
    }
}

fn set_pcie(interface: &mut InterfaceCounters, file: &str, text: &str) -> bool {
    let value = match file {
        "current_link_speed" | "max_link_speed" => speed_mtps(text),
        "current_link_width" | "max_link_width" => text.parse().ok().filter(|lanes| *lanes > 0),
        _ => return true,
    };
    let Some(value) = value else { return false };
    let link = interface.pcie.get_or_insert_with(PcieLink::default);
    match file {
        "current_link_speed" => link.speed_mtps = Some(value),
        "max_link_speed" => link.max_speed_mtps = Some(value),
        "current_link_width" => link.lanes = Some(value),
        _ => link.max_lanes = Some(value),
    }
    true
}

/// Returns the millions of transfers per second of `16.0 GT/s PCIe`; older kernels write `8 GT/s`.
fn speed_mtps(text: &str) -> Option<u32> {
    let (number, unit) = text.split_once(' ')?;
    if unit.split(' ').next() != Some("GT/s") {
        return None;
    }
    let (whole, part) = number.split_once('.').unwrap_or((number, "0"));
    let whole: u32 = whole.parse().ok()?;
    let digits = part.len() as u32;
    let part: u32 = part.parse().ok().filter(|_| digits <= 3)?;
    whole.checked_mul(1000)?.checked_add(part * 10u32.pow(3 - digits))
}

/// Returns the bits per second of `100 Gb/sec (4X EDR)` and `2.5 Gb/sec (1X SDR)`.
fn rate_bps(text: &str) -> Option<u64> {
    let (number, unit) = text.split_once(' ')?;
    let gbps: f64 = number.parse().ok().filter(|gbps| (0.1..1e6).contains(gbps))?;
    unit.starts_with("Gb/sec").then_some((gbps * 1e9) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_of_all_generations_are_read() {
        let check = |text, expected| assert_eq!(rate_bps(text), expected, "{text}");
        check("100 Gb/sec (4X EDR)", Some(100_000_000_000));
        check("2.5 Gb/sec (1X SDR)", Some(2_500_000_000));
        check("0 Gb/sec", None);
        check("100", None);
        check("nan Gb/sec", None);
    }

    #[test]
    fn speeds_of_all_generations_are_read() {
        let check = |text, expected| assert_eq!(speed_mtps(text), expected, "{text}");
        check("2.5 GT/s PCIe", Some(2_500));
        check("8 GT/s", Some(8_000));
        check("16.0 GT/s PCIe", Some(16_000));
        check("64.0 GT/s PCIe", Some(64_000));
        check("Unknown", None);
        check("Unknown speed", None);
        check("99999999.9 GT/s", None);
        check("1.0000001 GT/s", None);
    }

    #[test]
    fn a_remark_instead_of_a_counter_is_listed() {
        let path = "class/infiniband/mlx5_0/ports/1/counters/port_rcv_data";
        let (found, unreadable) = read(&[(path.to_string(), "N/A (no PMA)\n".to_string())].into());
        assert!(found.rdma_ports[0].counters.is_empty());
        assert_eq!(unreadable, [Unreadable { path: path.into(), text: "N/A (no PMA)".into() }]);
    }
}
