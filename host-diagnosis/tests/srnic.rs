//! SRNIC: connection scaling with evidence, and waste of go-back-N.

use host_diagnosis::{CheckResult, Fabric, FabricState, HostFinding, diagnose};
use model::host::HostWorkload;
use model::host::RnicCounters;
use model::host::counters::{CacheCounters, Misses, NicCounters, PcieCounters, PriorityPauses, WireCounters};
use model::host::transport::{ConnectionScaling, LossRecovery, Retransmission};
use model::telemetry::FlowRecord;
use model::{Cause, HostReport};

#[track_caller]
fn check(report: &HostReport, detector: &str, expected: CheckResult) -> Option<HostFinding> {
    let diagnosis = diagnose(report, &Fabric::new(FabricState::Clean));
    let of_detector = diagnosis.checks.iter().find(|check| check.detector == detector).unwrap();
    assert_eq!(of_detector.result, expected, "{of_detector:?}");
    diagnosis.findings.into_iter().find(|finding| finding.detector == detector)
}

/// A second of a NIC that sends `gbps` and reads `extra_gbps` more over PCIe.
fn nic(gbps: f64, extra_gbps: f64, icm: Option<Misses>) -> NicCounters {
    let bytes = |gbps: f64| (gbps * 1e9 / 8.0) as u64;
    NicCounters {
        nic: "mlx5_0".to_string(),
        line_rate_bps: 100_000_000_000,
        wire: Some(WireCounters { sent_bytes: bytes(gbps), ..WireCounters::default() }),
        pcie: Some(PcieCounters {
            capacity_bps: 128_000_000_000,
            to_nic_bytes: bytes(gbps + extra_gbps),
            to_host_bytes: 0,
        }),
        caches: Some(CacheCounters { icm, ..CacheCounters::default() }),
        ..NicCounters::default()
    }
}

fn scaling(queue_pairs: u32, gbps: f64, nic: NicCounters) -> HostReport {
    let scaling = ConnectionScaling {
        nic: "mlx5_0".to_string(),
        queue_pairs,
        message_bytes: Some(512),
        bits_per_s: gbps * 1e9,
        usual_bits_per_s: 97e9,
        usual_extra_pcie_bits_per_s: Some(4e9),
    };
    HostReport {
        counters: Some(RnicCounters { nics: vec![nic] }),
        workload: Some(HostWorkload { scaling: vec![scaling], ..HostWorkload::default() }),
        ..HostReport::new("h1", 1_000_000_000)
    }
}

fn icm(misses: u64) -> Option<Misses> {
    Some(Misses { misses, lookups: None, usual_misses: Some(10_000) })
}

#[test]
fn sr_2_16384_queue_pairs_at_52_of_97_gbps_with_cache_misses_thrash() {
    let report = scaling(16_384, 52.0, nic(52.0, 25.0, icm(4_000_000)));
    let found = check(&report, "qp_cache_thrash", CheckResult::Found).unwrap();
    assert_eq!((found.cause, found.confidence), (Cause::QpCacheThrash, 0.95));
    assert_eq!(
        found.summary,
        "mlx5_0 fetches connection contexts over PCIe: throughput is 46 % below that with few queue pairs"
    );
}

#[test]
fn sr_2_the_same_number_of_queue_pairs_with_flat_counters_is_not_the_cause() {
    check(&scaling(16_384, 52.0, nic(52.0, 4.0, icm(11_000))), "qp_cache_thrash", CheckResult::Clean);
    check(&scaling(16_384, 52.0, nic(52.0, 4.0, icm(4_000_000))), "qp_cache_thrash", CheckResult::Clean);
    check(&scaling(60_000, 96.0, nic(96.0, 25.0, icm(4_000_000))), "qp_cache_thrash", CheckResult::Clean);
}

#[test]
fn sr_2_a_number_of_queue_pairs_without_counters_is_no_evidence() {
    check(&scaling(16_384, 52.0, nic(52.0, 25.0, None)), "qp_cache_thrash", CheckResult::MissingEvidence);
    let no_usual = Some(Misses { misses: 4_000_000, lookups: None, usual_misses: None });
    check(&scaling(16_384, 52.0, nic(52.0, 25.0, no_usual)), "qp_cache_thrash", CheckResult::MissingEvidence);
}

/// An RNIC that pauses its switch for 50 ms of a second, misses contexts and translations, and waits for host memory.
fn waiting(waited_ms: u64, icm: u64, mtt: u64) -> HostReport {
    let misses = |misses| Some(Misses { misses, lookups: Some(5_000_000), usual_misses: None });
    let mut nic = nic(10.0, 0.0, misses(icm));
    nic.caches.as_mut().unwrap().mtt = misses(mtt);
    nic.waited_reads_ns = Some(waited_ms * 1_000_000);
    let paused_ns = Some(50_000_000);
    nic.sent_pauses = vec![PriorityPauses { priority: 3, frames: 900, paused_ns, longest_ns: None }];
    HostReport { counters: Some(RnicCounters { nics: vec![nic] }), ..HostReport::new("h1", 1_000_000_000) }
}

fn causes(report: &HostReport, fabric: &Fabric) -> Vec<Cause> {
    let found = diagnose(report, fabric).findings.into_iter().map(|finding| finding.cause);
    found.filter(|cause| *cause != Cause::Undetermined).collect()
}

#[test]
fn a_receive_pipeline_that_waits_for_contexts_while_its_rnic_pauses_thrashes() {
    let paused = Fabric::paused_by("h1");
    assert_eq!(causes(&waiting(45, 900_000, 0), &paused), [Cause::QpCacheThrash]);
    // As many misses that take next to no time, and time that translations take.
    assert_eq!(causes(&waiting(2, 900_000, 0), &paused), []);
    assert_eq!(causes(&waiting(45, 900, 900_000), &paused), []);
    // Another host pauses, or the fabric explains the delay.
    assert_eq!(causes(&waiting(45, 900_000, 0), &Fabric::paused_by("h9")), []);
    assert_eq!(causes(&waiting(45, 900_000, 0), &Fabric::new(FabricState::Congested)), []);
}

#[test]
fn waiting_for_contexts_without_pauses_counts_in_a_clean_fabric() {
    let mut report = waiting(31, 900_000, 0);
    report.counters.as_mut().unwrap().nics[0].sent_pauses.clear();
    assert_eq!(causes(&report, &Fabric::clean()), [Cause::QpCacheThrash]);
    // The switch recorded pauses of this host before the interval.
    assert_eq!(causes(&report, &Fabric::paused_by("h1")), [Cause::QpCacheThrash]);
    assert_eq!(causes(&report, &Fabric::paused_by("h9")), []);
    report.counters.as_mut().unwrap().nics[0].waited_reads_ns = Some(29_000_000);
    assert_eq!(causes(&report, &Fabric::clean()), []);
}

fn record(epoch: u64, psn_first: u32, psn_last: u32, packets: u64) -> FlowRecord {
    FlowRecord {
        flow: "10.0.0.1:10000>10.0.0.2:4791/udp".parse().unwrap(),
        epoch,
        ingress_port: Some(1),
        egress_port: 2,
        priority: Some(3),
        packets,
        bytes: None,
        queued_packets: None,
        depth_sum: 0,
        paused_packets: 0,
        psn_first,
        psn_last,
        seen_ns: None,
        queued_ns: None,
        evicted: false,
    }
}

/// Raw 97 Gb/s and 25 Gb/s of goodput at a loss of 1 %.
fn lossy(records: Vec<FlowRecord>) -> Retransmission {
    Retransmission {
        flow: "10.0.0.1:10000>10.0.0.2:4791/udp".parse().unwrap(),
        raw_bits_per_s: 97e9,
        goodput_bits_per_s: 25e9,
        loss_ratio: Some(0.01),
        recovery: LossRecovery::GoBackN,
        is_lossless: Some(false),
        records,
    }
}

fn retransmissions(connection: Retransmission) -> HostReport {
    let workload = HostWorkload { retransmissions: vec![connection], ..HostWorkload::default() };
    HostReport { workload: Some(workload), ..HostReport::new("h1", 1_000_000_000) }
}

#[test]
fn sr_3_raw_97_and_goodput_25_are_74_percent_waste_that_sequence_ranges_confirm() {
    // Each epoch goes back by three quarters of what it sends.
    let records =
        (0..8).map(|epoch| record(epoch, epoch as u32 * 250, epoch as u32 * 250 + 999, 1_000)).collect();
    let found = check(&retransmissions(lossy(records)), "go_back_n_waste", CheckResult::Found).unwrap();
    assert_eq!((found.cause, found.confidence), (Cause::GoBackNWaste, 0.95));
    assert!(found.summary.starts_with("74 % of the throughput"), "{}", found.summary);
    assert_eq!(
        found.evidence[1].claim,
        "at least 5250 of 8000 packets repeat a sequence number; 7 ranges begin before the end of an earlier one"
    );
}

#[test]
fn sr_3_without_a_record_of_a_switch_the_waste_is_less_certain() {
    let found = check(&retransmissions(lossy(Vec::new())), "go_back_n_waste", CheckResult::Found).unwrap();
    assert_eq!((found.confidence, found.missing.len()), (0.7, 1));
}

#[test]
fn sr_3_sequence_numbers_in_order_refute_the_waste() {
    let records =
        (0..8).map(|epoch| record(epoch, epoch as u32 * 1000, epoch as u32 * 1000 + 999, 1_000)).collect();
    check(&retransmissions(lossy(records)), "go_back_n_waste", CheckResult::Clean);
}

#[test]
fn goodput_near_the_raw_throughput_and_selective_repeat_are_no_waste() {
    check(
        &retransmissions(Retransmission { goodput_bits_per_s: 93e9, ..lossy(vec![]) }),
        "go_back_n_waste",
        CheckResult::Clean,
    );
    let selective =
        Retransmission { recovery: LossRecovery::SelectiveRepeat, goodput_bits_per_s: 75e9, ..lossy(vec![]) };
    check(&retransmissions(selective.clone()), "go_back_n_waste", CheckResult::Clean);
    check(&retransmissions(selective), "lossy_go_back_n", CheckResult::Clean);
    let unknown = Retransmission { loss_ratio: None, ..lossy(vec![]) };
    check(&retransmissions(unknown), "go_back_n_waste", CheckResult::MissingEvidence);
}

#[test]
fn go_back_n_on_a_class_without_pfc_is_an_error_and_on_a_lossless_one_is_not() {
    check(&retransmissions(lossy(vec![])), "lossy_go_back_n", CheckResult::Found);
    let lossless = Retransmission { is_lossless: Some(true), ..lossy(vec![]) };
    check(&retransmissions(lossless), "lossy_go_back_n", CheckResult::Clean);
    let unknown = Retransmission { is_lossless: None, ..lossy(vec![]) };
    check(&retransmissions(unknown), "lossy_go_back_n", CheckResult::MissingEvidence);
}
