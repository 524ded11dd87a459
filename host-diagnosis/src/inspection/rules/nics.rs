//! The NICs that rules concern.

use model::host::inspection::{HostInspection, PciFunction, PciKind};

/// Returns the PCIe functions of the NICs that carry RDMA, with address; of all NICs if the input names no RDMA device.
pub(super) fn functions(host: &HostInspection) -> Vec<(&str, &PciFunction)> {
    let addresses: Vec<&str> = if host.rdma.is_empty() {
        let of_interfaces = host.interfaces.values().filter_map(|interface| interface.pci.as_deref());
        let nics = host.pci.iter().filter(|(_, function)| function.kind == Some(PciKind::Nic));
        let mut all: Vec<&str> = of_interfaces.chain(nics.map(|(address, _)| address.as_str())).collect();
        all.sort_unstable();
        all.dedup();
        all
    } else {
        host.rdma.values().filter_map(|device| device.pci.as_deref()).collect()
    };
    addresses.into_iter().filter_map(|address| Some((address, host.pci.get(address)?))).collect()
}

/// The GPUs, with address.
pub(super) fn gpus(host: &HostInspection) -> impl Iterator<Item = (&str, &PciFunction)> {
    let gpus = host.pci.iter().filter(|(_, function)| function.kind == Some(PciKind::Gpu));
    gpus.map(|(address, function)| (address.as_str(), function))
}

/// The bridges above a function, from the root port down.
pub(super) fn bridges_above<'h>(host: &'h HostInspection, address: &str) -> Vec<(&'h str, &'h PciFunction)> {
    let Some((domain, bus)) = bus(address) else { return Vec::new() };
    let mut above: Vec<(&str, &PciFunction, u8)> = host
        .pci
        .iter()
        .filter_map(|(bridge, function)| {
            let (first, last) = function.buses?;
            let is_above = self::bus(bridge)?.0 == domain && (first..=last).contains(&bus);
            is_above.then_some((bridge.as_str(), function, last - first))
        })
        .collect();
    above.sort_by(|a, b| b.2.cmp(&a.2).then_with(|| bus_number(a.0).cmp(&bus_number(b.0))));
    above.into_iter().map(|(bridge, function, _)| (bridge, function)).collect()
}

/// Domain and bus of an address.
fn bus(address: &str) -> Option<(&str, u8)> {
    let (domain, rest) = address.split_once(':')?;
    let (bus, _) = rest.split_once(':')?;
    Some((domain, u8::from_str_radix(bus, 16).ok()?))
}

fn bus_number(address: &str) -> u8 {
    bus(address).map_or(0, |(_, bus)| bus)
}

/// The interface or RDMA device of a function, for messages; its address if it has neither.
pub(super) fn name_of<'h>(host: &'h HostInspection, address: &'h str) -> &'h str {
    let is_here = |pci: &Option<String>| pci.as_deref() == Some(address);
    let interface = host.interfaces.iter().find(|(_, interface)| is_here(&interface.pci));
    let device = host.rdma.iter().find(|(_, device)| is_here(&device.pci));
    interface.map(|(name, _)| name.as_str()).or(device.map(|(name, _)| name.as_str())).unwrap_or(address)
}
