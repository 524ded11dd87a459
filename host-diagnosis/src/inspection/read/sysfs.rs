//! Files below `/sys`: network interfaces, RDMA devices, PCIe functions, NUMA nodes and page sizes (Linux kernel,
//! Documentation/ABI: sysfs-class-net, sysfs-class-infiniband, sysfs-bus-pci, sysfs-devices-node), and the DCQCN
//! settings of mlx5 (`/sys/class/net/DEV/ecn`).

use model::host::inspection::PciKind;

use super::lspci::millions;
use super::recorder::{Line, Recorder};
use super::roce_tos;

/// Reads a file by its path below `/sys`. Returns whether it is known.
pub(super) fn read(path: &[&str], text: &str, out: &mut Recorder) -> bool {
    let line = Line { number: 1, text: text.lines().next().unwrap_or_default() };
    match path {
        ["class", "net", name, rest @ ..] => interface(name, rest, line, text, out),
        ["class", "infiniband", name, rest @ ..] => rdma(name, rest, line, text, out),
        ["bus", "pci", "devices", address, file @ ..] => pci(address, &file.join("/"), line, out),
        ["devices", "system", "node", node, file] => numa(node, file, line, out),
        ["kernel", "mm", "transparent_hugepage", "enabled"] => {
            // `always [madvise] never`
            let chosen = line.text.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
            out.reading.inspection.memory.transparent_huge_pages = chosen.map(|(word, _)| word.to_string());
            out.here("memory/transparent_huge_pages".into());
            true
        }
        ["kernel", "config", "rdma_cm", device, "ports", "1", "default_roce_tos"] => {
            roce_tos::read(device, text, out);
            true
        }
        _ => false,
    }
}

/// Reads a number; reports a problem if the text is none.
fn number<T: std::str::FromStr>(line: Line<'_>, out: &mut Recorder) -> Option<T> {
    let value = line.text.trim();
    let number = value.parse().ok();
    if number.is_none() {
        out.problem(line, line.text, format!("`{value}` is not a number in the range of this value"));
    }
    number
}

fn interface(name: &str, path: &[&str], line: Line<'_>, text: &str, out: &mut Recorder) -> bool {
    let item = |field: &str| format!("interfaces/{name}/{field}");
    match path {
        ["mtu"] => {
            let mtu = number(line, out);
            out.interface(name).mtu_bytes = mtu;
            out.here(item("mtu_bytes"));
        }
        ["speed"] => {
            // -1 while the link is down.
            let speed: Option<i64> = number(line, out);
            out.interface(name).speed_mbps = speed.and_then(|speed| u32::try_from(speed).ok());
            out.here(item("speed_mbps"));
        }
        ["device", "numa_node"] => {
            let node = number(line, out);
            out.interface(name).numa_node = node;
            out.here(item("numa_node"));
        }
        ["device", "uevent"] => {
            let (driver, address) = uevent(text);
            let record = out.interface(name);
            record.pci = address.map(str::to_string).or(record.pci.take());
            record.driver = driver.map(str::to_string).or(record.driver.take());
            out.here(item("pci"));
        }
        ["device", file @ ..] => {
            // A tree without `uevent` files has no addresses; the name of the interface stands for one.
            let address = out.interface(name).pci.get_or_insert_with(|| name.to_string()).clone();
            return pci(&address, &file.join("/"), line, out);
        }
        ["ecn", side @ ("roce_np" | "roce_rp"), "enable", priority] => {
            let Some(priority) = priority.parse::<u8>().ok().filter(|priority| *priority < 8) else {
                return false;
            };
            let state: Option<u8> = number(line, out);
            let dcqcn = out.dcqcn(name);
            let (list, field) = match *side {
                "roce_np" => (&mut dcqcn.notification_priorities, "notification_priorities"),
                _ => (&mut dcqcn.reaction_priorities, "reaction_priorities"),
            };
            let list = list.get_or_insert_default();
            if state == Some(1) {
                list.push(priority);
            }
            out.here(item(&format!("dcqcn/{field}")));
        }
        ["ecn", side @ ("roce_np" | "roce_rp"), parameter] => {
            // Parameters differ between versions of the driver; one that is no number is no setting of DCQCN.
            let Ok(value) = line.text.trim().parse() else { return false };
            out.dcqcn(name).parameters.insert(format!("{side}/{parameter}"), value);
            out.here(item(&format!("dcqcn/parameters/{side}/{parameter}")));
        }
        _ => return false,
    }
    true
}

/// Returns driver and PCIe address of a `uevent` file.
fn uevent(text: &str) -> (Option<&str>, Option<&str>) {
    let value = |key: &str| text.lines().find_map(|line| line.trim().strip_prefix(key)?.strip_prefix('='));
    (value("DRIVER"), value("PCI_SLOT_NAME"))
}

fn rdma(name: &str, path: &[&str], line: Line<'_>, text: &str, out: &mut Recorder) -> bool {
    let item = |field: &str| format!("rdma/{name}/{field}");
    let value = line.text.trim().to_string();
    match path {
        ["fw_ver"] => {
            out.rdma(name).firmware = Some(value);
            out.here(item("firmware"));
        }
        ["board_id"] => {
            out.rdma(name).board = Some(value);
            out.here(item("board"));
        }
        ["ports", "1", "gid_attrs", "ndevs", "0"] => {
            out.rdma(name).interface = Some(value).filter(|value| !value.is_empty());
            out.here(item("interface"));
        }
        ["device", "uevent"] => {
            out.rdma(name).pci = uevent(text).1.map(str::to_string);
            out.here(item("pci"));
        }
        ["tc", "1", "traffic_class"] => roce_tos::traffic_class(name, text, out),
        _ => return false,
    }
    true
}

fn pci(address: &str, file: &str, line: Line<'_>, out: &mut Recorder) -> bool {
    let text = line.text.trim();
    let function = out.pci(address);
    let field = match file {
        "current_link_speed" => {
            function.speed_mtps = speed(text);
            "speed_mtps"
        }
        "max_link_speed" => {
            function.max_speed_mtps = speed(text);
            "max_speed_mtps"
        }
        "current_link_width" => {
            function.lanes = lanes(text);
            "lanes"
        }
        "max_link_width" => {
            function.max_lanes = lanes(text);
            "max_lanes"
        }
        "numa_node" => {
            function.numa_node = text.parse().ok();
            "numa_node"
        }
        "class" => {
            function.kind = kind(text);
            "kind"
        }
        "iommu_group/type" => {
            function.iommu = Some(text.to_string());
            "iommu"
        }
        _ => return false,
    };
    out.here(format!("pci/{address}/{field}"));
    true
}

/// Millions of transfers of `16.0 GT/s PCIe`; older kernels write `8 GT/s`. `Unknown` has none.
fn speed(text: &str) -> Option<u32> {
    let (number, unit) = text.split_once(' ')?;
    unit.starts_with("GT/s").then(|| millions(number))?
}

/// A width of 0 or 255 stands for no link.
fn lanes(text: &str) -> Option<u32> {
    text.parse().ok().filter(|lanes| (1..=32).contains(lanes))
}

/// The kind by class code (PCI Code and ID Assignment Specification): `0x020000` is an Ethernet controller.
fn kind(text: &str) -> Option<PciKind> {
    let code = u32::from_str_radix(text.strip_prefix("0x")?, 16).ok()?;
    match code >> 8 {
        0x0200 | 0x0207 => Some(PciKind::Nic),
        0x0300 | 0x0302 | 0x0380 | 0x1200 => Some(PciKind::Gpu),
        0x0604 => Some(PciKind::Bridge),
        _ => None,
    }
}

fn numa(node: &str, file: &str, line: Line<'_>, out: &mut Recorder) -> bool {
    let Some(node) = node.strip_prefix("node").filter(|node| node.parse::<u32>().is_ok()) else {
        return false;
    };
    let text = line.text.trim();
    let record = out.reading.inspection.numa.entry(node.to_string()).or_default();
    match file {
        "cpulist" => {
            record.cpus = Some(text.to_string());
            out.here(format!("numa/{node}/cpus"));
        }
        "distance" => {
            record.distances = text.split_whitespace().filter_map(|number| number.parse().ok()).collect();
            out.here(format!("numa/{node}/distances"));
        }
        _ => return false,
    }
    true
}
