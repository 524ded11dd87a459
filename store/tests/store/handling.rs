//! What people do and say about incidents: handling, notes, feedback.

use harrier_store::{Feedback, Handling, IncidentFilter, Judgement, Limits, NOTES, NewNote, Store};
use model::topology::{Node, NodeKind};
use model::{Diagnosis, Topology};

use crate::support::{self, VICTIM, diagnosis, graph, put, snapshot};

const QUIET_NS: u64 = 1_600;

async fn store() -> Store {
    let limits = Limits { incident_quiet_ns: QUIET_NS, incident_memory_ns: 1_000_000, ..Limits::default() };
    Store::open_with(&support::fresh().await, limits).await.unwrap()
}

fn at_one_port(id: &str, time_ns: u64) -> Diagnosis {
    diagnosis(id, time_ns, VICTIM, "sw4:1")
}

#[tokio::test]
async fn people_acknowledge_resolve_and_silence_incidents_and_judge_the_verdict() {
    let store = store().await;
    let d = at_one_port("d", 10_000);
    put(&store, &d).await;
    let note = |handling, feedback, text: &str| NewNote {
        diagnosis: None,
        author: "eve".into(),
        handling,
        feedback,
        text: text.into(),
    };
    let add = async |note: &NewNote| store.add_note("i-d", note, 7).await.unwrap().unwrap();
    let added = add(&note(Some(Handling::Acknowledged), None, "on it")).await;
    assert_eq!((added.handling, added.feedback), (Handling::Acknowledged, None));
    let added = add(&note(None, Some(Feedback::Right), "")).await;
    assert_eq!((added.handling, added.feedback), (Handling::Acknowledged, Some(Feedback::Right)));
    assert_eq!(store.add_note("i-none", &note(None, None, "x"), 7).await.unwrap(), None);
    let notes = store.notes("i-d").await.unwrap();
    let texts: Vec<_> =
        notes.iter().map(|note| (note.number, note.wall_ns, note.note.text.as_str())).collect();
    assert_eq!(texts, [(1, 7, "on it"), (2, 7, "")]);
    let about = NewNote { diagnosis: Some("d".into()), ..note(None, Some(Feedback::Right), "") };
    assert_eq!(notes[1].note, about);

    // What is resolved is open again when it comes back; what is silenced stays so, and is no open incident for alerts.
    let back = |id: &str, times: u64| at_one_port(id, 10_000 + times * 10 * QUIET_NS);
    add(&note(Some(Handling::Resolved), None, "")).await;
    assert_eq!(put(&store, &at_one_port("same", 10_001)).await.incident.handling, Handling::Resolved);
    assert_eq!(put(&store, &back("e", 1)).await.incident.handling, Handling::Open);
    assert_eq!(store.open_incidents().await.unwrap().counts.len(), 1);
    add(&note(Some(Handling::Silenced), None, "")).await;
    assert_eq!(put(&store, &back("f", 2)).await.incident.handling, Handling::Silenced);
    assert_eq!(store.open_incidents().await.unwrap().counts, []);
    let filter = IncidentFilter { handling: Some(Handling::Silenced), ..IncidentFilter::default() };
    assert_eq!(store.incidents(&filter).await.unwrap().rows.len(), 1);
}

/// A switch of a network, by which networks differ.
pub(crate) fn network(name: &str) -> Topology {
    let node = Node { name: name.into(), kind: NodeKind::Switch, addresses: vec![] };
    Topology { nodes: vec![node], links: vec![] }
}

#[tokio::test]
async fn a_judgement_is_about_the_verdict_and_the_network_of_its_time() {
    let limits = Limits { diagnoses: 1, snapshots: 1, incident_quiet_ns: QUIET_NS, ..Limits::default() };
    let store = Store::open_with(&support::fresh().await, limits).await.unwrap();
    store.put_topology(&network("sw1")).await.unwrap();
    store.record(&at_one_port("d", 10_000), &graph(), Some(&snapshot()), 1).await.unwrap();
    assert_eq!(store.judgement("i-d").await.unwrap(), None);
    let wrong = NewNote { feedback: Some(Feedback::Wrong), ..NewNote::default() };
    store.add_note("i-d", &wrong, 5).await.unwrap().unwrap();

    // Another diagnosis represents the incident now, and the network has changed.
    let surer = Diagnosis { confidence: 1.0, ..at_one_port("e", 10_001) };
    let stored = store.record(&surer, &graph(), Some(&snapshot()), 2).await.unwrap();
    assert_eq!((stored.incident.id.as_str(), stored.incident.diagnosis.as_str()), ("i-d", "e"));
    store.put_topology(&network("sw2")).await.unwrap();
    for n in 0..3 {
        store
            .record(&at_one_port(&format!("f{n}"), 10_002 + n), &graph(), Some(&snapshot()), 3 + n)
            .await
            .unwrap();
    }
    store.prune(10).await.unwrap();
    let judged = |diagnosis: &str, network| Judgement {
        feedback: Feedback::Wrong,
        diagnosis: diagnosis.into(),
        topology: Some(network),
    };
    assert_eq!(store.judgement("i-d").await.unwrap(), Some(judged("d", network("sw1"))));
    for id in ["d", "e"] {
        assert!(store.snapshot(id).await.unwrap().is_some(), "the snapshot of {id} is gone");
    }

    // The reader of a page judges the verdict that it shows.
    let about = |id: &str| NewNote { diagnosis: Some(id.into()), ..wrong.clone() };
    store.add_note("i-d", &about("d"), 6).await.unwrap().unwrap();
    assert_eq!(store.judgement("i-d").await.unwrap(), Some(judged("d", network("sw2"))));
    assert_eq!(store.add_note("i-d", &about("none"), 7).await.unwrap(), None);
    store.add_note("i-d", &wrong, 8).await.unwrap().unwrap();
    assert_eq!(store.judgement("i-d").await.unwrap(), Some(judged("e", network("sw2"))));
}

#[tokio::test]
async fn the_oldest_note_is_removed_first() {
    let store = store().await;
    put(&store, &at_one_port("d", 10_000)).await;
    for n in 0..u64::from(NOTES) + 2 {
        let note = NewNote { text: n.to_string(), ..NewNote::default() };
        store.add_note("i-d", &note, n).await.unwrap();
    }
    let notes = store.notes("i-d").await.unwrap();
    assert_eq!((notes.len(), notes[0].note.text.as_str()), (NOTES as usize, "2"));
}

#[tokio::test]
async fn a_verdict_with_feedback_keeps_its_diagnosis_and_its_snapshot() {
    let limits = Limits { diagnoses: 1, snapshots: 1, ..Limits::default() };
    let store = Store::open_with(&support::fresh().await, limits).await.unwrap();
    for (at, port) in ["sw1:1", "sw2:1", "sw3:1"].into_iter().enumerate() {
        let d = diagnosis(&format!("d{at}"), 10_000 + at as u64, VICTIM, port);
        store.record(&d, &graph(), Some(&snapshot()), at as u64).await.unwrap();
        if at == 0 {
            let note = NewNote { feedback: Some(Feedback::Wrong), ..NewNote::default() };
            store.add_note("i-d0", &note, 0).await.unwrap();
        }
    }
    store.prune(0).await.unwrap();
    for (id, is_kept) in [("d0", true), ("d1", false), ("d2", true)] {
        assert_eq!(store.diagnosis(id).await.unwrap().is_some(), is_kept, "{id}");
        assert_eq!(store.snapshot(id).await.unwrap().is_some(), is_kept, "snapshot of {id}");
    }
}
