//! Pauses that a host sends, told apart into their causes, and what must not be concluded from them.

use crate::support::{SECOND_NS, causes, diagnosed, nic, pause, report, result_of, with_cause};
use host_diagnosis::pause_ratio::{STORM_NS, Step, ratio, step};
use host_diagnosis::{CheckResult, Fabric, FabricState, HostFinding, HostPart, mtt};
use model::host::counters::{
    CacheCounters, Misses, PauseSample, PcieCounters, PriorityDrops, RegisteredMemory,
};
use model::{Cause, HostReport};
use proptest::prelude::*;

const MS: u64 = 1_000_000;

/// Server 0 of the storm: it paused for the whole second, and its pipeline passes nothing.
fn storm() -> HostReport {
    let mut report = report();
    pause(&mut report, SECOND_NS, SECOND_NS);
    nic(&mut report).receive_stopped_ns = Some(SECOND_NS);
    nic(&mut report).wire.as_mut().unwrap().received_packets = 0;
    report
}

/// A slow receiver: 5 % of the time in short pauses, 64 MB registered with pages of 4 KiB.
fn slow_receiver() -> HostReport {
    let mut report = report();
    pause(&mut report, 50 * MS, MS);
    let mtt = Some(Misses { misses: 900_000, lookups: Some(1_000_000), usual_misses: Some(20_000) });
    nic(&mut report).caches = Some(CacheCounters { mtt, ..CacheCounters::default() });
    nic(&mut report).memory =
        Some(RegisteredMemory { bytes: 64 << 20, page_bytes: 4096, mtt_entries: Some(2048) });
    report
}

/// Loopback and external traffic on one PCIe link of 128 Gb/s, each with half a second's worth.
fn loopback() -> HostReport {
    let mut report = report();
    pause(&mut report, 40 * MS, MS);
    let nic = nic(&mut report);
    nic.loopback_bytes = Some(8_000_000_000);
    nic.wire.as_mut().unwrap().received_bytes = 7_500_000_000;
    nic.pcie = Some(PcieCounters {
        capacity_bps: 128_000_000_000,
        to_nic_bytes: 8_000_000_000,
        to_host_bytes: 15_500_000_000,
    });
    // An RNIC with warm caches and large pages.
    nic.caches = Some(CacheCounters {
        mtt: Some(Misses { misses: 20_000, lookups: None, usual_misses: Some(20_000) }),
        ..CacheCounters::default()
    });
    report
}

fn many_servers() -> Fabric {
    Fabric { watchdog_fired: Some(false), pausing_servers: Some(40), ..Fabric::paused_by("h3") }
}

fn one_server() -> Fabric {
    Fabric { pausing_servers: Some(1), ..Fabric::paused_by("h3") }
}

/// The report leads to this cause and to no other one.
fn check(report: &HostReport, fabric: &Fabric, cause: Cause) -> HostFinding {
    let diagnosis = diagnosed(report, fabric);
    let found = with_cause(&diagnosis);
    assert_eq!(found.iter().map(|finding| finding.cause).collect::<Vec<_>>(), [cause]);
    found[0].clone()
}

#[test]
fn the_ladder_has_the_steps_of_the_sources() {
    for (share, expected) in [
        (0.0009, Step::Normal),
        (0.001, Step::Normal),
        (0.0011, Step::Anomaly),
        (0.03, Step::Anomaly),
        (0.0301, Step::HostTest),
        (0.999, Step::HostTest),
    ] {
        assert_eq!(step(share, 0), expected, "{share}");
    }
    // 30 ms in a second.
    assert_eq!(ratio(30 * MS, SECOND_NS), 0.03);
    assert_eq!(step(0.2, STORM_NS - 1), Step::HostTest);
    assert_eq!(step(0.2, STORM_NS), Step::Storm);
    assert_eq!(ratio(5, 0), 0.0);
}

proptest! {
    /// More pause never means less.
    #[test]
    fn the_ladder_is_monotonic(a in 0..SECOND_NS, b in 0..SECOND_NS, longest in 0..SECOND_NS) {
        let (less, more) = (a.min(b), a.max(b));
        prop_assert!(step(ratio(less, SECOND_NS), longest) <= step(ratio(more, SECOND_NS), longest));
        prop_assert!(step(ratio(less, SECOND_NS), 0) <= step(ratio(less, SECOND_NS), longest));
        prop_assert!((0.0..=1.0).contains(&ratio(more, less)));
    }
}

#[test]
fn the_pause_monitor_reports_from_a_thousandth_of_the_time() {
    let monitor = |paused_ns| {
        let mut report = report();
        pause(&mut report, paused_ns, paused_ns / 10);
        result_of(&diagnosed(&report, &Fabric::clean()), "pause_monitor")
    };
    assert_eq!(monitor(900_000), CheckResult::Clean, "0.09 %");
    assert_eq!(monitor(1_100_000), CheckResult::Found, "0.11 %");
}

#[test]
fn the_pause_monitor_finds_a_storm_and_its_start_in_samples() {
    let mut report = report();
    pause(&mut report, 300 * MS, 0);
    nic(&mut report).sent_pauses[0].longest_ns = None;
    let sample = |at: u64, paused_ns| PauseSample {
        start_ns: at * 100 * MS,
        interval_ns: 100 * MS,
        priority: 3,
        frames: 300,
        paused_ns,
    };
    let samples = (0..10).map(|at| sample(at, if at < 7 { 0 } else { 100 * MS }));
    nic(&mut report).pause_samples = samples.collect();
    let diagnosis = diagnosed(&report, &Fabric::clean());
    let found = diagnosis.findings.iter().find(|finding| finding.detector == "pause_monitor").unwrap();
    assert_eq!(
        found.summary,
        "mlx5_0 pauses priority 3 of its switch 30.00 % of the time, 300 ms of it without a break"
    );
    assert_eq!(found.evidence[1].claim, "mlx5_0 has paused since 0.700 s");
    assert_eq!(found.evidence[1].records, ["/counters/nics/0/pause_samples/7"]);
    // A resume in each sample is no storm.
    nic(&mut report).pause_samples.iter_mut().for_each(|sample| sample.paused_ns = 30 * MS);
    let diagnosis = diagnosed(&report, &Fabric::clean());
    assert!(!diagnosis.findings[0].summary.contains("without a break"), "{:?}", diagnosis.findings);
}

#[test]
fn counts_of_frames_alone_show_no_severity() {
    let mut report = report();
    pause(&mut report, 0, 0);
    let row = &mut nic(&mut report).sent_pauses[0];
    (row.frames, row.paused_ns, row.longest_ns) = (4_000, None, None);
    let diagnosis = diagnosed(&report, &Fabric::clean());
    assert_eq!(result_of(&diagnosis, "pause_monitor"), CheckResult::MissingEvidence);
    assert_eq!(diagnosis.findings, []);
}

#[test]
fn ras_2_a_stopped_pipeline_is_a_broken_nic() {
    let found = check(&storm(), &one_server(), Cause::NicStorm);
    assert_eq!(found.part, HostPart::Nic("mlx5_0".into()));
    assert!(found.confidence > 0.9);
    assert!(found.advice[0].contains("reboot"), "{:?}", found.advice);
    // Without knowledge about other servers, it is less certain and says so.
    let alone = check(&storm(), &Fabric::paused_by("h3"), Cause::NicStorm);
    assert!(alone.confidence < found.confidence && !alone.missing.is_empty());
}

#[test]
fn a_watchdog_that_fires_proves_no_storm() {
    let fired = Fabric { watchdog_fired: Some(true), ..one_server() };
    check(&slow_receiver(), &fired, Cause::SlowReceiver);
    // A long pause of an NIC that still receives: slow, not broken; and without MTT counters nothing is concluded.
    let mut report = report();
    pause(&mut report, 400 * MS, 250 * MS);
    assert_eq!(causes(&report, &fired), []);
    // With them it is a slow receiver, however long it pauses.
    let mut long = slow_receiver();
    pause(&mut long, 400 * MS, 250 * MS);
    check(&long, &fired, Cause::SlowReceiver);
    nic(&mut report).wire = None;
    let diagnosis = diagnosed(&report, &fired);
    assert_eq!(result_of(&diagnosis, "nic_storm"), CheckResult::MissingEvidence);
}

/// An RNIC that pauses 5 % of the time, with a receive buffer that is full and stands still for these shares of that time.
fn buffered(full: f64, stopped: f64) -> HostReport {
    let mut report = report();
    pause(&mut report, 50 * MS, MS);
    let of_pauses = |share: f64| Some((50.0 * share * MS as f64) as u64);
    (nic(&mut report).receive_full_ns, nic(&mut report).receive_stopped_ns) =
        (of_pauses(full), of_pauses(stopped));
    report
}

#[test]
fn pauses_without_a_full_receive_buffer_are_a_broken_rnic_and_with_one_a_slow_receiver() {
    let broken = check(&buffered(0.0, 0.0), &one_server(), Cause::NicStorm);
    assert!(broken.summary.contains("its receive buffer has room"), "{}", broken.summary);
    check(&buffered(0.4, 0.0), &many_servers(), Cause::NicStorm);
    let slow = check(&buffered(1.0, 0.02), &one_server(), Cause::SlowReceiver);
    assert!(!slow.missing.is_empty() && slow.confidence < 0.85, "the part is unknown: {slow:#?}");
    // A buffer that nothing leaves is no slow receiver; in 50 ms it is no broken RNIC either.
    assert_eq!(causes(&buffered(1.0, 1.0), &one_server()), []);
    // Hardware without the counters.
    let mut unknown = buffered(0.0, 0.0);
    nic(&mut unknown).receive_full_ns = None;
    assert_eq!(causes(&unknown, &one_server()), []);
    // Next to no pauses.
    let mut few = buffered(0.0, 0.0);
    pause(&mut few, MS / 2, 1000);
    assert_eq!(causes(&few, &one_server()), []);
}

#[test]
fn a_slow_receiver_misses_in_its_translation_table() {
    let found = check(&slow_receiver(), &one_server(), Cause::SlowReceiver);
    assert!(found.advice[0].contains("2 MiB"), "{:?}", found.advice);
    assert_eq!(found.evidence.len(), 3, "pauses, misses and memory: {:?}", found.evidence);
    // Pages of 2 MiB reach all registered memory.
    let mut large = slow_receiver();
    nic(&mut large).memory.as_mut().unwrap().page_bytes = 2 << 20;
    assert_eq!(causes(&large, &one_server()), []);
    // As many misses as usual.
    let mut usual = slow_receiver();
    nic(&mut usual).caches.as_mut().unwrap().mtt.as_mut().unwrap().usual_misses = Some(800_000);
    assert_eq!(causes(&usual, &one_server()), []);
    // No MTT counters: small pages alone prove nothing.
    let mut unknown = slow_receiver();
    nic(&mut unknown).caches = None;
    let diagnosis = diagnosed(&unknown, &one_server());
    assert_eq!(result_of(&diagnosis, "slow_receiver"), CheckResult::MissingEvidence);
    // Misses without pauses are no slow receiver.
    let mut fast = slow_receiver();
    pause(&mut fast, 900_000, 1000);
    assert_eq!(causes(&fast, &one_server()), []);
}

#[test]
fn ras_4_the_reach_is_entries_times_page_size() {
    assert_eq!(mtt::reach_bytes(2 * 1024, 4 << 10), 8 << 20);
    assert_eq!(mtt::reach_bytes(2 * 1024, 2 << 20), 4 << 30);
}

#[test]
fn az_6_a_loopback_storm_is_neither_a_broken_nic_nor_one_host() {
    let found = check(&loopback(), &many_servers(), Cause::LoopbackCongestion);
    assert!(matches!(found.part, HostPart::Application(_)), "{:?}", found.part);
    assert!(found.evidence.iter().any(|claim| claim.claim.starts_with("40 servers")), "{:?}", found.evidence);
    // Even with the pattern of a storm, many servers do not break at once.
    assert_eq!(causes(&storm(), &many_servers()), []);
    // Without the counters the detector asks for them and accuses no RNIC.
    let mut unknown = loopback();
    nic(&mut unknown).loopback_bytes = None;
    let diagnosis = diagnosed(&unknown, &many_servers());
    assert_eq!(result_of(&diagnosis, "loopback_congestion"), CheckResult::MissingEvidence);
    assert_eq!(with_cause(&diagnosis), Vec::<&HostFinding>::new());
}

#[test]
fn loopback_traffic_that_fits_the_pcie_link_is_innocent() {
    let mut report = loopback();
    nic(&mut report).pcie.as_mut().unwrap().capacity_bps = 512_000_000_000;
    assert_eq!(causes(&report, &many_servers()), []);
    let mut none = loopback();
    nic(&mut none).loopback_bytes = Some(0);
    assert_eq!(causes(&none, &many_servers()), []);
}

#[test]
fn loopback_traffic_that_fills_the_pcie_link_in_bursts_is_a_cause() {
    let burst = |stalled_ms: u64, paused_ms: u64| {
        let mut report = loopback();
        nic(&mut report).pcie.as_mut().unwrap().capacity_bps = 256_000_000_000;
        nic(&mut report).stalled_writes_ns = Some(stalled_ms * MS);
        pause(&mut report, paused_ms * MS, MS);
        report
    };
    let found = check(&burst(45, 40), &many_servers(), Cause::LoopbackCongestion);
    assert!(found.evidence.iter().any(|claim| claim.claim.contains("4.50 % of the time")), "{found:#?}");
    assert_eq!(
        causes(&burst(10, 40), &many_servers()),
        [],
        "the link takes the writes while the RNIC pauses"
    );
    // Without pauses, from 3 % of the time on.
    let clean = |stalled_ms| {
        let mut report = burst(stalled_ms, 0);
        nic(&mut report).sent_pauses.clear();
        causes(&report, &Fabric::clean())
    };
    assert_eq!(clean(29), []);
    assert_eq!(clean(31), [Cause::LoopbackCongestion]);
    // The switch recorded pauses of this host before the interval.
    let mut before = burst(31, 0);
    nic(&mut before).sent_pauses.clear();
    assert_eq!(causes(&before, &one_server()), [Cause::LoopbackCongestion]);
    assert_eq!(causes(&before, &Fabric::paused_by("h9")), []);
}

/// A full link delays packets that queue below XOFF. Nothing but a clean fabric excludes other places of the delay.
#[test]
fn loopback_traffic_is_a_cause_without_pauses_only_in_a_clean_fabric() {
    let mut report = loopback();
    nic(&mut report).sent_pauses.clear();
    let found = check(&report, &Fabric::clean(), Cause::LoopbackCongestion);
    assert_eq!(found.confidence, 0.7);
    assert!(found.evidence.iter().all(|claim| !claim.claim.contains("pauses")), "{:?}", found.evidence);
    for fabric in [Fabric::default(), many_servers(), Fabric::new(FabricState::Congested)] {
        assert_eq!(causes(&report, &fabric), [], "{fabric:?}");
    }
    nic(&mut report).pcie = None;
    assert_eq!(causes(&report, &Fabric::clean()), [], "the use of the link is unknown");
}

#[test]
fn a_watchdog_that_fires_makes_loopback_traffic_less_likely() {
    let silent = check(&loopback(), &many_servers(), Cause::LoopbackCongestion);
    let fired = Fabric { watchdog_fired: Some(true), ..many_servers() };
    let loud = check(&loopback(), &fired, Cause::LoopbackCongestion);
    assert!(loud.confidence < silent.confidence);
}

#[test]
fn a_fabric_that_explains_the_delay_withholds_every_cause() {
    for report in [storm(), slow_receiver(), loopback()] {
        for fabric in [Fabric::new(FabricState::Congested), Fabric::paused_by("h9")] {
            let diagnosis = diagnosed(&report, &fabric);
            assert_eq!(with_cause(&diagnosis), Vec::<&HostFinding>::new());
            assert_eq!(result_of(&diagnosis, "nic_storm"), CheckResult::FabricExplains);
            // The symptom remains a fact.
            assert_eq!(result_of(&diagnosis, "pause_monitor"), CheckResult::Found);
        }
    }
}

#[test]
fn many_bytes_and_packets_alone_are_no_cause() {
    let mut report = report();
    let wire = nic(&mut report).wire.as_mut().unwrap();
    (wire.received_bytes, wire.received_packets) = (12_400_000_000, 150_000_000);
    assert_eq!(diagnosed(&report, &Fabric::clean()).findings, []);
}

#[test]
fn ras_6_one_drop_on_a_lossless_priority_is_an_alarm() {
    let dropped = |is_lossless| {
        let mut report = report();
        nic(&mut report).drops = vec![PriorityDrops { priority: 3, is_lossless, packets: 1 }];
        diagnosed(&report, &Fabric::new(FabricState::Congested))
    };
    let alarm = dropped(true);
    assert_eq!(alarm.findings.len(), 1);
    assert_eq!(alarm.findings[0].summary, "mlx5_0 dropped 1 packets of lossless priority 3");
    assert_eq!(dropped(false).findings, []);
}

#[test]
fn a_report_without_evidence_is_clean_of_findings_and_says_what_is_missing() {
    let diagnosis = diagnosed(&HostReport::new("h3", SECOND_NS), &Fabric::clean());
    assert_eq!(diagnosis.findings, []);
    for check in &diagnosis.checks {
        assert_eq!(check.result, CheckResult::MissingEvidence, "{}", check.detector);
        assert!(!check.missing.is_empty(), "{}", check.detector);
    }
}
