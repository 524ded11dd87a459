//! Collie: the examples of its appendix against the table, the detector, and the search.

use host_diagnosis::collie::matching::{Match, matches};
use host_diagnosis::collie::search::{Options, Report, search};
use host_diagnosis::collie::subsystem::{Measurement, Subsystem, SubsystemError, TableSubsystem};
use host_diagnosis::{CheckResult, Fabric, FabricState, diagnose};
use model::HostReport;
use model::host::counters::{CacheCounters, Misses, NicCounters, PriorityPauses};
use model::host::descriptor::{
    CpuVendor, Factor, MemoryPlace, NicFamily, NicPerformance, Opcode, ServerTraits, Transport, Workload,
};
use model::host::{HostWorkload, RnicCounters};

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

/// The parts that most examples share: a ConnectX-6, one direction, local memory, nothing known of the server.
fn base() -> Workload {
    Workload {
        device: Some("mlx5_0".to_string()),
        nic: NicFamily::Cx6,
        bidirectional: false,
        transport: Transport::Rc,
        opcode: Opcode::Write,
        mtu_bytes: 4096,
        wqe_batch: 1,
        sge_per_wqe: 1,
        wq_depth: 128,
        message_bytes: vec![64 * KIB],
        memory_regions: 8,
        queue_pairs: 8,
        memory: MemoryPlace::Local,
        loopback_with_receive: false,
        server: ServerTraits::default(),
        fixed: Vec::new(),
        performance: None,
    }
}

/// The concrete settings of appendix A, by their number there.
fn example(number: u8) -> Workload {
    let ud = Workload { transport: Transport::Ud, opcode: Opcode::Send, ..base() };
    let read = Workload { opcode: Opcode::Read, ..base() };
    let send = Workload { opcode: Opcode::Send, mtu_bytes: 1024, ..base() };
    let p2100 = Workload { nic: NicFamily::P2100, ..base() };
    let mixed = Workload {
        bidirectional: true,
        sge_per_wqe: 3,
        wqe_batch: 8,
        message_bytes: vec![128, 64 * KIB, KIB],
        ..base()
    };
    match number {
        1 => Workload {
            queue_pairs: 1,
            memory_regions: 1,
            wq_depth: 256,
            mtu_bytes: 2048,
            wqe_batch: 64,
            message_bytes: vec![2 * KIB],
            ..ud
        },
        2 => Workload {
            queue_pairs: 16,
            wq_depth: 1024,
            mtu_bytes: 1024,
            wqe_batch: 4,
            message_bytes: vec![KIB],
            ..ud
        },
        3 => Workload { mtu_bytes: 1024, message_bytes: vec![4 * MIB], ..read },
        4 => Workload {
            bidirectional: true,
            queue_pairs: 80,
            wqe_batch: 128,
            sge_per_wqe: 4,
            message_bytes: vec![128],
            ..read
        },
        5 => Workload {
            queue_pairs: 1,
            wq_depth: 1024,
            wqe_batch: 64,
            sge_per_wqe: 2,
            message_bytes: vec![2 * KIB],
            ..send
        },
        6 => Workload {
            queue_pairs: 32,
            wq_depth: 1024,
            wqe_batch: 8,
            sge_per_wqe: 2,
            message_bytes: vec![KIB],
            ..send
        },
        7 => Workload {
            queue_pairs: 480,
            memory_regions: 480,
            wq_depth: 16,
            mtu_bytes: 1024,
            message_bytes: vec![512],
            ..base()
        },
        8 => Workload {
            queue_pairs: 24,
            memory_regions: 24 * 1024,
            mtu_bytes: 1024,
            message_bytes: vec![512],
            ..base()
        },
        9 => mixed,
        10 => Workload {
            bidirectional: true,
            queue_pairs: 320,
            mtu_bytes: 1024,
            wqe_batch: 64,
            message_bytes: vec![64 * KIB, 128, 128, 128],
            ..base()
        },
        11 => Workload {
            bidirectional: true,
            queue_pairs: 1,
            memory_regions: 32,
            wqe_batch: 16,
            message_bytes: vec![256 * KIB],
            memory: MemoryPlace::CrossSocket,
            server: ServerTraits { cpu: Some(CpuVendor::Amd), ..ServerTraits::default() },
            ..base()
        },
        12 => Workload {
            memory: MemoryPlace::Gpu,
            server: ServerTraits { acs_redirects: Some(true), ..ServerTraits::default() },
            ..mixed
        },
        13 => Workload {
            queue_pairs: 16,
            memory_regions: 512,
            wqe_batch: 16,
            message_bytes: vec![256 * KIB],
            loopback_with_receive: true,
            ..base()
        },
        14 => Workload {
            bidirectional: true,
            queue_pairs: 1024,
            memory_regions: 81 * 1024,
            sge_per_wqe: 4,
            ..p2100
        },
        15 => Workload {
            transport: Transport::Ud,
            opcode: Opcode::Send,
            queue_pairs: 32,
            wq_depth: 64,
            mtu_bytes: 2048,
            message_bytes: vec![256, KIB, 64, KIB],
            ..p2100
        },
        16 => Workload { opcode: Opcode::Read, queue_pairs: 500, mtu_bytes: 1024, wqe_batch: 8, ..p2100 },
        17 => Workload {
            opcode: Opcode::Send,
            queue_pairs: 80,
            mtu_bytes: 1024,
            message_bytes: vec![KIB],
            ..p2100
        },
        18 => Workload {
            bidirectional: true,
            queue_pairs: 16,
            wq_depth: 64,
            mtu_bytes: 1024,
            wqe_batch: 16,
            ..p2100
        },
        other => panic!("appendix A has no example {other}"),
    }
}

#[track_caller]
fn check_match(workload: &Workload, expected: &[u8]) -> Vec<Match> {
    let found = matches(workload);
    let numbers: Vec<u8> = found.iter().map(|found| found.anomaly).collect();
    assert_eq!(numbers, expected, "{workload:?}");
    found
}

#[test]
fn col_1_the_examples_of_the_appendix_match_their_rows() {
    for number in [1, 2, 3, 4, 5, 6, 9, 10, 11, 13, 14, 15, 16, 17] {
        check_match(&example(number), &[number]);
    }
}

/// The appendix numbers 7 (queue pairs) and 8 (memory regions) the other way around than table 2, and the example of 480
/// queue pairs meets "about 500".
#[test]
fn col_1_examples_7_and_8_match_each_others_rows() {
    check_match(&example(7), &[8]);
    check_match(&example(8), &[7]);
    check_match(&Workload { queue_pairs: 474, ..example(7) }, &[]);
}

/// The example posts 16 requests at once; table 2 demands at least 32.
#[test]
fn col_1_example_18_matches_no_row_and_does_with_a_batch_of_32() {
    check_match(&example(18), &[]);
    check_match(&Workload { wqe_batch: 32, ..example(18) }, &[18]);
}

/// The example of the GPU has the message pattern of 9, which forced relaxed ordering excludes.
#[test]
fn col_1_example_12_also_matches_row_9_unless_relaxed_ordering_is_forced() {
    check_match(&example(12), &[9, 12]);
    let mut forced = example(12);
    forced.server.relaxed_ordering_forced = Some(true);
    check_match(&forced, &[12]);
}

#[test]
fn every_change_that_is_offered_breaks_its_row() {
    check_match(&Workload { wqe_batch: 63, ..example(1) }, &[]);
    check_match(&Workload { mtu_bytes: 4096, ..example(3) }, &[]);
    check_match(&Workload { bidirectional: false, ..example(4) }, &[]);
    check_match(&Workload { queue_pairs: 75, ..example(4) }, &[]);
    check_match(&Workload { memory: MemoryPlace::Local, ..example(11) }, &[]);
    check_match(&Workload { nic: NicFamily::P2100, ..example(13) }, &[]);
    check_match(&Workload { nic: NicFamily::Other, ..example(1) }, &[]);
}

#[test]
fn col_4_bytes_of_tensors_and_metadata_in_one_list_match_9_and_the_advice_breaks_list_or_mix() {
    let training = Workload {
        message_bytes: vec![128, 4 * MIB, 512],
        opcode: Opcode::Write,
        queue_pairs: 16,
        wqe_batch: 4,
        ..example(9)
    };
    let found = check_match(&training, &[9]);
    let factors: Vec<Factor> = found[0].changes.iter().take(2).map(|change| change.factor).collect();
    assert_eq!(factors, [Factor::SgePerWqe, Factor::SmallestMessage]);
    assert_eq!(
        found[0].advice(),
        "anomaly #9: use a scatter-gather list of fewer than 3 elements, or send messages of at most 1 KiB separately \
         from those of at least 64 KiB; to remove it: configure the NIC as a device with forced PCIe relaxed ordering"
    );
    assert_eq!(found[0].unknown, ["PCIe relaxed ordering that is not forced"]);
    assert!(!found[0].is_certain());
}

#[test]
fn factors_that_the_application_cannot_change_are_not_offered() {
    let fixed = Workload { fixed: vec![Factor::WqDepth, Factor::WqeBatch], ..example(1) };
    let found = check_match(&fixed, &[1]);
    assert_eq!(found[0].changes.iter().map(|c| c.factor).collect::<Vec<_>>(), [Factor::Transport; 2]);
    let all = Workload { fixed: vec![Factor::WqDepth, Factor::WqeBatch, Factor::Transport], ..example(1) };
    assert!(check_match(&all, &[1])[0].advice().contains("every factor of the workload is fixed"));
}

fn measured(pause_ratio: f64, share: f64) -> NicPerformance {
    NicPerformance {
        pause_ratio,
        bits_per_s: share * 200e9,
        packets_per_s: share * 50e6,
        specified_bits_per_s: 200e9,
        specified_packets_per_s: 50e6,
        always_backlogged: Some(true),
    }
}

fn report(workload: Workload, performance: NicPerformance) -> HostReport {
    let descriptors = vec![Workload { performance: Some(performance), ..workload }];
    let workload = HostWorkload { descriptors, ..HostWorkload::default() };
    HostReport { workload: Some(workload), ..HostReport::new("h1", 1_000_000_000) }
}

#[track_caller]
fn check_detector(report: &HostReport, state: FabricState, expected: CheckResult) -> Option<String> {
    let diagnosis = diagnose(report, &Fabric::new(state));
    let of_detector = diagnosis.checks.iter().find(|check| check.detector == "rnic_workload").unwrap();
    assert_eq!(of_detector.result, expected, "{of_detector:?}");
    diagnosis.findings.into_iter().find(|f| f.detector == "rnic_workload").map(|finding| finding.summary)
}

#[test]
fn col_3_a_pause_ratio_of_0_09_percent_is_silent_and_0_11_percent_is_found() {
    check_detector(&report(example(1), measured(0.0009, 1.0)), FabricState::Clean, CheckResult::Clean);
    let summary =
        check_detector(&report(example(1), measured(0.0011, 1.0)), FabricState::Clean, CheckResult::Found);
    assert_eq!(
        summary.unwrap(),
        "the NIC pauses its switch 0.11 % of the time: the workload triggers Collie's anomaly #1"
    );
}

#[test]
fn col_3_a_congested_fabric_suppresses_the_verdict() {
    let anomalous = report(example(1), measured(0.2, 1.0));
    check_detector(&anomalous, FabricState::Congested, CheckResult::FabricExplains);
    check_detector(&anomalous, FabricState::PausedBy("h2".into()), CheckResult::FabricExplains);
    check_detector(&anomalous, FabricState::PausedBy("h1".into()), CheckResult::Found);
}

#[test]
fn low_throughput_is_evidence_only_with_work_outstanding_and_the_symptom_of_the_row() {
    let low = |always_backlogged| NicPerformance { always_backlogged, ..measured(0.0, 0.5) };
    check_detector(&report(example(2), low(Some(true))), FabricState::Clean, CheckResult::Found);
    check_detector(
        &report(example(2), low(Some(true))),
        FabricState::PausedBy("h1".into()),
        CheckResult::Clean,
    );
    check_detector(&report(example(2), low(Some(false))), FabricState::Clean, CheckResult::Clean);
    check_detector(&report(example(2), low(None)), FabricState::Clean, CheckResult::MissingEvidence);
    // Row 1 pauses; its conditions do not explain low throughput without pauses.
    check_detector(&report(example(1), low(Some(true))), FabricState::Clean, CheckResult::MissingEvidence);
    check_detector(&report(base(), measured(0.1, 1.0)), FabricState::Clean, CheckResult::MissingEvidence);
}

/// A report of the example of row 1 whose NIC paused for 100 of 1,000 ms, with the counters of its receive pipeline.
fn counted(number: u8, receive_wqe: Option<Misses>, waited_ms: Option<u64>) -> HostReport {
    let caches = CacheCounters { receive_wqe, ..CacheCounters::default() };
    let paused_ns = Some(100_000_000);
    let nic = NicCounters {
        nic: "mlx5_0".to_string(),
        line_rate_bps: 200_000_000_000,
        sent_pauses: vec![PriorityPauses { priority: 3, frames: 1000, paused_ns, longest_ns: None }],
        caches: Some(caches),
        waited_reads_ns: waited_ms.map(|ms| ms * 1_000_000),
        ..NicCounters::default()
    };
    let counters = Some(RnicCounters { nics: vec![nic] });
    HostReport { counters, ..report(example(number), measured(0.1, 0.5)) }
}

#[track_caller]
fn check_counted(report: &HostReport, expected: Option<f64>) {
    let diagnosis = diagnose(report, &Fabric::new(FabricState::PausedBy("h1".into())));
    let found = diagnosis.findings.iter().find(|finding| finding.detector == "rnic_workload");
    assert_eq!(found.map(|finding| finding.confidence), expected, "{found:#?}");
}

#[test]
fn counters_of_the_receive_wqe_cache_confirm_or_refute_an_anomaly_of_it() {
    let misses = |misses| Some(Misses { misses, lookups: Some(1_000_000), usual_misses: None });
    check_counted(&counted(1, misses(400_000), Some(300)), Some(0.9));
    // Without one of the counters, the conditions alone remain.
    check_counted(&counted(1, None, None), Some(0.85));
    check_counted(&counted(1, misses(400_000), None), Some(0.85));
    check_counted(&counted(1, None, Some(300)), Some(0.85));
    // The cache hardly misses, or the pipeline waits for something else than host memory.
    check_counted(&counted(1, misses(0), Some(300)), None);
    check_counted(&counted(1, misses(9_000), Some(300)), None);
    check_counted(&counted(1, misses(400_000), Some(40)), None);
    // A READ consumes no receive WQE.
    check_counted(&counted(3, misses(0), Some(0)), Some(0.85));
}

fn run(nic: NicFamily, seed: u64, tests: usize, skip_known: bool) -> Report {
    let mut subsystem = TableSubsystem::new(nic);
    search(&mut subsystem, Options { seed, tests, skip_known }).unwrap()
}

/// The rows that the reduced workloads of a search trigger.
fn rows(report: &Report) -> Vec<u8> {
    let mut rows: Vec<u8> = report.found.iter().flat_map(|found| found.published.clone()).collect();
    rows.sort_unstable();
    rows.dedup();
    rows
}

#[test]
fn col_2_the_search_finds_all_13_anomalies_of_the_connectx_6() {
    for seed in 1..=5 {
        let report = run(NicFamily::Cx6, seed, 16_000, true);
        assert_eq!(rows(&report), (1..=13).collect::<Vec<u8>>(), "seed {seed}");
        assert!(report.tests <= 16_000);
    }
    assert_eq!(rows(&run(NicFamily::P2100, 1, 16_000, true)), (14..=18).collect::<Vec<u8>>());
}

/// A subsystem that fails for good after some tests.
struct Failing {
    model: TableSubsystem,
    left: usize,
}

impl Subsystem for Failing {
    fn nic(&self) -> NicFamily {
        self.model.nic()
    }

    fn server(&self) -> ServerTraits {
        self.model.server()
    }

    fn measure(&mut self, workload: &Workload) -> Result<Measurement, SubsystemError> {
        self.left = self.left.checked_sub(1).ok_or(SubsystemError::Failed("the peer is gone".to_string()))?;
        self.model.measure(workload)
    }
}

#[test]
fn what_was_found_before_a_failure_is_kept() {
    let search_with = |left| {
        let mut subsystem = Failing { model: TableSubsystem::new(NicFamily::Cx6), left };
        search(&mut subsystem, Options { seed: 1, tests: 16_000, skip_known: true })
    };
    let report = search_with(4_000).unwrap();
    assert_eq!(report.stopped.as_deref(), Some("the subsystem cannot be measured: the peer is gone"));
    assert!(!report.found.is_empty());
    assert!(search_with(0).is_err(), "without the reference workload there is no search");
}

#[test]
fn col_2_skipping_known_anomalies_finds_more_per_test() {
    let total =
        |skip| (1..=10).map(|seed| rows(&run(NicFamily::Cx6, seed, 2_000, skip)).len()).sum::<usize>();
    let (with, without) = (total(true), total(false));
    assert!(with > without, "{with} rows with skipping, {without} without");
}

#[test]
fn col_2_a_search_repeats_with_its_seed() {
    let text = |seed| serde_json::to_string(&run(NicFamily::Cx6, seed, 500, true)).unwrap();
    assert_eq!(text(7), text(7));
    assert_ne!(text(7), text(8));
}

/// Every feature set that a search extracts belongs to the conditions of a single row.
#[test]
fn features_are_the_conditions_of_a_published_row() {
    let report = run(NicFamily::Cx6, 1, 16_000, true);
    let of = |row| report.found.iter().find(|found| found.published == [row]).unwrap();
    let features = |row: u8| -> Vec<(Factor, &str)> {
        of(row).features.iter().map(|feature| (feature.factor, feature.levels.as_str())).collect()
    };
    assert_eq!(
        features(1),
        [
            (Factor::Transport, "UD SEND"),
            (Factor::WqeBatch, "at least 64"),
            (Factor::WqDepth, "at least 256")
        ]
    );
    assert_eq!(features(13), [(Factor::Loopback, "next to received traffic")]);
    assert_eq!(
        features(3),
        [
            (Factor::Transport, "RC READ"),
            (Factor::Mtu, "at most 1 KiB"),
            (Factor::SmallestMessage, "at least 16 KiB")
        ]
    );
}
