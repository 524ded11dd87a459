//! Saved snapshots match their schema, and `harrier analyze` returns the same diagnoses as the run.

#![allow(clippy::disallowed_methods, reason = "tests of the binary read and write files")]

use std::path::{Path, PathBuf};

use crate::schema::refusals;
use crate::support::{harrier, scratch};
use serde_json::{Value, json};

fn snapshot_schema() -> Value {
    serde_json::from_str(include_str!("../../docs/snapshot.schema.json")).expect("the schema is JSON")
}

fn read(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn snapshots(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_event = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with("event-");
    // Not in the order of the triggers.
    let mut files: Vec<PathBuf> = files.filter(is_event).collect();
    files.sort_by(|a, b| b.cmp(a));
    files
}

/// Compares the diagnoses of `harrier run` with those of `harrier analyze` on its snapshots.
fn check(scenario: &str, schema: &Value) {
    let folder = scratch(&format!("offline-{scenario}"));
    // `analyze` lists ordinary queueing, which `run` only counts.
    let ran =
        harrier(&["run", scenario, "--ordinary", "--json", "--save-snapshots", folder.to_str().unwrap()]);
    assert!(ran.status < 2, "{scenario}: {}", ran.stderr);
    let online = ran.json();
    let files = snapshots(&folder);
    if files.is_empty() {
        assert_eq!(online["diagnoses"], json!([]), "{scenario}");
        return;
    }
    for file in &files {
        let found = refusals(schema, &read(file));
        assert!(found.is_empty(), "{}: {found:#?}", file.display());
    }
    let mut args = vec!["analyze".to_string(), "--json".to_string()];
    args.extend(files.iter().map(|file| file.display().to_string()));
    let offline = harrier(&args);
    assert_eq!(offline.status, 0, "{scenario}: {}", offline.stderr);
    assert!(!offline.stderr.contains("warning"), "{scenario}: {}", offline.stderr);
    let offline = offline.json();
    assert_eq!(offline["diagnoses"], online["diagnoses"], "{scenario}");
    assert_eq!(offline["missing"], online["missing"], "{scenario}");
}

#[test]
fn all_scenarios_have_the_same_diagnoses_offline() {
    let schema = snapshot_schema();
    let list = harrier(&["scenario", "list", "--json"]).json();
    for scenario in list["scenarios"].as_array().unwrap() {
        check(scenario["name"].as_str().unwrap(), &schema);
    }
}

#[test]
fn the_schema_rejects_malformed_snapshots() {
    let folder = scratch("refused");
    harrier(&["run", "poster-fig1", "--save-snapshots", folder.to_str().unwrap()]);
    let good = read(&snapshots(&folder)[0]);
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut wrong = good.clone();
        change(&mut wrong);
        !refusals(&snapshot_schema(), &wrong).is_empty()
    };
    assert!(!refused(&|_| {}));
    assert!(refused(&|s| s["epoch_ns"] = json!("1 ms")));
    assert!(refused(&|s| s["source"] = json!("sflow")));
    assert!(refused(&|s| s["switches"][0]["flows"][0]["packets"] = json!(-1)));
    assert!(refused(&|s| s["switches"][0]["flows"][0]["seen_ns"] = json!([1, 2, 3])));
    assert!(refused(&|s| {
        s["switches"][0].as_object_mut().unwrap().remove("frozen_ns");
    }));
}

/// The snapshots contain no configuration findings; the operator's files are given on the command line.
#[test]
fn findings_of_configuration_files_are_named_as_root_cause() {
    let folder = scratch("offline-config");
    let at = |name: &str| folder.join(name).display().to_string();
    let ran =
        harrier(&["run", "stale-headroom-profile", "--seed", "1", "--json", "--save-snapshots", &at("")]);
    assert!(ran.status < 2, "{}", ran.stderr);
    let saved = harrier(&["scenario", "show", "stale-headroom-profile", "--save", &at("")]);
    assert_eq!(saved.status, 0, "{}", saved.stderr);
    let files = snapshots(&folder);
    for file in &files {
        let mut snapshot = read(file);
        snapshot["configuration"] = json!([]);
        std::fs::write(file, snapshot.to_string()).unwrap();
    }
    let named = |configs: &[String]| {
        let mut args = vec!["analyze".to_string(), "--json".to_string()];
        args.extend(files.iter().map(|file| file.display().to_string()));
        args.extend(configs.iter().flat_map(|config| ["--config".to_string(), config.clone()]));
        let analysed = harrier(&args);
        assert_eq!(analysed.status, 0, "{}", analysed.stderr);
        let verdicts = analysed.json()["diagnoses"].as_array().unwrap().clone();
        let names = verdicts.iter().flat_map(|v| v["root_cause"]["config"].as_array().unwrap().clone());
        names.filter_map(|name| Some(name.as_str()?.to_string())).collect::<Vec<_>>()
    };
    let config = |switch: &str| format!("{switch}={}", at(&format!("stale-headroom-profile/{switch}.json")));
    assert_eq!(named(&[]), Vec::<String>::new());
    let both = named(&[config("near"), config("far")]);
    assert!(both.iter().any(|id| id == "far:1/PG004"), "{both:?}");
    assert!(both.iter().all(|id| id.starts_with("far:1/")), "near has no finding: {both:?}");

    let wrong = ["nowhere".to_string() + &config("near")[4..], format!("far={}", at("missing.json"))];
    let mut args = vec!["analyze".to_string(), files[0].display().to_string()];
    args.extend(wrong.iter().flat_map(|config| ["--config".to_string(), config.clone()]));
    let refused = harrier(&args);
    assert_eq!(refused.status, 2, "{}", refused.stderr);
    for part in ["`nowhere` is not a switch of the topology", "missing.json"] {
        assert!(refused.stderr.contains(part), "{part}: {}", refused.stderr);
    }
}

#[test]
fn records_of_unknown_switches_and_links_cause_warnings_only() {
    let folder = scratch("strays");
    harrier(&["run", "contention-only", "--save-snapshots", folder.to_str().unwrap()]);
    let file = snapshots(&folder).pop().expect("a snapshot");
    let before = harrier(&["analyze", "--json", file.to_str().unwrap()]).json();
    let mut snapshot = read(&file);
    let switch = snapshot["switches"][0]["switch"].as_str().expect("a name").to_string();
    let row = json!({"ingress_port": 98, "egress_port": 99, "epoch": 1, "packets": 1, "bytes": 1});
    snapshot["switches"][0]["meters"].as_array_mut().expect("rows").push(row);
    snapshot["losses"] = json!([{"switch": "nowhere", "ingress_port": 1, "egress_port": 2, "priority": 3,
        "reason": "headroom", "packets": 1, "lost_ns": [1, 1]}]);
    std::fs::write(&file, snapshot.to_string()).expect("the snapshot can be written");
    let analysed = harrier(&["analyze", "--json", file.to_str().unwrap()]);
    assert_eq!(analysed.status, 0, "{}", analysed.stderr);
    for expected in [
        "snapshot refers to switch `nowhere`, which is not in the topology (1 loss record)".to_string(),
        format!("snapshot refers to port `{switch}:98`, which has no link in the topology (1 meter record)"),
        format!("snapshot refers to port `{switch}:99`, which has no link in the topology (1 meter record)"),
    ] {
        let is_expected = |line: &str| line.starts_with("warning: event 0x") && line.ends_with(&expected);
        assert!(analysed.stderr.lines().any(is_expected), "{expected}: {}", analysed.stderr);
    }
    let after = analysed.json();
    assert!(before["diagnoses"][0]["root_cause"].is_object());
    assert_eq!(after["diagnoses"][0]["root_cause"], before["diagnoses"][0]["root_cause"]);
}
