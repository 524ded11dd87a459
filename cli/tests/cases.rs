//! `harrier case check`: judged verdicts as test cases.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{harrier, scratch};

/// A case of the snapshot of `poster-fig1`, of which the verdict is that of `harrier analyze`. `change` judges or alters it.
fn case(folder: &Path, name: &str, change: impl FnOnce(&mut Value)) -> PathBuf {
    let out = folder.join("out");
    if !out.exists() {
        let ran = harrier(&["run", "poster-fig1", "--save-snapshots", out.to_str().unwrap()]);
        assert_eq!(ran.status, 0, "{}", ran.stderr);
    }
    let read = |path: &Path| -> Value { serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap() };
    let mut events: Vec<PathBuf> = fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().path()).collect();
    events.retain(|path| path.file_name().unwrap().to_str().unwrap().starts_with("event-"));
    events.sort();
    let snapshot = &events[0];
    let report = harrier(&["analyze", "--json", snapshot.to_str().unwrap()]);
    let report: Value = serde_json::from_str(&report.stdout).unwrap();
    let mut case = json!({
        "format": 1, "incident": "i-a", "feedback": "right", "notes": [], "wall_ns": 1,
        "diagnosis": report["diagnoses"][0], "graph": null, "snapshot": read(snapshot),
        "topology": read(&out.join("topology.json")),
    });
    change(&mut case);
    let path = folder.join("cases").join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, case.to_string()).unwrap();
    path
}

/// Checks cases, and returns the outcome and whether the verdict is the same.
#[track_caller]
fn check(path: &Path, status: i32, outcomes: &[(&str, Value)]) {
    let ran = harrier(&["case", "check", "--json", path.to_str().unwrap()]);
    assert_eq!(ran.status, status, "{}", ran.stderr);
    let found: Vec<Value> = serde_json::from_str(&ran.stdout).unwrap();
    let found: Vec<(&str, Value)> =
        found.iter().map(|case| (case["outcome"].as_str().unwrap(), case["is_same"].clone())).collect();
    assert_eq!(found, outcomes);
}

#[test]
fn what_was_right_is_the_same_and_what_was_wrong_is_another_verdict() {
    let folder = scratch("cases");
    let right = case(&folder, "a-right.json", |_| {});
    check(&right, 0, &[("holds", json!(true))]);
    let wrong = case(&folder, "b-wrong.json", |case| case["feedback"] = json!("wrong"));
    check(&wrong, 1, &[("fails", json!(true))]);
    let storm = |case: &mut Value| {
        case["feedback"] = json!("wrong");
        case["diagnosis"]["cause"] = json!("elephant_collision");
    };
    check(&case(&folder, "c-mended.json", storm), 0, &[("holds", json!(false))]);
    let lost = |case: &mut Value| case["diagnosis"]["root_cause"]["flows"] = json!([]);
    check(&case(&folder, "d-lost.json", lost), 1, &[("fails", json!(false))]);
    check(
        &case(&folder, "e-unjudged.json", |case| case["feedback"] = Value::Null),
        0,
        &[("unjudged", json!(true))],
    );
    let of_host = |case: &mut Value| {
        let record = json!({ "kind": "host", "host": "h3", "pointer": "/nics/0", "value": "1" });
        case["diagnosis"]["evidence"][0]["records"] = json!([record]);
    };
    check(&case(&folder, "f-host.json", of_host), 0, &[("not_repeated", Value::Null)]);

    let ran = harrier(&["case", "check", folder.join("cases").to_str().unwrap()]);
    assert_eq!(ran.status, 1);
    assert!(ran.stderr.ends_with("6 cases: 2 ok, 2 failed, 1 not judged, 1 skipped\n"), "{}", ran.stderr);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert!(
        lines[1].starts_with("FAILED  ")
            && lines[1].contains("b-wrong.json: the verdict was wrong and is the same"),
        "{}",
        lines[1]
    );
}

#[test]
fn a_case_is_analysed_with_its_own_network() {
    let folder = scratch("case-analyze");
    let path = case(&folder, "case.json", |_| {});
    let ran = harrier(&["analyze", "--json", path.to_str().unwrap()]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(report["diagnoses"][0]["cause"], "incast");
}

#[test]
fn files_that_are_no_cases_are_all_named() {
    let folder = scratch("no-cases");
    let ran = harrier(&["case", "check", folder.to_str().unwrap()]);
    assert_eq!(ran.status, 2, "a check of nothing does not pass");
    assert!(ran.stderr.contains("there is no case"), "{}", ran.stderr);
    fs::write(folder.join("a.json"), "{}").unwrap();
    let later = case(&folder, "later.json", |case| case["format"] = json!(2));
    let ran = harrier(&[
        "case",
        "check",
        folder.join("a.json").to_str().unwrap(),
        later.to_str().unwrap(),
        "missing.json",
    ]);
    assert_eq!(ran.status, 2);
    for part in ["a.json: not a case", "format 2 is not known; this version reads format 1", "missing.json"] {
        assert!(ran.stderr.contains(part), "no `{part}` in {}", ran.stderr);
    }
}
