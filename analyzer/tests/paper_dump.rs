//! Dumps in the format of the paper's ns-3 prototype: one with a known root cause, and one with every kind of problem.

use std::path::PathBuf;

use crate::support::network;
use harrier_analyzer::import::hawkeye_ns3::{DumpFile, Imported, import};
use harrier_analyzer::{Settings, diagnose};
use model::snapshot::Source;
use model::{Anomaly, Cause, Snapshot, Topology};

const VICTIM: &str = "11.0.2.1:10000>11.0.4.1:100/udp";

#[allow(clippy::disallowed_methods, reason = "a test reads its fixtures")]
fn text(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/paper-dump").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The poster's network: ports in the order of the links of the fixture's topology file.
fn topology() -> Topology {
    let hosts: Vec<(String, String)> = (0..9).map(|n| (n.to_string(), format!("11.0.{n}.1"))).collect();
    let hosts: Vec<(&str, &str)> = hosts.iter().map(|(name, at)| (name.as_str(), at.as_str())).collect();
    network(
        &hosts,
        &[
            ("9:1", "10:1", 100),
            ("1:1", "9:2", 50),
            ("2:1", "9:3", 50),
            ("10:2", "11:1", 100),
            ("10:3", "12:1", 100),
            ("3:1", "12:2", 100),
            ("4:1", "11:2", 50),
            ("5:1", "12:3", 100),
            ("6:1", "12:4", 100),
            ("7:1", "12:5", 100),
            ("8:1", "12:6", 100),
            ("0:1", "12:7", 50),
        ],
    )
}

fn load() -> Vec<Snapshot> {
    let texts = [9, 10, 11, 12].map(|n| format!("telemetry_{n}.txt")).map(|name| (text(&name), name));
    let files = texts.each_ref().map(|(text, name)| DumpFile { name, switch: None, text });
    let imported = import(&files, &topology(), Some(VICTIM.parse().unwrap()));
    assert_eq!(imported.problems, vec![]);
    imported.snapshots
}

#[test]
fn every_reading_of_one_time_is_one_event() {
    let [quiet, incast] = load().try_into().expect("two events");
    assert_eq!((quiet.event, incast.event, incast.epoch_ns), (1, 2, 1_000_000));
    assert_eq!(incast.source, Source::HawkeyeNs3Egress);
    assert_eq!(quiet.switches.len(), 3);
    assert_eq!(incast.switches.len(), 4);
    let sw10 = incast.switch("10").unwrap();
    assert_eq!(
        (sw10.frozen_ns, sw10.on_victim_path, sw10.polled_from.as_slice()),
        (2_034_000, true, &[1][..])
    );
    let epochs: Vec<(u64, u64, u64)> = sw10.epochs.iter().map(|e| (e.id, e.start_ns, e.end_ns)).collect();
    assert_eq!(epochs, [(1, 1_000_000, 2_000_000), (2, 2_000_000, 2_034_000)]);
    assert_eq!(incast.polls, 5);
    let port = sw10.ports.iter().find(|p| p.port == 3 && p.epoch == 2).unwrap();
    assert_eq!((port.depth_sum, port.paused_packets, port.packets), (60, 15, Some(30)));
}

#[test]
fn two_slots_of_one_flow_are_merged() {
    let snapshots = load();
    let flows = &snapshots[1].switch("12").unwrap().flows;
    let flow: Vec<_> = flows.iter().filter(|f| f.flow.src.to_string() == "11.0.5.1").collect();
    let [flow] = flow.as_slice() else { panic!("{flow:?}") };
    assert_eq!((flow.packets, flow.depth_sum, flow.psn_first, flow.psn_last), (84, 3864, 0, 90));
}

#[test]
fn a_row_of_another_time_is_left_out_and_reported() {
    let snapshots = load();
    assert!(snapshots[1].switch("12").unwrap().ports.iter().all(|p| p.epoch == 2));
    assert!(
        snapshots[1].missing.iter().any(|m| m.to_string().contains("12:2 for epoch 1")),
        "{:?}",
        snapshots[1].missing
    );
}

#[test]
fn the_incast_is_named_and_the_quiet_event_has_no_verdict() {
    let [quiet, incast] = load().try_into().expect("two events");
    assert_eq!(diagnose(&quiet, &topology(), &Settings::default()), vec![]);
    let [verdict] = diagnose(&incast, &topology(), &Settings::default()).try_into().expect("one verdict");
    assert_eq!((verdict.anomaly, verdict.cause), (Anomaly::PfcBackpressureFlowContention, Cause::Incast));
    let path: Vec<String> = verdict.pause_path.iter().map(ToString::to_string).collect();
    assert_eq!(path, ["9:1", "10:3", "12:2"]);
    let mut culprits: Vec<String> = verdict.root_cause.flows.iter().map(|f| f.src.to_string()).collect();
    culprits.sort_unstable();
    assert_eq!(culprits, ["11.0.5.1", "11.0.6.1", "11.0.7.1", "11.0.8.1"]);
    assert_eq!(verdict.victim.map(|flow| flow.to_string()).as_deref(), Some(VICTIM));
}

#[track_caller]
fn check(text: &str, problems: &[&str]) -> Imported {
    let file = DumpFile { name: "mix/telemetry_9.txt", switch: None, text };
    let imported = import(&[file], &topology(), None);
    let found: Vec<String> = imported.problems.iter().map(ToString::to_string).collect();
    assert_eq!(found, problems.iter().map(|p| format!("mix/telemetry_9.txt:{p}")).collect::<Vec<_>>());
    imported
}

#[test]
fn every_problem_has_its_line_and_column() {
    let port = "port telemetry data for port 1\nenqQdepth pfcPausedPacketNum packetNum\n";
    check(
        &format!(
            "epoch now\ntime soon\npolling\n{port}1 2 3\nepoch last\nepoch 4\nend\n{port}1 2 3\n\
             time 1500000\nsignal\nepoch now\nport telemetry data for port 1\nenqQdepth pfcPausedPacketNum\n1 2\n\
             traffic meter form port 1 to port 9\nportToPortBytes\n7\n{port}1 -2 3\n1 2 3\n"
        ),
        &[
            "1:7: `epoch now` before any `time T`: when that epoch was is unknown",
            "2:6: expected a number up to 18446744073708551615 for the time, found `soon`",
            "4:1: a table before any `epoch N`: which epoch it belongs to is unknown",
            "8:1: `epoch 4` numbers a ring slot; after `time T` an epoch is called `epoch now` or `epoch last`",
            "10:1: a table before any `epoch N`: which epoch it belongs to is unknown",
            "17:1: the table has no column `packetNum`",
            "19:35: switch 9 has no port 9 in the topology",
            "24:3: expected a number up to 4294967295 for pfcPausedPacketNum, found `-2`",
            "25:1: the table has more than its one row",
            "13:1: the reading that begins here has no `end`: the dump was cut off",
        ],
    );
}

#[test]
fn the_epoch_before_time_zero_is_ignored() {
    let text = "time 500\nsignal\nepoch last\nport telemetry data for port 1\n\
                enqQdepth pfcPausedPacketNum packetNum\n0 0 0\nend\n";
    let imported = check(text, &[]);
    assert_eq!(imported.snapshots.len(), 1);
    assert_eq!(imported.snapshots[0].switches[0].epochs, []);
}
