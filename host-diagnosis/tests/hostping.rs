//! Loopback tests: the bottlenecks of the Hostping paper on the host of its figure 2.
//!
//! The bandwidth matrices of figures 8 and 10 are not in the published text; these are computed from the topology: a path
//! carries the least that one of its links carries.

use std::collections::BTreeMap;

use crate::support::{
    SECOND_NS, causes, diagnosed, figure_2, nic, paths, pause, report, result_of, with_cause,
};
use host_diagnosis::hostping::{Bottleneck, LinkFinding, LinkProblem, Routes, Suspects, Verdict, judge};
use host_diagnosis::{CheckResult, Fabric, HostFinding, HostPart};
use model::host::HostLoopback;
use model::host::counters::PcieCounters;
use model::host::loopback::{LinkUtilisation, LoopbackPath, LoopbackTest, ServiceTraffic};
use model::{Cause, HostReport};
use proptest::prelude::*;

const GBPS: u64 = 1_000_000_000;

/// A test whose paths carry at most what the slow links among their links carry.
fn test(only_affinitive: bool, slow: &[(&str, u64)]) -> LoopbackTest {
    let topology = figure_2();
    let routes = Routes::new(&topology);
    let mut paths = paths(only_affinitive);
    for path in &mut paths {
        let (links, _) = routes.path(&path.nic, &path.endpoint).expect("the host is connected");
        for (link, limit) in slow {
            if links.contains(link) {
                path.bandwidth_bps = path.bandwidth_bps.min(limit * GBPS);
            }
        }
    }
    LoopbackTest { paths, ..LoopbackTest::default() }
}

fn loopback(tests: Vec<LoopbackTest>) -> HostLoopback {
    HostLoopback { topology: figure_2(), tests }
}

fn links(verdict: Verdict) -> Vec<LinkFinding> {
    match verdict {
        Verdict::Links(links) => links,
        other => panic!("no link is found: {other:?}"),
    }
}

/// The one link that a test accuses.
fn only(test: LoopbackTest, paused: &[&str]) -> LinkFinding {
    let found = links(judge(&loopback(vec![test]), paused));
    assert_eq!(found.len(), 1, "{found:#?}");
    found[0].clone()
}

/// The service traffic of busy RNICs leaves this share of the bandwidth for loopback tests.
fn busy(mut test: LoopbackTest, nics: &[&str]) -> LoopbackTest {
    test.busy = nics.iter().map(|nic| nic.to_string()).collect();
    for path in &mut test.paths {
        if nics.contains(&path.nic.as_str()) {
            path.bandwidth_bps /= 2;
        }
    }
    test
}

fn used(mut test: LoopbackTest, link: &str, share: f64) -> LoopbackTest {
    test.utilisation.push(LinkUtilisation { link: link.to_string(), share });
    test
}

#[test]
fn the_host_of_figure_2_has_40_paths_of_which_16_are_affinitive() {
    let topology = figure_2();
    let routes = Routes::new(&topology);
    let all = paths(false);
    assert_eq!(all.len(), 40);
    assert_eq!(all.iter().filter(|path| routes.is_affinitive(path, &all)).count(), 16);
}

#[test]
fn hp_1_a_severe_failure_is_exactly_that_link_by_all_four_rnics() {
    for (link, bottleneck) in [
        ("gpu4", Bottleneck::GpuPcieFailure),
        ("mem0", Bottleneck::MemoryChannelFailure),
        ("upi", Bottleneck::InterSocketFailure),
        ("rp1", Bottleneck::RootPortFailure),
    ] {
        let found = only(test(false, &[(link, 40)]), &[]);
        assert_eq!((found.link.as_str(), found.accusers), (link, 4));
        assert_eq!((found.problem, found.bottlenecks), (LinkProblem::Failed, vec![bottleneck]));
    }
}

#[test]
fn hp_1_a_slow_rnic_is_judged_before_the_links_that_look_the_same() {
    let round = test(false, &[("rnic0", 40)]);
    let found = only(round.clone(), &[]);
    assert_eq!(found.link, "rnic0");
    // Slow start and a small transmit window look like a failed link: the report lists all three.
    assert_eq!(
        found.bottlenecks,
        [Bottleneck::NicPcieFailure, Bottleneck::SlowStart, Bottleneck::SmallTxWindow]
    );
    assert_eq!(found.problem, LinkProblem::FailedOrMisconfigured);
    let topology = figure_2();
    let suspects = Suspects::of(&round, &Routes::new(&topology));
    assert_eq!(suspects.slow_nics, ["RNIC0"]);
    assert!(suspects.accused.is_empty(), "{suspects:?}");
    // Without the rule, the one RNIC accuses four links, and none more than the others.
    let tied = Suspects::beyond(Vec::new(), &round, &Routes::new(&topology));
    let accused: Vec<(&str, usize)> =
        tied.accused.iter().map(|(link, accusers)| (link.as_str(), *accusers)).collect();
    assert_eq!(accused, [("gpu0", 1), ("gpu1", 1), ("rnic0", 1), ("rp0", 1)]);
}

#[test]
fn two_failures_at_once_are_both_found() {
    let found = links(judge(&loopback(vec![test(false, &[("rnic0", 40), ("gpu4", 40)])]), &[]));
    let names: Vec<&str> = found.iter().map(|link| link.link.as_str()).collect();
    assert_eq!(names, ["rnic0", "gpu4"]);
    let found = links(judge(&loopback(vec![test(false, &[("mem0", 40), ("gpu1", 40)])]), &[]));
    let names: Vec<&str> = found.iter().map(|link| link.link.as_str()).collect();
    assert_eq!(names, ["gpu1", "mem0"]);
}

#[test]
fn hp_2_an_overloaded_socket_link_is_accused_by_all_four_rnics() {
    let round = busy(test(true, &[("upi", 60)]), &["RNIC0", "RNIC2"]);
    let topology = figure_2();
    let suspects = Suspects::of(&round, &Routes::new(&topology));
    let counts: BTreeMap<&str, usize> = suspects.accused.iter().map(|(l, n)| (l.as_str(), *n)).collect();
    assert_eq!(counts.get("upi"), Some(&4));
    assert!(counts.iter().all(|(link, count)| *link == "upi" || *count == 1), "{counts:?}");

    let full = only(used(round.clone(), "upi", 0.95), &["RNIC0"]);
    assert_eq!((full.link.as_str(), full.problem), ("upi", LinkProblem::Overloaded));
    assert_eq!(full.bottlenecks, [Bottleneck::InterSocketOverload]);
    let broken = only(used(round, "upi", 0.40), &["RNIC0"]);
    assert_eq!(
        (broken.problem, broken.bottlenecks),
        (LinkProblem::Failed, vec![Bottleneck::InterSocketFailure])
    );
}

#[test]
fn hp_2_an_overloaded_memory_channel_is_accused_by_all_four_rnics() {
    let round = used(busy(test(true, &[("mem0", 60)]), &["RNIC0", "RNIC2"]), "mem0", 0.97);
    let found = only(round, &["RNIC0"]);
    assert_eq!((found.link.as_str(), found.accusers), ("mem0", 4));
    assert_eq!(found.bottlenecks, [Bottleneck::MemoryOverload]);
}

#[test]
fn hp_3_fast_paths_of_a_busy_rnic_exonerate_its_own_link() {
    let round = busy(test(true, &[("gpu4", 40)]), &["RNIC2"]);
    let topology = figure_2();
    let suspects = Suspects::of(&round, &Routes::new(&topology));
    // The published algorithm alone ties the two links.
    assert_eq!(suspects.accused.get("rnic2"), suspects.accused.get("gpu4"));
    let found = only(round, &["RNIC2"]);
    assert_eq!((found.link.as_str(), found.accusers), ("gpu4", 1));
    // A busy RNIC measures higher latencies, so that failure and setting look the same.
    assert_eq!(found.bottlenecks, [Bottleneck::GpuPcieFailure, Bottleneck::AcsOn, Bottleneck::AtsOff]);
}

#[test]
fn hp_4_normal_loopbacks_hand_over_to_the_network() {
    let fine = loopback(vec![test(false, &[])]);
    assert_eq!(judge(&fine, &[]), Verdict::Network);
    let mut report = HostReport { loopback: Some(fine), ..HostReport::new("h3", SECOND_NS) };
    let diagnosis = diagnosed(&report, &Fabric::clean());
    assert_eq!(result_of(&diagnosis, "intra_host_link"), CheckResult::Clean);
    report.loopback = Some(loopback(vec![]));
    let diagnosis = diagnosed(&report, &Fabric::clean());
    assert_eq!(result_of(&diagnosis, "intra_host_link"), CheckResult::MissingEvidence);
}

#[test]
fn hp_5_a_mild_fault_of_a_root_port_is_seen_by_its_own_rnic_only() {
    // 130 Gb/s: above what distant RNICs reach anyway, below the line rate of the RNIC's own.
    let found = only(test(false, &[("rp1", 130)]), &[]);
    assert_eq!((found.link.as_str(), found.accusers), ("rp1", 1));
    assert_eq!(found.bottlenecks, [Bottleneck::RootPortFailure]);
}

proptest! {
    /// Whichever link of an idle host is broken, the tests name exactly that one.
    #[test]
    fn one_broken_link_is_named(link in 0..figure_2().links.len(), gbps in 1..=90u64) {
        let name = figure_2().links[link].name.clone();
        let found = links(judge(&loopback(vec![test(false, &[(&name, gbps)])]), &[]));
        let names: Vec<&str> = found.iter().map(|link| link.link.as_str()).collect();
        prop_assert_eq!(names, [name.as_str()]);
    }

    /// Whatever is measured, a verdict names links of abnormal paths only.
    #[test]
    fn any_measurement_has_a_verdict(bandwidths in prop::collection::vec(0..400u64, 40), busy in 0..16u8) {
        let mut round = test(false, &[]);
        round.paths.iter_mut().zip(&bandwidths).for_each(|(path, gbps)| path.bandwidth_bps = gbps * GBPS);
        round.busy = (0..4).filter(|nic| busy >> nic & 1 == 1).map(|nic| format!("RNIC{nic}")).collect();
        if let Verdict::Links(found) = judge(&loopback(vec![round]), &[]) {
            prop_assert!(!found.is_empty());
            prop_assert!(found.iter().all(|link| !link.paths.is_empty()), "{:?}", found);
        }
    }
}

#[test]
fn a_fifth_off_the_baseline_is_the_limit() {
    assert_eq!(judge(&loopback(vec![test(false, &[("mem0", 156)])]), &[]), Verdict::Network);
    assert_eq!(only(test(false, &[("mem0", 155)]), &[]).link, "mem0");
}

#[test]
fn slow_gpus_with_high_latency_are_a_setting() {
    let mut round = test(false, &[]);
    let direct = |path: &LoopbackPath| path.endpoint.starts_with("GPU") && path.latency_ns == Some(1_000);
    for path in round.paths.iter_mut().filter(|path| direct(path)) {
        path.bandwidth_bps = 125 * GBPS;
        path.latency_ns = Some(2_200);
    }
    let found = links(judge(&loopback(vec![round.clone()]), &[]));
    assert_eq!(found.len(), 8, "every GPU has the setting");
    for link in &found {
        assert_eq!(link.problem, LinkProblem::Misconfigured);
        assert_eq!(link.bottlenecks, [Bottleneck::AcsOn, Bottleneck::AtsOff]);
    }
    // Without latencies the setting looks like a failure.
    round.paths.iter_mut().for_each(|path| path.latency_ns = None);
    let found = links(judge(&loopback(vec![round]), &[]));
    assert!(found.iter().all(|link| link.problem == LinkProblem::FailedOrMisconfigured));
}

#[test]
fn a_link_that_is_doubtful_in_three_consecutive_tests_is_flapping() {
    // RNIC0 measures the channel while it is bad, the others while it is good.
    let gray = || {
        let mut round = test(false, &[]);
        let is_first = |path: &&mut LoopbackPath| path.nic == "RNIC0" && path.endpoint == "memory0";
        round.paths.iter_mut().filter(is_first).for_each(|path| path.bandwidth_bps = 60 * GBPS);
        round
    };
    let doubtful = Verdict::Doubtful(vec!["mem0".into(), "rnic0".into(), "rp0".into()]);
    assert_eq!(judge(&loopback(vec![gray()]), &[]), doubtful);
    assert_eq!(judge(&loopback(vec![gray(), test(false, &[]), gray(), gray()]), &[]), doubtful);
    let found = links(judge(&loopback(vec![gray(), gray(), gray()]), &[]));
    let memory = found.iter().find(|link| link.link == "mem0").expect("the channel is among them");
    assert_eq!((memory.problem, memory.ties), (LinkProblem::Flapping, 2));
    assert_eq!(memory.bottlenecks, [Bottleneck::MemoryFlapping]);
}

#[test]
fn a_busy_rnic_that_pauses_without_an_abnormal_path_is_itself_the_bottleneck() {
    let round = busy(test(true, &[]), &["RNIC0"]);
    assert_eq!(judge(&loopback(vec![round.clone()]), &[]), Verdict::Network);
    assert_eq!(only(round.clone(), &["RNIC0"]).problem, LinkProblem::Failed);
    let full = only(used(round, "rnic0", 0.96), &["RNIC0"]);
    assert_eq!((full.link.as_str(), full.problem), ("rnic0", LinkProblem::Overloaded));
}

/// The RNICs of a test are busy with this service traffic, which leaves the rest of what `rnic0` carries.
fn with_service(mut test: LoopbackTest, nic: &str, gbps: u64, stalled_share: Option<f64>) -> LoopbackTest {
    test.busy.push(nic.to_string());
    test.service.push(ServiceTraffic { nic: nic.to_string(), bits_per_s: gbps * GBPS });
    for path in test.paths.iter_mut().filter(|path| path.nic == nic) {
        path.bandwidth_bps -= gbps * GBPS;
        path.stalled_share = stalled_share;
    }
    test
}

#[test]
fn test_and_service_traffic_together_show_a_slow_link_of_a_busy_rnic() {
    let beside = |limit, gbps| with_service(test(true, &[("rnic0", limit)]), "RNIC0", gbps, None);
    // A link that is fine carries the line rate, whatever part of it is service traffic.
    assert_eq!(judge(&loopback(vec![beside(195, 90)]), &[]), Verdict::Network);
    let found = only(beside(100, 50), &[]);
    assert_eq!((found.link.as_str(), found.paths.len()), ("rnic0", 4));
    assert_eq!(found.problem, LinkProblem::FailedOrMisconfigured);
    // Without the service traffic, nothing is known about the sum.
    let mut unknown = beside(100, 50);
    unknown.service.clear();
    assert_eq!(judge(&loopback(vec![unknown]), &[]), Verdict::Network);
}

#[test]
fn a_link_that_takes_every_write_is_not_what_makes_its_rnic_slow() {
    let beside = |stalled| with_service(test(true, &[("rnic0", 100)]), "RNIC0", 50, Some(stalled));
    let failed = only(beside(0.49), &[]);
    assert_eq!((failed.problem, failed.bottlenecks), (LinkProblem::Failed, vec![Bottleneck::NicPcieFailure]));
    let fine = only(beside(0.0), &[]);
    assert_eq!(fine.problem, LinkProblem::NicItself);
    let mut report = report();
    pause(&mut report, 50_000_000, 2_000_000);
    report.loopback = Some(loopback(vec![beside(0.0)]));
    let diagnosis = diagnosed(&report, &Fabric::paused_by("h3"));
    assert_eq!(result_of(&diagnosis, "intra_host_link"), CheckResult::Found);
    assert_eq!(with_cause(&diagnosis), Vec::<&HostFinding>::new());
    report.loopback = Some(loopback(vec![beside(0.49)]));
    assert_eq!(causes(&report, &Fabric::paused_by("h3")), [Cause::IntraHostLink]);
}

/// Checks the confidence that the PCIe link of a busy RNIC is the cause although no path is abnormal; 0: it is not named.
#[track_caller]
fn check_left_over(paused_ns: u64, stalled_writes_ns: Option<u64>, percent: u64) {
    let mut report = report();
    pause(&mut report, paused_ns, 1_000_000);
    let nic = nic(&mut report);
    (nic.nic, nic.stalled_writes_ns, nic.loopback_bytes) = ("RNIC0".to_string(), stalled_writes_ns, Some(0));
    report.loopback = Some(loopback(vec![busy(test(true, &[]), &["RNIC0"])]));
    let diagnosis = diagnosed(&report, &Fabric::paused_by("h3"));
    let found: Vec<u64> =
        with_cause(&diagnosis).iter().map(|finding| (finding.confidence * 100.0).round() as u64).collect();
    assert_eq!(found.first().copied().unwrap_or(0), percent, "{:#?}", diagnosis.findings);
}

#[test]
fn held_writes_name_the_link_of_a_pausing_rnic_and_taken_writes_exonerate_it() {
    check_left_over(50_000_000, None, 60);
    check_left_over(50_000_000, Some(60_000_000), 85);
    check_left_over(50_000_000, Some(1_000_000), 0);
    // 1 % of the time is no reason for a test, unless the link holds writes back.
    check_left_over(10_000_000, None, 0);
    check_left_over(10_000_000, Some(12_000_000), 85);
    check_left_over(10_000_000, Some(0), 0);
}

/// Checks whether the first advice is about what lies behind the link: it held writes back for a tenth of a second, and carried
/// this share of its capacity meanwhile.
#[track_caller]
fn check_room(share: f64, is_ordering_first: bool) {
    let mut report = report();
    let stalled_ns = 100_000_000;
    pause(&mut report, 50_000_000, 1_000_000);
    let nic = nic(&mut report);
    let capacity_bps = 16_000_000_000;
    let carried_bytes = (share * (capacity_bps / 8) as f64 * stalled_ns as f64 / 1e9) as u64;
    nic.pcie = Some(PcieCounters { capacity_bps, to_nic_bytes: 0, to_host_bytes: carried_bytes });
    (nic.nic, nic.stalled_writes_ns, nic.loopback_bytes) = ("RNIC0".to_string(), Some(stalled_ns), Some(0));
    nic.wire = None;
    report.loopback = Some(loopback(vec![busy(test(true, &[]), &["RNIC0"])]));
    let diagnosis = diagnosed(&report, &Fabric::paused_by("h3"));
    let found = with_cause(&diagnosis);
    let first = &found.first().expect("a finding").advice[0];
    assert_eq!(first.contains("permit relaxed ordering"), is_ordering_first, "{share}: {first}");
}

#[test]
fn a_link_that_was_full_while_it_held_writes_back_has_no_room() {
    check_room(1.0, false);
    check_room(0.9, false);
    check_room(0.4, true);
}

#[test]
fn the_twelve_bottlenecks_have_the_numbers_of_the_paper() {
    let numbers: Vec<u8> = Bottleneck::ALL.iter().map(|bottleneck| bottleneck.number()).collect();
    assert_eq!(numbers, (1..=12).collect::<Vec<u8>>());
}

#[test]
fn a_bad_link_is_a_finding_with_its_paths() {
    let mut report = report();
    report.loopback = Some(loopback(vec![test(false, &[("rp1", 40)])]));
    pause(&mut report, 50_000_000, 2_000_000);
    let diagnosis = diagnosed(&report, &Fabric::paused_by("h3"));
    let found = with_cause(&diagnosis);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].cause, &found[0].part), (Cause::IntraHostLink, &HostPart::Link("rp1".into())));
    assert_eq!(found[0].summary, "the link rp1 limits h3: the root port of the CPU has failed");
    assert!(found[0].confidence > 0.9, "{}", found[0].confidence);
    assert!(found[0].evidence[0].claim.contains("usually"), "{:?}", found[0].evidence);
    // The fabric explains the delay, or another host does: no cause.
    for fabric in [Fabric::new(host_diagnosis::FabricState::Congested), Fabric::paused_by("h9")] {
        assert_eq!(causes(&report, &fabric), []);
    }
    // Whether the fabric was congested is unknown: a suspicion.
    let diagnosis = diagnosed(&report, &Fabric::default());
    assert!(with_cause(&diagnosis)[0].confidence <= 0.6);
}
