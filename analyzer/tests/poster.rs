//! The public telemetry of the Hawkeye poster's ns-3 prototype, and a smaller dump of the same scenario.

use std::path::{Path, PathBuf};

use harrier_analyzer::import::hawkeye_ns3::{DumpFile, import};
use harrier_analyzer::{Analysis, Method, Settings, analyze};
use model::topology::{Link, Node, NodeKind};
use model::{Anomaly, Cause, FlowKey, PortRef, Rate, Snapshot, Time, Topology};

/// The HPCC/ns-3 topology format, as far as this test uses it: ports are numbered from 1 in the order of links.
fn topology(text: &str) -> Topology {
    let mut lines = text.lines();
    let counts: Vec<usize> = lines.next().unwrap().split_whitespace().map(|w| w.parse().unwrap()).collect();
    let switches: Vec<&str> = lines.next().unwrap().split_whitespace().collect();
    let nodes = (0..counts[0])
        .map(|id| {
            let name = id.to_string();
            let host = !switches.contains(&name.as_str());
            Node {
                name,
                kind: if host { NodeKind::Host } else { NodeKind::Switch },
                addresses: if host { vec![format!("11.0.{id}.1").parse().unwrap()] } else { vec![] },
            }
        })
        .collect();
    let mut used = vec![0_u16; counts[0]];
    let mut end = |id: &str| {
        let next = &mut used[id.parse::<usize>().unwrap()];
        *next += 1;
        PortRef::new(id, *next)
    };
    let links = lines
        .take(counts[2])
        .map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let gbps = words[2].trim_end_matches("Gbps").parse().unwrap();
            Link { a: end(words[0]), b: end(words[1]), rate: Rate::from_gbps(gbps), delay: Time::from_us(1) }
        })
        .collect();
    Topology { nodes, links }
}

#[allow(clippy::disallowed_methods, reason = "a test reads its fixtures")]
fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn load(text: impl Fn(&str) -> String) -> (Snapshot, Topology) {
    let topology = topology(&text("npa_topo.txt"));
    let texts = [9, 10, 11, 12].map(|n| format!("telemetry_{n}.txt")).map(|name| (text(&name), name));
    let files = texts.each_ref().map(|(text, name)| DumpFile { name, switch: None, text });
    let imported = import(&files, &topology, Some("11.0.2.1:10000>11.0.4.1:100/udp".parse().unwrap()));
    assert_eq!(imported.problems, vec![]);
    (imported.snapshots.into_iter().next().expect("one event"), topology)
}

/// Returns the smaller dump of the same kind of event, with other numbers.
fn small() -> (Snapshot, Topology) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/incast-dump");
    load(|name| read(&folder.join(name)))
}

/// Returns the public dump, if it is available.
fn public() -> Option<(Snapshot, Topology)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/hawkeye-poster");
    if !folder.exists() {
        eprintln!(
            "SKIPPED: {} is not there; tests/fixtures/incast-dump covers the same in small",
            folder.display()
        );
        return None;
    }
    Some(load(|name| read(&folder.join(name))))
}

fn check((snapshot, topology): &(Snapshot, Topology)) {
    let analyses = analyze(snapshot, topology, &Settings::default());
    let [Analysis { diagnosis: d, graph, .. }] = analyses.as_slice() else {
        panic!("one verdict expected: {analyses:#?}")
    };
    let texts = |flows: &[FlowKey]| flows.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(d.anomaly, Anomaly::PfcBackpressureFlowContention);
    assert_eq!(d.cause, Cause::Incast);
    assert_eq!(d.root_cause.port, Some(PortRef::new("12", 2)));
    let mut flows = texts(&d.root_cause.flows);
    flows.sort();
    assert_eq!(flows, [5, 6, 7, 8].map(|h| format!("11.0.{h}.1:10000>11.0.3.1:100/udp")));
    assert_eq!(d.pause_path, ["9:1", "10:3", "12:2"].map(|p| p.parse::<PortRef>().unwrap()));
    assert_eq!(texts(&d.spreaders), ["11.0.1.1:10000>11.0.3.1:100/udp"]);
    assert_eq!(texts(&d.victims), ["11.0.2.1:10000>11.0.4.1:100/udp", "11.0.1.1:10000>11.0.3.1:100/udp"]);
    assert!(d.missing.iter().any(|m| m.contains("input port's queue")));
    assert!(d.evidence.iter().any(|e| e.claim.starts_with("9:1 does not wait for 10:2")));
    assert!(!graph.nodes.contains(&model::provenance::Node::Port(PortRef::new("10", 2))));
}

/// Under the published rules the false edge is the heavier one, so their verdict leads to the wrong switch.
fn check_published((snapshot, topology): &(Snapshot, Topology)) {
    let settings = Settings { method: Method::HAWKEYE, ..Settings::default() };
    let analyses = analyze(snapshot, topology, &settings);
    let first = &analyses.first().expect("a verdict").diagnosis;
    assert_eq!(first.root_cause.port, Some(PortRef::new("10", 2)), "{}", first.summary);
}

#[test]
fn the_dump_gives_the_known_verdict() {
    check(&small());
    if let Some(public) = public() {
        check(&public);
    }
}

#[test]
fn the_published_rules_fall_for_the_false_edge() {
    check_published(&small());
    if let Some(public) = public() {
        check_published(&public);
    }
}

#[test]
fn without_a_question_the_incident_is_the_same() {
    for (mut snapshot, topology) in [Some(small()), public()].into_iter().flatten() {
        snapshot.victim = None;
        check(&(snapshot, topology));
    }
}
