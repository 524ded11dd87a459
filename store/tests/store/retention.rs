//! What a store keeps: by number, by age and by size; what people have said about is kept.

use harrier_store::{Arrival, Content, Handling, IncidentFilter, Limits, NewNote, Removed, Store};
use model::Diagnosis;

use crate::support::{self, VICTIM, diagnosis, graph, snapshot};

const DAY_NS: u64 = 86_400 * 1_000_000_000;

async fn in_memory(limits: Limits) -> Store {
    Store::open_with("sqlite::memory:", limits).await.unwrap()
}

async fn store(limits: Limits) -> Store {
    Store::open_with(&support::fresh().await, limits).await.unwrap()
}

/// Stores a diagnosis of a culprit of its own and its snapshot; it arrives on this day.
async fn arrives(store: &Store, id: &str, day: u64) {
    let port = format!("sw{}:1", id.bytes().map(u64::from).sum::<u64>());
    let d = diagnosis(id, day * DAY_NS, VICTIM, &port);
    store.record(&d, &graph(), Some(&snapshot()), day * DAY_NS).await.unwrap();
}

fn report(sequence: u64, day: u64) -> Arrival {
    Arrival {
        sender: "agent/h1".into(),
        boot_id: "b".into(),
        sequence,
        lost_before: 0,
        time_ns: 0,
        offset_ns: None,
        error_ns: 0,
        received_ns: day * DAY_NS,
        content: Content::Report("counters", "{}".into()),
    }
}

async fn has(store: &Store, id: &str) -> (bool, bool, bool) {
    let incident = store.incident(&format!("i-{id}")).await.unwrap().is_some();
    let diagnosis = store.diagnosis(id).await.unwrap().is_some();
    (incident, diagnosis, store.snapshot(id).await.unwrap().is_some())
}

const KEPT: (bool, bool, bool) = (true, true, true);
const GONE: (bool, bool, bool) = (false, false, false);

async fn acknowledge(store: &Store, incident: &str) {
    let note = NewNote { handling: Some(Handling::Acknowledged), ..NewNote::default() };
    store.add_note(incident, &note, 1).await.unwrap().unwrap();
}

#[tokio::test]
async fn rows_above_their_age_are_removed_except_under_a_note_or_while_the_incident_lasts() {
    let store = store(Limits { max_age_ns: Some(30 * DAY_NS), ..Limits::default() }).await;
    for (id, day) in [("old", 1), ("noted", 2), ("new", 40)] {
        arrives(&store, id, day).await;
    }
    acknowledge(&store, "i-noted").await;
    store.accept(&[report(1, 1), report(2, 40)]).await.unwrap();
    // All end except one.
    store.advance(50 * DAY_NS, 50 * DAY_NS, &Default::default()).await.unwrap();
    arrives(&store, "lasting", 3).await;

    assert_eq!(store.prune(31 * DAY_NS).await.unwrap(), Removed::default(), "all are at most 30 days old");
    let removed = store.prune(60 * DAY_NS).await.unwrap();
    assert_eq!(removed, Removed { diagnoses: 1, incidents: 1, snapshots: 1, reports: 1, series: 0 });
    for (id, expected) in [("old", GONE), ("noted", KEPT), ("lasting", KEPT), ("new", KEPT)] {
        assert_eq!(has(&store, id).await, expected, "{id}");
    }
    assert_eq!(store.graph("noted").await.unwrap(), Some(graph()));
}

/// A snapshot is far larger than its diagnosis, and without it of no use.
#[tokio::test]
async fn the_snapshot_of_a_removed_diagnosis_goes_with_it() {
    let store = store(Limits { diagnoses: 2, ..Limits::default() }).await;
    for (day, id) in ["noted", "old", "new", "newest"].into_iter().enumerate() {
        arrives(&store, id, day as u64 + 1).await;
    }
    acknowledge(&store, "i-noted").await;
    let removed = store.prune(9 * DAY_NS).await.unwrap();
    assert_eq!(removed, Removed { diagnoses: 1, incidents: 1, snapshots: 1, ..Removed::default() });
    for (id, expected) in [("noted", KEPT), ("old", GONE), ("new", KEPT), ("newest", KEPT)] {
        assert_eq!(has(&store, id).await, expected, "{id}");
    }
}

/// What lists keep in memory of a diagnosis ends with it.
#[tokio::test]
async fn a_diagnosis_with_the_id_of_a_removed_one_is_shown_in_its_place() {
    let store = store(Limits { max_age_ns: Some(30 * DAY_NS), ..Limits::default() }).await;
    arrives(&store, "d", 1).await;
    let summary = async || store.incidents(&IncidentFilter::default()).await.unwrap().rows[0].summary.clone();
    let before = diagnosis("d", DAY_NS, VICTIM, "sw1:1").summary;
    for _ in 0..2 {
        assert_eq!(summary().await, before);
    }
    store.advance(50 * DAY_NS, 50 * DAY_NS, &Default::default()).await.unwrap();
    assert_eq!(store.prune(60 * DAY_NS).await.unwrap().diagnoses, 1);
    let again = Diagnosis { summary: "again".into(), ..diagnosis("d", 60 * DAY_NS, VICTIM, "sw1:1") };
    store.record(&again, &graph(), None, 60 * DAY_NS).await.unwrap();
    assert_eq!(summary().await, "again");
}

#[tokio::test]
async fn a_store_that_is_too_large_loses_its_oldest_rows() {
    let unlimited = store(Limits::default()).await;
    if support::server().is_some() {
        let limits = Limits { max_bytes: Some(1 << 20), ..Limits::default() };
        let refused = Store::open_with(&support::fresh().await, limits).await.unwrap_err();
        assert!(refused.to_string().contains("size of a PostgreSQL store cannot be limited"), "{refused}");
        return;
    }
    let empty_bytes = unlimited.size().await.unwrap().used_bytes;
    let limits = Limits { max_bytes: Some(empty_bytes + (64 << 10)), ..Limits::default() };
    let store = store(limits).await;
    arrives(&store, "noted", 1).await;
    acknowledge(&store, "i-noted").await;
    for day in 2..=130 {
        arrives(&store, &format!("d{day:03}"), day).await;
    }
    store.prune(200 * DAY_NS).await.unwrap();
    assert!(store.size().await.unwrap().used_bytes <= limits.max_bytes.unwrap());
    for (id, expected) in [("noted", KEPT), ("d002", GONE), ("d130", KEPT)] {
        assert_eq!(has(&store, id).await, expected, "{id}");
    }
    assert_eq!(store.prune(200 * DAY_NS).await.unwrap(), Removed::default(), "it fits now");
}

#[tokio::test]
async fn a_store_whose_rows_are_all_kept_may_exceed_its_size() {
    // Only a SQLite store has a limit of its size.
    let store = in_memory(Limits { max_bytes: Some(1), ..Limits::default() }).await;
    arrives(&store, "noted", 1).await;
    arrives(&store, "other", 2).await;
    acknowledge(&store, "i-noted").await;
    let removed = store.prune(DAY_NS).await.unwrap();
    assert_eq!((removed.diagnoses, removed.snapshots), (1, 1));
    assert_eq!(has(&store, "noted").await, KEPT);
}
