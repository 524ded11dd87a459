//! The public telemetry of the Hawkeye poster's ns-3 prototype, and the same scenario in small.

use std::path::{Path, PathBuf};

use harrier_analyzer::import::hawkeye_ns3::{DumpFile, import};
use harrier_analyzer::{Analysis, Method, Settings, analyze};
use model::topology::{Link, Node, NodeKind};
use model::{Anomaly, Cause, PortRef, Rate, Snapshot, Time, Topology};

/// The HPCC/ns-3 topology format, as far as this test needs it: ports are numbered from 1 in the order of links.
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

fn load(folder: &Path) -> (Snapshot, Topology) {
    let topology = topology(&read(&folder.join("npa_topo.txt")));
    let texts: Vec<(String, String)> = [9, 10, 11, 12]
        .map(|n| format!("telemetry_{n}.txt"))
        .map(|name| (name.clone(), read(&folder.join(name))))
        .to_vec();
    let files: Vec<DumpFile<'_>> =
        texts.iter().map(|(name, text)| DumpFile { name, switch: None, text }).collect();
    let imported = import(&files, &topology, Some("11.0.2.1:10000>11.0.4.1:100/udp".parse().unwrap()));
    assert_eq!(imported.problems, vec![]);
    (imported.snapshot, topology)
}

fn check(analyses: &[Analysis]) {
    let [Analysis { diagnosis: d, .. }] = analyses else { panic!("one verdict expected: {analyses:#?}") };
    let texts = |flows: &[model::FlowKey]| flows.iter().map(ToString::to_string).collect::<Vec<_>>();
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
}

#[test]
fn the_public_telemetry_gives_the_known_verdict() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/hawkeye-poster");
    if !folder.exists() {
        eprintln!("SKIPPED: {} is not there; tests/fixtures covers the same in small", folder.display());
        return;
    }
    let (snapshot, topology) = load(&folder);
    let analyses = analyze(&snapshot, &topology, &Settings::default());
    println!("{}", serde_json::to_string_pretty(&analyses).unwrap());
    check(&analyses);
}

#[test]
fn the_published_rules_fall_for_the_false_edge() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/hawkeye-poster");
    if !folder.exists() {
        eprintln!("SKIPPED: {} is not there", folder.display());
        return;
    }
    let (snapshot, topology) = load(&folder);
    let settings = Settings { method: Method::HAWKEYE, ..Settings::default() };
    let analyses = analyze(&snapshot, &topology, &settings);
    println!("{}", serde_json::to_string_pretty(&analyses).unwrap());
}
