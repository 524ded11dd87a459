//! The RNICs of a host, and what they and their PCIe links are rated for.

use model::host::HostInspection;

use crate::inspection::data_rate_mbps;

/// Payload of a PCIe transaction, of 128 bytes, as a share of what the link carries with its header of 20 bytes: the worst
/// setting, as in [`crate::husky`].
const PAYLOAD_SHARE: f64 = 128.0 / 148.0;

/// A port of an RDMA device, by sysfs (Linux, Documentation/ABI/stable/sysfs-class-infiniband).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RnicPort {
    /// The device, e.g. `mlx5_0`.
    pub device: String,
    /// Number of the port, from 1.
    pub port: u32,
    /// Whether it is active; absent if sysfs does not say.
    pub is_active: Option<bool>,
    /// Its rate in bits per second; absent if sysfs does not say.
    pub rate_bps: Option<u64>,
}

/// An RNIC that can be tested.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rnic {
    /// The device.
    pub name: String,
    /// The port that is tested: the first one that is active.
    pub port: u32,
    /// Its line rate in bits per second, if sysfs states it.
    pub line_rate_bps: Option<u64>,
    /// The payload that its PCIe link carries at the speed and width that the device permits, in bits per second.
    pub pcie_bps: Option<u64>,
}

impl Rnic {
    /// What an RNIC reaches if nothing is wrong: its line rate, or less if its PCIe link is rated for less.
    pub fn rated_bps(&self) -> Option<u64> {
        Some(self.line_rate_bps?.min(self.pcie_bps.unwrap_or(u64::MAX)))
    }
}

/// Returns the RNICs with an active port, by name, and why others are left out.
pub fn rnics(inspection: &HostInspection, ports: &[RnicPort]) -> (Vec<Rnic>, Vec<String>) {
    let mut found: Vec<Rnic> = Vec::new();
    let mut left_out = Vec::new();
    let mut devices: Vec<&str> = ports.iter().map(|port| port.device.as_str()).collect();
    devices.dedup();
    for device in devices {
        let mut of_device = ports.iter().filter(|port| port.device == device);
        match of_device.find(|port| port.is_active != Some(false)) {
            Some(port) => found.push(rnic(inspection, port)),
            None => left_out.push(format!("{device}: no port is active")),
        }
    }
    (found, left_out)
}

fn rnic(inspection: &HostInspection, port: &RnicPort) -> Rnic {
    let device = inspection.rdma.get(&port.device);
    let interface = device.and_then(|device| inspection.interfaces.get(device.interface.as_ref()?));
    let function = device.and_then(|device| inspection.pci.get(device.pci.as_ref()?));
    let of_interface = || interface?.speed_mbps.map(|mbps| u64::from(mbps) * 1_000_000);
    let rated_mbps =
        function.and_then(|function| data_rate_mbps(function.max_speed_mtps?, function.max_lanes?));
    Rnic {
        name: port.device.clone(),
        port: port.port,
        line_rate_bps: port.rate_bps.or_else(of_interface),
        pcie_bps: rated_mbps.map(|mbps| (mbps as f64 * 1e6 * PAYLOAD_SHARE) as u64),
    }
}

#[cfg(test)]
mod tests {
    use model::host::inspection::{HostInterface, PciFunction, RdmaDevice};

    use super::*;

    fn port(device: &str, port: u32, is_active: bool, rate_bps: Option<u64>) -> RnicPort {
        RnicPort { device: device.into(), port, is_active: Some(is_active), rate_bps }
    }

    /// `mlx5_0` of 100 Gb/s at a PCIe link that its device permits `mtps` and `lanes`.
    fn host(mtps: u32, lanes: u32) -> HostInspection {
        let function = PciFunction {
            max_speed_mtps: Some(mtps),
            max_lanes: Some(lanes),
            // A link that came up narrow is what the tests are to find.
            lanes: Some(1),
            ..PciFunction::default()
        };
        let device = RdmaDevice {
            pci: Some("0000:17:00.0".into()),
            interface: Some("eth1".into()),
            ..RdmaDevice::default()
        };
        HostInspection {
            interfaces: [(
                "eth1".into(),
                HostInterface { speed_mbps: Some(100_000), ..HostInterface::default() },
            )]
            .into(),
            rdma: [("mlx5_0".into(), device)].into(),
            pci: [("0000:17:00.0".into(), function)].into(),
            ..HostInspection::default()
        }
    }

    #[test]
    fn an_rnic_is_rated_for_its_line_rate_or_for_less_if_its_bus_is() {
        let check = |mtps, lanes, rate_bps, expected: u64| {
            let (found, left_out) = rnics(&host(mtps, lanes), &[port("mlx5_0", 1, true, rate_bps)]);
            assert!(left_out.is_empty());
            assert_eq!(found[0].rated_bps().map(|bps| bps / 1_000_000_000), Some(expected), "{found:?}");
        };
        check(16_000, 16, None, 100);
        check(16_000, 16, Some(200_000_000_000), 200);
        // PCIe 3.0 x8: 63 Gb/s with the headers.
        check(8_000, 8, None, 54);
    }

    #[test]
    fn ports_that_are_down_are_left_out_and_a_rate_may_be_unknown() {
        let ports =
            [port("mlx4_0", 1, false, None), port("mlx4_0", 2, true, None), port("mlx5_1", 1, false, None)];
        let (found, left_out) = rnics(&HostInspection::default(), &ports);
        assert_eq!((found[0].name.as_str(), found[0].port, found[0].rated_bps()), ("mlx4_0", 2, None));
        assert_eq!((found.len(), left_out), (1, vec!["mlx5_1: no port is active".to_string()]));
    }
}
