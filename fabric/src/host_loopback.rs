//! Loopback tests of a simulated host: what a test between the NIC and each memory would measure (Hostping, NSDI 2023).
//!
//! A host has two sockets, each with memory, and one NIC below a root port of the first one. The model limits the NIC and its
//! PCIe bus; memory and the link between the sockets are faster. A test and the traffic of services share the path equally, as
//! all traffic on the bus does. The test itself is no traffic of the simulation: it delays no packet.

use model::host::HostLoopback;
use model::host::loopback::{
    HostLink, HostNode, HostNodeKind, HostTopology, LoopbackPath, LoopbackTest, ServiceTraffic,
};
use model::{Rate, Time};

use crate::nic::receive::LoopbackCapacity;

/// The name of the only NIC of a simulated host.
pub(crate) const NIC: &str = "nic0";
/// The endpoints of tests.
const MEMORIES: [&str; 2] = ["memory0", "memory1"];

/// A test at time `at` of a host with a link of `line_rate`, while `service` crosses the bus towards the host.
pub(crate) fn test(at: Time, line_rate: Rate, capacity: LoopbackCapacity, service: Rate) -> HostLoopback {
    let carried = line_rate.min(capacity.nic).min(capacity.bus.rate);
    let service = service.min(Rate(carried.0 / 2));
    // The NIC could write at `limit`; in the rest of the time the bus takes nothing.
    let limit = line_rate.min(capacity.nic);
    let stalled_share = 1.0 - carried.0 as f64 / limit.0.max(1) as f64;
    let path = |memory: &str| LoopbackPath {
        nic: NIC.to_string(),
        endpoint: memory.to_string(),
        bandwidth_bps: carried.0 - service.0,
        baseline_bandwidth_bps: line_rate.0,
        stalled_share: Some(if limit.0 == 0 { 0.0 } else { stalled_share }),
        ..LoopbackPath::default()
    };
    let is_busy = service.0 > 0;
    let traffic = ServiceTraffic { nic: NIC.to_string(), bits_per_s: service.0 };
    let test = LoopbackTest {
        time_ns: at.as_ns(),
        busy: is_busy.then(|| NIC.to_string()).into_iter().collect(),
        service: is_busy.then_some(traffic).into_iter().collect(),
        paths: MEMORIES.into_iter().map(path).collect(),
        utilisation: Vec::new(),
    };
    HostLoopback { topology: topology(), tests: vec![test] }
}

fn topology() -> HostTopology {
    let nodes = [
        (NIC, HostNodeKind::Nic),
        ("root0", HostNodeKind::PcieSwitch),
        ("socket0", HostNodeKind::Socket),
        ("socket1", HostNodeKind::Socket),
        (MEMORIES[0], HostNodeKind::Memory),
        (MEMORIES[1], HostNodeKind::Memory),
    ];
    let links = [
        ("pcie0", NIC, "root0"),
        ("port0", "root0", "socket0"),
        ("sockets", "socket0", "socket1"),
        ("channel0", "socket0", MEMORIES[0]),
        ("channel1", "socket1", MEMORIES[1]),
    ];
    let node = |(name, kind): (&str, HostNodeKind)| HostNode { name: name.to_string(), kind };
    let link = |(name, a, b): (&str, &str, &str)| HostLink {
        name: name.to_string(),
        between: [a.to_string(), b.to_string()],
    };
    HostTopology { nodes: nodes.map(node).into(), links: links.map(link).into() }
}

#[cfg(test)]
mod tests {
    use scenario::nic::HostBus;

    use super::*;

    /// Checks bandwidth in Gb/s and stalled share of a test at a link of 100 Gb/s.
    #[track_caller]
    fn check((nic, bus, loopback): (u64, u64, u64), service: u64, bandwidth: u64, stalled_share: f64) {
        let bus = HostBus { rate: Rate::from_gbps(bus), loopback: Rate::from_gbps(loopback) };
        let capacity = LoopbackCapacity { nic: Rate::from_gbps(nic), bus };
        let found = test(Time::ZERO, Rate::from_gbps(100), capacity, Rate::from_gbps(service));
        let test = &found.tests[0];
        assert_eq!(test.busy.is_empty(), service == 0);
        for path in &test.paths {
            assert_eq!(path.bandwidth_bps, bandwidth * 1_000_000_000, "{path:?}");
            assert!((path.stalled_share.unwrap() - stalled_share).abs() < 1e-9, "{path:?}");
        }
    }

    #[test]
    fn a_test_measures_what_nic_and_bus_leave() {
        check((100, 126, 0), 0, 100, 0.0);
        check((100, 126, 0), 30, 70, 0.0);
        check((100, 40, 0), 0, 40, 0.6);
        // Test and service have equal shares of a bus that is full.
        check((100, 40, 0), 40, 20, 0.6);
        check((100, 120, 60), 110, 50, 0.0);
        check((25, 126, 0), 10, 15, 0.0);
        check((0, 126, 0), 0, 0, 0.0);
    }
}
