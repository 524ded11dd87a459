//! The output of `show` commands of several releases, and what is not such output.

use counters::sonic::parse_show;
use counters::{LocalNeighbour, PortReading, Reading, Source, WatchdogState};
use model::Rate;
use proptest::prelude::*;

/// A time at which nothing was pasted.
const NOW_NS: u64 = 1_800_000_000_000_000_000;

/// Reads a paste that has no problems.
fn read(text: &str) -> Vec<Reading> {
    let (readings, problems) = parse_show(text, None, NOW_NS);
    assert!(problems.is_empty(), "{problems:#?}");
    readings
}

fn only(text: &str) -> Reading {
    let readings = read(text);
    let [only] = readings.as_slice() else { panic!("{} readings", readings.len()) };
    only.clone()
}

fn port<'r>(reading: &'r Reading, name: &str) -> &'r PortReading {
    reading.ports.get(name).unwrap_or_else(|| panic!("no {name} in {:?}", reading.ports.keys()))
}

#[test]
fn commands_of_release_201811() {
    let reading = only(include_str!("fixtures/release-201811.txt"));
    assert_eq!((reading.switch.as_str(), reading.source), ("str-s6000-1", Source::SonicShow));
    assert!(reading.time_is_assumed);
    let port0 = port(&reading, "Ethernet0");
    let three = &port0.priorities[3];
    assert_eq!((three.pause_rx_frames, three.pause_tx_frames), (Some(12_345), Some(3)));
    assert_eq!(port0.priorities[4].pause_rx_frames, Some(7));
    assert_eq!(three.queue.packets, Some(1_234_567));
    assert_eq!((three.queue.bytes, three.queue.dropped_packets), (Some(1_506_171_740), Some(12)));
    let watchdog = three.watchdog.expect("statistics of the watchdog");
    assert_eq!((watchdog.state, watchdog.detected, watchdog.restored), (WatchdogState::Stormed, 2, 1));
    assert_eq!((watchdog.tx_dropped_packets, watchdog.rx_dropped_packets), (Some(300), Some(200)));
    assert_eq!((port0.rx_drops, port0.tx_drops, port0.rx_errors), (Some(1_000), Some(2), Some(1)));
    assert_eq!(port0.tx_bytes_per_s, Some(1_500_000_000));
    assert_eq!((port0.speed, port0.alias.as_deref()), (Some(Rate::from_gbps(40)), Some("fortyGigE0/0")));
    assert_eq!(port(&reading, "Ethernet16").speed, Some(Rate::from_gbps(1)));
    let port4 = port(&reading, "Ethernet4");
    assert_eq!(port4.priorities[3].pause_rx_frames, None, "N/A is no counter");
    assert_eq!(port4.priorities[3].pause_tx_frames, Some(9_876));
    assert_eq!(port4.number, Some(2), "numbers follow the natural order of the names");
    let neighbour = |port: &str, system: &str, remote: &str, text: &str, is_host| LocalNeighbour {
        port: port.into(),
        system: system.into(),
        remote_port: Some(remote.into()),
        remote_description: Some(text.into()),
        is_host: Some(is_host),
    };
    assert_eq!(
        reading.neighbours,
        [
            neighbour("Ethernet0", "ARISTA01T1", "Ethernet1", "to str-s6000-1", false),
            neighbour("Ethernet4", "gpu-7", "0c:42:a1:00:00:07", "enp65s0", true)
        ]
    );
}

#[test]
fn commands_of_release_202505() {
    let reading = only(include_str!("fixtures/release-202505.txt"));
    assert_eq!(reading.switch, "leaf-7");
    assert_eq!(reading.ports.keys().collect::<Vec<_>>(), ["Ethernet0"], "port channels have no queues");
    let port0 = port(&reading, "Ethernet0");
    let three = &port0.priorities[3];
    assert_eq!(three.pause_rx_ns, Some(1_234_567_000));
    assert_eq!(three.queue.watermark_bytes, Some(203_616));
    assert_eq!(port0.priorities[0].queue.watermark_bytes, None);
    assert_eq!(three.group.shared_watermark_bytes, Some(10_300));
    assert_eq!(three.group.headroom_watermark_bytes, Some(4_032));
    assert_eq!(three.group.dropped_packets, Some(17));
    assert_eq!(port0.speed, Some(Rate::from_gbps(400)));
    assert_eq!(reading.neighbours[0].is_host, Some(false));
}

#[test]
fn tables_that_appear_again_are_a_second_reading_and_dates_are_its_time() {
    let readings = read(include_str!("../../docs/examples/counters/paste.txt"));
    let shown: Vec<(&str, u64, bool)> = readings
        .iter()
        .map(|reading| (reading.switch.as_str(), reading.time_ns / 1_000_000_000, reading.time_is_assumed))
        .collect();
    let (before, after) = (1_791_195_123, 1_791_195_133);
    let of = |switch| [(switch, before, false), (switch, after, false)];
    assert_eq!(shown, [of("leaf1"), of("leaf2"), of("spine1")].concat());
    for reading in &readings {
        assert!(!reading.neighbours.is_empty(), "{}: neighbours are those of all readings", reading.switch);
    }
}

/// A table of `show queue counters`, with the packets of each port.
fn queue_table(ports: &[(&str, u64)]) -> String {
    let head = "     Port    TxQ    Counter/pkts    Counter/bytes    Drop/pkts    Drop/bytes\n";
    let rule = "---------  -----  --------------  ---------------  -----------  ------------\n";
    let row = |(port, packets): &(&str, u64)| {
        format!("{port:>9}    UC3  {packets:>14}  {:>15}            0             0\n", packets * 1_000)
    };
    head.to_string() + rule + &ports.iter().map(row).collect::<String>() + "\n"
}

#[test]
fn queue_counters_that_appear_again_are_a_second_reading() {
    let check = |text: &str, expected: &[&[u64]]| {
        let (readings, problems) = parse_show(text, Some("leaf9"), NOW_NS);
        assert!(problems.is_empty(), "{problems:?}");
        let packets = |reading: &Reading| -> Vec<u64> {
            reading.ports.values().filter_map(|port| port.priorities[3].queue.packets).collect()
        };
        assert_eq!(readings.iter().map(packets).collect::<Vec<_>>(), expected, "{text}");
    };
    // One table for each port.
    let command = "admin@leaf9:~$ show queue counters\n";
    let one = |packets: u64| {
        command.to_string()
            + &queue_table(&[("Ethernet0", packets)])
            + &queue_table(&[("Ethernet4", packets + 1)])
    };
    check(&one(10), &[&[10, 11]]);
    check(&(one(10) + &one(20)), &[&[10, 11], &[20, 21]]);
    check(&(one(10) + &one(20) + &one(30)), &[&[10, 11], &[20, 21], &[30, 31]]);
    // One table for all ports.
    let all = |packets: u64| {
        command.to_string() + &queue_table(&[("Ethernet0", packets), ("Ethernet4", packets + 1)])
    };
    check(&(all(10) + &all(20)), &[&[10, 11], &[20, 21]]);
    // Another command begins the second reading.
    let pauses = "leaf9# show pfc counters\n  Port Rx    PFC3\n---------  ------\nEthernet0       5\n\n";
    check(&(pauses.to_string() + &one(10) + pauses + &one(20)), &[&[10, 11], &[20, 21]]);
}

#[test]
fn watchdog_totals_of_the_second_half_only_are_not_new() {
    let pauses = |frames: u64| {
        format!("$ show pfc counters\n  Port Rx    PFC3\n---------  ------\nEthernet0  {frames:>6}\n\n")
    };
    let head = "      QUEUE       STATUS    STORM DETECTED/RESTORED    TX OK/DROP    RX OK/DROP    TX LAST OK/DROP    RX LAST OK/DROP\n\
        -----------  -----------  -------------------------  ------------  ------------  -----------------  -----------------\n";
    let row = "Ethernet0:3  operational                        2/2       100/300       100/200              0/200              0/200\n";
    let check = |before: &str, storms: u64, is_reported: bool| {
        let text = format!("{}{before}\n{}{head}{row}", pauses(5), pauses(9));
        let (readings, problems) = parse_show(&text, Some("leaf9"), NOW_NS);
        assert!(problems.is_empty() && readings.len() == 2, "{problems:?} {readings:#?}");
        let report = counters::diagnose(&readings, &[], &counters::Network::default());
        let found: Vec<(u64, u64)> = report.ports.iter().map(|p| (p.storms, p.dropped_packets)).collect();
        assert_eq!(found, [(storms, 0)], "{before}");
        let is_said = report.problems.iter().any(|problem| problem.contains("statistics of the watchdog"));
        assert_eq!(is_said, is_reported, "{:?}", report.problems);
    };
    check("", 0, true);
    // The command lists queues with storms only: an empty table is a statement.
    check(head, 2, false);
    check(&format!("{head}{row}"), 0, false);
}

#[test]
fn names_and_problems_have_no_control_characters() {
    let text = "LocalPort    RemoteDevice    RemotePortID    Capability    RemotePortDescr\n\
        -----------  --------------  --------------  ------------  -----------------\n\
        Ethernet0    h\u{9b}2J1      e\u{7}0             R             \u{1b}]0;title\u{7}\n\n\
          Port Rx    PFC3\n---------  ------\nEthernet0       5\nx\u{1b}c\n";
    let (readings, problems) = parse_show(text, Some("leaf\u{1b}c"), NOW_NS);
    let shown = format!("{:?}", readings.iter().map(|r| (&r.switch, &r.neighbours)).collect::<Vec<_>>());
    assert!(shown.contains("\\u{9b}2J1") && shown.contains("\\u{1b}"), "{shown}");
    for reading in &readings {
        let neighbours = reading.neighbours.iter().flat_map(|n| {
            [Some(n.system.as_str()), n.remote_port.as_deref(), n.remote_description.as_deref()]
        });
        let names = neighbours.flatten().chain([reading.switch.as_str()]);
        names.for_each(|name| assert!(!name.contains(char::is_control), "{name:?}"));
    }
    assert!(!readings[0].neighbours.is_empty());
    problems.iter().for_each(|p| assert!(!p.message.contains(char::is_control), "{:?}", p.message));
}

#[test]
fn a_paste_without_prompts_has_the_callers_switch() {
    let text = "Port Rx PFC0\n\n  Port Rx    PFC3\n---------  ------\nEthernet0       5\n";
    let (readings, problems) = parse_show(text, Some("leaf9"), NOW_NS);
    assert!(problems.is_empty(), "{problems:?}");
    assert_eq!((readings[0].switch.as_str(), readings[0].time_ns), ("leaf9", NOW_NS));
    let (readings, problems) = parse_show(text, None, NOW_NS);
    assert_eq!(readings[0].switch, "switch");
    assert!(problems[0].message.contains("names the switch"), "{problems:?}");
}

#[test]
fn tables_without_blank_lines_between_them_are_distinguished() {
    let text = "  Port Rx    PFC3\n---------  ------\nEthernet0       5\n  Port Tx    PFC3\n---------  ------\nEthernet0       9\n";
    let (readings, problems) = parse_show(text, Some("leaf9"), NOW_NS);
    assert!(problems.is_empty(), "{problems:?}");
    let three = &port(&readings[0], "Ethernet0").priorities[3];
    assert_eq!((three.pause_rx_frames, three.pause_tx_frames), (Some(5), Some(9)));
}

/// Checks the problems of a paste, as `line:column: message`.
fn check_problems(text: &str, expected: &[&str]) {
    let (_, problems) = parse_show(text, Some("leaf1"), NOW_NS);
    let shown: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(shown.len(), expected.len(), "{shown:#?}");
    for (shown, expected) in shown.iter().zip(expected) {
        assert!(shown.starts_with(expected), "{shown}\nexpected {expected}");
    }
}

#[test]
fn all_problems_are_reported_with_their_positions() {
    check_problems(
        "  Port Rx    PFC3    PFC4\n---------  ------  ------\nEthernet0     1x2     -7\nEthernet4 1 2 3 4 5 6\nEthernet8       1       2\n",
        &[
            "3:15: `1x2` is not a number",
            "3:23: `-7` is not a number",
            "4:1: not a row of the table: expected 3",
        ],
    );
    check_problems(
        "     Port    PG3\n---------  -----\nEthernet0      1\n",
        &["1:1: a table of priority groups without its title"],
    );
    check_problems("hello\n", &["no counters found"]);
}

proptest! {
    /// Text of any kind never makes the parser panic.
    #[test]
    fn any_text_is_read(text in "(?s).{0,400}") {
        let _ = parse_show(&text, None, NOW_NS);
    }

    /// So does a paste of which lines were lost, doubled or cut.
    #[test]
    fn damaged_pastes_are_read(keep in prop::collection::vec((any::<bool>(), 0_usize..120), 60)) {
        let text: String = include_str!("fixtures/release-201811.txt")
            .lines()
            .zip(keep)
            .flat_map(|(line, (is_whole, length))| {
                let cut: String = line.chars().take(if is_whole { usize::MAX } else { length }).collect();
                [cut, "\n".to_string()]
            })
            .collect();
        let _ = parse_show(&text, None, NOW_NS);
    }
}
