//! Over the whole library: every claim of a verdict rests on records, and those are in the verdict's own snapshot.

#![allow(clippy::disallowed_methods, reason = "tests of the binary read and write files")]

mod support;

use serde_json::{Value, json};
use support::{harrier, scratch};

/// The part of a snapshot that a kind of record is taken from; what is computed or told by nobody's register has none.
fn place(kind: &str) -> Option<(&'static str, bool)> {
    match kind {
        "flow" => Some(("flows", true)),
        "port" => Some(("ports", true)),
        "meter" => Some(("meters", true)),
        "pause" => Some(("pauses", true)),
        "configuration" => Some(("configuration", false)),
        "loss" => Some(("losses", false)),
        "trigger" => Some(("trigger", false)),
        "port_edge" | "contribution" | "transfer" => None,
        other => panic!("a kind of record that this test does not know: {other}"),
    }
}

/// Whether a snapshot holds a record, at the switch that its claim names.
fn holds(snapshot: &Value, switch: &Value, record: &Value) -> bool {
    let Some((list, is_of_switch)) = place(record["kind"].as_str().unwrap()) else { return true };
    let mut bare = record.clone();
    bare.as_object_mut().unwrap().remove("kind");
    if !is_of_switch {
        let told = &snapshot[list];
        return *told == bare || told.as_array().is_some_and(|all| all.contains(&bare));
    }
    let switches = snapshot["switches"].as_array().unwrap();
    let of_claim = switches.iter().filter(|telemetry| telemetry["switch"] == *switch);
    of_claim.flat_map(|telemetry| telemetry[list].as_array().unwrap()).any(|known| *known == bare)
}

/// The verdicts of one scenario; returns how many records were followed.
fn check(scenario: &str) -> usize {
    let folder = scratch(&format!("evidence-{scenario}"));
    let ran = harrier(&["run", scenario, "--json", "--save-snapshots", folder.to_str().unwrap()]);
    assert!(ran.status < 2, "{scenario}: {}", ran.stderr);
    let files = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let is_event =
        |path: &std::path::PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with("event");
    let snapshots: Vec<Value> = files
        .filter(is_event)
        .map(|path| serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap())
        .collect();
    let mut followed = 0;
    for diagnosis in ran.json()["diagnoses"].as_array().unwrap() {
        let claims = diagnosis["evidence"].as_array().unwrap();
        assert_ne!(claims, &Vec::<Value>::new(), "{scenario}: a verdict without evidence");
        // All claims of a verdict rest on one snapshot.
        let all = |snapshot: &Value| {
            claims.iter().all(|claim| {
                let records = claim["records"].as_array().unwrap();
                records.iter().all(|record| holds(snapshot, &claim["switch"], record))
            })
        };
        assert!(snapshots.iter().any(all), "{scenario}: no snapshot holds the records of {diagnosis:#}");
        for claim in claims {
            let records = claim["records"].as_array().unwrap();
            assert_ne!(claim["records"], json!([]), "{scenario}: a claim without a record: {claim:#}");
            followed += records.iter().filter(|r| place(r["kind"].as_str().unwrap()).is_some()).count();
        }
    }
    followed
}

#[test]
fn every_claim_can_be_followed_to_the_records_of_its_snapshot() {
    let list = harrier(&["scenario", "list", "--json"]).json();
    let names = list["scenarios"].as_array().unwrap().iter().map(|s| s["name"].as_str().unwrap().to_string());
    for name in names {
        let followed = check(&name);
        assert!(followed > 0 || name == "quiet", "{name}: no record was followed");
    }
}
