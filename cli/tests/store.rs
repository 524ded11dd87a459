//! `harrier store` on a file that another process, the test, may have open.

#![allow(clippy::disallowed_methods, reason = "the tests read and write files")]

use std::path::{Path, PathBuf};

use crate::support::{Ran, harrier};
use model::{Anomaly, Cause, Diagnosis, FlowKey, ProvenanceGraph, RootCause};
use serde_json::Value;
use store::Store;

/// A folder for one test, removed on drop.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("store-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn diagnosis(id: &str) -> Diagnosis {
    let victim: FlowKey = "10.0.0.2:10000>10.0.0.4:4791/udp".parse().unwrap();
    Diagnosis {
        id: id.into(),
        time_ns: 1,
        anomaly: Anomaly::FlowContention,
        cause: Cause::Incast,
        summary: "an incast".into(),
        confidence: 0.5,
        root_cause: RootCause { port: Some("sw4:1".parse().unwrap()), ..RootCause::default() },
        victims: vec![],
        ..Diagnosis::undetermined(victim)
    }
}

async fn record(store: &Store, id: &str, wall_ns: u64) {
    let graph = ProvenanceGraph { nodes: vec![], edges: vec![] };
    store.record(&diagnosis(id), &graph, None, wall_ns).await.unwrap();
}

async fn filled(file: &str) -> Store {
    let store = Store::open(&format!("sqlite:{file}")).await.unwrap();
    record(&store, "a", 1_700_000_000_000_000_000).await;
    record(&store, "b", 1_700_000_001_000_000_000).await;
    store
}

fn ran(args: &[&str]) -> Ran {
    harrier(&[&["store"], args].concat())
}

#[tokio::test]
async fn a_store_in_use_is_measured_copied_and_exported_but_not_changed() {
    let folder = Folder::new("in-use");
    let (file, copy, lines) = (folder.path("a.db"), folder.path("copy.db"), folder.path("lines"));
    let store = filled(&file).await;

    let stats = ran(&["stats", &file, "--json"]);
    assert_eq!((stats.status, stats.json()["tables"][0]["rows"].as_u64()), (0, Some(2)), "{}", stats.stderr);
    let text = ran(&["stats", &file]).stdout;
    assert!(text.contains("newest          2023-11-14T22:13:21Z"), "{text}");

    let backup = ran(&["backup", &file, &copy]);
    assert_eq!(backup.status, 0, "{}", backup.stderr);
    assert!(backup.stderr.starts_with(&format!("wrote {copy} (")), "{}", backup.stderr);

    let exported = ran(&["export", &file, "--output", &lines]);
    assert_eq!((exported.status, exported.stdout.as_str()), (0, ""));
    assert_eq!(exported.stderr.trim(), "exported 1 incident, 0 notes, 2 diagnoses");
    let lines = std::fs::read_to_string(&lines).unwrap();
    assert_eq!(ran(&["export", &file]).stdout, lines);
    assert_eq!(ran(&["export", &copy]).stdout, lines, "the copy has the same contents");
    let last: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    assert_eq!((&last["kind"], &last["diagnosis"]["id"]), (&"diagnosis".into(), &"b".into()));

    for args in [["prune", &file], ["migrate", &file]] {
        let refused = ran(&args);
        assert_eq!(refused.status, 2, "{args:?}");
        assert!(refused.stderr.contains("another process uses the store"), "{args:?}: {}", refused.stderr);
    }
    record(&store, "c", 1).await;
    store.close().await;
}

#[tokio::test]
async fn prune_applies_limits_now_and_migrate_says_that_nothing_is_to_do() {
    let folder = Folder::new("prune");
    let file = folder.path("a.db");
    filled(&file).await.close().await;
    assert_eq!(ran(&["prune", &file]).stderr.trim(), "nothing to remove", "the defaults of the server");
    let pruned = ran(&["prune", &file, "--max-diagnoses", "1", "--compact"]);
    let expected = "removed 1 diagnosis, 0 incidents, 0 snapshots, 0 reports, 0 rows of series";
    assert_eq!((pruned.status, pruned.stderr.trim()), (0, expected));
    let pruned = ran(&["prune", &file, "--max-age-days", "one"]);
    assert_eq!(pruned.status, 2);
    assert!(pruned.stderr.contains("--max-age-days"), "{}", pruned.stderr);
    let migrated = ran(&["migrate", &file]);
    assert_eq!(migrated.status, 0);
    assert!(migrated.stderr.contains("is the newest; nothing to do"), "{}", migrated.stderr);
}

#[tokio::test]
async fn exports_of_files_and_folders_are_imported_or_refused_as_a_whole() {
    let folder = Folder::new("import");
    let (file, copy, cases) = (folder.path("a.db"), folder.path("copy.db"), folder.path("cases"));
    filled(&file).await.close().await;
    std::fs::create_dir(&cases).unwrap();
    let (lines, wrong) = (format!("{cases}/lines.jsonl"), format!("{cases}/z.json"));
    ran(&["export", &file, "--output", &lines]);
    std::fs::write(format!("{cases}/notes.txt"), "no export").unwrap();

    std::fs::write(&wrong, "{}").unwrap();
    let refused = ran(&["import", &copy, &cases]);
    let mistake = format!("{wrong}:1:2: neither an export nor a test case: missing field `format`");
    assert_eq!(refused.status, 2);
    assert!(refused.stderr.contains(&mistake), "{}", refused.stderr);
    assert!(refused.stderr.contains("nothing is imported: 1 mistake"), "{}", refused.stderr);
    assert!(ran(&["export", &copy]).stdout.lines().count() == 1, "only the header");

    std::fs::remove_file(&wrong).unwrap();
    let imported = ran(&["import", &copy, &cases]);
    let expected =
        "imported 0 findings, 1 incident, 0 notes, 2 diagnoses, 0 snapshots; 0 rows were there before";
    assert_eq!((imported.status, imported.stderr.trim()), (0, expected));
    let again = ran(&["import", &copy, &lines]);
    let expected =
        "imported 0 findings, 0 incidents, 0 notes, 0 diagnoses, 0 snapshots; 4 rows were there before";
    assert_eq!((again.status, again.stderr.trim()), (0, expected));

    let missing = ran(&["import", &folder.path("new.db"), &folder.path("none.jsonl")]);
    assert!(missing.status == 2 && missing.stderr.contains("cannot read"), "{}", missing.stderr);
    assert!(!Path::new(&folder.path("new.db")).exists(), "no store is created");
}

#[test]
fn a_file_that_is_not_a_store_is_one_error_and_status_2() {
    let folder = Folder::new("refused");
    let (text, missing, copy) = (folder.path("a.txt"), folder.path("missing.db"), folder.path("copy.db"));
    std::fs::write(&text, "a text that is not a database").unwrap();
    for (file, expected) in [(&text, "is not a store of Harrier"), (&missing, "there is no store")] {
        for args in [
            &["stats", file][..],
            &["backup", file, &copy],
            &["export", file],
            &["prune", file],
            &["migrate", file],
        ] {
            let refused = ran(args);
            assert_eq!((refused.status, refused.stdout.as_str()), (2, ""), "{args:?}");
            assert!(
                refused.stderr.contains(expected) && refused.stderr.lines().count() == 1,
                "{}",
                refused.stderr
            );
        }
    }
    let names: Vec<_> =
        std::fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["a.txt"], "nothing is left behind");
}
