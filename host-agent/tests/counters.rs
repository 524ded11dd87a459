//! Counters of a recorded tree of sysfs, and of this machine.
#![cfg(feature = "linux")]

use std::collections::BTreeSet;
use std::path::Path;

use harrier_host_agent::counters::{HostCounters, PcieLink};
use harrier_host_agent::linux::{CounterReader, Reading};

fn recorded() -> Reading {
    CounterReader::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mlx5")).read()
}

#[test]
fn a_recorded_tree_of_mlx5_has_ports_and_a_degraded_pcie_link() {
    let Reading { counters: HostCounters { rdma_ports, interfaces }, .. } = recorded();
    let [active, down] = rdma_ports.as_slice() else { panic!("{rdma_ports:?}") };
    assert_eq!((active.device.as_str(), active.port, active.is_active), ("mlx5_0", 1, Some(true)));
    assert_eq!(active.interface.as_deref(), Some("enp65s0np0"));
    assert_eq!(active.counters["port_rcv_data"], 25_183_746);
    assert_eq!(active.hw_counters["out_of_sequence"], 17);
    assert!(!active.hw_counters.contains_key("lifespan"), "a setting is no counter");
    assert_eq!((down.is_active, &down.interface), (Some(false), &None));
    let [interface] = interfaces.as_slice() else { panic!("{interfaces:?}") };
    let expected = PcieLink {
        speed_mtps: Some(8_000),
        lanes: Some(16),
        max_speed_mtps: Some(16_000),
        max_lanes: Some(16),
    };
    assert_eq!((interface.name.as_str(), interface.pcie), ("enp65s0np0", Some(expected)));
    assert!(expected.is_degraded());
}

#[test]
fn a_recorded_tree_of_bnxt_has_pauses_of_priorities() {
    let tree = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bnxt");
    let HostCounters { rdma_ports, interfaces } = CounterReader::new(tree).read().counters;
    assert_eq!(rdma_ports[0].interface.as_deref(), Some("ens2f0np0"));
    let [interface] = interfaces.as_slice() else { panic!("{interfaces:?}") };
    let of_3 = interface.priorities[&3];
    assert_eq!((of_3.tx_pause_frames, of_3.tx_pause_us), (Some(340), Some(4_100)));
    assert_eq!((of_3.rx_pause_frames, of_3.rx_pause_us), (Some(12), Some(95)));
    assert_eq!(interface.host["rx_total_frames"], 88_120);
    assert_eq!(interface.pcie.map(|link| link.is_degraded()), Some(false));
}

#[test]
fn counters_without_a_value_are_listed() {
    let paths: Vec<String> = recorded().unreadable.into_iter().map(|file| file.path).collect();
    assert_eq!(paths, ["class/infiniband/mlx5_0/ports/1/counters/VL15_dropped"]);
}

#[test]
fn values_have_the_names_of_uploads() {
    let all = recorded().counters.flattened();
    let value = |name: &str| all.iter().find(|(found, _)| found == name).map(|(_, value)| *value);
    assert_eq!(value("rdma/mlx5_0/1/hw_counters/np_cnp_sent"), Some(5_210));
    assert_eq!(value("net/enp65s0np0/pcie/speed_mtps"), Some(8_000));
    let names: BTreeSet<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names.len(), all.len(), "names are unique");
}

#[test]
fn a_tree_without_devices_is_empty() {
    let reading = CounterReader::new(env!("CARGO_MANIFEST_DIR")).read();
    assert_eq!(reading, Reading::default());
}

#[test]
fn this_machine_can_be_read() {
    // The kernel replies for every interface, also for those that count no pauses.
    let reading = CounterReader::new("/sys").read();
    for interface in &reading.counters.interfaces {
        assert_ne!(interface.name, "lo", "the loopback interface has no NIC: {interface:?}");
    }
}
