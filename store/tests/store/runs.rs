//! A store over several starts: of this version, of an older one, and of two processes at once.

use std::collections::BTreeSet;

use harrier_store::{DiagnosisFilter, IncidentFilter, Limits, Store, StoreError};
use model::{Diagnosis, Severity};
use sqlx::{Connection as _, SqliteConnection};

use crate::support::{OTHER, StoreFile, VICTIM, diagnosis, flow, graph, put, snapshot};

/// A store as version 0.2.0 has written it: the tables of its migrations and two diagnoses of one incident.
async fn older_store(file: &StoreFile) -> SqliteConnection {
    let url = format!("{}?mode=rwc", file.url());
    let mut connection = SqliteConnection::connect(&url).await.unwrap();
    let mut migrations = sqlx::migrate!();
    migrations.migrations = migrations.migrations.iter().take(2).cloned().collect();
    migrations.run(&mut connection).await.unwrap();
    let incident = "INSERT INTO incidents (id, culprit, start_ns, update_ns, end_ns, count, diagnosis, confidence) \
                    VALUES ('i-a', 'port sw4:1', 10, 20, 20, 2, 'b', 0.9)";
    sqlx::query(incident).execute(&mut connection).await.unwrap();
    let mut grave = Diagnosis { severity: Severity::Critical, ..diagnosis("a", 10, VICTIM, "sw4:1") };
    grave.root_cause.flows = vec![flow(OTHER)];
    let sure = Diagnosis { confidence: 0.9, ..diagnosis("b", 20, OTHER, "sw4:1") };
    for diagnosis in [&grave, &sure] {
        sqlx::query(
            "INSERT INTO diagnoses (id, time_ns, victim, src, dst, sport, dport, proto, anomaly, cause, confidence, host, \
             port, incident, body) VALUES ($1, $2, $3, '', '', 1, 2, 17, 'pfc_backpressure_flow_contention', 'incast', $4, \
             NULL, 'sw4:1', 'i-a', $5)",
        )
        .bind(&diagnosis.id)
        .bind(diagnosis.time_ns as i64)
        .bind(diagnosis.victim.expect("a flow").to_string())
        .bind(diagnosis.confidence)
        .bind(serde_json::to_string(diagnosis).unwrap())
        .execute(&mut connection)
        .await
        .unwrap();
        let graph = serde_json::to_string(&graph()).unwrap();
        let insert = "INSERT INTO graphs (diagnosis, body) VALUES ($1, $2)";
        sqlx::query(insert).bind(&diagnosis.id).bind(graph).execute(&mut connection).await.unwrap();
    }
    let insert = "INSERT INTO snapshots (id, time_ns, body) VALUES ('a', 10, $1)";
    let snapshot = serde_json::to_string(&snapshot()).unwrap();
    sqlx::query(insert).bind(snapshot).execute(&mut connection).await.unwrap();
    connection
}

#[tokio::test]
async fn a_store_of_the_former_version_keeps_its_rows() {
    let file = StoreFile::new("former");
    older_store(&file).await.close().await.unwrap();
    let store = Store::open(&file.url()).await.unwrap();

    assert_eq!(store.graph("a").await.unwrap(), Some(graph()));
    assert_eq!(store.snapshot("a").await.unwrap(), Some(snapshot()));
    let found = store.incident("i-a").await.unwrap().unwrap();
    assert_eq!((found.start_ns, found.update_ns, found.end_ns, found.count), (10, 20, Some(20), 2));
    assert_eq!((found.diagnosis.as_str(), found.severity), ("a", Severity::Critical), "severity comes first");
    assert_eq!((found.recurrences, found.occurrences.len()), (1, 1));
    assert_eq!((found.occurrences[0].start_ns, found.occurrences[0].end_ns), (10, Some(20)));
    assert_eq!((found.victims, found.victim_count), (vec![flow(VICTIM)], 1), "the other one is a culprit");
    assert_eq!((found.start_wall_ns, found.update_wall_ns), (0, 0), "it has stored no wall clock");
    let port = IncidentFilter { port: Some("sw4:1".parse().unwrap()), ..IncidentFilter::default() };
    assert_eq!(store.incidents(&port).await.unwrap().rows.len(), 1);
    let grave = DiagnosisFilter { severity: Some(Severity::Critical), ..DiagnosisFilter::default() };
    assert_eq!(store.diagnoses(&grave).await.unwrap().rows[0].diagnosis.id, "a");

    let joined = put(&store, &diagnosis("c", 30, VICTIM, "sw4:1")).await;
    assert_eq!((joined.incident.id.as_str(), joined.incident.recurrences), ("i-a", 1));
    store.close().await;
    let again = Store::open(&file.url()).await.unwrap();
    assert_eq!(again.diagnosis_count().await.unwrap(), 3);
    again.close().await;
}

/// The network time of daemons is their wall clock, counted from the store's first start.
#[tokio::test]
async fn diagnoses_of_a_former_daemon_have_wall_clocks() {
    let file = StoreFile::new("former-daemon");
    let mut connection = older_store(&file).await;
    let facts = "INSERT INTO facts (name, value) VALUES ('zero_ns', 5000), ('time_scale', 10)";
    sqlx::query(facts).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
    let store = Store::open(&file.url()).await.unwrap();
    let found = store.incident("i-a").await.unwrap().unwrap();
    assert_eq!((found.start_wall_ns, found.update_wall_ns), (5_100, 5_200));
    assert_eq!(store.diagnosis("b").await.unwrap().unwrap().wall_ns, 5_200);
    store.close().await;
}

/// The server of a network with a clock that goes on may be given the store of a demo.
#[tokio::test]
async fn incidents_of_runs_end_when_a_network_without_runs_takes_over() {
    let file = StoreFile::any("taken-over").await;
    let run = Store::open(&file.url()).await.unwrap();
    run.begin_run().await.unwrap();
    put(&run, &diagnosis("a", 9_000, VICTIM, "sw4:1")).await;
    run.close().await;

    let later = Store::open(&file.url()).await.unwrap();
    put(&later, &diagnosis("b", 9_000, VICTIM, "sw4:1")).await;
    later.end_other_runs().await.unwrap();
    let state = async |id: &str| {
        let found = later.incident(id).await.unwrap().unwrap();
        (found.run, found.end_ns)
    };
    assert_eq!((state("i-a-1").await, state("i-b").await), ((1, Some(9_000)), (0, None)));
    assert_eq!((later.present_run(), later.diagnosis("a-1").await.unwrap().unwrap().run), (0, 1));
    later.close().await;
}

/// A simulated network starts its clock at 0 again, and with the same seed it makes the same diagnoses.
#[tokio::test]
async fn runs_on_one_store_are_kept_apart() {
    let file = StoreFile::any("runs").await;
    let start = async || {
        let limits = Limits { incident_quiet_ns: 100, diagnoses: 3, ..Limits::default() };
        let store = Store::open_with(&file.url(), limits).await.unwrap();
        (store.begin_run().await.unwrap(), store)
    };
    let (number, first) = start().await;
    assert_eq!(number, 1);
    let verdict = |time_ns| diagnosis("a", time_ns, VICTIM, "sw4:1");
    let stored = first.record(&verdict(9_000), &graph(), Some(&snapshot()), 1_000_000).await.unwrap();
    assert_eq!((stored.id.as_str(), stored.incident.id.as_str()), ("a-1", "i-a-1"));
    assert!(!first.record(&verdict(9_000), &graph(), None, 1_000_001).await.unwrap().new);
    first.close().await;

    let (number, second) = start().await;
    assert_eq!(number, 2);
    let former = second.incident("i-a-1").await.unwrap().unwrap();
    assert_eq!(former.end_ns, Some(9_000), "the network of the former run no longer exists");
    assert_eq!(second.diagnosis("a-1").await.unwrap().unwrap().diagnosis.id, "a-1");
    let stored = second.record(&verdict(50), &graph(), Some(&snapshot()), 2_000_000).await.unwrap();
    assert!(stored.new && stored.first, "the same verdict in another run");
    assert_eq!((stored.id.as_str(), stored.incident.id.as_str()), ("a-2", "i-a-2"));
    let ended = second.advance(1_000, 2_000_001, &BTreeSet::new()).await.unwrap();
    assert_eq!(ended.iter().map(|incident| incident.id.as_str()).collect::<Vec<_>>(), ["i-a-2"]);

    // The later run is the newer one, although its clock is behind.
    let listed = second.incidents(&IncidentFilter::default()).await.unwrap().rows;
    assert_eq!(listed.iter().map(|incident| incident.id.as_str()).collect::<Vec<_>>(), ["i-a-2", "i-a-1"]);
    for n in 0..2 {
        let verdict = diagnosis(&format!("b{n}"), 60, VICTIM, "sw4:1");
        second.record(&verdict, &graph(), None, 2_000_010 + n).await.unwrap();
    }
    second.prune(0).await.unwrap();
    let kept = second.diagnoses(&DiagnosisFilter::default()).await.unwrap().rows;
    let kept: Vec<_> = kept.iter().map(|row| row.diagnosis.id.as_str()).collect();
    assert_eq!(kept, ["b1-2", "b0-2", "a-2"], "the oldest run is removed first");
    assert_eq!(second.incident("i-a-1").await.unwrap(), None);
    second.close().await;
}

#[tokio::test]
async fn a_second_process_is_refused_until_the_first_one_closes_the_file() {
    let file = StoreFile::any("locked").await;
    let first = Store::open(&file.url()).await.unwrap();
    put(&first, &diagnosis("a", 10, VICTIM, "sw4:1")).await;
    // A lock belongs to an open file, so that a second handle of this process stands for another process.
    let refused = Store::open(&file.url()).await.unwrap_err();
    assert!(matches!(refused, StoreError::InUse { .. }), "{refused}");
    assert!(refused.to_string().contains("another process uses the store"), "{refused}");
    let reader = Store::open_to_read(file.path()).await.unwrap();
    assert_eq!(reader.diagnosis_count().await.unwrap(), 1);
    assert!(reader.record(&diagnosis("b", 10, VICTIM, "sw4:1"), &graph(), None, 1).await.is_err());
    reader.close().await;
    first.close().await;
    Store::open(&file.url()).await.unwrap().close().await;
}
