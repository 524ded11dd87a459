//! TGS, ARK and BGL: jobs that share GPUs, own phases, host control, demand above the NIC.

use host_diagnosis::{CheckResult, Fabric, FabricState, HostFinding, HostPart, diagnose};
use model::host::jobs::{FetchDemand, HostJobs, JobClass, JobPhase, JobProgress, PlacedJob};
use model::host::latency::{HostLatency, TimedTransfer, TransferControl};
use model::{Cause, HostReport};

const SECOND: u64 = 1_000_000_000;

#[track_caller]
fn check(report: &HostReport, state: FabricState, detector: &str, expected: CheckResult) -> Vec<HostFinding> {
    let diagnosis = diagnose(report, &Fabric::new(state));
    let of_detector = diagnosis.checks.iter().find(|check| check.detector == detector).unwrap();
    assert_eq!(of_detector.result, expected, "{of_detector:?}");
    diagnosis.findings.into_iter().filter(|finding| finding.detector == detector).collect()
}

/// From and to in seconds, share of the usual rate, phase, utilisation.
type Sample = (u64, u64, f64, Option<JobPhase>, Option<f64>);

/// A job on one GPU, with its progress.
fn job(name: &str, class: JobClass, progress: &[Sample]) -> PlacedJob {
    let sample = |(from, to, rate, phase, gpu_utilisation): &Sample| JobProgress {
        start_ns: from * SECOND,
        end_ns: to * SECOND,
        rate: *rate,
        phase: *phase,
        gpu_utilisation: *gpu_utilisation,
    };
    PlacedJob {
        name: name.to_string(),
        class,
        workload: Some("training".to_string()),
        gpus: vec!["h1/gpu0".to_string()],
        usual_rate: Some(1.0),
        progress: progress.iter().map(sample).collect(),
        demand: None,
    }
}

fn report(jobs: Vec<PlacedJob>) -> HostReport {
    HostReport { jobs: Some(HostJobs { jobs }), ..HostReport::new("h1", 60 * SECOND) }
}

fn resnet_and_shufflenet() -> Vec<PlacedJob> {
    vec![
        job("ResNet-50", JobClass::Production, &[(0, 100, 1.0, None, None), (100, 400, 0.57, None, None)]),
        job("ShuffleNet", JobClass::Opportunistic, &[(100, 400, 0.9, None, None)]),
    ]
}

#[test]
fn tgs_1_a_production_job_at_57_percent_next_to_another_one_is_co_location() {
    let found =
        check(&report(resnet_and_shufflenet()), FabricState::Clean, "gpu_co_location", CheckResult::Found);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].cause, found[0].confidence), (Cause::GpuCoLocation, 0.9));
    assert_eq!(found[0].part, HostPart::Application("ResNet-50".to_string()));
    assert_eq!(found[0].summary, "job ResNet-50 runs at 57 % of its rate while ShuffleNet uses h1/gpu0");
    assert!(
        found[0].advice[0].starts_with("limit the rate of ShuffleNet. Begin at 1 % of its rate alone"),
        "{}",
        found[0].advice[0]
    );
}

#[test]
fn tgs_1_a_congested_network_or_other_gpus_are_not_co_location() {
    check(
        &report(resnet_and_shufflenet()),
        FabricState::Congested,
        "gpu_co_location",
        CheckResult::FabricExplains,
    );
    let mut apart = resnet_and_shufflenet();
    apart[1].gpus = vec!["h1/gpu1".to_string()];
    check(&report(apart), FabricState::Clean, "gpu_co_location", CheckResult::Clean);
}

#[test]
fn a_job_that_is_as_fast_next_to_the_neighbour_is_slow_for_another_reason() {
    let jobs = vec![
        job("a", JobClass::Production, &[(0, 100, 1.0, None, None), (100, 150, 0.5, None, None)]),
        job("b", JobClass::Opportunistic, &[(0, 150, 0.9, None, None)]),
    ];
    check(&report(jobs), FabricState::Clean, "gpu_co_location", CheckResult::Clean);
}

/// ESPnet2 validates from 910 to 940 s with a rate of zero, and computes on processors until 1060 s, next to BERT-Base.
fn espnet(validation: Option<JobPhase>, cpu: Option<JobPhase>, idle: Option<f64>) -> Vec<PlacedJob> {
    let espnet = [
        (800, 910, 1.0, None, Some(0.9)),
        (910, 940, 0.0, validation, Some(0.7)),
        (940, 1060, 0.0, cpu, idle),
        (1060, 1200, 1.0, None, Some(0.9)),
    ];
    let bert = [(800, 940, 0.1, None, None), (940, 1060, 0.9, None, None), (1060, 1200, 0.1, None, None)];
    vec![job("ESPnet2", JobClass::Production, &espnet), job("BERT-Base", JobClass::Opportunistic, &bert)]
}

#[test]
fn tgs_2_phases_of_the_job_itself_are_no_slowdown() {
    let phases = espnet(Some(JobPhase::Validation), Some(JobPhase::Cpu), Some(0.0));
    check(&report(phases), FabricState::Clean, "gpu_co_location", CheckResult::Clean);
    // Without a report of the second phase, idle GPUs show it.
    let idle = espnet(Some(JobPhase::Validation), None, Some(0.0));
    check(&report(idle), FabricState::Clean, "gpu_co_location", CheckResult::Clean);
}

#[test]
fn tgs_2_a_rate_of_zero_on_busy_gpus_is_not_judged_without_the_phase() {
    let unknown = espnet(None, Some(JobPhase::Cpu), None);
    check(&report(unknown), FabricState::Clean, "gpu_co_location", CheckResult::MissingEvidence);
}

#[test]
fn tgs_3_two_small_jobs_that_do_not_disturb_each_other_raise_no_alarm() {
    let jobs = vec![
        job(
            "ShuffleNet",
            JobClass::Production,
            &[(0, 350, 1.0, None, None), (350, 590, 0.95, None, None), (590, 700, 1.0, None, None)],
        ),
        job("MobileNet", JobClass::Opportunistic, &[(350, 590, 1.0, None, None)]),
    ];
    check(&report(jobs), FabricState::Clean, "gpu_co_location", CheckResult::Clean);
}

fn transfers(transfers: Vec<TimedTransfer>) -> HostReport {
    let latency = HostLatency { transfers, ..HostLatency::default() };
    HostReport { latency: Some(latency), ..HostReport::new("h1", 60 * SECOND) }
}

fn transfer(control: TransferControl, bytes: u64, duration_ns: u64) -> TimedTransfer {
    TimedTransfer {
        name: "moe".to_string(),
        control,
        bytes,
        duration_ns,
        posted_after_ns: None,
        bits_per_s: 100e9,
        alone_bits_per_s: None,
        overlaps_computation: None,
    }
}

#[test]
fn ark_2_a_transfer_that_takes_what_the_model_of_host_control_gives_is_overhead() {
    // 256 KiB need 21 us on the wire, and 172.6 us with 151.6 us of overhead.
    for duration_ns in [172_600, 190_000, 150_000] {
        let report = transfers(vec![transfer(TransferControl::Cpu, 256 << 10, duration_ns)]);
        let found = check(&report, FabricState::Clean, "host_control_overhead", CheckResult::Found);
        assert_eq!(found[0].cause, Cause::HostControlOverhead);
        check(&report, FabricState::Congested, "host_control_overhead", CheckResult::FabricExplains);
    }
}

#[test]
fn ark_2_other_durations_sizes_and_controls_are_not_overhead() {
    for (control, bytes, duration_ns) in [
        (TransferControl::Cpu, 256 << 10, 60_900),
        (TransferControl::Cpu, 256 << 10, 900_000),
        // 16 MiB take 1.3 ms on the wire: the overhead does not matter.
        (TransferControl::Cpu, 16 << 20, 1_490_000),
        (TransferControl::GpuDma, 256 << 10, 172_600),
    ] {
        let report = transfers(vec![transfer(control, bytes, duration_ns)]);
        check(&report, FabricState::Clean, "host_control_overhead", CheckResult::Clean);
    }
}

/// 256 KiB that take 60 us, which is far from the model, and were posted this long after the data was ready.
#[track_caller]
fn check_posted(posted_after_us: u64, count: usize, expected: CheckResult) {
    let posted_after_ns = Some(posted_after_us * 1_000);
    let timed = TimedTransfer { posted_after_ns, ..transfer(TransferControl::Cpu, 256 << 10, 60_000) };
    let fast = transfer(TransferControl::Cpu, 256 << 10, 22_000);
    let report = transfers([vec![timed; count], vec![fast; 2]].concat());
    let found = check(&report, FabricState::Clean, "host_control_overhead", expected);
    assert_eq!(found.len(), usize::from(expected == CheckResult::Found));
}

#[test]
fn an_overhead_that_was_measured_needs_no_model() {
    check_posted(30, 3, CheckResult::Found);
    // Most of the rest passed after the post.
    check_posted(15, 3, CheckResult::Clean);
    // Most transfers of the job are fast.
    check_posted(30, 2, CheckResult::Clean);
}

/// An all-reduce of 4 MB at 5.0 GB/s, which is 53.6 % of its rate alone.
fn all_reduce() -> TimedTransfer {
    TimedTransfer {
        name: "all-reduce".to_string(),
        alone_bits_per_s: Some(8.0 * 5.0e9 / 0.536),
        overlaps_computation: Some(true),
        ..transfer(TransferControl::GpuKernel, 4_000_000, 800_000)
    }
}

#[test]
fn ark_3_an_all_reduce_at_53_6_percent_in_a_clean_network_suspects_the_gpus() {
    let report = transfers(vec![all_reduce()]);
    let found = check(&report, FabricState::Clean, "gpu_interference", CheckResult::Found);
    assert_eq!(found[0].cause, Cause::GpuCoLocation);
    assert!(
        found[0].summary.starts_with("all-reduce reaches 53.6 % of its rate alone"),
        "{}",
        found[0].summary
    );
    assert!(found[0].confidence <= 0.6);
}

#[test]
fn ark_3_without_a_clean_network_or_computation_nothing_is_suspected() {
    let report = transfers(vec![all_reduce()]);
    check(&report, FabricState::Unknown, "gpu_interference", CheckResult::MissingEvidence);
    check(&report, FabricState::Congested, "gpu_interference", CheckResult::FabricExplains);
    let alone = TimedTransfer { overlaps_computation: Some(false), ..all_reduce() };
    check(&transfers(vec![alone]), FabricState::Clean, "gpu_interference", CheckResult::Clean);
}

/// Batches of 200 MB (5 MB of structure and 195 MB of features) over 100 Gb/s, of which GPUs could compute 400 a second.
fn gnn(batches_per_s: f64, measured_gbps: f64) -> HostReport {
    let demand = FetchDemand {
        batch_bytes: 200_000_000,
        batches_per_s,
        nic_bits_per_s: 100e9,
        measured_bits_per_s: measured_gbps * 1e9,
    };
    let fetch = PlacedJob {
        workload: Some("gnn-fetch".to_string()),
        demand: Some(demand),
        ..job("bgl", JobClass::Production, &[])
    };
    report(vec![fetch])
}

#[test]
fn bgl_1_a_job_that_could_use_640_gbps_saturates_its_nic_legitimately() {
    let report = gnn(400.0, 97.0);
    let found = check(&report, FabricState::Clean, "network_bound", CheckResult::Found);
    assert_eq!(found[0].cause, Cause::LegitimatelyNetworkBound);
    assert_eq!(
        found[0].summary,
        "job bgl (workload `gnn-fetch`) could use 640.0 Gb/s, 6.4 times its NIC: a saturated NIC is expected"
    );
    assert!(found[0].evidence[0].claim.starts_with("the NIC carries 62.5 batches a second of 400.0"));
    // Pauses of the host have the label of the job, which does not explain them.
    let labelled =
        check(&report, FabricState::PausedBy("h1".to_string()), "network_bound", CheckResult::Found);
    assert_eq!(labelled[0].cause, Cause::Undetermined);
    assert!(labelled[0].summary.contains("`gnn-fetch`"), "{}", labelled[0].summary);
}

#[test]
fn bgl_1_a_demand_below_the_nic_or_an_idle_nic_is_not_network_bound() {
    check(&gnn(50.0, 80.0), FabricState::Clean, "network_bound", CheckResult::Clean);
    check(&gnn(400.0, 40.0), FabricState::Clean, "network_bound", CheckResult::Clean);
    check(&gnn(0.0, 97.0), FabricState::Clean, "network_bound", CheckResult::MissingEvidence);
}
