//! The contract of the store: idempotence, transactions, filters, pages, limits.

use harrier_store::{
    Arrival, Content, DiagnosisFilter, Finding, IncidentFilter, Limits, MAX_PAGE_ROWS, PRUNE_EVERY, Store,
    StoreError,
};
use model::{Anomaly, Cause, ProvenanceGraph, Severity, Topology};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection, SqliteConnection};

use crate::support::{self, OTHER, StoreFile, VICTIM, diagnosis, graph, put, snapshot};

async fn filled() -> Store {
    let store = Store::open(&support::fresh().await).await.unwrap();
    for (id, time_ns, victim) in [("a", 10, VICTIM), ("b", 20, OTHER), ("c", 20, VICTIM), ("d", 30, VICTIM)] {
        put(&store, &diagnosis(id, time_ns, victim, "sw4:1")).await;
    }
    store
}

async fn check(filter: DiagnosisFilter, expected: &[&str]) {
    let page = filled().await.diagnoses(&filter).await.unwrap();
    let ids: Vec<&str> = page.rows.iter().map(|row| row.diagnosis.id.as_str()).collect();
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
    check(DiagnosisFilter { port: Some("sw4:1".parse().unwrap()), ..all() }, &["d", "c", "b", "a"]).await;
    check(DiagnosisFilter { port: Some("sw4:2".parse().unwrap()), ..all() }, &[]).await;
    check(DiagnosisFilter { host: Some("h1".into()), ..all() }, &[]).await;
    check(DiagnosisFilter { anomaly: Some(Anomaly::HostOnly), ..all() }, &[]).await;
    check(DiagnosisFilter { cause: Some(Cause::NicStorm), ..all() }, &[]).await;
    check(DiagnosisFilter { severity: Some(Severity::Critical), ..all() }, &[]).await;
    let same = DiagnosisFilter {
        anomaly: Some(Anomaly::PfcBackpressureFlowContention),
        cause: Some(Cause::Incast),
        severity: Some(Severity::Info),
        ..all()
    };
    check(same, &["d", "c", "b", "a"]).await;
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
        seen.extend(page.rows.into_iter().map(|row| row.diagnosis.id));
        let Some(next) = page.next else { break };
        assert_eq!(next.to_string().parse(), Ok(next.clone()));
        filter.after = Some(next);
    }
    assert_eq!(seen, ["d", "c", "b", "a"]);
}

#[tokio::test]
async fn storing_a_diagnosis_twice_changes_nothing() {
    let store = filled().await;
    let other = diagnosis("a", 999, OTHER, "sw9:9");
    let again = store.record(&other, &ProvenanceGraph::default(), None, 999).await.unwrap();
    assert_eq!(again.wall_ns, 10, "when it arrived first");
    assert!(!again.new);
    assert_eq!((again.incident.id.as_str(), again.incident.count), ("i-a", 4));
    let stored = store.diagnosis("a").await.unwrap().unwrap();
    assert_eq!((stored.diagnosis, stored.wall_ns), (diagnosis("a", 10, VICTIM, "sw4:1"), 10));
    assert_eq!(store.graph("a").await.unwrap(), Some(graph()));
    assert_eq!(store.incident_of("a").await.unwrap().as_deref(), Some("i-a"));
    assert_eq!(store.diagnosis("none").await.unwrap(), None);
    assert_eq!(store.graph("none").await.unwrap(), None);
}

#[tokio::test]
async fn the_oldest_rows_are_removed_and_incidents_keep_a_representative_diagnosis() {
    let limits = Limits { diagnoses: 2, snapshots: 1, incident_quiet_ns: 100, ..Limits::default() };
    let store = Store::open_with(&support::fresh().await, limits).await.unwrap();
    let mut surest = diagnosis("old", 1000, VICTIM, "sw4:1");
    surest.confidence = 1.0;
    put(&store, &surest).await;
    put(&store, &diagnosis("gone", 1000, VICTIM, "sw2:7")).await;
    put(&store, &diagnosis("x", 1010, VICTIM, "sw4:1")).await;
    put(&store, &diagnosis("y", 1020, VICTIM, "sw4:1")).await;
    store.prune(0).await.unwrap();
    assert_eq!(store.diagnosis_count().await.unwrap(), 2);
    assert_eq!(store.graph("old").await.unwrap(), None);
    assert_eq!(store.incident("i-gone").await.unwrap(), None);
    assert_eq!(store.incident("i-old").await.unwrap().unwrap().diagnosis, "y");
}

#[tokio::test]
async fn old_rows_are_removed_every_so_often() {
    let limits = Limits { diagnoses: 3, ..Limits::default() };
    let store = Store::open_with(&support::fresh().await, limits).await.unwrap();
    for n in 0..PRUNE_EVERY {
        put(&store, &diagnosis(&format!("d{n}"), n, VICTIM, "sw4:1")).await;
    }
    assert_eq!(store.diagnosis_count().await.unwrap(), 3);
}

#[tokio::test]
async fn a_topology_or_finding_replaces_the_previous_one() {
    let store = Store::open(&support::fresh().await).await.unwrap();
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
    assert_eq!(store.findings().await.unwrap(), std::slice::from_ref(&finding));
    let other = Finding { id: "sw1/PG004".into(), code: "PG004".into(), ..finding.clone() };
    store.replace_findings(&[other.clone(), finding.clone()]).await.unwrap();
    store.replace_findings(&[other.clone(), finding.clone(), finding.clone()]).await.unwrap();
    assert_eq!(store.findings().await.unwrap(), [finding.clone(), other.clone()]);
    // With a mistake in it, nothing changes.
    let nameless = Finding { id: String::new(), ..finding.clone() };
    assert!(store.replace_findings(&[nameless]).await.is_err());
    store.replace_findings(std::slice::from_ref(&other)).await.unwrap();
    assert_eq!(store.findings().await.unwrap(), [other], "what was corrected is gone");
}

#[tokio::test]
async fn numbers_that_json_cannot_express_are_rejected() {
    let store = Store::open(&support::fresh().await).await.unwrap();
    let mut unsure = diagnosis("a", 1, VICTIM, "sw4:1");
    unsure.confidence = f64::NAN;
    let refused = store.record(&unsure, &graph(), None, 1).await;
    assert!(matches!(refused, Err(StoreError::Encode { what: "diagnosis", .. })));
    let mut infinite = graph();
    infinite.edges[0].weight = f64::INFINITY;
    let refused = store.record(&diagnosis("a", 1, VICTIM, "sw4:1"), &infinite, None, 1).await;
    assert!(matches!(refused, Err(StoreError::Encode { what: "graph", .. })));
    assert_eq!(store.diagnosis_count().await.unwrap(), 0);
}

#[tokio::test]
async fn bad_ids_and_urls_are_rejected() {
    let store = Store::open(&support::fresh().await).await.unwrap();
    let refused = store.record(&diagnosis("", 1, VICTIM, "sw4:1"), &graph(), None, 1).await;
    assert!(matches!(refused, Err(StoreError::BadId { length: 0 })));
    let refused = Store::open("mysql://localhost/harrier").await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        "`mysql://localhost/harrier` is not a store; expected `sqlite:FILE`, `sqlite::memory:` or \
         `postgres://USER@HOST/DATABASE`"
    );
    let refused = Store::open("sqlite:/nonexistent/directory/harrier.db").await.unwrap_err();
    assert!(matches!(refused, StoreError::Open { .. }), "{refused}");
}

#[tokio::test]
async fn a_file_store_persists() {
    let file = StoreFile::any("store").await;
    let url = file.url();
    let store = Store::open(&url).await.unwrap();
    put(&store, &diagnosis("a", 10, VICTIM, "sw4:1")).await;
    store.close().await;
    let again = Store::open(&url).await.unwrap();
    assert_eq!(again.diagnosis_count().await.unwrap(), 1);
    again.close().await;
}

/// Runs a statement on a store, as another program.
async fn execute(file: &StoreFile, statement: &str) {
    let statement = AssertSqlSafe(statement.to_string());
    if file.is_server() {
        let mut other = PgConnection::connect(&file.url()).await.unwrap();
        other.execute(statement).await.unwrap();
        return;
    }
    let mut other = SqliteConnection::connect(&file.url()).await.unwrap();
    other.execute(statement).await.unwrap();
}

/// A trigger with which each insert into a table fails.
fn failing_trigger(table: &str, is_server: bool) -> String {
    match is_server {
        true => format!(
            "CREATE OR REPLACE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql \
             AS $$ BEGIN RAISE EXCEPTION 'disk full'; END $$; \
             CREATE TRIGGER failing BEFORE INSERT ON {table} EXECUTE FUNCTION fail()"
        ),
        false => format!(
            "CREATE TRIGGER failing BEFORE INSERT ON {table} BEGIN SELECT RAISE(ABORT, 'disk full'); END"
        ),
    }
}

/// A diagnosis, its graph, its snapshot and its incident are stored together or not at all: each insert in turn fails.
#[tokio::test]
async fn a_failing_insert_leaves_nothing_of_a_diagnosis() {
    for table in
        ["snapshots", "incidents", "occurrences", "incident_ports", "incident_flows", "diagnoses", "graphs"]
    {
        let file = StoreFile::any(&format!("failing-{table}")).await;
        let store = Store::open(&file.url()).await.unwrap();
        execute(&file, &failing_trigger(table, file.is_server())).await;

        let failed =
            store.record(&diagnosis("a", 10, VICTIM, "sw4:1"), &graph(), Some(&snapshot()), 10).await;
        assert!(matches!(failed, Err(StoreError::Query { .. })), "{table}: {failed:?}");
        assert_eq!(store.snapshot("a").await.unwrap(), None, "{table}");
        assert_eq!(store.diagnosis("a").await.unwrap(), None, "{table}");
        assert_eq!(store.graph("a").await.unwrap(), None, "{table}");
        assert_eq!(store.incidents(&IncidentFilter::default()).await.unwrap().rows, [], "{table}");

        let of_table = if file.is_server() { format!(" ON {table}") } else { String::new() };
        execute(&file, &format!("DROP TRIGGER failing{of_table}")).await;
        let stored =
            store.record(&diagnosis("a", 10, VICTIM, "sw4:1"), &graph(), Some(&snapshot()), 10).await;
        assert!(stored.unwrap().new, "{table}");
        assert_eq!(store.snapshot("a").await.unwrap(), Some(snapshot()), "{table}");
        store.close().await;
    }
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
    let store = Store::open(&support::fresh().await).await.unwrap();
    let snapshot = |sequence: u8| arrival(sequence.into(), Content::Inbox(vec![sequence]));
    let stored = store.accept(&[snapshot(1), snapshot(2), snapshot(2), snapshot(1)]).await.unwrap();
    assert_eq!(stored, [true, true, false, false]);
    // The same number of another start is another record.
    let restarted = Arrival { boot_id: "cd".into(), ..snapshot(1) };
    assert_eq!(store.accept(&[restarted, snapshot(4)]).await.unwrap(), [true, true]);
    let waiting = store.inbox("agent", 0, 10).await.unwrap();
    assert_eq!(waiting.iter().map(|row| row.body[0]).collect::<Vec<_>>(), [1, 2, 1, 4]);
    for row in &waiting {
        store.processed(row.arrival).await.unwrap();
    }
    // A reader that has seen all of them still finds the next one.
    let last = waiting.last().unwrap().arrival;
    assert_eq!(store.accept(&[snapshot(4), snapshot(5)]).await.unwrap(), [false, true]);
    let later = store.inbox("agent", last, 10).await.unwrap();
    assert_eq!(later.iter().map(|row| row.body[0]).collect::<Vec<_>>(), [5]);
}

#[tokio::test]
async fn reports_are_kept_with_their_clocks() {
    let store = Store::open(&support::fresh().await).await.unwrap();
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
    let file = StoreFile::any("inbox").await;
    let url = file.url();
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
    let waiting = store.inbox("agent", 0, 10).await.unwrap();
    store.processed(waiting[0].arrival).await.unwrap();
    store.processed(waiting[0].arrival).await.unwrap();
    assert_eq!(store.inbox_bytes(), 6);
    assert_eq!(store.accept(&[snapshot(4)]).await.unwrap(), [true]);
    store.close().await;
}
