//! Dumps in the format of the paper's ns-3 prototype with a loop of four ports: four new flows overload one of them,
//! which is not paused at first.

use std::path::PathBuf;

use crate::support::network;
use harrier_analyzer::import::hawkeye_ns3::{DumpFile, import};
use harrier_analyzer::{Settings, diagnose};
use model::{Anomaly, Diagnosis, Snapshot, Topology};

/// Its own packets cross two other ports of the loop.
const VICTIM: &str = "11.0.6.1:10000>11.0.8.1:100/udp";
const NEWCOMERS: [&str; 4] = ["11.0.12.1", "11.0.13.1", "11.0.14.1", "11.0.15.1"];

#[allow(clippy::disallowed_methods, reason = "a test reads its fixtures")]
fn text(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/deadlock-dump").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The network of the fixture's topology file: a ring of the switches 0 to 3, ports in the order of the links.
fn topology() -> Topology {
    let hosts: Vec<(String, String)> = (4..20).map(|n| (n.to_string(), format!("11.0.{n}.1"))).collect();
    let hosts: Vec<(&str, &str)> = hosts.iter().map(|(name, at)| (name.as_str(), at.as_str())).collect();
    let mut links = vec![
        ("0:1".to_string(), "1:1".to_string(), 100),
        ("1:2".to_string(), "2:1".to_string(), 100),
        ("2:2".to_string(), "3:1".to_string(), 100),
        ("3:2".to_string(), "0:2".to_string(), 100),
    ];
    for port in [3, 4] {
        links.extend(
            (0..4).map(|switch| (format!("{switch}:{port}"), format!("{}:1", switch + 4 * (port - 2)), 40)),
        );
    }
    links.extend((0..4).map(|n| (format!("1:{}", n + 5), format!("{}:1", n + 12), 100)));
    links.extend((0..4).map(|n| (format!("2:{}", n + 5), format!("{}:1", n + 16), 100)));
    let links: Vec<(&str, &str, u64)> =
        links.iter().map(|(a, b, rate)| (a.as_str(), b.as_str(), *rate)).collect();
    network(&hosts, &links)
}

/// Returns the events of a dump.
fn load(folder: &str, edit: impl Fn(String) -> String) -> Vec<Snapshot> {
    let texts = [0, 1, 2, 3]
        .map(|n| format!("telemetry_{n}.txt"))
        .map(|name| (edit(text(&format!("{folder}/{name}"))), name));
    let files = texts.each_ref().map(|(text, name)| DumpFile { name, switch: None, text });
    let imported = import(&files, &topology(), Some(VICTIM.parse().unwrap()));
    assert_eq!(imported.problems, vec![]);
    imported.snapshots
}

fn verdict(snapshot: &Snapshot) -> Diagnosis {
    let [verdict] = diagnose(snapshot, &topology(), &Settings::default()).try_into().expect("one verdict");
    verdict
}

#[track_caller]
fn check(verdict: &Diagnosis, anomaly: Anomaly) {
    assert_eq!(verdict.anomaly, anomaly, "{}", verdict.summary);
    assert_eq!(verdict.root_cause.port.as_ref().map(ToString::to_string).as_deref(), Some("1:2"));
    let mut culprits: Vec<String> = verdict.root_cause.flows.iter().map(|f| f.src.to_string()).collect();
    culprits.sort_unstable();
    assert_eq!(culprits, NEWCOMERS);
}

fn is_by_depth(verdict: &Diagnosis) -> bool {
    verdict.missing.iter().any(|m| m.contains("by far the deepest queue"))
}

#[test]
fn a_loop_without_pause_times_begins_at_the_deep_queue_of_unpaused_packets() {
    let [snapshot] = load("one-epoch", |text| text).try_into().expect("one event");
    let verdict = verdict(&snapshot);
    check(&verdict, Anomaly::DeadlockInLoopContention);
    assert_eq!(verdict.pause_loop.len(), 4);
    assert!(is_by_depth(&verdict), "{:?}", verdict.missing);
    // Neither the times nor the order of the pauses are recorded.
    assert!((0.4..0.6).contains(&verdict.confidence), "{}", verdict.confidence);
}

#[test]
fn a_loop_that_closes_in_the_next_epoch_has_the_same_cause() {
    let [before, closed] = load("two-epochs", |text| text).try_into().expect("two events");
    // The port still sends: its overload pauses the others, but no loop has closed.
    check(&verdict(&before), Anomaly::PfcBackpressureFlowContention);
    let closed = verdict(&closed);
    check(&closed, Anomaly::DeadlockInLoopContention);
    assert!(closed.confidence < 0.5, "{}", closed.confidence);
}

#[test]
fn flows_at_their_previous_rate_are_not_named_though_they_sent_more() {
    let [before, _] = load("two-epochs", |text| text).try_into().expect("two events");
    let port = before.switch("1").unwrap().flows.iter().filter(|f| f.egress_port == 2);
    let most = port.max_by_key(|f| f.packets).unwrap();
    assert!(!NEWCOMERS.contains(&most.flow.src.to_string().as_str()));
    check(&verdict(&before), Anomaly::PfcBackpressureFlowContention);
}

#[test]
fn a_loop_without_a_clearly_deepest_queue_has_no_known_start() {
    // The newcomers and everything they met at that port are missing from the dump.
    let shallow = |text: String| {
        let newcomer =
            |line: &str| ["0b000c01", "0b000d01", "0b000e01", "0b000f01"].iter().any(|a| line.contains(a));
        let lines: Vec<String> = text
            .lines()
            .filter(|line| !newcomer(line))
            .map(|line| line.replace(" 5400 3", " 900 3").replace(" 7300 3", " 900 3"))
            .collect();
        lines.join("\n") + "\n"
    };
    let [snapshot] = load("one-epoch", shallow).try_into().expect("one event");
    let verdict = verdict(&snapshot);
    assert_eq!(verdict.anomaly, Anomaly::DeadlockInLoopContention);
    assert_eq!(verdict.root_cause.port, None);
    assert!(!is_by_depth(&verdict));
    assert!(verdict.confidence < 0.4, "{}", verdict.confidence);
}
