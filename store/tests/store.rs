//! What callers rely on: idempotence, filters, pages, incidents, limits.

use harrier_store::{
    DiagnosisFilter, Finding, IncidentFilter, Limits, MAX_PAGE_ROWS, PRUNE_EVERY, Store, StoreError,
};
use model::diagnosis::Collected;
use model::provenance::{Edge, EdgeKind, Node};
use model::{Anomaly, Cause, Diagnosis, FlowKey, PortRef, ProvenanceGraph, RootCause, Topology};

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
        root_cause: RootCause { port: Some(port.parse().unwrap()), ..RootCause::default() },
        pause_path: vec![port.parse().unwrap()],
        pause_loop: vec![],
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
async fn storing_twice_changes_nothing() {
    let store = filled().await;
    let again =
        store.put_diagnosis(&diagnosis("a", 999, OTHER, "sw9:9"), &ProvenanceGraph::default()).await.unwrap();
    assert!(!again.new);
    assert_eq!((again.incident.id.as_str(), again.incident.count), ("i-a", 4));
    assert_eq!(store.diagnosis("a").await.unwrap(), Some(diagnosis("a", 10, VICTIM, "sw4:1")));
    assert_eq!(store.graph("a").await.unwrap(), Some(graph()));
    assert_eq!(store.incident_of("a").await.unwrap().as_deref(), Some("i-a"));
    assert_eq!(store.diagnosis("nobody").await.unwrap(), None);
    assert_eq!(store.graph("nobody").await.unwrap(), None);
}

#[tokio::test]
async fn one_culprit_is_one_incident_until_it_is_quiet() {
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
    assert!(put(diagnosis("e", 1200, VICTIM, "sw4:1")).await.first, "after the quiet time it is a new one");

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
async fn one_queue_is_one_incident_whatever_it_does_to_whom() {
    let store = filled().await;
    let mut waits = diagnosis("y", 1001, OTHER, "sw4:1");
    (waits.anomaly, waits.confidence) = (Anomaly::FlowContention, 1.0);
    let before = store.incident("i-a").await.unwrap().unwrap();
    let stored = store.put_diagnosis(&waits, &graph()).await.unwrap();
    assert_eq!((stored.incident.id.as_str(), stored.incident.count), ("i-a", before.count + 1));
    // What tells of pauses goes on speaking for it.
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
async fn the_oldest_goes_first_and_incidents_keep_a_speaker() {
    let limits = Limits { diagnoses: 2, snapshots: 1, incident_quiet_ns: 100 };
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
async fn old_rows_go_without_being_asked() {
    let limits = Limits { diagnoses: 3, ..Limits::default() };
    let store = Store::open_with("sqlite::memory:", limits).await.unwrap();
    for n in 0..PRUNE_EVERY {
        store.put_diagnosis(&diagnosis(&format!("d{n}"), n, VICTIM, "sw4:1"), &graph()).await.unwrap();
    }
    assert_eq!(store.diagnosis_count().await.unwrap(), 3);
}

#[tokio::test]
async fn topology_and_findings_are_replaced() {
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
async fn what_json_cannot_hold_is_refused_before_it_is_stored() {
    let store = Store::open("sqlite::memory:").await.unwrap();
    let mut unsure = diagnosis("a", 1, VICTIM, "sw4:1");
    unsure.confidence = f64::NAN;
    let refused = store.put_diagnosis(&unsure, &graph()).await;
    assert!(matches!(refused, Err(StoreError::Encode { what: "diagnosis", .. })));
    let mut endless = graph();
    endless.edges[0].weight = f64::INFINITY;
    let refused = store.put_diagnosis(&diagnosis("a", 1, VICTIM, "sw4:1"), &endless).await;
    assert!(matches!(refused, Err(StoreError::Encode { what: "graph", .. })));
    assert_eq!(store.diagnosis_count().await.unwrap(), 0);
}

#[tokio::test]
async fn ids_and_urls_are_checked() {
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
async fn a_file_keeps_what_was_stored() {
    let directory = env!("CARGO_TARGET_TMPDIR");
    let file = format!("{directory}/store-{}.db", std::process::id());
    let url = format!("sqlite:{file}");
    let store = Store::open(&url).await.unwrap();
    store.put_diagnosis(&diagnosis("a", 10, VICTIM, "sw4:1"), &graph()).await.unwrap();
    store.close().await;
    let again = Store::open(&url).await.unwrap();
    assert_eq!(again.diagnosis_count().await.unwrap(), 1);
    again.close().await;
    for suffix in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{file}{suffix}"));
    }
}

/// Whoever asks may go away half-way, and the pool then gives the connection up: what is in memory stays.
#[tokio::test]
async fn questions_that_are_given_up_cost_nothing() {
    let store = Store::open("sqlite::memory:").await.unwrap();
    for polls in 0..3_000 {
        let mut question = Box::pin(store.findings());
        for _ in 0..polls % 50 {
            let answer = std::future::poll_fn(|cx| std::task::Poll::Ready(question.as_mut().poll(cx))).await;
            if answer.is_ready() {
                break;
            }
            tokio::task::yield_now().await;
        }
    }
    assert_eq!(store.findings().await.unwrap(), []);
}
