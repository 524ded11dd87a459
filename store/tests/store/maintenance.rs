//! What `harrier store` does with the file of a store: measure, copy, export, prune, compact.

#![allow(clippy::disallowed_methods, reason = "the tests read and write files")]

use std::path::Path;

use harrier_store::{Feedback, Limits, NewNote, Store, StoreError, backup, stats};
use model::{Diagnosis, ProvenanceGraph, Snapshot};
use serde_json::Value;
use sqlx::{Connection as _, Executor as _, SqliteConnection};

use crate::support::{OTHER, StoreFile, VICTIM, diagnosis, graph, put, snapshot};

/// A store with two incidents, three diagnoses, one snapshot and one note.
async fn filled(file: &StoreFile) -> Store {
    let store = Store::open(&file.url()).await.unwrap();
    store.record(&diagnosis("b", 20, VICTIM, "sw4:1"), &graph(), Some(&snapshot()), 2_000_000).await.unwrap();
    put(&store, &diagnosis("a", 10, OTHER, "sw4:1")).await;
    put(&store, &diagnosis("c", 30, VICTIM, "sw9:2")).await;
    let note = NewNote {
        author: "eve".into(),
        feedback: Some(Feedback::Wrong),
        text: "two\nlines".into(),
        ..NewNote::default()
    };
    store.add_note("i-b", &note, 77).await.unwrap();
    store
}

async fn exported(store: &Store, with_snapshots: bool) -> Vec<Value> {
    let mut out = Vec::new();
    store.export(&mut out, with_snapshots).await.unwrap();
    String::from_utf8(out).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn the_contents_are_measured_while_another_process_uses_them() {
    let file = StoreFile::any("stats").await;
    let store = filled(&file).await;
    let measured = stats(file.path()).await.unwrap();
    let rows = |name| measured.tables.iter().find(|table| table.name == name).unwrap().rows;
    assert_eq!((rows("diagnoses"), rows("snapshots"), rows("incidents"), rows("notes")), (3, 1, 2, 1));
    assert!(measured.tables.iter().all(|table| table.bytes > 0), "each table has a page");
    assert_eq!((measured.oldest_wall_ns, measured.newest_wall_ns), (Some(10), Some(2_000_000)));
    assert_eq!(measured.schema, measured.newest_schema);
    assert!(file.is_server() || measured.log_bytes > 0, "the server has not written its log to the file");
    let size = store.size().await.unwrap();
    assert_eq!(size.rows.iter().find(|(table, _)| *table == "diagnoses"), Some(&("diagnoses", 3)));
    assert!(size.used_bytes > 0 && size.used_bytes <= size.file_bytes);
    store.close().await;
}

#[tokio::test]
async fn a_backup_of_a_store_in_use_is_a_store_of_its_own() {
    let (file, copy) = (StoreFile::new("original"), StoreFile::new("copy"));
    let store = filled(&file).await;
    let written = backup(file.path(), copy.path()).await.unwrap();
    assert_eq!(written.bytes, copy.path().metadata().unwrap().len());
    // The server goes on; the copy keeps the state of its moment.
    put(&store, &diagnosis("d", 40, VICTIM, "sw4:1")).await;
    let restored = Store::open(&copy.url()).await.unwrap();
    assert_eq!(restored.diagnosis_count().await.unwrap(), 3);
    assert_eq!(restored.snapshot("b").await.unwrap(), Some(snapshot()));
    restored.close().await;

    let again = backup(file.path(), copy.path()).await.unwrap_err();
    assert!(matches!(again, StoreError::Exists { .. }), "{again}");
    let nowhere = backup(file.path(), Path::new("/no/such/folder/copy.db")).await.unwrap_err();
    assert!(nowhere.to_string().contains("write the backup"), "{nowhere}");
    store.close().await;
}

#[tokio::test]
async fn an_export_has_every_row_in_a_stable_order_and_can_be_read_back() {
    let file = StoreFile::any("export").await;
    let store = filled(&file).await;
    let lines = exported(&store, true).await;
    let kinds: Vec<_> = lines.iter().map(|line| line["kind"].as_str().unwrap()).collect();
    let expected = [
        "store",
        "incident",
        "incident",
        "occurrence",
        "occurrence",
        "note",
        "diagnosis",
        "diagnosis",
        "diagnosis",
        "snapshot",
    ];
    assert_eq!(kinds, expected);
    let ids: Vec<_> = lines[6..9].iter().map(|line| line["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["a", "c", "b"], "in the order of their arrival");
    assert_eq!((&lines[5]["text"], &lines[5]["feedback"]), (&"two\nlines".into(), &"wrong".into()));

    let read = |value: &Value| value.to_string();
    let diagnosis: Diagnosis = serde_json::from_str(&read(&lines[8]["diagnosis"])).unwrap();
    assert_eq!(diagnosis, store.diagnosis("b").await.unwrap().unwrap().diagnosis);
    let provenance: ProvenanceGraph = serde_json::from_str(&read(&lines[8]["graph"])).unwrap();
    assert_eq!(provenance, graph());
    let exported_snapshot: Snapshot = serde_json::from_str(&read(&lines[9]["snapshot"])).unwrap();
    assert_eq!(exported_snapshot, snapshot());

    let reader = Store::open_to_read(file.path()).await.unwrap();
    assert_eq!(exported(&reader, true).await, lines, "another process exports the same");
    assert_eq!(exported(&reader, false).await, lines[..9]);
    reader.close().await;
    store.close().await;
}

#[tokio::test]
async fn a_compacted_file_is_smaller() {
    let file = StoreFile::any("compact").await;
    let limits = Limits { diagnoses: 1, ..Limits::default() };
    let store = Store::open_with(&file.url(), limits).await.unwrap();
    for n in 0..200 {
        put(&store, &diagnosis(&format!("d{n:03}"), n, VICTIM, &format!("sw{n}:1"))).await;
    }
    let removed = store.prune(1_000).await.unwrap();
    assert!(removed.diagnoses > 0 && removed.incidents == removed.diagnoses, "{removed:?}");
    let before = store.size().await.unwrap();
    store.compact().await.unwrap();
    let after = store.size().await.unwrap();
    assert!(after.file_bytes < before.file_bytes && after.used_bytes <= before.used_bytes);
    assert_eq!(store.diagnosis_count().await.unwrap(), 1);
    store.close().await;
}

/// The error of a file that is not a store of this version, from every command.
async fn refusals(file: &Path) -> Vec<String> {
    let copy = StoreFile::new("refused-copy");
    vec![
        stats(file).await.unwrap_err().to_string(),
        backup(file, copy.path()).await.unwrap_err().to_string(),
        Store::open_to_read(file).await.unwrap_err().to_string(),
        Store::open_existing(file, Limits::default()).await.unwrap_err().to_string(),
    ]
}

#[tokio::test]
async fn a_file_that_is_not_a_store_is_refused_and_stays_as_it_is() {
    for (name, contents, expected) in [
        ("missing", None, "there is no store"),
        ("empty", Some(&b""[..]), "the file is empty"),
        ("text", Some(&b"a text that is not a database"[..]), "it is no SQLite database"),
    ] {
        let file = StoreFile::new(name);
        if let Some(contents) = contents {
            std::fs::write(file.path(), contents).unwrap();
        }
        for error in refusals(file.path()).await {
            assert!(error.contains(expected), "{name}: {error}");
        }
        assert_eq!(std::fs::read(file.path()).ok().as_deref(), contents, "{name}");
    }
}

#[tokio::test]
async fn a_database_of_another_program_is_refused_by_the_server_too() {
    let file = StoreFile::new("foreign");
    let mut connection = SqliteConnection::connect(&format!("{}?mode=rwc", file.url())).await.unwrap();
    connection.execute("CREATE TABLE people (name TEXT)").await.unwrap();
    connection.close().await.unwrap();
    let before = std::fs::read(file.path()).unwrap();
    let mut errors = refusals(file.path()).await;
    errors.push(Store::open(&file.url()).await.unwrap_err().to_string());
    for error in errors {
        assert!(error.contains("a SQLite database with other tables"), "{error}");
    }
    assert_eq!(std::fs::read(file.path()).unwrap(), before);
}

#[tokio::test]
async fn a_store_of_a_newer_version_is_refused_except_for_a_backup() {
    let (file, copy) = (StoreFile::new("newer"), StoreFile::new("newer-copy"));
    filled(&file).await.close().await;
    let mut connection = SqliteConnection::connect(&file.url()).await.unwrap();
    connection.execute("UPDATE _sqlx_migrations SET version = 999 WHERE version = 1").await.unwrap();
    connection.close().await.unwrap();
    for error in [
        stats(file.path()).await.unwrap_err(),
        Store::open_to_read(file.path()).await.unwrap_err(),
        Store::open(&file.url()).await.unwrap_err(),
    ] {
        assert!(error.to_string().contains("has schema 999, this version knows schemas up to"), "{error}");
    }
    assert_eq!(backup(file.path(), copy.path()).await.unwrap().schema, 999);
}
