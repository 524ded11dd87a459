//! From readings to verdicts.

use crate::support::{INTERVAL_NS, Story, host_pauses, incast, ring, ring_of};
use counters::{FlowSample, Network, Report, WatchdogReading, WatchdogState, diagnose};
use model::config_finding::{Deviation, Setting};
use model::diagnosis::AdviceTarget;
use model::{Anomaly, Cause, ConfigFinding, Diagnosis, Severity, Topology};

/// Checks the only verdict: anomaly, cause, root port, host and pause path.
fn check(report: &Report, expected: (Anomaly, Cause, &str, Option<&str>), path: &[&str]) -> Diagnosis {
    let [verdict] = report.diagnoses.as_slice() else { panic!("not one verdict: {:#?}", report.diagnoses) };
    let root = &verdict.root_cause;
    let port = root.port.as_ref().map(ToString::to_string);
    let found = (verdict.anomaly, verdict.cause, port.as_deref().unwrap_or(""), root.host.as_deref());
    assert_eq!(found, expected, "{}", verdict.summary);
    let shown: Vec<String> = verdict.pause_path.iter().map(ToString::to_string).collect();
    assert_eq!(shown, path, "{}", verdict.summary);
    verdict.clone()
}

const STORM: Anomaly = Anomaly::PfcStormHostInjection;
const BACKPRESSURE: Anomaly = Anomaly::PfcBackpressureFlowContention;
const PATH: [&str; 3] = ["leaf1:3", "spine1:2", "leaf2:1"];

#[test]
fn a_host_with_a_pause_storm_is_named() {
    let report = host_pauses(3_000, 950_000).diagnose();
    let verdict = check(&report, (STORM, Cause::NicStorm, "leaf2:1", Some("h3")), &PATH);
    assert!(verdict.confidence > 0.85, "{}", verdict.confidence);
    assert_eq!(verdict.severity, Severity::Critical);
    assert!(verdict.victim.is_none());
    assert!(report.problems.is_empty(), "{:?}", report.problems);
}

#[test]
fn a_slow_receiver_is_named() {
    let report = host_pauses(8_000, 40_000).diagnose();
    let verdict = check(&report, (STORM, Cause::SlowReceiver, "leaf2:1", Some("h3")), &PATH);
    assert_eq!(verdict.severity, Severity::Major);
}

#[test]
fn what_is_missing_does_not_contradict_the_evidence() {
    let mut story = host_pauses(3_000, 40_000);
    let both = story.before.iter_mut().chain(&mut story.after).filter(|reading| reading.switch == "leaf2");
    for reading in both {
        let port = reading.ports.get_mut("Ethernet0").expect("a port");
        port.priorities[crate::support::PRIORITY].pause_rx_frames = None;
    }
    let verdict = check(&story.diagnose(), (STORM, Cause::Undetermined, "leaf2:1", Some("h3")), &PATH);
    let text = verdict.missing.join("\n");
    assert!(text.contains("has the time of pauses, but no number of pause frames"), "{text}");
    assert!(!text.contains("no time of pauses"), "{text}");
}

#[test]
fn pauses_of_a_small_part_of_the_time_are_no_storm() {
    // Frames, and the time of pauses in microseconds of a second.
    let judge = |frames: u64, us: u64, cause: Cause, severity: Severity, missing: &str| {
        let report = host_pauses(frames, us).diagnose();
        let of_host = |verdict: &&Diagnosis| verdict.root_cause.host.as_deref() == Some("h3");
        let verdict = report.diagnoses.iter().find(of_host).expect("a verdict about the host");
        assert_eq!((verdict.cause, verdict.severity), (cause, severity), "{}", verdict.summary);
        let is_missing = verdict.missing.iter().any(|line| line.contains(missing));
        assert!(missing.is_empty() || is_missing, "{:?}", verdict.missing);
    };
    // As long as a frame can request, which a receiver may do as well.
    judge(3, 900, Cause::Undetermined, Severity::Minor, "less than 3 % of the interval");
    judge(90, 29_000, Cause::Undetermined, Severity::Minor, "less than 3 % of the interval");
    judge(100, 31_000, Cause::NicStorm, Severity::Major, "");
    judge(7, 31_000, Cause::Undetermined, Severity::Major, "7 pause frames are too few");
    // The counter of the time contradicts the interval.
    judge(
        3_000,
        9_000_000,
        Cause::Undetermined,
        Severity::Minor,
        "grew by 9000.000 ms in 1.0 s, which is impossible",
    );
}

#[test]
fn without_the_time_of_pauses_storm_and_slow_receiver_are_not_told_apart() {
    let mut story = host_pauses(8_000, 40_000);
    for reading in story.before.iter_mut().chain(&mut story.after) {
        for priority in reading.ports.values_mut().flat_map(|port| &mut port.priorities) {
            priority.pause_rx_ns = None;
        }
    }
    let report = story.diagnose();
    let verdict = check(&report, (STORM, Cause::Undetermined, "leaf2:1", Some("h3")), &PATH);
    assert!(verdict.missing.iter().any(|line| line.contains("slow receiver")), "{:?}", verdict.missing);
}

/// Where the ASIC counts how many pauses began instead of how long they lasted: a receiver ends each of them.
#[test]
fn pauses_that_are_refreshed_are_a_storm_without_the_time_of_pauses() {
    let check_begun = |begun: u64, cause: Cause| {
        let mut story = host_pauses(8_000, 40_000);
        for reading in story.before.iter_mut().chain(&mut story.after) {
            for priority in reading.ports.values_mut().flat_map(|port| &mut port.priorities) {
                (priority.pause_rx_ns, priority.pauses_begun) = (None, Some(0));
            }
        }
        story.at("leaf2", "Ethernet0").pauses_begun = Some(begun);
        check(&story.diagnose(), (STORM, cause, "leaf2:1", Some("h3")), &PATH);
    };
    check_begun(2_000, Cause::NicStorm);
    check_begun(2_001, Cause::Undetermined);
    check_begun(4_000, Cause::Undetermined);
    check_begun(0, Cause::Undetermined);
}

#[test]
fn an_incast_is_found_at_the_port_that_is_not_paused() {
    let report = incast().diagnose();
    let verdict = check(&report, (BACKPRESSURE, Cause::Incast, "leaf2:1", None), &PATH);
    assert_eq!(verdict.severity, Severity::Minor, "paused for less than 0.1 % of the time, and spread");
    assert!(verdict.missing.iter().any(|line| line.contains("flows")));
}

#[test]
fn sampled_flows_are_named_with_their_share() {
    let story = incast();
    let flow = |text: &str| text.parse().expect("a flow");
    let sample = |text: &str, egress: &str, bytes| FlowSample {
        switch: "leaf2".into(),
        time_ns: story.before[0].time_ns + INTERVAL_NS / 2,
        flow: flow(text),
        ingress: None,
        egress: Some(egress.into()),
        dscp: None,
        bytes,
        packets: 1,
        duration_ns: 0,
        sampling_rate: 1_000,
    };
    let (a, b) = ("10.0.0.1:1>10.0.0.3:4791/udp", "10.0.0.2:1>10.0.0.3:4791/udp");
    let (mouse, other) = ("10.0.0.4:1>10.0.0.3:4791/udp", "10.0.0.1:2>10.0.0.4:4791/udp");
    let samples: Vec<FlowSample> = (0..9)
        .flat_map(|_| {
            [sample(a, "Ethernet0", 1_000), sample(b, "Ethernet0", 600), sample(other, "Ethernet4", 900)]
        })
        .chain([sample(mouse, "Ethernet0", 1_000)])
        .collect();
    let report = diagnose(&story.readings(), &samples, &Network::default());
    let verdict = check(&report, (BACKPRESSURE, Cause::Incast, "leaf2:1", None), &PATH);
    assert_eq!(verdict.root_cause.flows, [flow(a), flow(b)]);
    assert!(
        verdict.evidence.iter().any(|evidence| evidence.claim.contains("58 %")),
        "{:#?}",
        verdict.evidence
    );
}

#[test]
fn a_count_of_an_exporter_belongs_to_the_time_of_its_flow() {
    let story = incast();
    let end_ns = story.before[0].time_ns + INTERVAL_NS;
    let count = |src: u8, time_ns, seconds: u64| FlowSample {
        switch: "leaf2".into(),
        time_ns,
        duration_ns: seconds * INTERVAL_NS,
        flow: format!("10.0.0.{src}:1>10.0.0.3:4791/udp").parse().expect("a flow"),
        ingress: None,
        egress: Some("Ethernet0".into()),
        dscp: None,
        bytes: 4_000_000,
        packets: 4_000,
        sampling_rate: 1,
    };
    // A quarter of the first flow lies in the interval, all of the second, nothing of the third.
    let samples =
        [count(1, end_ns + 2 * INTERVAL_NS, 4), count(2, end_ns, 1), count(3, end_ns + INTERVAL_NS, 1)];
    let report = diagnose(&story.readings(), &samples, &Network::default());
    let verdict = check(&report, (BACKPRESSURE, Cause::Undetermined, "leaf2:1", None), &PATH);
    assert_eq!(verdict.root_cause.flows, [samples[1].flow]);
    assert!(
        verdict.evidence.iter().any(|evidence| evidence.claim.contains("80 % of the counted bytes")),
        "{:#?}",
        verdict.evidence
    );
}

#[test]
fn a_port_that_a_host_pauses_for_a_moment_is_still_congested() {
    let mut story = incast();
    story.pause(("leaf2", "Ethernet0"), ("h3", "eth0"), 2, 20);
    check(&story.diagnose(), (BACKPRESSURE, Cause::Incast, "leaf2:1", None), &PATH);
}

#[test]
fn a_short_pause_of_one_link_is_ordinary() {
    let mut story = Story::new();
    story.queue(("leaf1", "Ethernet0"), 90_000, 1_000_000).pause_host(("leaf1", "Ethernet4"), 2);
    let verdict =
        check(&story.diagnose(), (BACKPRESSURE, Cause::Undetermined, "leaf1:1", None), &["leaf1:1"]);
    assert_eq!(verdict.severity, Severity::Info);
}

#[test]
fn a_single_reading_gives_totals_with_less_confidence() {
    let story = host_pauses(3_000, 950_000);
    let two = story.diagnose().diagnoses[0].confidence;
    let report = diagnose(&story.after, &[], &Network::default());
    let verdict = check(&report, (STORM, Cause::Undetermined, "leaf2:1", Some("h3")), &PATH);
    assert!(verdict.confidence < 0.7 * two, "{} of {two}", verdict.confidence);
    assert!(
        report.problems.iter().any(|problem| problem.contains("one reading only")),
        "{:?}",
        report.problems
    );
}

#[test]
fn counters_that_were_cleared_are_reported_and_used() {
    let mut story = host_pauses(3_000, 950_000);
    let before = story.before.iter_mut().find(|reading| reading.switch == "leaf2").expect("leaf2");
    let port = before.ports.get_mut("Ethernet0").expect("a port");
    port.priorities[crate::support::PRIORITY].pause_rx_frames = Some(1_000_000);
    let report = story.diagnose();
    check(&report, (STORM, Cause::NicStorm, "leaf2:1", Some("h3")), &PATH);
    assert!(report.problems.iter().any(|problem| problem.contains("fell")), "{:?}", report.problems);
}

#[test]
fn late_readings_of_a_switch_are_sorted() {
    let story = host_pauses(3_000, 950_000);
    let mut readings = story.readings();
    readings.reverse();
    check(
        &diagnose(&readings, &[], &Network::default()),
        (STORM, Cause::NicStorm, "leaf2:1", Some("h3")),
        &PATH,
    );
}

#[test]
fn a_switch_without_readings_ends_the_search_undetermined() {
    let mut story = host_pauses(3_000, 950_000);
    story.before.retain(|reading| reading.switch != "leaf2");
    story.after.retain(|reading| reading.switch != "leaf2");
    let report = story.diagnose();
    let verdict = check(
        &report,
        (Anomaly::Undetermined, Cause::Undetermined, "spine1:2", None),
        &["leaf1:3", "spine1:2"],
    );
    assert!(verdict.confidence < 0.5);
    assert!(report.problems.iter().any(|problem| problem.contains("leaf2")), "{:?}", report.problems);
}

#[test]
fn without_neighbours_each_switch_says_what_pauses_it_and_what_it_pauses() {
    let mut story = host_pauses(3_000, 950_000);
    for reading in story.before.iter_mut().chain(&mut story.after) {
        reading.neighbours.clear();
    }
    let report = story.diagnose();
    assert_eq!(report.diagnoses.len(), 3, "{:#?}", report.diagnoses);
    for verdict in &report.diagnoses {
        assert_eq!(verdict.anomaly, Anomaly::Undetermined, "{}", verdict.summary);
        assert!(verdict.summary.contains("therefore sends pauses"), "{}", verdict.summary);
    }
}

#[test]
fn a_port_without_a_neighbour_is_likely_a_host_where_others_have_one() {
    let mut story = host_pauses(3_000, 950_000);
    for reading in story.before.iter_mut().chain(&mut story.after) {
        reading.neighbours.retain(|neighbour| neighbour.is_host == Some(false));
    }
    let verdict = check(&story.diagnose(), (STORM, Cause::NicStorm, "leaf2:1", None), &PATH);
    assert!(verdict.confidence < 0.7, "{}", verdict.confidence);
}

#[test]
fn a_drop_in_a_lossless_priority_is_an_alarm_and_cites_the_headroom() {
    let mut story = Story::new();
    story.at("leaf1", "Ethernet0").group.dropped_packets = Some(12);
    let alarm = story.diagnose();
    check(&alarm, (Anomaly::PacketLoss, Cause::Undetermined, "leaf1:1", None), &[]);
    assert_eq!(alarm.diagnoses[0].severity, Severity::Critical);
    let text = "leaf1: 8 KiB of headroom, 40 KiB needed (PG005 headroom-too-small)";
    let mut finding = ConfigFinding::new("leaf1", Setting::Headroom, text, "set xoff to 40960");
    finding.deviation = Deviation::Less;
    let network = Network { topology: Topology::default(), findings: vec![finding] };
    let report = diagnose(&story.readings(), &[], &network);
    let verdict = check(&report, (Anomaly::PacketLoss, Cause::Misconfiguration, "leaf1:1", None), &[]);
    assert_eq!(verdict.root_cause.config, ["leaf1/headroom"]);
    let target = AdviceTarget::Finding { id: "leaf1/headroom".to_string() };
    assert_eq!(verdict.advice_target, Some(target), "{:?}", verdict.advice);
    let cites = |claim: &str| claim == format!("{text}, which may explain this");
    assert!(verdict.evidence.iter().any(|evidence| cites(&evidence.claim)), "{:#?}", verdict.evidence);
}

#[test]
fn a_drop_in_a_lossy_priority_is_none() {
    let mut story = Story::new();
    let reading = story.after.iter_mut().find(|reading| reading.switch == "leaf1").expect("leaf1");
    reading.ports.get_mut("Ethernet0").expect("a port").priorities[0].queue.dropped_packets = Some(500);
    let report = story.diagnose();
    assert!(report.diagnoses.is_empty(), "{:#?}", report.diagnoses);
}

#[test]
fn a_watchdog_event_is_joined_with_the_host_that_caused_it() {
    let mut story = host_pauses(3_000, 200_000);
    let port = story.at("leaf2", "Ethernet0");
    port.queue.dropped_packets = Some(70);
    port.watchdog = Some(WatchdogReading {
        state: WatchdogState::Operational,
        detected: 1,
        restored: 1,
        tx_dropped_packets: Some(70),
        rx_dropped_packets: Some(0),
    });
    let verdict = check(&story.diagnose(), (STORM, Cause::NicStorm, "leaf2:1", Some("h3")), &PATH);
    assert_eq!(verdict.severity, Severity::Critical);
    let has = |text: &str| verdict.evidence.iter().any(|evidence| evidence.claim.contains(text));
    assert!(has("detected 1 storm and dropped 70 packets"), "{:#?}", verdict.evidence);
}

#[test]
fn a_switch_without_ports_does_no_harm() {
    let story = host_pauses(3_000, 950_000);
    let mut readings = story.readings();
    for name in ["a-first", "z-last"] {
        let mut empty = story.before[0].clone();
        empty.switch = name.into();
        empty.ports.clear();
        readings.push(empty);
    }
    let report = diagnose(&readings, &[], &Network::default());
    check(&report, (STORM, Cause::NicStorm, "leaf2:1", Some("h3")), &PATH);
}

#[test]
fn an_idle_network_has_no_verdict() {
    let report = Story::new().diagnose();
    assert_eq!(report, Report::default());
}

#[test]
fn a_peak_that_the_watermarks_show_later_is_used() {
    let story = incast();
    let mut during = story.after.clone();
    let mut later = story.after.clone();
    for reading in &mut during {
        for queue in reading.ports.values_mut().flat_map(|port| &mut port.priorities).map(|of| &mut of.queue)
        {
            queue.watermark_bytes = Some(0);
        }
    }
    for reading in &mut later {
        reading.time_ns += INTERVAL_NS;
    }
    let readings: Vec<_> = [story.before.clone(), during, later].concat();
    let report = diagnose(&readings, &[], &Network::default());
    let verdict = check(&report, (BACKPRESSURE, Cause::Incast, "leaf2:1", None), &PATH);
    assert!(verdict.confidence > 0.8, "the busiest port has less: {}", verdict.confidence);
}

#[test]
fn a_deadlock_that_began_within_the_interval_is_found() {
    let mut readings = ring();
    for reading in &mut readings {
        for of in reading.ports.values_mut().flat_map(|port| &mut port.priorities) {
            of.is_paused = None;
        }
    }
    // In a ring of three switches every other one is a neighbour: no shortest path has two hops. Other queues that hold
    // packets could be the congestion.
    let triangle = diagnose(&readings, &[], &Network::default());
    assert_eq!(triangle.diagnoses[0].pause_loop.len(), 3, "{:#?}", triangle.diagnoses);
    for reading in &mut readings {
        let host = reading.ports.get_mut("Ethernet0").expect("a port");
        host.priorities[crate::support::PRIORITY].queue.occupancy_bytes = Some(90_000);
    }
    let triangle = diagnose(&readings, &[], &Network::default());
    assert!(
        triangle.diagnoses.iter().all(|verdict| verdict.pause_loop.is_empty()),
        "{:#?}",
        triangle.diagnoses
    );
    let report = diagnose(&ring_of(&["r1", "r2", "r3", "r4"], None), &[], &Network::default());
    assert_eq!(report.diagnoses[0].pause_loop.len(), 4, "{:#?}", report.diagnoses);
}

#[test]
fn a_loop_of_ports_that_stay_paused_is_a_deadlock() {
    let mut readings = ring();
    // The counters of r3 say that it was paused last, but not when they were read.
    let reading = readings.iter_mut().rfind(|reading| reading.switch == "r2").expect("r2");
    let next = &mut reading.ports.get_mut("Ethernet4").expect("a port").priorities[crate::support::PRIORITY];
    next.queue.occupancy_bytes = Some(350_000);
    let report = diagnose(&readings, &[], &Network::default());
    let [verdict] = report.diagnoses.as_slice() else { panic!("{:#?}", report.diagnoses) };
    assert_eq!(verdict.anomaly, Anomaly::DeadlockInLoopContention, "{}", verdict.summary);
    assert_eq!(verdict.pause_loop.len(), 3);
    assert_eq!(verdict.root_cause.port.as_ref().map(ToString::to_string).as_deref(), Some("r2:2"));
    assert!(verdict.confidence < 0.6, "{}", verdict.confidence);
}

/// LLDP may be stale, and two switches may have one name.
#[test]
fn cables_that_contradict_each_other_form_no_loop() {
    let no_loop = |readings: &[counters::Reading]| {
        let report = diagnose(readings, &[], &Network::default());
        assert!(report.diagnoses.iter().all(|verdict| verdict.pause_loop.is_empty()), "{report:#?}");
        report.problems
    };
    let mut readings = ring();
    for reading in readings.iter_mut().filter(|reading| reading.switch == "r2") {
        reading.neighbours[1].system = "r1".into();
    }
    let problems = no_loop(&readings);
    let contradiction = "the neighbour of r3 Ethernet8 is r2 Ethernet4, which has another neighbour";
    assert!(problems.iter().any(|line| line.contains(contradiction)), "{problems:?}");
    // Every switch has itself as its neighbour, at the other port and at the same one.
    for far in ["Ethernet8", "Ethernet4"] {
        let mut readings = ring();
        for reading in &mut readings {
            let own = reading.switch.clone();
            reading.neighbours[1].system = own.clone();
            reading.neighbours[1].remote_port = Some(far.into());
            reading.neighbours[2].system = own;
        }
        no_loop(&readings);
    }
}

#[test]
fn a_host_that_hardly_pauses_is_not_the_root_of_a_deadlock() {
    let mut readings = ring();
    let reading = readings.iter_mut().rfind(|reading| reading.switch == "r2").expect("r2");
    let host = &mut reading.ports.get_mut("Ethernet0").expect("a port").priorities[crate::support::PRIORITY];
    host.pause_rx_frames = Some(1);
    host.pause_rx_ns = Some(10_000);
    let report = diagnose(&readings, &[], &Network::default());
    assert_eq!(report.diagnoses[0].anomaly, Anomaly::DeadlockInLoopContention, "{:#?}", report.diagnoses);
}

#[test]
fn a_host_outside_of_the_loop_is_the_root_of_a_deadlock() {
    let mut readings = ring();
    let reading = readings.iter_mut().rfind(|reading| reading.switch == "r2").expect("r2");
    let host = &mut reading.ports.get_mut("Ethernet0").expect("a port").priorities[crate::support::PRIORITY];
    host.pause_rx_frames = Some(900);
    host.pause_rx_ns = Some(990_000_000);
    let report = diagnose(&readings, &[], &Network::default());
    let verdict = &report.diagnoses[0];
    assert_eq!(verdict.anomaly, Anomaly::DeadlockOutOfLoopInjection, "{}", verdict.summary);
    let target = AdviceTarget::Port { port: verdict.pause_loop[0].clone() };
    assert_eq!(
        verdict.advice_target,
        Some(target),
        "the loop is broken, not the port of the host: {:?}",
        verdict.advice
    );
    assert_eq!(verdict.root_cause.host.as_deref(), Some("h1"));
    assert_eq!(report.diagnoses.len(), 1, "{:#?}", report.diagnoses);
}

/// A ring in which each switch's group behind the ring has used this much headroom, by the number of the switch, and each ring
/// port has received this many pause frames in 900 ms.
fn ring_with(headroom: [u64; 3], frames: [u64; 3]) -> Report {
    ring_that_counts(headroom, frames, None)
}

/// The same, with the pauses of each ring port that began, if its ASIC counts them.
fn ring_that_counts(headroom: [u64; 3], frames: [u64; 3], begun: Option<[u64; 3]>) -> Report {
    let mut readings = ring();
    for (number, pair) in readings.chunks_mut(2).enumerate() {
        let [before, after] = pair else { panic!("two readings of a switch") };
        let group = |reading: &mut counters::Reading, bytes| {
            let previous = &mut reading.ports.get_mut("Ethernet8").expect("a port").priorities;
            previous[crate::support::PRIORITY].group.headroom_watermark_bytes = Some(bytes);
        };
        group(before, 0);
        group(after, headroom[number]);
        let of_next = &mut before.ports.get_mut("Ethernet4").expect("a port").priorities;
        of_next[crate::support::PRIORITY].pauses_begun = begun.map(|_| 0);
        let next =
            &mut after.ports.get_mut("Ethernet4").expect("a port").priorities[crate::support::PRIORITY];
        next.pauses_begun = begun.map(|begun| begun[number]);
        next.pause_rx_frames = Some(frames[number]);
        next.pause_rx_ns = Some(900_000_000);
    }
    diagnose(&readings, &[], &Network::default())
}

#[test]
fn headroom_and_repeated_pauses_show_where_a_deadlock_began() {
    let check = |headroom, frames, root: &str, least: f64| {
        let report = ring_with(headroom, frames);
        let [verdict] = report.diagnoses.as_slice() else { panic!("{:#?}", report.diagnoses) };
        assert_eq!(verdict.anomaly, Anomaly::DeadlockInLoopContention, "{}", verdict.summary);
        let port = verdict.root_cause.port.as_ref().map(ToString::to_string);
        assert_eq!(port.as_deref(), Some(root), "{headroom:?} {frames:?}");
        assert!((least..least + 0.2).contains(&verdict.confidence), "{}", verdict.confidence);
    };
    // r2 was still sending when it paused r1.
    check([20_000, 10_000, 20_000], [5_000; 3], "r2:2", 0.7);
    check([20_000, 20_000, 10_000], [5_000; 3], "r3:2", 0.7);
    // A packet more or less is as much as was being sent when the pause arrived; r3 was paused again and again, by r1.
    check([20_000, 18_000, 20_000], [5_000, 5_000, 5_005], "r1:2", 0.7);
    check([18_000, 20_000, 20_000], [5_000, 5_005, 5_000], "r3:2", 0.7);
    // No peak of the interval.
    check([0, 10_000, 20_000], [5_000; 3], "r1:2", 0.5);
}

#[test]
fn counted_repetitions_outweigh_headroom_and_estimates() {
    let check = |begun: Option<[u64; 3]>, root: &str| {
        // By the headroom it is r2; by the frames, r3 was paused again and again, by r1.
        let report = ring_that_counts([20_000, 14_000, 20_000], [5_000, 5_000, 5_001], begun);
        let port = report.diagnoses[0].root_cause.port.as_ref().map(ToString::to_string);
        assert_eq!(port.as_deref(), Some(root), "{begun:?}");
    };
    check(None, "r2:2");
    check(Some([1, 1, 1]), "r2:2");
    check(Some([1, 1, 3]), "r1:2");
    check(Some([1, 3, 1]), "r3:2");
}

/// Watermarks show the headroom in the interval in which the loop formed; in later ones the largest queue is another one.
#[test]
fn a_deadlock_of_several_intervals_is_one_verdict() {
    let report = ring_for(3);
    let [verdict] = report.diagnoses.as_slice() else { panic!("{:#?}", report.diagnoses) };
    let port = verdict.root_cause.port.as_ref().map(ToString::to_string);
    assert_eq!(port.as_deref(), Some("r2:2"), "{}", verdict.summary);
    assert!(verdict.summary.contains("seen in 3 of 3 intervals"), "{}", verdict.summary);
}

/// A ring that deadlocks in the first of so many intervals, at r2 by the headroom.
fn ring_for(intervals: u64) -> Report {
    let mut readings = ring();
    let first: Vec<counters::Reading> = readings.iter().skip(1).step_by(2).cloned().collect();
    for later in 1..intervals {
        let again = first.iter().cloned().map(|mut reading| {
            reading.time_ns += later * INTERVAL_NS;
            for of in reading.ports.values_mut().map(|port| &mut port.priorities[crate::support::PRIORITY]) {
                of.pause_rx_frames = of.pause_rx_frames.map(|frames| frames * (later + 1));
                of.pause_rx_ns = of.pause_rx_ns.map(|ns| ns * (later + 1));
            }
            reading
        });
        readings.extend(again);
    }
    for reading in &mut readings {
        let is_first = reading.time_ns == first[0].time_ns - INTERVAL_NS;
        let used = if reading.switch == "r2" { 9_000 } else { 20_000 };
        let previous = reading.ports.get_mut("Ethernet8").expect("a port");
        let group = &mut previous.priorities[crate::support::PRIORITY].group;
        group.headroom_watermark_bytes = Some(if is_first { 0 } else { used });
    }
    diagnose(&readings, &[], &Network::default())
}
