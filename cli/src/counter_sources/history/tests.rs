//! Tests of what a history reports.

use counters::Source as Kind;

use super::*;

fn reading(switch: &str, time_ns: u64) -> Reading {
    Reading {
        switch: switch.to_string(),
        time_ns,
        time_is_assumed: false,
        source: Kind::SonicDatabase,
        lacks_watchdog: false,
        polled: Default::default(),
        ports: BTreeMap::new(),
        neighbours: Vec::new(),
        addresses: Vec::new(),
    }
}

fn check(lines: Vec<String>, expected: &[&str]) {
    assert_eq!(lines.len(), expected.len(), "{lines:?}");
    for (line, part) in lines.iter().zip(expected) {
        assert!(line.contains(part), "{line:?} lacks {part:?}");
    }
}

#[test]
fn news_about_a_source_is_reported_once() {
    let mut history = History::default();
    let odd = || vec!["a counter is malformed".to_string()];
    assert!(!history.has_readings());
    assert!(history.fail(0, "connection refused"));
    assert!(!history.fail(0, "connection refused"));
    check(history.read(0, reading("leaf1", 1), odd()), &["leaf1: 0 ports are read", "malformed"]);
    check(history.read(0, reading("leaf1", 2), odd()), &[]);
    assert!(history.fail(0, "authentication failed"));
    check(history.read(0, reading("leaf1", 3), odd()), &["read again"]);
    assert!(history.has_readings());
}

#[test]
fn switches_with_the_same_name_are_distinguished_by_their_addresses() {
    let mut history = History::default();
    let mut take = |number: usize, second: u64, frames: u64| {
        let mut reading = Reading { switch: "sonic".into(), ..paused(second * 1_000_000_000, frames) };
        let address = format!("sonic://10.0.0.{number}:6379");
        let line = history.tell_apart(number, &mut reading, &address);
        let lines = line.into_iter().chain(history.read(number, reading, vec![])).collect::<Vec<_>>();
        let changes = history.round(&[], &Network::default());
        (lines.join("\n"), changes.iter().map(Change::name).collect::<Vec<_>>())
    };
    assert_eq!(take(1, 1, 0), ("sonic: 1 port is read".to_string(), vec![]));
    let (lines, changes) = take(2, 2, 9_000_000);
    assert!(lines.contains("sonic: several switches have this name") && changes.is_empty(), "{lines}");
    assert!(lines.contains("sonic@10.0.0.2:6379: 1 port is read"), "{lines}");
    for second in 3..6 {
        assert_eq!(take(1, second, 0).1, [""; 0], "counters of two switches make no interval");
        assert_eq!(take(2, second, 9_000_000).1, [""; 0]);
    }
    assert_eq!(take(2, 7, 9_009_000).1, ["begins"]);
}

/// A reading whose port `Ethernet0` was paused by so many frames since the switch booted.
fn paused(time_ns: u64, frames: u64) -> Reading {
    let mut port = counters::PortReading::default();
    port.priorities[3].pause_rx_frames = Some(frames);
    port.priorities[3].pause_rx_ns = Some(frames * 100_000);
    Reading { ports: BTreeMap::from([("Ethernet0".to_string(), port)]), ..reading("leaf1", time_ns) }
}

#[test]
fn totals_since_boot_are_no_verdict_and_a_failed_poll_does_not_end_one() {
    let mut history = History::default();
    let round = |history: &mut History| history.round(&[], &Network::default());
    history.read(0, paused(1_000_000_000, 9_000), vec![]);
    assert_eq!(round(&mut history), [], "one reading has no interval");
    history.read(0, paused(2_000_000_000, 9_000), vec![]);
    assert_eq!(round(&mut history), [], "nothing was paused in the interval");
    history.read(0, paused(3_000_000_000, 17_000), vec![]);
    assert!(matches!(round(&mut history).as_slice(), [Change::Begins(_)]));
    history.fail(0, "no reply");
    assert_eq!(round(&mut history), [], "the switch may still be paused");
    // A clock that was set back: the next interval is unknown.
    let lines = history.read(0, paused(500_000_000, 16_000), vec![]);
    check(lines, &["read again", "leaf1: counters of 1 port fell"]);
    round(&mut history);
    history.read(0, paused(1_500_000_000, 16_000), vec![]);
    assert!(!round(&mut history).iter().any(|change| matches!(change, Change::Begins(_))));
}

#[test]
fn a_verdict_that_gets_worse_is_reported_once() {
    let mut history = History::default();
    // Paused for 0.2 %, 5 %, 90 % and 5 % of a second.
    let mut frames = 0;
    for (second, grown) in [(1, 0), (2, 20), (3, 500), (4, 9_000), (5, 500), (6, 9_000)] {
        frames += grown;
        history.read(0, paused(second * 1_000_000_000, frames), vec![]);
        let changes = history.round(&[], &Network::default());
        let names: Vec<&str> = changes.iter().map(Change::name).collect();
        let expected: &[&str] = match second {
            2 => &["begins"],
            3 | 4 => &["worsens"],
            _ => &[],
        };
        assert_eq!(names, expected, "second {second}: {changes:#?}");
    }
}

/// A port that has been paused for 90 % of so many seconds.
fn paused_for(seconds: u64) -> counters::PortReading {
    let mut port = counters::PortReading { speed: Some(model::Rate::from_gbps(100)), ..Default::default() };
    let of = &mut port.priorities[3];
    (of.pause_rx_frames, of.pause_rx_ns) = (Some(5_000 * seconds), Some(900_000_000 * seconds));
    port
}

#[test]
fn a_verdict_whose_pauses_reach_another_switch_is_reported_once_more() {
    let mut history = History::default();
    let neighbour =
        |port: &str, system: &str, remote: Option<&str>, is_host: bool| counters::LocalNeighbour {
            port: port.into(),
            system: system.into(),
            remote_port: remote.map(str::to_string),
            is_host: Some(is_host),
            ..Default::default()
        };
    for second in 1..=6_u64 {
        // The host pauses leaf1 from second 2 on, and leaf1 pauses spine1 from second 4 on.
        let (of_leaf, of_spine) = (second - 1, second.saturating_sub(3));
        let mut to_spine = counters::PortReading::default();
        to_spine.priorities[3].pause_tx_frames = Some(5_000 * of_spine);
        let leaf = Reading {
            ports: [("Ethernet0".to_string(), paused_for(of_leaf)), ("Ethernet8".to_string(), to_spine)]
                .into(),
            neighbours: vec![
                neighbour("Ethernet0", "h1", None, true),
                neighbour("Ethernet8", "spine1", Some("Ethernet0"), false),
            ],
            ..reading("leaf1", second * 1_000_000_000)
        };
        let spine = Reading {
            ports: [("Ethernet0".to_string(), paused_for(of_spine))].into(),
            neighbours: vec![neighbour("Ethernet0", "leaf1", Some("Ethernet8"), false)],
            ..reading("spine1", second * 1_000_000_000)
        };
        history.read(0, leaf, vec![]);
        history.read(1, spine, vec![]);
        let changes = history.round(&[], &Network::default());
        let expected: &[&str] = match second {
            2 => &["begins"],
            4 => &["spreads"],
            _ => &[],
        };
        let names: Vec<&str> = changes.iter().map(Change::name).collect();
        assert_eq!(names, expected, "second {second}: {changes:#?}");
    }
}

/// A switch of a ring of three at this second: from the second one on, its port to the next switch is paused, and its queue
/// holds so many bytes. The headroom behind the port before it had this peak.
fn in_ring(number: usize, second: u64, held: u64, headroom: u64) -> Reading {
    let grown = second.saturating_sub(1);
    let neighbour = |port: &str, step: usize, remote: &str| counters::LocalNeighbour {
        port: port.into(),
        system: format!("r{}", (number + step) % 3),
        remote_port: Some(remote.into()),
        ..Default::default()
    };
    let mut next = counters::PortReading { speed: Some(model::Rate::from_gbps(100)), ..Default::default() };
    let mut previous = next.clone();
    let of = &mut next.priorities[3];
    (of.pause_rx_frames, of.pause_rx_ns) = (Some(5_000 * grown), Some(900_000_000 * grown));
    (of.queue.packets, of.queue.watermark_bytes) = (Some(5_000 * grown.min(1)), Some(held * grown.min(1)));
    (of.queue.occupancy_bytes, of.is_paused) = (Some(held * grown.min(1)), Some(grown > 0));
    let of = &mut previous.priorities[3];
    of.pause_tx_frames = Some(5_000 * grown);
    of.group.headroom_watermark_bytes = Some(headroom * grown.min(1));
    (of.pause_rx_frames, of.pause_rx_ns) = (Some(0), Some(0));
    Reading {
        ports: BTreeMap::from([("Ethernet4".to_string(), next), ("Ethernet8".to_string(), previous)]),
        neighbours: vec![neighbour("Ethernet4", 1, "Ethernet8"), neighbour("Ethernet8", 2, "Ethernet4")],
        ..reading(&format!("r{number}"), second * 1_000_000_000)
    }
}

/// Watches the ring for seven seconds; watermarks of the headroom are polled at this one. They show that the deadlock began at
/// r1; the largest queue is that of r2. Checks the changes of each second and the switch that is named.
fn check_ring(polled: u64, expected: [(&[&str], &str); 7]) {
    let mut history = History::default();
    for (second, (names, switch)) in (1..).zip(expected) {
        for (number, (held, headroom)) in
            [(300_000, 20_000), (300_000, 9_000), (400_000, 20_000)].into_iter().enumerate()
        {
            let headroom = if second < polled { 0 } else { headroom };
            history.read(number, in_ring(number, second, held, headroom), vec![]);
        }
        let changes = history.round(&[], &Network::default());
        assert_eq!(changes.iter().map(Change::name).collect::<Vec<_>>(), names, "second {second}");
        let port = |open: &Diagnosis| Some(open.root_cause.port.as_ref()?.switch.clone());
        assert_eq!(history.open().filter_map(port).collect::<String>(), switch, "second {second}");
    }
}

#[test]
fn only_more_certainty_moves_a_deadlock_to_another_port() {
    let verdict = |switch: &str, confidence: f64| Diagnosis {
        anomaly: Anomaly::DeadlockInLoopContention,
        pause_loop: ["r1", "r2"].map(|switch| PortRef::new(switch, 2)).into(),
        root_cause: model::RootCause { port: Some(PortRef::new(switch, 2)), ..Default::default() },
        confidence,
        ..Diagnosis::undetermined(None)
    };
    let check = |confidence: f64, expected: &str| {
        let known = verdict("r1", 0.72);
        let before = BTreeMap::from([(Subject::of(&known), known)]);
        let now = verdict("r2", confidence);
        let mut history = History { open: BTreeMap::from([(Subject::of(&now), now)]), ..History::default() };
        let moved = history.settle_loops(&before);
        assert_eq!(moved.len(), usize::from(expected == "r2"), "{confidence}");
        let port = history.open().next().and_then(|open| open.root_cause.port.clone());
        assert_eq!(port.map(|port| port.switch).as_deref(), Some(expected), "{confidence}");
    };
    check(0.54, "r1");
    check(0.72, "r1");
    check(0.8, "r2");
}

#[test]
fn a_deadlock_stays_one_verdict_when_its_beginning_is_past() {
    let none: (&[&str], &str) = (&[], "");
    let stays: (&[&str], &str) = (&[], "r1");
    check_ring(2, [none, (&["begins"], "r1"), stays, stays, stays, stays, stays]);
    // Before the watermarks are polled, only the queues are known.
    let early: (&[&str], &str) = (&[], "r2");
    check_ring(5, [none, (&["begins"], "r2"), early, early, (&["begins", "ends"], "r1"), stays, stays]);
}

#[test]
fn what_happens_in_one_interval_is_judged_in_two_rounds() {
    // Other switches may show it an interval later.
    let mut history = History::default();
    let mut names = Vec::new();
    for (second, frames) in [(1, 0), (2, 9_000), (3, 9_000), (4, 9_000)] {
        history.read(0, paused(second * 1_000_000_000, frames), vec![]);
        let changes = history.round(&[], &Network::default());
        names.push(changes.iter().map(Change::name).collect::<Vec<_>>());
    }
    assert_eq!(names, [vec![], vec!["begins"], vec![], vec!["ends"]]);
}

#[test]
fn a_source_keeps_its_last_three_readings() {
    let mut history = History::default();
    for time_ns in 1..=5 {
        history.read(0, reading("leaf1", time_ns), vec![]);
    }
    let kept = &history.sources[&0].readings;
    assert_eq!(
        kept.each_ref().map(|reading| reading.as_ref().map(|reading| reading.time_ns)),
        [Some(3), Some(4), Some(5)]
    );
    assert_eq!(history.round(&[], &Network::default()), []);
}

#[test]
fn every_report_about_a_verdict_has_an_id_of_its_own() {
    // The first two rounds begin at the same reading; a server stores one verdict of an id.
    let mut history = History::default();
    let mut ids = BTreeSet::new();
    let mut reports = 0;
    for (second, frames) in [(1, 0), (2, 400), (3, 9_000), (4, 18_000)] {
        history.read(0, paused(second * 1_000_000_000, frames), vec![]);
        for change in history.round(&[], &Network::default()) {
            reports += 1;
            ids.insert(change.diagnosis().id.clone());
        }
    }
    assert_eq!((reports, ids.len()), (2, 2), "{ids:?}");
}

/// Whether `leaf1` and `leaf2` are connected if `leaf2` has `names` at the end, a neighbour appears with the second of three
/// readings, and names are 1 before.
fn check_cables(names: Option<u64>, expected: bool) {
    let mut history = History::default();
    let neighbour = counters::LocalNeighbour {
        port: "Ethernet0".into(),
        system: "leaf1".into(),
        remote_port: Some("Ethernet0".into()),
        ..Default::default()
    };
    for second in 1..=4 {
        for (number, switch) in [(0, "leaf1"), (1, "leaf2")] {
            let mut reading = Reading { switch: switch.into(), ..paused(second * 1_000_000_000, 0) };
            let is_new = number == 1 && second > 2;
            reading.neighbours.extend(is_new.then(|| neighbour.clone()));
            history.name(number, if is_new { names } else { Some(1) });
            history.read(number, reading, vec![]);
        }
        history.round(&[], &Network::default());
    }
    let cables = history.cabling(&Network::default()).peers().count();
    assert_eq!(cables > 0, expected, "{names:?}");
}

#[test]
fn ports_are_connected_again_when_the_names_of_a_switch_are_others() {
    check_cables(Some(2), true);
    check_cables(None, true);
    // A source that says that names are the same is taken at its word.
    check_cables(Some(1), false);
}

#[test]
fn a_reading_that_is_not_used_any_more_goes_back() {
    let mut history = History::default();
    let mut back = Vec::new();
    for time_ns in 1..=5 {
        history.read(0, reading("leaf1", time_ns), vec![]);
        back.extend(history.take_unused().map(|reading| reading.time_ns));
    }
    assert_eq!(back, [1, 2]);
}
