//! Import of the poster prototype's dumps: valid lines are read, and every invalid one is reported.

use crate::support::network;
use harrier_analyzer::import::hawkeye_ns3::{DumpFile, Imported, import};
use model::Topology;
use proptest::prelude::*;

fn topology() -> Topology {
    network(
        &[("1", "11.0.1.1"), ("2", "11.0.2.1"), ("3", "11.0.3.1")],
        &[("9:1", "10:1", 100), ("1:1", "9:2", 100), ("2:1", "9:3", 100), ("3:1", "10:2", 100)],
    )
}

fn read(text: &str) -> Imported {
    import(&[DumpFile { name: "mix/telemetry_9.txt", switch: None, text }], &topology(), None)
}

#[track_caller]
fn check(text: &str, problems: &[&str]) -> Imported {
    let imported = read(text);
    let found: Vec<String> = imported.problems.iter().map(ToString::to_string).collect();
    assert_eq!(found, problems.iter().map(|p| format!("mix/telemetry_9.txt:{p}")).collect::<Vec<_>>());
    imported
}

const FLOW_COLUMNS: &str =
    "flowIdx srcIp dstIp srcPort dstPort protocol minSeq maxSeq packetNum enqQdepth pfcPausedPacketNum";

#[test]
fn tables_are_read_once_and_by_their_column_names() {
    let text = format!(
        "\n\nsignal\nepoch 0\n\nsignal\ntraffic meter form port 2 to port 1\nportToPortBytes\n1234\n\n\
         signal\nport telemetry data for port 1\npfcPausedPacketNum enqQdepth\n3 70\n\n\
         signal\nflow telemetry data for port 1\n{FLOW_COLUMNS}\n34 0b000101 0b000301 10000 100 17 5 9 40 70 3\n\n\
         signal\nlast epoch 1\n\nsignal\nport telemetry data for port 1\nenqQdepth pfcPausedPacketNum\n0 0\n\n\
         polling\nepoch 0\n\npolling\nport telemetry data for port 1\nenqQdepth pfcPausedPacketNum\n70 3\n"
    );
    let snapshot = check(&text, &[]).snapshots.remove(0);
    let [s] = snapshot.switches.as_slice() else { panic!("one switch expected") };
    assert_eq!(s.switch, "9");
    assert_eq!((s.ports.len(), s.flows.len(), s.meters.len()), (2, 1, 1));
    assert_eq!(s.epochs.iter().map(|e| e.id).collect::<Vec<_>>(), [0, 1]);
    let slot = s.ports.iter().find(|p| p.epoch == 1).unwrap();
    assert_eq!((slot.depth_sum, slot.paused_packets), (70, 3));
    assert_eq!(s.flows[0].flow.to_string(), "11.0.1.1:10000>11.0.3.1:100/udp");
    assert_eq!((s.flows[0].packets, s.flows[0].epoch, s.flows[0].psn_last), (40, 1, 9));
    assert_eq!((s.polled_from.as_slice(), s.on_victim_path, snapshot.polls), (&[2_u16][..], true, 2));
    assert_eq!(snapshot.missing.len(), 5);
}

#[test]
fn a_later_poll_replaces_an_earlier_one_and_is_reported() {
    let text = "polling\nepoch 0\npolling\nport telemetry data for port 1\nenqQdepth pfcPausedPacketNum\n1 0\n\
                polling\nepoch 1\npolling\nport telemetry data for port 1\nenqQdepth pfcPausedPacketNum\n9 9\n";
    let snapshot = check(text, &[]).snapshots.remove(0);
    assert_eq!(snapshot.switches[0].epochs.iter().map(|e| e.id).collect::<Vec<_>>(), [1, 2]);
    assert!(snapshot.missing.iter().any(|m| m.to_string().contains("several polls")));
}

#[test]
fn every_problem_has_its_line_and_column() {
    let text = format!(
        "polling\nport telemetry data for port 1\nenqQdepth pfcPausedPacketNum\n1 0\n\
         epoch x\nepoch 0\nhello there\n12 34\n\
         port telemetry data for port 77\nenqQdepth pfcPausedPacketNum\n1 0\n\
         port telemetry data for port 1\nenqQdepth paused\n1 0\n\
         port telemetry data for port 1\nenqQdepth pfcPausedPacketNum\n-1 x\n2 2\n\
         flow telemetry data for port 1\n{FLOW_COLUMNS}\n\
         34 0b00010 0b000301 70000 100 17 5 9 40 70\n\
         34 0b00010 0b000301 70000 100 17 5 9 40 70 3\n\
         traffic meter form port 2 to port 1\nportToPortBytes\n"
    );
    check(
        &text,
        &[
            "2:1: a table before any `epoch N`: which epoch it belongs to is unknown",
            "5:7: expected a number up to 4294967295 for the epoch, found `x`",
            "7:1: `hello there` is no heading of a telemetry dump; expected `time T`, `polling`, `signal`, an epoch, a table's name or `end`",
            "8:1: a row outside of a table",
            "9:30: switch 9 has no port 77 in the topology",
            "13:11: unknown column `paused`",
            "13:1: the table has no column `pfcPausedPacketNum`",
            "17:1: expected a number up to 4294967295 for enqQdepth, found `-1`",
            "17:4: expected a number up to 4294967295 for pfcPausedPacketNum, found `x`",
            "18:1: the table has more than its one row",
            "21:41: the row has 10 fields, its table has 11 columns",
            "22:4: expected an IPv4 address as eight hexadecimal digits for srcIp, found `0b00010`",
            "22:21: expected a number up to 65535 for srcPort, found `70000`",
            "23:1: the table ends without its row",
        ],
    );
}

#[test]
fn empty_files_and_unknown_switches_are_reported() {
    check("", &["1:1: the file holds no telemetry"]);
    let files = [
        DumpFile { name: "dump.txt", switch: None, text: "polling\nepoch 0\n" },
        DumpFile { name: "telemetry_44.txt", switch: None, text: "polling\nepoch 0\n" },
        DumpFile { name: "dump.txt", switch: Some("10"), text: "polling\nepoch 0\n" },
    ];
    let imported = import(&files, &topology(), None);
    let found: Vec<String> = imported.problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        found,
        [
            "dump.txt:1:1: the file's name does not end in a switch number, as in `telemetry_9.txt`; name the switch",
            "telemetry_44.txt:1:1: the topology has no switch `44`",
        ]
    );
}

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("polling".to_string()),
        Just("signal".to_string()),
        Just(FLOW_COLUMNS.to_string()),
        Just("enqQdepth pfcPausedPacketNum".to_string()),
        Just("portToPortBytes".to_string()),
        "(last )?epoch [0-9]{1,20}",
        "epoch (now|last)",
        "time [0-9]{1,21}",
        Just("end".to_string()),
        Just("enqQdepth pfcPausedPacketNum packetNum".to_string()),
        "(port|flow) telemetry data for port [0-9]{1,6}",
        "traffic meter form port [0-9]{1,3} to port [0-9]",
        "([0-9a-f]{1,9} ){1,11}[0-9]{1,21}",
        "\\PC{0,30}",
    ]
}

proptest! {
    #[test]
    fn no_text_makes_the_import_panic(lines in proptest::collection::vec(line(), 0..40), raw in any::<String>()) {
        let text = lines.join("\n");
        for text in [text.as_str(), raw.as_str()] {
            let imported = read(text);
            for p in &imported.problems {
                prop_assert!(p.line >= 1 && p.column >= 1 && p.line <= text.lines().count().max(1));
            }
            for snapshot in &imported.snapshots {
                harrier_analyzer::diagnose(snapshot, &topology(), &harrier_analyzer::Settings::default());
            }
        }
    }
}
