//! What the tests of the store share.

// Each binary that includes this file uses only a part of it.
#![allow(dead_code, unreachable_pub)]

use harrier_store::{Store, Stored};
use model::diagnosis::Collected;
use model::provenance::{Edge, EdgeKind, Node};
use model::snapshot::{SNAPSHOT_FORMAT, Source};
use model::{Anomaly, Cause, Diagnosis, FlowKey, PortRef, ProvenanceGraph, RootCause, Snapshot};

pub const VICTIM: &str = "10.0.0.2:10000>10.0.0.4:4791/udp";
pub const OTHER: &str = "10.0.0.9:10001>10.0.0.4:4791/udp";

pub fn flow(text: &str) -> FlowKey {
    text.parse().unwrap()
}

pub fn diagnosis(id: &str, time_ns: u64, victim: &str, port: &str) -> Diagnosis {
    Diagnosis {
        id: id.into(),
        time_ns,
        victim: flow(victim),
        anomaly: Anomaly::PfcBackpressureFlowContention,
        cause: Cause::Incast,
        summary: format!("verdict {id}"),
        confidence: 0.5,
        severity: Default::default(),
        cost: Default::default(),
        root_cause: RootCause { port: Some(port.parse().unwrap()), ..RootCause::default() },
        pause_path: vec![port.parse().unwrap()],
        pause_loop: vec![],
        paths: vec![],
        spreaders: vec![],
        victims: vec![flow(victim)],
        evidence: vec![],
        missing: vec![],
        advice: vec![],
        collected: Collected::default(),
        steps: Vec::new(),
        verified: None,
        verification: None,
    }
}

pub fn graph() -> ProvenanceGraph {
    ProvenanceGraph {
        nodes: vec![Node::Port(PortRef::new("sw1", 1)), Node::Flow(flow(VICTIM)), Node::Host("h3".into())],
        edges: vec![Edge { from: 1, to: 0, kind: EdgeKind::FlowWaitsForPort, weight: 26.0 }],
    }
}

pub fn snapshot() -> Snapshot {
    Snapshot {
        format: SNAPSHOT_FORMAT,
        event: 1,
        source: Source::Harrier,
        victim: Some(flow(VICTIM)),
        trigger: None,
        epoch_ns: 1 << 20,
        switches: vec![],
        missing: vec![],
        polls: 6,
        configuration: vec![],
        losses: vec![],
        events: vec![],
        jobs: vec![],
    }
}

/// Stores a diagnosis that arrives at its own time.
pub async fn put(store: &Store, diagnosis: &Diagnosis) -> Stored {
    store.record(diagnosis, &graph(), None, diagnosis.time_ns).await.unwrap()
}

/// A file for one test's store, removed with its companions on drop.
pub struct StoreFile(String);

impl StoreFile {
    pub fn new(name: &str) -> StoreFile {
        let file = StoreFile(format!("{}/{name}-{}.db", env!("CARGO_TARGET_TMPDIR"), std::process::id()));
        file.remove();
        file
    }

    pub fn path(&self) -> &std::path::Path {
        std::path::Path::new(&self.0)
    }

    pub fn url(&self) -> String {
        format!("sqlite:{}", self.0)
    }

    fn remove(&self) {
        for suffix in ["", "-wal", "-shm", ".lock"] {
            // Best effort: not all of them exist.
            let _ = std::fs::remove_file(format!("{}{suffix}", self.0));
        }
    }
}

impl Drop for StoreFile {
    fn drop(&mut self) {
        self.remove();
    }
}
