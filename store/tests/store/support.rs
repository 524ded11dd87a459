//! What the tests of the store share.
//!
//! Tests that use [`fresh`] or [`StoreFile::any`] run on SQLite, or on the PostgreSQL server whose URL is in
//! `HARRIER_TEST_POSTGRES`: `scripts/postgres.sh` starts one and runs the suite on it.

// The benchmark uses only a part of this file.
#![allow(dead_code, unreachable_pub)]
#![allow(clippy::disallowed_methods, reason = "the script that starts a server names it in a variable")]

use std::sync::atomic::{AtomicU64, Ordering};

use harrier_store::{Store, Stored};
use model::provenance::{Edge, EdgeKind, Node};
use model::snapshot::{SNAPSHOT_FORMAT, Source};
use model::{Anomaly, Cause, Diagnosis, FlowKey, PortRef, ProvenanceGraph, RootCause, Snapshot};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};

pub const VICTIM: &str = "10.0.0.2:10000>10.0.0.4:4791/udp";
pub const OTHER: &str = "10.0.0.9:10001>10.0.0.4:4791/udp";

pub fn flow(text: &str) -> FlowKey {
    text.parse().unwrap()
}

pub fn diagnosis(id: &str, time_ns: u64, victim: &str, port: &str) -> Diagnosis {
    Diagnosis {
        id: id.into(),
        time_ns,
        anomaly: Anomaly::PfcBackpressureFlowContention,
        cause: Cause::Incast,
        summary: format!("verdict {id}"),
        confidence: 0.5,
        root_cause: RootCause { port: Some(port.parse().unwrap()), ..RootCause::default() },
        pause_path: vec![port.parse().unwrap()],
        victims: vec![flow(victim)],
        ..Diagnosis::undetermined(flow(victim))
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

/// The URL of the PostgreSQL server of the tests, if there is one.
pub fn server() -> Option<String> {
    std::env::var("HARRIER_TEST_POSTGRES").ok().filter(|url| !url.is_empty())
}

/// Returns the URL of a new schema on the server.
pub async fn new_schema(server: &str) -> String {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let schema = format!("t{}_{number}", std::process::id());
    let mut connection = PgConnection::connect(server).await.expect("the server of the tests responds");
    let create = format!("DROP SCHEMA IF EXISTS {schema} CASCADE; CREATE SCHEMA {schema}");
    connection.execute(AssertSqlSafe(create)).await.expect("a schema can be created");
    connection.close().await.unwrap();
    let separator = if server.contains('?') { '&' } else { '?' };
    format!("{server}{separator}options[search_path]={schema}")
}

/// Returns the URL of a new store: in memory, or on the server of the tests.
pub async fn fresh() -> String {
    match server() {
        Some(server) => new_schema(&server).await,
        None => "sqlite::memory:".into(),
    }
}

/// The store of one test: a file, which is removed with its companions on drop, or a schema of the server of the tests.
pub struct StoreFile {
    name: String,
    is_server: bool,
}

impl StoreFile {
    /// A file of SQLite.
    pub fn new(name: &str) -> StoreFile {
        let name = format!("{}/{name}-{}.db", env!("CARGO_TARGET_TMPDIR"), std::process::id());
        let file = StoreFile { name, is_server: false };
        file.remove();
        file
    }

    /// A file of SQLite, or a schema of the server of the tests.
    pub async fn any(name: &str) -> StoreFile {
        match server() {
            Some(server) => StoreFile { name: new_schema(&server).await, is_server: true },
            None => StoreFile::new(name),
        }
    }

    pub fn is_server(&self) -> bool {
        self.is_server
    }

    /// The file, or the URL, as commands take it.
    pub fn path(&self) -> &std::path::Path {
        std::path::Path::new(&self.name)
    }

    pub fn url(&self) -> String {
        harrier_store::store_url(self.path())
    }

    fn remove(&self) {
        if self.is_server {
            return;
        }
        for suffix in ["", "-wal", "-shm", ".lock"] {
            // Best effort: not all of them exist.
            let _ = std::fs::remove_file(format!("{}{suffix}", self.name));
        }
    }
}

impl Drop for StoreFile {
    fn drop(&mut self) {
        self.remove();
    }
}
