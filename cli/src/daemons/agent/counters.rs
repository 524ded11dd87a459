//! Counters of the host's NICs: read on an interval, shown as metrics, uploaded.

use std::time::Duration;

use host_agent::counters::report::TimedReading;
use host_agent::counters::{HostCounters, InterfaceCounters, RdmaPort};
use host_agent::linux::{CounterReader, Reading};
use proto::v1;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};
use tracing::{info, warn};
use web::Metric;

use crate::daemons::config::settings::Settings;
use crate::live_report::timed;

/// Maximum RDMA ports and interfaces that have metrics, each; further ones are uploaded only.
const SHOWN: usize = 32;
/// Counters of RDMA ports that are metrics: traffic, drops, congestion, retransmissions (mlx5's names; Linux kernel,
/// Documentation/ABI/stable/sysfs-class-infiniband, and NVIDIA's "Understanding mlx5 Linux Counters").
const RDMA_COUNTERS: [&str; 26] = [
    "link_downed",
    "link_error_recovery",
    "port_rcv_data",
    "port_rcv_errors",
    "port_rcv_packets",
    "port_xmit_data",
    "port_xmit_discards",
    "port_xmit_packets",
    "port_xmit_wait",
    "symbol_error",
    "duplicate_request",
    "implied_nak_seq_err",
    "local_ack_timeout_err",
    "np_cnp_sent",
    "np_ecn_marked_roce_packets",
    "out_of_buffer",
    "out_of_sequence",
    "packet_seq_err",
    "req_cqe_error",
    "resp_cqe_error",
    "rnr_nak_retry_err",
    "roce_adp_retrans",
    "roce_slow_restart",
    "rp_cnp_handled",
    "rp_cnp_ignored",
    "rx_icrc_encapsulated",
];

/// Reads the counters on the interval of the configuration, in a task that ends with the process. `None` if the
/// configuration wants no counters.
pub(super) fn start(settings: &Settings) -> Option<watch::Receiver<TimedReading>> {
    let interval_ms = settings.number("counters_interval_ms");
    let root = settings.path("sysfs").filter(|_| interval_ms > 0)?.to_path_buf();
    let (sender, receiver) = watch::channel(TimedReading::default());
    tokio::spawn(async move {
        let mut due = interval(Duration::from_millis(interval_ms));
        due.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut is_first = true;
        loop {
            due.tick().await;
            let from = root.clone();
            let read = tokio::task::spawn_blocking(move || timed(&CounterReader::new(from)));
            let Ok((timed, reading)) = read.await else { return };
            if std::mem::take(&mut is_first) {
                report(&root.display().to_string(), &timed.counters, &reading);
            }
            if sender.send(timed).is_err() {
                return;
            }
        }
    });
    Some(receiver)
}

/// Logs what the first reading has found.
fn report(root: &str, counters: &HostCounters, reading: &Reading) {
    let Reading { unreadable, left_out, .. } = reading;
    if counters.is_empty() {
        info!(
            root,
            "no NIC of this host has counters: no RDMA device, PCIe link, pause or priority statistics"
        );
        return;
    }
    info!(
        root,
        rdma_ports = counters.rdma_ports.len(),
        interfaces = counters.interfaces.len(),
        values_without_number = unreadable.len(),
        "counters are read"
    );
    for interface in counters.interfaces.iter().filter(|one| one.pcie.is_some_and(|pcie| pcie.is_degraded()))
    {
        warn!(
            interface = interface.name,
            pcie = ?interface.pcie,
            "the PCIe link is slower or narrower than the device permits"
        );
    }
    if *left_out > 0 {
        warn!(left_out, "a folder has more entries than are read; the last ones by name are left out");
    }
}

/// Returns the record of an upload: all values except for those that are 0. `None` without any.
pub(super) fn record(counters: &HostCounters) -> Option<v1::Counters> {
    let all = counters.flattened().into_iter().filter(|(_, value)| *value > 0);
    let counters: Vec<v1::Counter> =
        all.take(proto::limits::ITEMS).map(|(name, value)| v1::Counter { name, value }).collect();
    (!counters.is_empty()).then_some(v1::Counters { counters })
}

/// Returns the metrics, those of one name adjacent.
pub(super) fn metrics(counters: &HostCounters) -> Vec<Metric> {
    let ports = || counters.rdma_ports.iter().take(SHOWN);
    let interfaces = || counters.interfaces.iter().take(SHOWN);
    let mut all: Vec<Metric> = ports().flat_map(rdma_counters).collect();
    all.extend(ports().filter_map(|port| {
        let help = "1 while the port of the RDMA device is active";
        Some(labelled("agent_rdma_port_active", help, false, port_labels(port), u64::from(port.is_active?)))
    }));
    all.extend(interfaces().flat_map(pcie));
    all.sort_by_key(|metric| metric.name);
    all.extend(interfaces().flat_map(pauses));
    all.extend(interfaces().flat_map(priorities));
    all.extend(interfaces().flat_map(|interface| {
        interface.host.iter().map(|(name, value)| {
            let labels = vec![("interface", interface.name.clone()), ("counter", name.clone())];
            let help = "Drops, pauses and PCIe congestion of the NIC, by the driver's names";
            labelled("agent_nic_counter", help, true, labels, *value)
        })
    }));
    all
}

fn port_labels(port: &RdmaPort) -> Vec<(&'static str, String)> {
    vec![("device", port.device.clone()), ("port", port.port.to_string())]
}

fn rdma_counters(port: &RdmaPort) -> Vec<Metric> {
    let value = |name: &str| port.counters.get(name).or_else(|| port.hw_counters.get(name)).copied();
    let shown = RDMA_COUNTERS.iter().filter_map(|name| value(name).map(|value| (name, value)));
    let metric = |(name, value): (&&str, u64)| {
        let mut labels = port_labels(port);
        labels.push(("counter", name.to_string()));
        let help = "Counters of a port of an RDMA device, by the names in sysfs; data in words of 4 bytes";
        labelled("agent_rdma_counter", help, true, labels, value)
    };
    shown.map(metric).collect()
}

fn pcie(interface: &InterfaceCounters) -> Vec<Metric> {
    let Some(link) = &interface.pcie else { return Vec::new() };
    let labels = || vec![("interface", interface.name.clone())];
    let gauge = |name, help, value: Option<u32>| {
        value.map(|value| labelled(name, help, false, labels(), u64::from(value)))
    };
    let degraded = u32::from(link.is_degraded());
    [
        gauge("agent_pcie_degraded", "1 while the PCIe link is below the device's maximum", Some(degraded)),
        gauge("agent_pcie_lanes", "Lanes of the PCIe link", link.lanes),
        gauge(
            "agent_pcie_megatransfers_per_second",
            "Millions of transfers per second and lane of the PCIe link",
            link.speed_mtps,
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn pauses(interface: &InterfaceCounters) -> Vec<Metric> {
    let Some(pause) = &interface.pause else { return Vec::new() };
    let metric = |(direction, value): (&str, Option<u64>)| {
        let labels = vec![("interface", interface.name.clone()), ("direction", direction.to_string())];
        let help = "Pause frames of the whole link, without PFC";
        value.map(|value| labelled("agent_pause_frames", help, true, labels, value))
    };
    [("rx", pause.rx_frames), ("tx", pause.tx_frames)].into_iter().filter_map(metric).collect()
}

fn priorities(interface: &InterfaceCounters) -> Vec<Metric> {
    let mut all = Vec::new();
    for (priority, counters) in &interface.priorities {
        for (counter, value) in counters.named() {
            let labels = vec![
                ("interface", interface.name.clone()),
                ("priority", priority.to_string()),
                ("counter", counter.to_string()),
            ];
            let help = "PFC, drops and marks of the NIC for one priority";
            all.extend(value.map(|value| labelled("agent_priority_counter", help, true, labels, value)));
        }
    }
    all
}

/// Returns a metric with labels.
pub(super) fn labelled(
    name: &'static str,
    help: &'static str,
    is_counter: bool,
    labels: Vec<(&'static str, String)>,
    value: u64,
) -> Metric {
    Metric { name, help, is_counter, labels, value: i64::try_from(value).unwrap_or(i64::MAX) }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn recorded() -> HostCounters {
        let tree = Path::new(env!("CARGO_MANIFEST_DIR")).join("../host-agent/tests/mlx5");
        CounterReader::new(tree).read().counters
    }

    #[test]
    fn a_host_without_devices_has_no_metrics_and_no_record() {
        assert_eq!(metrics(&HostCounters::default()), Vec::new());
        assert_eq!(record(&HostCounters::default()), None);
    }

    #[test]
    fn metrics_of_one_name_are_adjacent() {
        let all = metrics(&recorded());
        let mut names: Vec<&str> =
            all.chunk_by(|a, b| a.name == b.name).map(|family| family[0].name).collect();
        let families = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), families);
        assert!(names.contains(&"agent_rdma_counter") && names.contains(&"agent_pcie_degraded"), "{names:?}");
    }

    #[test]
    fn series_are_bounded() {
        let port = recorded().rdma_ports.remove(0);
        let many = HostCounters { rdma_ports: vec![port; 1000], interfaces: Vec::new() };
        assert!(metrics(&many).len() <= SHOWN * (RDMA_COUNTERS.len() + 1));
    }

    #[test]
    fn values_of_0_are_not_uploaded() {
        let names: Vec<String> =
            record(&recorded()).unwrap().counters.into_iter().map(|counter| counter.name).collect();
        assert!(names.contains(&"rdma/mlx5_0/1/counters/port_rcv_data".to_string()), "{names:?}");
        assert!(!names.contains(&"rdma/mlx5_0/1/counters/port_rcv_errors".to_string()), "{names:?}");
    }
}
