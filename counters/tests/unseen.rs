//! What verdicts say where counters are absent, silent, or contradict each other.

use crate::support::{INTERVAL_NS, PRIORITY, Story, host_pauses, incast, ring_of};
use counters::{Network, PriorityReading, Reading, Report, WatchdogReading, WatchdogState, diagnose};
use model::config_finding::Setting;
use model::{Anomaly, Cause, ConfigFinding, Diagnosis, Severity};

/// Checks the only verdict: anomaly, root port, and a part of what it says is missing.
fn check(report: &Report, expected: (Anomaly, &str), missing: &str) -> Diagnosis {
    let [verdict] = report.diagnoses.as_slice() else { panic!("not one verdict: {:#?}", report.diagnoses) };
    let port = verdict.root_cause.port.as_ref().map(ToString::to_string);
    assert_eq!((verdict.anomaly, port.as_deref().unwrap_or("")), expected, "{}", verdict.summary);
    let is_said = verdict.missing.iter().any(|line| line.contains(missing));
    assert!(is_said, "{missing}\n{:#?}", verdict.missing);
    let claims: Vec<&String> = verdict.evidence.iter().map(|evidence| &evidence.claim).collect();
    for (number, claim) in claims.iter().enumerate() {
        assert!(!claims[..number].contains(claim), "said twice: {claim}");
    }
    verdict.clone()
}

fn of_readings(readings: &[Reading]) -> Report {
    diagnose(readings, &[], &Network::default())
}

fn priority<'r>(reading: &'r mut Reading, port: &str) -> &'r mut PriorityReading {
    &mut reading.ports.get_mut(port).expect("a port").priorities[PRIORITY]
}

/// A ring that stood still before the first reading: its watermarks and packets do not change, and its ports stay paused.
fn standing_ring(names: &[&str]) -> Vec<Reading> {
    let mut readings = ring_of(names, None);
    for reading in &mut readings {
        for of in reading.ports.values_mut().flat_map(|port| &mut port.priorities) {
            of.queue.occupancy_bytes = None;
        }
        let queue = &mut priority(reading, "Ethernet4").queue;
        (queue.watermark_bytes, queue.packets) = (Some(1_000_000), Some(5_000));
    }
    for reading in readings.iter_mut().skip(1).step_by(2) {
        let of = priority(reading, "Ethernet4");
        (of.pause_rx_frames, of.pause_rx_ns) = (Some(30_000), Some(INTERVAL_NS));
        priority(reading, "Ethernet8").pause_tx_frames = Some(30_000);
    }
    readings
}

const IN_LOOP: Anomaly = Anomaly::DeadlockInLoopContention;
const STORM: Anomaly = Anomaly::PfcStormHostInjection;
const RINGS: [&[&str]; 2] = [&["r1", "r2", "r3"], &["r1", "r2", "r3", "r4"]];

#[test]
fn a_ring_that_stands_still_since_before_the_first_reading_is_a_deadlock() {
    for names in RINGS {
        let mut readings = standing_ring(names);
        let verdict = check(&of_readings(&readings), (IN_LOOP, "r1:2"), "how many packets the queues hold");
        assert_eq!(verdict.pause_loop.len(), names.len(), "{}", verdict.summary);
        assert!(verdict.confidence < 0.4, "{}", verdict.confidence);
        // So many frames allow the whole interval.
        for reading in &mut readings {
            priority(reading, "Ethernet4").pause_rx_ns = None;
        }
        check(&of_readings(&readings), (IN_LOOP, "r1:2"), "how many packets the queues hold");
    }
}

/// Changes the later readings of a ring that stood still, and checks that it is a ring without a cause.
fn check_ring(change: impl Fn(&mut Reading), missing: &str) {
    for names in RINGS {
        let mut readings = standing_ring(names);
        readings.iter_mut().skip(1).step_by(2).for_each(&change);
        let verdict = check(&of_readings(&readings), (Anomaly::Undetermined, ""), missing);
        assert!(verdict.pause_loop.is_empty() && verdict.pause_path.len() == names.len(), "{verdict:#?}");
        assert!(verdict.summary.contains("in a ring") && verdict.confidence < 0.4, "{verdict:#?}");
    }
}

#[test]
fn a_ring_of_pauses_without_a_sign_of_standing_packets_is_undetermined() {
    check_ring(|reading| priority(reading, "Ethernet4").queue.packets = Some(6_000), "still send packets");
    check_ring(|reading| priority(reading, "Ethernet4").queue.packets = None, "show queue counters");
    check_ring(|reading| priority(reading, "Ethernet4").queue.watermark_bytes = Some(0), "hold packets");
    check_ring(|reading| priority(reading, "Ethernet4").queue.watermark_bytes = None, "hold packets");
    check_ring(
        |reading| priority(reading, "Ethernet4").pause_rx_ns = Some(INTERVAL_NS / 2),
        "where the pauses end",
    );
    check_ring(
        |reading| priority(reading, "Ethernet4").queue.occupancy_bytes = Some(0),
        "hold packets at the end",
    );
    // A port that may be paused by its host could be the end of the pauses.
    let lacks_counter = |reading: &mut Reading| {
        let host = priority(reading, "Ethernet0");
        (host.pause_rx_frames, host.pause_rx_ns) = (None, None);
    };
    check_ring(lacks_counter, "where the pauses end");
}

/// In a Clos network, pauses of two hosts make ports in opposite directions stand still.
#[test]
fn two_storms_in_a_clos_network_are_no_deadlock() {
    let mut readings = standing_ring(&["leaf1", "spine1", "leaf2", "spine2"]);
    for reading in readings.iter_mut().skip(1).step_by(2).filter(|reading| reading.switch.starts_with("leaf"))
    {
        let host = priority(reading, "Ethernet0");
        (host.pause_rx_frames, host.pause_rx_ns) = (Some(3_000), Some(INTERVAL_NS));
    }
    let report = of_readings(&readings);
    assert!(!report.diagnoses.is_empty());
    for verdict in &report.diagnoses {
        assert_eq!((verdict.anomaly, verdict.cause), (STORM, Cause::NicStorm), "{}", verdict.summary);
    }
}

/// Removes the counters of received pauses of a port from all readings.
fn without_received(story: &mut Story, switch: &str, port: &str) {
    for reading in story.before.iter_mut().chain(&mut story.after).filter(|one| one.switch == switch) {
        let of = priority(reading, port);
        (of.pause_rx_frames, of.pause_rx_ns) = (None, None);
    }
}

#[test]
fn a_port_without_a_counter_of_received_pauses_is_not_taken_as_unpaused() {
    let mut story = host_pauses(3_000, 950_000);
    without_received(&mut story, "leaf2", "Ethernet0");
    let missing = "whether the neighbour pauses leaf2:1 (Ethernet0) in priority 3";
    let verdict = check(&story.diagnose(), (Anomaly::Undetermined, "leaf2:1"), missing);
    assert!(verdict.confidence < 0.5, "{}", verdict.confidence);
    let claims = |text: &str| verdict.evidence.iter().any(|evidence| evidence.claim.contains(text));
    assert!(!claims("no neighbour pauses"), "{:#?}", verdict.evidence);
    assert!(claims("its peak is"), "{:#?}", verdict.evidence);
}

#[test]
fn another_port_without_the_counter_makes_a_verdict_less_certain() {
    let mut story = incast();
    let sure = story.diagnose().diagnoses[0].confidence;
    without_received(&mut story, "leaf2", "Ethernet4");
    for reading in story.before.iter_mut().chain(&mut story.after) {
        priority(reading, "Ethernet4").queue.watermark_bytes = None;
    }
    let missing = "whether the neighbour pauses leaf2:2 (Ethernet4)";
    let verdict = check(&story.diagnose(), (Anomaly::PfcBackpressureFlowContention, "leaf2:1"), missing);
    assert!(verdict.confidence < 0.6 * sure, "{} of {sure}", verdict.confidence);
}

#[test]
fn the_counter_of_the_other_end_stands_in_for_a_missing_one() {
    let mut story = host_pauses(3_000, 950_000);
    without_received(&mut story, "spine1", "Ethernet4");
    let verdict = check(&story.diagnose(), (STORM, "leaf2:1"), "the time of pauses");
    assert_eq!(verdict.pause_path.len(), 3, "{}", verdict.summary);
}

/// Checks the verdict about a storm at leaf2:1 that only the watchdog shows, by its statistics before and after.
fn check_storm(before: WatchdogReading, after: WatchdogReading, dropped: u64) {
    let mut story = Story::new();
    story.at("leaf2", "Ethernet0").watchdog = Some(after);
    let reading = story.before.iter_mut().find(|reading| reading.switch == "leaf2").expect("leaf2");
    priority(reading, "Ethernet0").watchdog = Some(before);
    let verdict =
        check(&story.diagnose(), (STORM, "leaf2:1"), "how many pauses leaf2:1 (Ethernet0) received");
    assert_eq!(
        (verdict.cause, verdict.severity),
        (Cause::NicStorm, Severity::Critical),
        "{}",
        verdict.summary
    );
    assert_eq!(verdict.root_cause.host.as_deref(), Some("h3"));
    let claim = format!("dropped {dropped} packets");
    assert!(
        verdict.evidence.iter().any(|evidence| evidence.claim.contains(&claim)),
        "{:#?}",
        verdict.evidence
    );
}

#[test]
fn a_storm_is_found_although_the_port_counts_no_pauses() {
    let watchdog = |state, detected, restored, dropped| WatchdogReading {
        state,
        detected,
        restored,
        tx_dropped_packets: Some(dropped),
        rx_dropped_packets: Some(0),
    };
    use WatchdogState::{Operational, Stormed};
    check_storm(watchdog(Stormed, 5, 4, 17), watchdog(Stormed, 5, 4, 90_017), 90_000);
    check_storm(watchdog(Operational, 0, 0, 0), watchdog(Operational, 1, 1, 300), 300);
    check_storm(watchdog(Stormed, 5, 4, 17), watchdog(Operational, 5, 5, 19), 2);
    let mut story = Story::new();
    story.at("leaf2", "Ethernet0").watchdog = Some(watchdog(Stormed, 5, 4, 17));
    check(&of_readings(&story.after), (STORM, "leaf2:1"), "when this was");
    let old = watchdog(Operational, 5, 5, 17);
    story.at("leaf2", "Ethernet0").watchdog = Some(old);
    let reading = story.before.iter_mut().find(|reading| reading.switch == "leaf2").expect("leaf2");
    priority(reading, "Ethernet0").watchdog = Some(old);
    assert_eq!(story.diagnose(), Report::default(), "a storm before the first reading");
}

/// A story in which leaf1 drops 1,200 packets, without a configuration, and with a total of pause frames in both readings.
fn drops(pause_frames: u64) -> Story {
    let mut story = Story::new();
    for (readings, dropped) in [(&mut story.before, 5), (&mut story.after, 1_205)] {
        for of in
            readings.iter_mut().flat_map(|one| one.ports.values_mut()).flat_map(|one| &mut one.priorities)
        {
            of.pfc_enabled = None;
        }
        let reading = readings.iter_mut().find(|reading| reading.switch == "leaf1").expect("leaf1");
        let of = priority(reading, "Ethernet0");
        of.pause_tx_frames = Some(pause_frames);
        of.group.dropped_packets = Some(dropped);
    }
    story
}

#[test]
fn a_priority_that_used_pfc_before_is_lossless() {
    check(&drops(12).diagnose(), (Anomaly::PacketLoss, "leaf1:1"), "whether priority 3 is lossless");
    let report = drops(0).diagnose();
    assert!(report.diagnoses.is_empty(), "{:#?}", report.diagnoses);
    let is_said =
        |line: &String| line.starts_with("leaf1: packets were dropped in priority 3; whether it is lossless");
    assert!(report.problems.iter().any(is_said), "{:?}", report.problems);
}

#[test]
fn a_report_without_verdicts_states_only_what_was_read() {
    let check = |report: Report, pauses: &str, drops: &str| {
        assert!(report.diagnoses.is_empty(), "{:#?}", report.diagnoses);
        assert_eq!(report.statements(3), [pauses, drops].map(str::to_owned));
    };
    let (no_pauses, no_drops) =
        ("no port of 3 switches was paused or sent pauses", "no lossless priority dropped packets");
    check(Story::new().diagnose(), no_pauses, no_drops);
    check(
        drops(0).diagnose(),
        no_pauses,
        "packets were dropped in priorities that are not known to be lossless",
    );
    let mut story = Story::new();
    for reading in story.before.iter_mut().chain(&mut story.after) {
        for of in reading.ports.values_mut().flat_map(|port| &mut port.priorities) {
            (of.pause_rx_frames, of.pause_rx_ns, of.queue.dropped_packets, of.group.dropped_packets) =
                (None, None, None, None);
        }
    }
    let some = "no port of 3 switches was paused or sent pauses as far as it has counters of pauses; some ports have none";
    let unknown = "whether lossless priorities dropped packets is unknown: a switch has no counters of drops";
    check(story.diagnose(), some, unknown);
    for reading in story.before.iter_mut().chain(&mut story.after) {
        reading
            .ports
            .values_mut()
            .flat_map(|port| &mut port.priorities)
            .for_each(|of| of.pause_tx_frames = None);
    }
    let none = "whether ports of 3 switches were paused is not known: no port has counters of pauses";
    check(story.diagnose(), none, unknown);
    // Cleared, or read in the wrong order.
    let mut story = Story::new();
    for reading in &mut story.before {
        reading
            .ports
            .values_mut()
            .flat_map(|port| &mut port.priorities)
            .for_each(|of| of.pause_rx_frames = Some(9_000));
    }
    let cleared = "whether ports of 3 switches were paused is not known: counters fell between the readings, and since then no \
                   port was paused or sent pauses";
    check(
        story.diagnose(),
        cleared,
        "whether lossless priorities dropped packets is unknown: counters fell between the readings",
    );
}

#[test]
fn a_switch_with_many_ports_is_diagnosed() {
    // Every port pauses its host and has a queue: each may pause because of every other one.
    let mut story = Story::new();
    let (before, after) = (&mut story.before[0], &mut story.after[0]);
    let (idle, mut busy) = (before.ports["Ethernet0"].clone(), after.ports["Ethernet0"].clone());
    let of = &mut busy.priorities[PRIORITY];
    (of.pause_rx_frames, of.pause_tx_frames, of.pause_rx_ns) = (Some(50), Some(900), Some(1_000_000));
    of.queue.watermark_bytes = Some(90_000);
    for number in 0..600 {
        before.ports.insert(format!("Ethernet{}", 100 + number), idle.clone());
        after.ports.insert(format!("Ethernet{}", 100 + number), busy.clone());
    }
    let report = story.diagnose();
    assert_eq!(report.ports.len(), 600);
    assert_eq!(report.diagnoses.len(), 1, "{:#?}", report.diagnoses.len());
}

#[test]
fn cables_that_a_host_contradicts_are_not_followed() {
    let mut story = host_pauses(3_000, 950_000);
    // The spine names a port of leaf2 at which leaf2 sees its host h4.
    for reading in
        story.before.iter_mut().chain(&mut story.after).filter(|reading| reading.switch == "spine1")
    {
        reading.neighbours[1].remote_port = Some("Ethernet4".into());
    }
    let report = story.diagnose();
    let is_said =
        |line: &String| line.contains("spine1 Ethernet4 is leaf2 Ethernet4, which has another neighbour");
    assert!(report.problems.iter().any(is_said), "{:?}", report.problems);
    let of_h4 = |verdict: &Diagnosis| verdict.root_cause.host.as_deref() == Some("h4");
    assert!(!report.diagnoses.iter().any(of_h4), "{:#?}", report.diagnoses);
}

#[test]
fn findings_are_cited_where_the_counters_show_their_effect() {
    let cited = |setting: Setting, marked: u64| {
        let mut story = incast();
        for port in ["Ethernet0", "Ethernet4", "Ethernet8"] {
            story.at("leaf2", port).queue.ecn_marked_packets = Some(marked);
        }
        let finding = ConfigFinding::new("leaf2", setting, "leaf2: a setting", "change it");
        let network = Network { findings: vec![finding], ..Network::default() };
        let report = diagnose(&story.readings(), &[], &network);
        let verdict = &report.diagnoses[0];
        assert_eq!(
            (verdict.cause, &verdict.root_cause.config),
            (Cause::Incast, &vec![]),
            "{}",
            verdict.summary
        );
        let claims = verdict.evidence.iter().map(|evidence| evidence.claim.clone());
        claims.filter(|claim| claim.starts_with("leaf2: a setting")).collect::<Vec<_>>()
    };
    assert_eq!(cited(Setting::Ecn, 0), ["leaf2: a setting, which may make this worse"]);
    assert_eq!(cited(Setting::Ecn, 50), [""; 0], "packets were marked");
    assert_eq!(cited(Setting::Lossless, 0), [""; 0], "nothing was dropped");
}

#[test]
fn ends_of_a_cable_that_contradict_each_other_are_reported() {
    let mut story = Story::new();
    story.queue(("leaf2", "Ethernet0"), 900_000, 12_000_000);
    story.at("leaf2", "Ethernet8").pause_tx_frames = Some(50_000);
    let missing =
        "why spine1:2 (Ethernet4) counted no pause frame, although leaf2:3 (Ethernet8) counted 50000 frames";
    check(&story.diagnose(), (Anomaly::PfcBackpressureFlowContention, "leaf2:1"), missing);
}

#[test]
fn what_a_switch_sends_is_said_once() {
    let mut story = Story::new();
    story.pause_host(("leaf1", "Ethernet0"), 40).pause_host(("leaf1", "Ethernet4"), 50);
    check(&story.diagnose(), (Anomaly::Undetermined, ""), "the congested port of leaf1");
}
