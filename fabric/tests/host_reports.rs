//! What the NICs of simulated hosts report, against what the run did.

use std::sync::OnceLock;

use fabric::{PauseRecord, Pipeline, RunOptions, RunOutcome, run};
use model::host::counters::NicCounters;
use model::{HostReport, Time};
use scenario::Scenario;

fn pipeline() -> &'static Pipeline {
    static PIPELINE: OnceLock<Pipeline> = OnceLock::new();
    PIPELINE.get_or_init(|| Pipeline::hawkeye(&[]).unwrap_or_else(|error| panic!("{error}")))
}

/// A run, and the reports of the host with the fault with the ends of their intervals.
struct Seen {
    outcome: RunOutcome,
    reports: Vec<(Time, HostReport)>,
}

fn see(name: &str) -> Seen {
    let scenario: Scenario = scenario::builtin(name).unwrap().instance(1).unwrap().into_owned();
    let options = RunOptions { pipeline: pipeline().clone(), diagnose: true };
    let outcome = run(&scenario, 1, &options).unwrap();
    let host = &scenario.faults[0].host;
    // A follow-up poll is later than the measurement in its trigger.
    let is_first =
        |snapshot: &model::Snapshot| snapshot.trigger.as_ref().is_some_and(|t| t.follows.is_none());
    let events = outcome.snapshots.iter().zip(&outcome.host_reports).filter(|(of, _)| is_first(of));
    let reports = events.flat_map(|(snapshot, reports)| {
        let trigger_ns = snapshot.trigger.as_ref().map_or(0, |trigger| trigger.time_ns);
        // A report ends half a millisecond after the trigger.
        reports.iter().map(move |report| (Time::from_ns(trigger_ns) + Time::from_us(500), report.clone()))
    });
    // The interval begins before the fault in early reports; none ends after it.
    let end = scenario.faults[0].drawn_start(1, 0) + scenario.faults[0].duration;
    let reports: Vec<(Time, HostReport)> =
        reports.filter(|(last, report)| report.host == *host && *last <= end).collect();
    assert!(!reports.is_empty(), "{name}: no report of {host}");
    Seen { outcome, reports }
}

fn nic(report: &HostReport) -> &NicCounters {
    &report.counters.as_ref().unwrap().nics[0]
}

impl Seen {
    /// How long the switch port was paused in the interval of a report that ends at `last`, and how often that changed.
    fn paused(&self, last: Time, report: &HostReport) -> (Time, u64) {
        let port = nic(report).switch_port.as_ref().unwrap();
        let first = last.saturating_sub(Time::from_ns(report.interval_ns));
        let (mut sum, mut changes, mut since) = (Time::ZERO, 0, None);
        let records = self.outcome.pauses.iter().filter(|pause| pause.port == *port);
        let states = records.map(|PauseRecord { at, on, .. }| (*at, *on)).chain([(last, false)]);
        for (at, on) in states.filter(|(at, _)| *at <= last) {
            match (on, since) {
                (true, None) => since = Some(at),
                (false, Some(from)) => {
                    sum += at.max(first).saturating_sub(first.max(from));
                    since = None;
                }
                _ => continue,
            }
            changes += 1;
        }
        (sum, changes)
    }
}

#[test]
fn translations_are_counted_page_by_page() {
    let seen = see("mtt-misses");
    for (_, report) in &seen.reports {
        let nic = nic(report);
        let mtt = nic.caches.and_then(|caches| caches.mtt).unwrap();
        let lookups = mtt.lookups.unwrap();
        // 2,048 entries for pages of 4 KiB reach an eighth of 64 MiB.
        let share = mtt.misses as f64 / lookups as f64;
        assert!((0.8..0.95).contains(&share), "{mtt:?}");
        // A full packet has the payload of one page, and one arrives for each that is looked up, apart from the buffer and
        // the time before the fault.
        let received = nic.wire.unwrap().received_packets;
        assert!(lookups < received + 100 && lookups * 3 > received, "{lookups} lookups, {received} packets");
        assert_eq!((nic.stalled_writes_ns, nic.loopback_bytes), (Some(0), Some(0)));
    }
}

#[test]
fn the_time_in_the_paused_state_is_that_of_the_switch() {
    for name in ["mtt-misses", "loopback-traffic"] {
        let seen = see(name);
        for (last, report) in &seen.reports {
            let pauses = &nic(report).sent_pauses;
            assert_eq!(pauses.iter().map(|row| row.priority).collect::<Vec<_>>(), [3], "{name}");
            let (recorded, changes) = seen.paused(*last, report);
            let counted = Time::from_ns(pauses[0].paused_ns.unwrap());
            // A frame takes effect after the delay of the link, 1 us, and the one that is sent before it.
            let most = Time::from_us(2 * changes);
            assert!(counted > Time::from_us(40), "{name}: {counted}");
            let differ = counted.max(recorded).saturating_sub(counted.min(recorded));
            assert!(differ < most, "{name}: {counted} counted, {recorded} at the switch, {changes} changes");
        }
    }
}

#[test]
fn contexts_are_counted_packet_by_packet_and_their_misses_are_what_the_pipeline_waits_for() {
    for (_, report) in &see("context-misses").reports {
        let nic = nic(report);
        let icm = nic.caches.and_then(|caches| caches.icm).unwrap();
        let lookups = icm.lookups.unwrap();
        // 256 of 1,024 contexts are in the cache.
        let share = icm.misses as f64 / lookups as f64;
        assert!((0.6..0.9).contains(&share), "{icm:?}");
        let received = nic.wire.unwrap().received_packets;
        assert!(lookups < received + 100 && lookups * 3 > received, "{lookups} lookups, {received} packets");
        // A miss takes 2 us; the last one may not be over.
        let waited_us = nic.waited_reads_ns.unwrap() / 1_000;
        assert!(
            waited_us.abs_diff((2 * icm.misses).min(report.interval_ns / 1_000)) <= 2,
            "{waited_us}, {icm:?}"
        );
    }
}

#[test]
fn a_report_describes_the_workload_and_counts_the_receive_wqes_that_it_waits_for() {
    let mut described = 0;
    for (_, report) in &see("receive-wqe-misses").reports {
        let nic = nic(report);
        let Some(requests) = nic.caches.and_then(|caches| caches.receive_wqe) else { continue };
        described += 1;
        // Of a batch of 128, 32 are prefetched, and 128 of 1,024 are cached: 96 / 128 * 7 / 8 wait.
        let share = requests.misses as f64 / requests.lookups.unwrap() as f64;
        assert!((0.5..0.8).contains(&share), "{requests:?}");
        let workload = &report.workload.as_ref().unwrap().descriptors[0];
        assert_eq!((workload.wqe_batch, workload.wq_depth, workload.mtu_bytes), (128, 1024, 4096));
        let performance = workload.performance.unwrap();
        let paused: u64 = nic.sent_pauses.iter().filter_map(|row| row.paused_ns).max().unwrap_or(0);
        let ratio = paused as f64 / report.interval_ns as f64;
        assert!((performance.pause_ratio - ratio).abs() < 1e-3, "{performance:?}, {ratio}");
        assert!(performance.bits_per_s < 0.8 * performance.specified_bits_per_s, "{performance:?}");
    }
    assert!(described > 0);
}

/// A receiver pauses while its buffer is full; a broken NIC pauses without that.
#[test]
fn the_receive_buffer_is_full_behind_the_pauses_of_a_slow_receiver_and_not_behind_those_of_a_storm() {
    for (name, is_full) in
        [("mtt-misses", true), ("loopback-traffic", true), ("slow-receiver", true), ("pfc-storm", false)]
    {
        for (_, report) in &see(name).reports {
            let nic = nic(report);
            let paused: u64 = nic.sent_pauses.iter().filter_map(|row| row.paused_ns).max().unwrap_or(0);
            let full = nic.receive_full_ns.unwrap();
            match is_full {
                true => assert!(full >= paused * 99 / 100, "{name}: full for {full} of {paused} ns"),
                false => assert_eq!(full, 0, "{name}"),
            }
            let stopped = nic.receive_stopped_ns.unwrap();
            assert!(stopped < 20_000, "{name}: stopped for {stopped} ns");
        }
    }
}

/// While a bus is what makes the NIC pause, it holds writes back; no other slow receiver does that.
#[test]
fn writes_are_held_back_while_a_slow_bus_makes_the_nic_pause() {
    for (name, is_held) in [("loopback-traffic", true), ("mtt-misses", false), ("slow-receiver", false)] {
        for (_, report) in &see(name).reports {
            let nic = nic(report);
            let paused: u64 = nic.sent_pauses.iter().filter_map(|row| row.paused_ns).max().unwrap_or(0);
            let held = nic.stalled_writes_ns.unwrap();
            assert!(
                if is_held { held >= paused * 95 / 100 } else { held == 0 },
                "{name}: {held} of {paused} ns"
            );
        }
    }
}

#[test]
fn a_loopback_test_shows_the_slow_bus_and_the_slow_nic() {
    for (name, gbps, stalled) in
        [("loopback-traffic", 40.0, 0.6), ("narrow-bus", 16.0, 0.84), ("mtt-misses", 100.0, 0.0)]
    {
        for (_, report) in &see(name).reports {
            let test = &report.loopback.as_ref().unwrap().tests[0];
            let service: u64 = test.service.iter().map(|row| row.bits_per_s).sum();
            for path in &test.paths {
                let carried = (path.bandwidth_bps + service) as f64 / 1e9;
                assert!((carried - gbps).abs() < 0.01, "{name}: {carried} Gb/s");
                assert!((path.stalled_share.unwrap() - stalled).abs() < 0.001, "{name}: {path:?}");
            }
        }
    }
}

#[test]
fn a_bus_that_loopback_traffic_shares_is_full() {
    for (_, report) in &see("loopback-traffic").reports {
        let nic = nic(report);
        let pcie = nic.pcie.unwrap();
        let bits = pcie.to_host_bytes as f64 * 8.0 * 1e9 / report.interval_ns as f64;
        let share = bits / pcie.capacity_bps as f64;
        assert!((0.4..=1.01).contains(&share), "{share} of {pcie:?}");
        let loopback = nic.loopback_bytes.unwrap();
        assert!(loopback * 2 >= pcie.to_host_bytes * 95 / 100 && loopback < pcie.to_host_bytes, "{pcie:?}");
        assert_eq!(nic.caches, None);
    }
}

#[test]
fn a_receiver_without_pfc_counts_drops_and_its_sender_repetitions() {
    let seen = see("unpaused-receiver");
    assert!(seen.reports.iter().all(|(_, report)| nic(report).sent_pauses.is_empty()));
    let drops: u64 =
        seen.reports.iter().flat_map(|(_, report)| &nic(report).drops).map(|row| row.packets).sum();
    assert!(drops > 0);
    let flows = seen.outcome.host_reports.iter().flatten().flat_map(|report| &report.workload);
    let rows: Vec<_> = flows.flat_map(|workload| &workload.retransmissions).collect();
    assert!(rows.iter().any(|row| row.goodput_bits_per_s < 0.9 * row.raw_bits_per_s), "{rows:#?}");
    assert!(rows.iter().all(|row| row.goodput_bits_per_s <= row.raw_bits_per_s));
    let lossy = rows.iter().filter(|row| row.loss_ratio > Some(0.0));
    assert!(lossy.count() > 0);
}
