//! The contract of the store: idempotence, transactions, filters, pages, incidents, limits.

use harrier_store::{
    Arrival, Content, DiagnosisFilter, Finding, INCIDENT_VICTIMS, IncidentFilter, Limits, MAX_PAGE_ROWS,
    PRUNE_EVERY, Store, StoreError,
};
use model::diagnosis::Collected;
use model::provenance::{Edge, EdgeKind, Node};
use model::snapshot::{SNAPSHOT_FORMAT, Source};
use model::{Anomaly, Cause, Diagnosis, FlowKey, PortRef, ProvenanceGraph, RootCause, Snapshot, Topology};
use sqlx::Connection as _;

const VICTIM: &str = "10.0.0.2:10000>10.0.0.4:4791/udp";
const OTHER: &str = "10.0.0.9:10001>10.0.0.4:4791/udp";

fn flow(text: &str) -> FlowKey {
    text.parse().unwrap()
}

fn diagnosis(id: &str, time_ns: u64, victim: &str, port: &str) -> Diagnosis {
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

fn graph() -> ProvenanceGraph {
    ProvenanceGraph {
        nodes: vec![Node::Port(PortRef::new("sw1", 1)), Node::Flow(flow(VICTIM)), Node::Host("h3".into())],
        edges: vec![Edge { from: 1, to: 0, kind: EdgeKind::FlowWaitsForPort, weight: 26.0 }],
    }
}

fn snapshot() -> Snapshot {
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

/// A file for one test's store, removed with its companions on drop.
struct StoreFile(String);

impl StoreFile {
    fn new(name: &str) -> StoreFile {
        let file = StoreFile(format!("{}/{name}-{}.db", env!("CARGO_TARGET_TMPDIR"), std::process::id()));
        file.remove();
        file
    }

    fn url(&self) -> String {
        format!("sqlite:{}", self.0)
    }

    fn remove(&self) {
        for suffix in ["", "-wal", "-shm"] {
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

async fn filled() -> Store {
    let store = Store::open("sqlite::memory:").await.unwrap();
    for (id, time_ns, victim) in [("a", 10, VICTIM), ("b", 20, OTHER), ("c", 20, VICTIM), ("d", 30, VICTIM)] {
        store.put_diagnosis(&diagnosis(id, time_ns, victim, "sw4:1"), &graph()).await.unwrap();
    }
    store
}

async fn check(filter: DiagnosisFilter, expected: &[&str]) {
    let page = filled().await.diagnoses(&filter).await.unwrap();
    let ids: Vec<&str> = page.rows.iter().map(|d| d.id.as_str()).collect();
    assert_eq!(ids, expected, "{filter:?}");
}

#[tokio::test]
async fn filters_select_by_victim_and_time_newest_first() {
    let all = DiagnosisFilter::default;
    check(all(), &["d", "c", "b", "a"]).await;
    check(DiagnosisFilter { src: Some("10.0.0.9".parse().unwrap()), ..all() }, &["b"]).await;
    check(DiagnosisFilter { dst: Some("10.0.0.9".parse().unwrap()), ..all() }, &[]).await;
    check(DiagnosisFilter { sport: Some(10000), dport: Some(4791), ..all() }, &["d", "c", "a"]).await;
    check(DiagnosisFilter { proto: Some(6), ..all() }, &[]).await;
    check(DiagnosisFilter { since_ns: Some(20), until_ns: Some(30), ..all() }, &["c", "b"]).await;
    check(DiagnosisFilter { since_ns: Some(u64::MAX), ..all() }, &[]).await;
    check(DiagnosisFilter { incident: Some("i-a".into()), ..all() }, &["d", "c", "b", "a"]).await;
    check(DiagnosisFilter { limit: Some(0), ..all() }, &["d"]).await;
    check(DiagnosisFilter { limit: Some(MAX_PAGE_ROWS + 1), ..all() }, &["d", "c", "b", "a"]).await;
}

#[tokio::test]
async fn pages_cover_everything_once_and_end() {
    let store = filled().await;
    let mut filter = DiagnosisFilter { limit: Some(1), ..DiagnosisFilter::default() };
    let mut seen = vec![];
    loop {
        let page = store.diagnoses(&filter).await.unwrap();
        seen.extend(page.rows.into_iter().map(|d| d.id));
        let Some(next) = page.next else { break };
        assert_eq!(next.to_string().parse(), Ok(next.clone()));
        filter.after = Some(next);
    }
    assert_eq!(seen, ["d", "c", "b", "a"]);
}

#[tokio::test]
async fn storing_a_diagnosis_twice_changes_nothing() {
    let store = filled().await;
    let again =
        store.put_diagnosis(&diagnosis("a", 999, OTHER, "sw9:9"), &ProvenanceGraph::default()).await.unwrap();
    assert!(!again.new);
    assert_eq!((again.incident.id.as_str(), again.incident.count), ("i-a", 4));
    assert_eq!(store.diagnosis("a").await.unwrap(), Some(diagnosis("a", 10, VICTIM, "sw4:1")));
    assert_eq!(store.graph("a").await.unwrap(), Some(graph()));
    assert_eq!(store.incident_of("a").await.unwrap().as_deref(), Some("i-a"));
    assert_eq!(store.diagnosis("none").await.unwrap(), None);
    assert_eq!(store.graph("none").await.unwrap(), None);
}

#[tokio::test]
async fn diagnoses_of_one_root_are_one_incident_until_the_quiet_time_has_passed() {
    let limits = Limits { incident_quiet_ns: 100, ..Limits::default() };
    let store = Store::open_with("sqlite::memory:", limits).await.unwrap();
    let put = async |d: Diagnosis| store.put_diagnosis(&d, &graph()).await.unwrap();

    let first = put(diagnosis("a", 1000, VICTIM, "sw4:1")).await;
    assert!(first.new && first.first);
    let mut surer = diagnosis("b", 1050, OTHER, "sw4:1");
    surer.confidence = 0.9;
    let second = put(surer).await;
    assert!(!second.first);
    assert_eq!(second.incident.diagnosis, "b");
    put(diagnosis("c", 1060, VICTIM, "sw4:1")).await;
    let elsewhere = put(diagnosis("d", 1060, VICTIM, "sw2:7")).await;
    assert!(elsewhere.first);

    let incident = store.incident("i-a").await.unwrap().unwrap();
    assert_eq!((incident.start_ns, incident.update_ns, incident.end_ns), (1000, 1060, None));
    assert_eq!((incident.count, incident.diagnosis.as_str()), (3, "b"));
    assert_eq!(incident.victims, [flow(VICTIM), flow(OTHER)]);

    assert_eq!(store.end_quiet_incidents(1160).await.unwrap(), []);
    let ended: Vec<_> = store.end_quiet_incidents(1161).await.unwrap().into_iter().map(|i| i.id).collect();
    assert_eq!(ended, ["i-a", "i-d"]);
    assert_eq!(store.incident("i-a").await.unwrap().unwrap().end_ns, Some(1060));
    assert!(
        put(diagnosis("e", 1200, VICTIM, "sw4:1")).await.first,
        "after the quiet time a diagnosis opens a new incident"
    );

    let open = IncidentFilter { open: true, ..IncidentFilter::default() };
    let open = store.incidents(&open).await.unwrap();
    assert_eq!(open.rows.iter().map(|i| i.id.as_str()).collect::<Vec<_>>(), ["i-e"]);
    let page =
        store.incidents(&IncidentFilter { limit: Some(2), ..IncidentFilter::default() }).await.unwrap();
    assert_eq!(page.rows.iter().map(|i| i.id.as_str()).collect::<Vec<_>>(), ["i-e", "i-d"]);
    let rest = IncidentFilter { after: page.next, ..IncidentFilter::default() };
    assert_eq!(store.incidents(&rest).await.unwrap().rows[0].id, "i-a");
}

#[tokio::test]
async fn contention_and_backpressure_of_one_queue_are_one_incident() {
    let store = filled().await;
    let mut contention = diagnosis("y", 1001, OTHER, "sw4:1");
    (contention.anomaly, contention.confidence) = (Anomaly::FlowContention, 1.0);
    let before = store.incident("i-a").await.unwrap().unwrap();
    let stored = store.put_diagnosis(&contention, &graph()).await.unwrap();
    assert_eq!((stored.incident.id.as_str(), stored.incident.count), ("i-a", before.count + 1));
    // The diagnosis with pauses remains the representative one.
    assert_eq!(stored.incident.diagnosis, before.diagnosis);
    assert_eq!(stored.incident.anomaly, Anomaly::PfcBackpressureFlowContention);
}

#[tokio::test]
async fn a_late_diagnosis_extends_its_incident_backwards() {
    let store = filled().await;
    let late = store.put_diagnosis(&diagnosis("z", 1, VICTIM, "sw4:1"), &graph()).await.unwrap();
    assert_eq!((late.incident.id.as_str(), late.incident.start_ns, late.incident.count), ("i-a", 1, 5));
}

#[tokio::test]
async fn the_oldest_rows_are_removed_and_incidents_keep_a_representative_diagnosis() {
    let limits = Limits { diagnoses: 2, snapshots: 1, incident_quiet_ns: 100, ..Limits::default() };
    let store = Store::open_with("sqlite::memory:", limits).await.unwrap();
    let mut surest = diagnosis("old", 1000, VICTIM, "sw4:1");
    surest.confidence = 1.0;
    store.put_diagnosis(&surest, &graph()).await.unwrap();
    store.put_diagnosis(&diagnosis("gone", 1000, VICTIM, "sw2:7"), &graph()).await.unwrap();
    store.put_diagnosis(&diagnosis("x", 1010, VICTIM, "sw4:1"), &graph()).await.unwrap();
    store.put_diagnosis(&diagnosis("y", 1020, VICTIM, "sw4:1"), &graph()).await.unwrap();
    store.prune().await.unwrap();
    assert_eq!(store.diagnosis_count().await.unwrap(), 2);
    assert_eq!(store.graph("old").await.unwrap(), None);
    assert_eq!(store.incident("i-gone").await.unwrap(), None);
    assert_eq!(store.incident("i-old").await.unwrap().unwrap().diagnosis, "y");
}

#[tokio::test]
async fn old_rows_are_removed_every_so_often() {
    let limits = Limits { diagnoses: 3, ..Limits::default() };
    let store = Store::open_with("sqlite::memory:", limits).await.unwrap();
    for n in 0..PRUNE_EVERY {
        store.put_diagnosis(&diagnosis(&format!("d{n}"), n, VICTIM, "sw4:1"), &graph()).await.unwrap();
    }
    assert_eq!(store.diagnosis_count().await.unwrap(), 3);
}

#[tokio::test]
async fn a_topology_or_finding_replaces_the_previous_one() {
    let store = Store::open("sqlite::memory:").await.unwrap();
    assert_eq!(store.topology().await.unwrap(), None);
    store.put_topology(&Topology::default()).await.unwrap();
    store.put_topology(&Topology::default()).await.unwrap();
    assert_eq!(store.topology().await.unwrap(), Some(Topology::default()));
    assert_eq!(store.findings().await.unwrap(), []);
    let finding = Finding {
        id: "f".into(),
        code: "B001".into(),
        severity: "error".into(),
        body: serde_json::json!({"a": 1}),
    };
    store.put_finding(&finding).await.unwrap();
    store.put_finding(&finding).await.unwrap();
    assert_eq!(store.findings().await.unwrap(), [finding]);
}

#[tokio::test]
async fn numbers_that_json_cannot_express_are_rejected() {
    let store = Store::open("sqlite::memory:").await.unwrap();
    let mut unsure = diagnosis("a", 1, VICTIM, "sw4:1");
    unsure.confidence = f64::NAN;
    let refused = store.put_diagnosis(&unsure, &graph()).await;
    assert!(matches!(refused, Err(StoreError::Encode { what: "diagnosis", .. })));
    let mut infinite = graph();
    infinite.edges[0].weight = f64::INFINITY;
    let refused = store.put_diagnosis(&diagnosis("a", 1, VICTIM, "sw4:1"), &infinite).await;
    assert!(matches!(refused, Err(StoreError::Encode { what: "graph", .. })));
    assert_eq!(store.diagnosis_count().await.unwrap(), 0);
}

#[tokio::test]
async fn bad_ids_and_urls_are_rejected() {
    let store = Store::open("sqlite::memory:").await.unwrap();
    let refused = store.put_diagnosis(&diagnosis("", 1, VICTIM, "sw4:1"), &graph()).await;
    assert!(matches!(refused, Err(StoreError::BadId { length: 0 })));
    let refused = Store::open("postgres://localhost/harrier").await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        "`postgres://localhost/harrier` is not a store; expected `sqlite:FILE` or `sqlite::memory:`"
    );
    let refused = Store::open("sqlite:/nonexistent/directory/harrier.db").await.unwrap_err();
    assert!(matches!(refused, StoreError::Open { .. }), "{refused}");
}

#[tokio::test]
async fn a_file_store_persists() {
    let file = StoreFile::new("store");
    let url = file.url();
    let store = Store::open(&url).await.unwrap();
    store.put_diagnosis(&diagnosis("a", 10, VICTIM, "sw4:1"), &graph()).await.unwrap();
    store.close().await;
    let again = Store::open(&url).await.unwrap();
    assert_eq!(again.diagnosis_count().await.unwrap(), 1);
    again.close().await;
}

/// A diagnosis, its graph, its snapshot and its incident are stored together or not at all: each insert in turn fails.
#[tokio::test]
async fn a_failing_insert_leaves_nothing_of_a_diagnosis() {
    for table in ["snapshots", "incidents", "diagnoses", "graphs"] {
        let file = StoreFile::new(&format!("failing-{table}"));
        let store = Store::open(&file.url()).await.unwrap();
        let mut other = sqlx::SqliteConnection::connect(&file.url()).await.unwrap();
        let trigger = format!(
            "CREATE TRIGGER full BEFORE INSERT ON {table} BEGIN SELECT RAISE(ABORT, 'disk full'); END"
        );
        sqlx::query(sqlx::AssertSqlSafe(trigger)).execute(&mut other).await.unwrap();

        let failed = store.record(&diagnosis("a", 10, VICTIM, "sw4:1"), &graph(), Some(&snapshot())).await;
        assert!(matches!(failed, Err(StoreError::Query { .. })), "{table}: {failed:?}");
        assert_eq!(store.snapshot("a").await.unwrap(), None, "{table}");
        assert_eq!(store.diagnosis("a").await.unwrap(), None, "{table}");
        assert_eq!(store.graph("a").await.unwrap(), None, "{table}");
        assert_eq!(store.incidents(&IncidentFilter::default()).await.unwrap().rows, [], "{table}");

        sqlx::query("DROP TRIGGER full").execute(&mut other).await.unwrap();
        let stored = store.record(&diagnosis("a", 10, VICTIM, "sw4:1"), &graph(), Some(&snapshot())).await;
        assert!(stored.unwrap().new, "{table}");
        assert_eq!(store.snapshot("a").await.unwrap(), Some(snapshot()), "{table}");
        store.close().await;
    }
}

/// A page lists each incident's own victims, in the order of their text and up to the limit, as a read of the incident.
#[tokio::test]
async fn a_page_of_incidents_lists_the_victims_of_each() {
    let store = Store::open("sqlite::memory:").await.unwrap();
    let victim = |n: u32| format!("10.0.0.{}:{}>10.0.9.1:4791/udp", n % 7, 10_000 + n);
    let mut expected = vec![];
    for incident in 0..3_u32 {
        let mut victims = vec![];
        for n in 0..INCIDENT_VICTIMS * incident + 2 {
            let (id, port) = (format!("d{incident}-{n}"), format!("sw4:{}", incident + 1));
            // Every victim twice, to see that it is listed once.
            for copy in ["a", "b"] {
                let of_victim = diagnosis(&format!("{id}{copy}"), 10, &victim(n), &port);
                store.put_diagnosis(&of_victim, &graph()).await.unwrap();
            }
            victims.push(victim(n));
        }
        victims.sort();
        victims.truncate(INCIDENT_VICTIMS as usize);
        expected.push(victims);
    }
    let page = store.incidents(&IncidentFilter::default()).await.unwrap();
    for incident in &page.rows {
        let number: usize = incident.id["i-d".len()..].split('-').next().unwrap().parse().unwrap();
        let listed: Vec<String> = incident.victims.iter().map(ToString::to_string).collect();
        assert_eq!(listed, expected[number], "{}", incident.id);
        assert_eq!(store.incident(&incident.id).await.unwrap().as_ref(), Some(incident));
    }
    assert_eq!(page.rows.len(), 3);
    assert_eq!(store.end_quiet_incidents(u64::MAX).await.unwrap().len(), 3);
}

/// The pool closes the connection of a cancelled query; a database in memory must survive that.
#[tokio::test]
async fn cancelled_queries_do_not_lose_a_database_in_memory() {
    let store = Store::open("sqlite::memory:").await.unwrap();
    for polls in 0..3_000 {
        let mut query = Box::pin(store.findings());
        for _ in 0..polls % 50 {
            let polled = std::future::poll_fn(|cx| std::task::Poll::Ready(query.as_mut().poll(cx))).await;
            if polled.is_ready() {
                break;
            }
            tokio::task::yield_now().await;
        }
    }
    assert_eq!(store.findings().await.unwrap(), []);
}

fn arrival(sequence: u64, content: Content) -> Arrival {
    Arrival {
        sender: "agent/h1".into(),
        boot_id: "ab".into(),
        sequence,
        lost_before: 0,
        time_ns: 1_000 + sequence,
        offset_ns: Some(-50),
        error_ns: 5,
        received_ns: 2_000 + sequence,
        content,
    }
}

#[tokio::test]
async fn a_repeated_upload_has_no_effect() {
    let store = Store::open("sqlite::memory:").await.unwrap();
    let snapshot = |sequence: u8| arrival(sequence.into(), Content::Inbox(vec![sequence]));
    let stored = store.accept(&[snapshot(1), snapshot(2), snapshot(2), snapshot(1)]).await.unwrap();
    assert_eq!(stored, [true, true, false, false]);
    // The same number of another start is another record.
    let restarted = Arrival { boot_id: "cd".into(), ..snapshot(1) };
    assert_eq!(store.accept(&[restarted, snapshot(4)]).await.unwrap(), [true, true]);
    let waiting = store.inbox(0, 10).await.unwrap();
    assert_eq!(waiting.iter().map(|row| row.body[0]).collect::<Vec<_>>(), [1, 2, 1, 4]);
    for row in &waiting {
        store.processed(row.arrival).await.unwrap();
    }
    // A reader that has seen all of them still finds the next one.
    let last = waiting.last().unwrap().arrival;
    assert_eq!(store.accept(&[snapshot(4), snapshot(5)]).await.unwrap(), [false, true]);
    let later = store.inbox(last, 10).await.unwrap();
    assert_eq!(later.iter().map(|row| row.body[0]).collect::<Vec<_>>(), [5]);
}

#[tokio::test]
async fn reports_are_kept_with_their_clocks() {
    let store = Store::open("sqlite::memory:").await.unwrap();
    let report = |sequence, text: &str| arrival(sequence, Content::Report("counters", text.into()));
    store.accept(&[report(1, r#"{"a": 1}"#), report(2, r#"{"a": 2}"#)]).await.unwrap();
    let found = store.reports(Some("agent/h1"), "counters", 10).await.unwrap();
    assert_eq!(found.iter().map(|report| report.body["a"].as_u64()).collect::<Vec<_>>(), [Some(1), Some(2)]);
    assert_eq!((found[0].time_ns, found[0].offset_ns, found[0].error_ns), (1_001, Some(-50), 5));
    assert_eq!(store.reports(Some("agent/h2"), "counters", 10).await.unwrap(), []);
    assert_eq!((store.fact("zero_ns", 7).await.unwrap(), store.fact("zero_ns", 9).await.unwrap()), (7, 7));
}

#[tokio::test]
async fn a_full_inbox_takes_nothing_until_records_are_processed() {
    let file = std::env::temp_dir().join(format!("harrier-inbox-{}.db", std::process::id()));
    let url = format!("sqlite:{}", file.display());
    let limits = Limits { inbox_bytes: 10, ..Limits::default() };
    let store = Store::open_with(&url, limits).await.unwrap();
    let snapshot = |sequence: u64| arrival(sequence, Content::Inbox(vec![0; 6]));
    assert_eq!(store.accept(&[snapshot(1)]).await.unwrap(), [true]);
    assert_eq!(store.accept(&[snapshot(2)]).await.unwrap(), [true], "the last one may exceed the limit");
    assert!(matches!(store.accept(&[snapshot(3)]).await, Err(StoreError::InboxFull { bytes: 12 })));
    let report = arrival(3, Content::Report("counters", "{}".into()));
    assert_eq!(store.accept(&[report]).await.unwrap(), [true], "reports have a limit of their own");
    store.close().await;

    // A restarted server knows what it has.
    let store = Store::open_with(&url, limits).await.unwrap();
    assert!(store.accept(&[snapshot(4)]).await.is_err());
    let waiting = store.inbox(0, 10).await.unwrap();
    store.processed(waiting[0].arrival).await.unwrap();
    store.processed(waiting[0].arrival).await.unwrap();
    assert_eq!(store.inbox_bytes(), 6);
    assert_eq!(store.accept(&[snapshot(4)]).await.unwrap(), [true]);
    store.close().await;
    for suffix in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{suffix}", file.display()));
    }
}
