//! What was exported can be imported into another store, all of it or nothing.

use std::io::Cursor;

use harrier_store::{Feedback, Handling, Import, ImportError, Imported, NewNote, Store};
use serde_json::{Value, json};

use crate::handling::network;
use crate::support::{self, OTHER, VICTIM, diagnosis, flow, graph, put, snapshot};

const WALL_NS: u64 = 99_000_000;

async fn store() -> Store {
    Store::open(&support::fresh().await).await.unwrap()
}

/// A store with two incidents, three diagnoses, one snapshot and one note.
async fn filled() -> Store {
    let store = store().await;
    store.record(&diagnosis("b", 20, VICTIM, "sw4:1"), &graph(), Some(&snapshot()), 2_000_000).await.unwrap();
    put(&store, &diagnosis("a", 10, OTHER, "sw4:1")).await;
    put(&store, &diagnosis("c", 30, VICTIM, "sw9:2")).await;
    let note = NewNote {
        diagnosis: None,
        author: "eve".into(),
        handling: Some(Handling::Acknowledged),
        feedback: Some(Feedback::Wrong),
        text: "two\nlines".into(),
    };
    store.add_note("i-b", &note, 77).await.unwrap();
    store.fact("zero_ns", 5_000).await.unwrap();
    store.fact("time_scale", 1).await.unwrap();
    store
}

async fn exported(store: &Store) -> String {
    let mut out = Vec::new();
    store.export(&mut out, true).await.unwrap();
    String::from_utf8(out).unwrap()
}

async fn import(store: &Store, files: &[&str]) -> Result<Imported, ImportError> {
    let file = |(number, text): (usize, &&str)| Import {
        name: format!("f{number}"),
        contents: Box::new(Cursor::new(text.to_string())),
    };
    store.import(files.iter().enumerate().map(file).collect(), WALL_NS).await
}

async fn import_bytes(store: &Store, bytes: &[u8]) -> Result<Imported, ImportError> {
    let file = Import { name: "f0".into(), contents: Box::new(Cursor::new(bytes.to_vec())) };
    store.import(vec![file], WALL_NS).await
}

/// Imports a text with mistakes, which are these, and checks that nothing is stored.
async fn check(text: &str, expected: &[&str]) {
    let store = store().await;
    let before = exported(&store).await;
    let Err(ImportError::Mistakes(found)) = import(&store, &[text]).await else {
        panic!("{text} is imported")
    };
    let found: Vec<_> = found.iter().map(ToString::to_string).collect();
    assert_eq!(found, expected);
    assert_eq!(exported(&store).await, before, "nothing is stored");
}

#[tokio::test]
async fn an_export_of_the_imported_store_is_the_same_except_that_incidents_have_ended() {
    let text = exported(&filled().await).await;
    let other = store().await;
    let added = Imported { incidents: 2, notes: 1, diagnoses: 3, snapshots: 1, ..Imported::default() };
    assert_eq!(import(&other, &[&text]).await.unwrap(), added);
    let ended = |text: &str, update_ns: u64| {
        let from = format!("\"update_ns\":{update_ns},\"end_ns\":null");
        text.replace(&from, &format!("\"update_ns\":{update_ns},\"end_ns\":{update_ns}"))
    };
    let expected = ended(&ended(&text, 20), 30);
    assert_ne!(expected, text, "the incidents last");
    assert_eq!(exported(&other).await, expected);

    let incident = other.incident("i-b").await.unwrap().unwrap();
    assert_eq!((incident.count, incident.victims), (2, vec![flow(VICTIM), flow(OTHER)]));
    assert_eq!(other.graph("a").await.unwrap(), Some(graph()));
    assert_eq!(other.snapshot("b").await.unwrap(), Some(snapshot()));
    let again = import(&other, &[&text, &text]).await.unwrap();
    assert_eq!(again, Imported { known: 18, ..Imported::default() });
    assert_eq!(exported(&other).await, expected, "a second import changes nothing");
}

#[tokio::test]
async fn what_was_judged_is_imported_with_the_network_of_its_time() {
    let (store, other) = (store().await, store().await);
    put(&store, &diagnosis("a", 10, VICTIM, "sw4:1")).await;
    store.put_topology(&network("sw1")).await.unwrap();
    let note = NewNote { feedback: Some(Feedback::Wrong), ..NewNote::default() };
    store.add_note("i-a", &note, 77).await.unwrap();
    store.put_topology(&network("sw2")).await.unwrap();
    let text = exported(&store).await;
    import(&other, &[&text]).await.unwrap();
    assert_eq!(other.topology().await.unwrap(), Some(network("sw2")));
    let judged = other.judgement("i-a").await.unwrap().unwrap();
    assert_eq!((judged.diagnosis.as_str(), judged.topology), ("a", Some(network("sw1"))));
    let again = import(&other, &[&text]).await.unwrap();
    assert_eq!((again.notes, again.incidents), (0, 0));
    let Err(ImportError::Mistakes(found)) = import(&other, &[&text.replace("sw1", "sw3")]).await else {
        panic!("another network is imported under the same name")
    };
    assert_eq!(found[0].to_string(), "f0:2: the store has another topology `at 77`; import into a new store");
}

#[tokio::test]
async fn diagnoses_that_a_known_incident_lacks_are_added_to_it() {
    let store = filled().await;
    let early = exported(&store).await;
    put(&store, &diagnosis("d", 40, "10.0.0.7:1>10.0.0.4:4791/udp", "sw9:2")).await;
    let late = exported(&store).await;
    let other = self::store().await;
    import(&other, &[&early]).await.unwrap();
    let note = NewNote { author: "bob".into(), text: "mine".into(), ..NewNote::default() };
    other.add_note("i-c", &note, 88).await.unwrap();
    assert_eq!(import(&other, &[&late]).await.unwrap().diagnoses, 1);
    let incident = other.incident("i-c").await.unwrap().unwrap();
    assert_eq!((incident.count, incident.victims.len()), (2, 2));
    assert_eq!(other.notes("i-c").await.unwrap()[0].note.text, "mine", "its notes stay");
}

#[tokio::test]
async fn a_test_case_is_an_incident_with_its_verdict_and_telemetry() {
    let mut case = json!({
        "format": 1, "zero_ns": 5_000, "time_scale": 1, "incident": "i-b", "feedback": "wrong",
        "notes": [{ "number": 3, "time": "x", "wall_ns": 77, "author": "eve", "handling": "silenced", "feedback": "wrong",
                    "text": "no" }],
        "diagnosis": diagnosis("b", 20, VICTIM, "sw4:1"), "wall_ns": 2_000, "graph": graph(), "snapshot": snapshot(),
        "topology": null,
    });
    let store = store().await;
    let added = Imported { incidents: 1, notes: 1, diagnoses: 1, snapshots: 1, ..Imported::default() };
    assert_eq!(import(&store, &[&serde_json::to_string_pretty(&case).unwrap()]).await.unwrap(), added);
    let incident = store.incident("i-b").await.unwrap().unwrap();
    assert_eq!((incident.handling, incident.feedback), (Handling::Silenced, Some(Feedback::Wrong)));
    assert_eq!((incident.start_ns, incident.end_ns, incident.start_wall_ns), (20, Some(20), 2_000));
    assert_eq!(incident.victims, [flow(VICTIM)]);
    assert_eq!(store.snapshot("b").await.unwrap(), Some(snapshot()));
    assert_eq!(store.graph("b").await.unwrap(), Some(graph()));
    assert_eq!(import(&store, &[&case.to_string()]).await.unwrap().diagnoses, 0, "again");

    // Of a version that exported neither graph nor arrival.
    for field in ["graph", "wall_ns", "zero_ns", "time_scale"] {
        case.as_object_mut().unwrap().remove(field);
    }
    let old = self::store().await;
    import(&old, &[&case.to_string()]).await.unwrap();
    assert_eq!(old.diagnosis("b").await.unwrap().unwrap().wall_ns, WALL_NS);
    assert_eq!(old.graph("b").await.unwrap(), None);
}

#[tokio::test]
async fn all_mistakes_are_reported_with_their_position_and_nothing_is_stored() {
    let text = exported(&filled().await).await;
    let mut lines: Vec<_> = text.lines().map(ToString::to_string).collect();
    lines[1] = lines[1].replace("\"count\":2", "\"count\":-2");
    lines[5] = "{\"kind\":\"remark\"}".into();
    lines[6].pop();
    let broken = lines.join("\n");
    let at = |line: usize, text: &str| lines[line].find(text).unwrap() + text.len();
    let kinds = "topology, finding, incident, occurrence, note, diagnosis or snapshot";
    check(
        &broken,
        &[
            &format!("f0:2:{}: invalid value: integer `-2`, expected u64", at(1, "\"count\":-2")),
            "f0:4: there is no incident `i-b`, neither in the lines before nor in the store",
            &format!("f0:6: `remark` is not the kind of a row; expected {kinds}"),
            &format!("f0:7:{}: EOF while parsing an object", lines[6].len()),
            "f0:9: there is no incident `i-b`, neither in the lines before nor in the store",
        ],
    )
    .await;
}

#[tokio::test]
async fn a_file_that_is_no_export_is_refused() {
    check("", &["f0:1: the file is empty"]).await;
    check("x", &["f0:1:1: neither an export nor a test case: expected value"]).await;
    check(
        "{\"format\":1,\n\"incident\":7}",
        &["f0:2:12: neither an export nor a test case: invalid type: integer `7`, expected a string"],
    )
    .await;
    let first = "an export starts with a line of kind `store`, this one has `note`";
    check("{\"kind\":\"note\"}\n{}", &[&format!("f0:1: {first}")]).await;
    let format = "format 2 is not known; this version reads format 1";
    check("{\"kind\":\"store\",\"format\":2}\n", &[&format!("f0:1: {format}")]).await;
    let Err(ImportError::Mistakes(found)) =
        import_bytes(&store().await, b"{\"kind\":\"store\",\"format\":1}\n\xff\n").await
    else {
        panic!("bytes that are no text are imported")
    };
    assert_eq!((found.len(), found[0].line), (1, 2));
}

#[tokio::test]
async fn rows_that_contradict_the_store_or_each_other_are_refused() {
    let text = exported(&filled().await).await;
    let store = store().await;
    import(&store, &[&text]).await.unwrap();
    let before = exported(&store).await;
    for (from, to, expected) in [
        ("verdict a", "verdict z", "the store has another diagnosis `a`; import into a new store"),
        ("\"polls\":6", "\"polls\":7", "the store has another snapshot `b`; import into a new store"),
        (
            "\"zero_ns\":5000",
            "\"zero_ns\":6000",
            "switch time starts at another wall clock than in the store; import into a new store",
        ),
    ] {
        let changed = text.replace(from, to);
        assert_ne!(changed, text);
        let error = import(&store, &[&changed]).await.unwrap_err().to_string();
        assert!(error.ends_with(expected) && error.lines().count() == 1, "{error}");
    }
    assert_eq!(exported(&store).await, before);

    let without: Vec<_> = text.lines().filter(|line| !line.contains("verdict b")).collect();
    check(&without.join("\n"), &["f0:2: no file has the diagnosis `b` of incident `i-b`"]).await;
}

#[tokio::test]
async fn mistakes_of_all_files_are_reported_and_at_most_a_hundred() {
    let store = store().await;
    let header = "{\"kind\":\"store\",\"format\":1}\n";
    let bad = format!("{header}{}", "{}\n".repeat(60));
    let Err(ImportError::Mistakes(found)) = import(&store, &[&bad, &bad]).await else { panic!("imported") };
    let files: Vec<_> = found.iter().map(|mistake| mistake.file.as_str()).collect();
    assert_eq!((files.len(), files[59], files[60]), (100, "f0", "f1"));
}

#[tokio::test]
async fn a_later_run_has_another_number_than_those_that_were_imported() {
    let simulated = store().await;
    for _ in 0..3 {
        simulated.begin_run().await.unwrap();
    }
    put(&simulated, &diagnosis("a", 10, VICTIM, "sw4:1")).await;
    let text = exported(&simulated).await;
    let ids: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(ids.last().unwrap()["id"], "a-3");
    let other = store().await;
    import(&other, &[&text]).await.unwrap();
    assert_eq!(other.begin_run().await.unwrap(), 4);
}
