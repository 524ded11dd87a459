//! Reports for tests: an RNIC that pauses, and the host of figure 2 of the Hostping paper.
#![allow(dead_code, reason = "each suite uses a part")]

use host_diagnosis::{CheckResult, Fabric, HostDiagnosis, HostFinding, diagnose};
use model::host::counters::{NicCounters, PriorityPauses, RnicCounters, WireCounters};
use model::host::loopback::{HostLink, HostNode, HostNodeKind, HostTopology, LoopbackPath};
use model::{Cause, HostReport};

pub(crate) const SECOND_NS: u64 = 1_000_000_000;

/// The report of `h3` about one second, with an RNIC of 100 Gb/s that receives packets.
pub(crate) fn report() -> HostReport {
    let nic = NicCounters {
        nic: "mlx5_0".to_string(),
        line_rate_bps: 100_000_000_000,
        wire: Some(WireCounters {
            received_bytes: 5_000_000_000,
            received_packets: 5_000_000,
            ..WireCounters::default()
        }),
        ..NicCounters::default()
    };
    HostReport { counters: Some(RnicCounters { nics: vec![nic] }), ..HostReport::new("h3", SECOND_NS) }
}

pub(crate) fn nic(report: &mut HostReport) -> &mut NicCounters {
    &mut report.counters.as_mut().expect("the report has counters").nics[0]
}

/// Lets the RNIC pause priority 3 for this time in total and at most this time without a break.
pub(crate) fn pause(report: &mut HostReport, paused_ns: u64, longest_ns: u64) {
    nic(report).sent_pauses = vec![PriorityPauses {
        priority: 3,
        frames: 1 + paused_ns / 336_000,
        paused_ns: Some(paused_ns),
        longest_ns: Some(longest_ns),
    }];
}

/// Diagnoses and checks that every record of every finding is in the report.
pub(crate) fn diagnosed(report: &HostReport, fabric: &Fabric) -> HostDiagnosis {
    assert_eq!(host_diagnosis::problems(report), [], "the fixture is consistent");
    let diagnosis = diagnose(report, fabric);
    let json = serde_json::to_value(report).unwrap();
    for claim in diagnosis.findings.iter().flat_map(|finding| &finding.evidence) {
        for pointer in &claim.records {
            assert!(json.pointer(pointer).is_some(), "{}: no {pointer} in the report", claim.claim);
        }
    }
    diagnosis
}

/// The findings that name a cause.
pub(crate) fn with_cause(diagnosis: &HostDiagnosis) -> Vec<&HostFinding> {
    diagnosis.findings.iter().filter(|finding| finding.cause != Cause::Undetermined).collect()
}

pub(crate) fn causes(report: &HostReport, fabric: &Fabric) -> Vec<Cause> {
    let diagnosis = diagnosed(report, fabric);
    with_cause(&diagnosis).iter().map(|finding| finding.cause).collect()
}

pub(crate) fn result_of(diagnosis: &HostDiagnosis, detector: &str) -> CheckResult {
    let check = diagnosis.checks.iter().find(|check| check.detector == detector);
    check.unwrap_or_else(|| panic!("no detector {detector}")).result
}

/// Figure 2 of the Hostping paper: two sockets, four root ports, each with one RNIC of 200 Gb/s and two GPUs.
pub(crate) fn figure_2() -> HostTopology {
    let mut topology = HostTopology::default();
    let mut node = |name: String, kind| topology.nodes.push(HostNode { name, kind });
    let mut links = vec![("upi".to_string(), "socket0".to_string(), "socket1".to_string())];
    for socket in 0..2 {
        node(format!("socket{socket}"), HostNodeKind::Socket);
        node(format!("memory{socket}"), HostNodeKind::Memory);
        links.push((format!("mem{socket}"), format!("socket{socket}"), format!("memory{socket}")));
    }
    for port in 0..4 {
        node(format!("switch{port}"), HostNodeKind::PcieSwitch);
        links.push((format!("rp{port}"), format!("socket{}", port / 2), format!("switch{port}")));
        node(format!("RNIC{port}"), HostNodeKind::Nic);
        links.push((format!("rnic{port}"), format!("switch{port}"), format!("RNIC{port}")));
        for gpu in [2 * port, 2 * port + 1] {
            node(format!("GPU{gpu}"), HostNodeKind::Gpu);
            links.push((format!("gpu{gpu}"), format!("switch{port}"), format!("GPU{gpu}")));
        }
    }
    topology.links = links.into_iter().map(|(name, a, b)| HostLink { name, between: [a, b] }).collect();
    topology
}

/// Baseline of a path in bits per second and nanoseconds: line rate and 1 us to affinitive endpoints; 125.5 Gb/s and
/// 2.2 us through the root complex, 116.4 Gb/s and 0.2 us more between sockets (figure 4).
pub(crate) fn baseline(nic: usize, endpoint: &str) -> (u64, u64) {
    match endpoint.strip_prefix("GPU").and_then(|gpu| gpu.parse::<usize>().ok()) {
        None => (195_000_000_000, 1_000),
        Some(gpu) if gpu / 2 == nic => (195_000_000_000, 1_000),
        Some(gpu) if gpu / 4 == nic / 2 => (125_500_000_000, 2_200),
        Some(_) => (116_400_000_000, 2_400),
    }
}

/// All 40 paths, or only the 16 affinitive ones, at their baselines.
pub(crate) fn paths(only_affinitive: bool) -> Vec<LoopbackPath> {
    let endpoints: Vec<String> =
        (0..8).map(|g| format!("GPU{g}")).chain((0..2).map(|m| format!("memory{m}"))).collect();
    let mut paths = Vec::new();
    for nic in 0..4 {
        for endpoint in &endpoints {
            let (bandwidth, latency) = baseline(nic, endpoint);
            if only_affinitive && bandwidth < 190_000_000_000 {
                continue;
            }
            paths.push(LoopbackPath {
                nic: format!("RNIC{nic}"),
                endpoint: endpoint.clone(),
                bandwidth_bps: bandwidth,
                baseline_bandwidth_bps: bandwidth,
                latency_ns: Some(latency),
                baseline_latency_ns: Some(latency),
                stalled_share: None,
            });
        }
    }
    paths
}
