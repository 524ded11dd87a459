//! Every claim of a diagnosis refers to records, and all of them are in the snapshot of the diagnosis or in a report of a
//! host. Checked for all built-in scenarios.

#![allow(clippy::disallowed_methods, reason = "tests of the binary read and write files")]

use crate::support::{harrier, scratch};
use serde_json::{Value, json};

/// Returns the list of a snapshot that holds this kind of record, and whether each switch has its own list. Computed
/// records are in no list.
fn list_of(kind: &str) -> Option<(&'static str, bool)> {
    match kind {
        "flow" => Some(("flows", true)),
        "port" => Some(("ports", true)),
        "meter" => Some(("meters", true)),
        "pause" => Some(("pauses", true)),
        "configuration" => Some(("configuration", false)),
        "loss" => Some(("losses", false)),
        "event" => Some(("events", false)),
        "trigger" => Some(("trigger", false)),
        // Those of hosts are in their reports.
        "pause_total" | "port_edge" | "contribution" | "transfer" | "host" => None,
        other => panic!("unknown kind of record: {other}"),
    }
}

/// Whether a snapshot contains a record, at the switch that the claim names.
fn holds(snapshot: &Value, switch: &Value, record: &Value) -> bool {
    if record["kind"] == "pause_total" {
        return holds_pauses(snapshot, record);
    }
    let Some((list, is_of_switch)) = list_of(record["kind"].as_str().unwrap()) else { return true };
    let mut bare = record.clone();
    bare.as_object_mut().unwrap().remove("kind");
    if !is_of_switch {
        let records = &snapshot[list];
        return *records == bare || records.as_array().is_some_and(|all| all.contains(&bare));
    }
    let switches = snapshot["switches"].as_array().unwrap();
    let of_claim = switches.iter().filter(|telemetry| telemetry["switch"] == *switch);
    of_claim.flat_map(|telemetry| telemetry[list].as_array().unwrap()).any(|known| *known == bare)
}

/// Whether a snapshot has the pauses that a total sums up, or more at other times.
fn holds_pauses(snapshot: &Value, total: &Value) -> bool {
    let port = total["port"].as_str().unwrap();
    let switches = snapshot["switches"].as_array().unwrap().iter();
    let of_switch =
        switches.filter(|telemetry| port.starts_with(&format!("{}:", telemetry["switch"].as_str().unwrap())));
    let times = of_switch.flat_map(|telemetry| {
        let is_of_port = move |pause: &&Value| {
            port == format!("{}:{}", telemetry["switch"].as_str().unwrap(), pause["port"])
        };
        telemetry["pauses"].as_array().unwrap().iter().filter(is_of_port).map(|pause| {
            let end_ns = pause["end_ns"].as_u64().or(telemetry["frozen_ns"].as_u64()).unwrap();
            end_ns.saturating_sub(pause["start_ns"].as_u64().unwrap())
        })
    });
    let (pauses, paused_ns) = times.fold((0, 0), |(pauses, sum), time_ns| (pauses + 1, sum + time_ns));
    pauses >= total["pauses"].as_u64().unwrap() && paused_ns >= total["paused_ns"].as_u64().unwrap()
}

/// Checks that a record of a host is in one of its reports.
fn check_report(reports: &Value, record: &Value) {
    let of_host = reports.as_object().unwrap().values().flat_map(|of_event| of_event.as_array().unwrap());
    let mut of_host = of_host.filter(|report| report["host"] == record["host"]);
    let pointer = record["pointer"].as_str().unwrap();
    let value: Value = serde_json::from_str(record["value"].as_str().unwrap()).unwrap();
    let has = |report: &Value| report.pointer(pointer).is_some_and(|known| *known == value);
    assert!(of_host.any(has), "no report of the host contains {record:#}");
}

/// Checks the diagnoses of a scenario and returns the number of records that were found in snapshots.
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
    let reports = std::fs::read_to_string(folder.join("host-reports.json")).unwrap();
    let reports: Value = serde_json::from_str(&reports).unwrap();
    let mut found = 0;
    for diagnosis in ran.json()["diagnoses"].as_array().unwrap() {
        let claims = diagnosis["evidence"].as_array().unwrap();
        assert_ne!(claims, &Vec::<Value>::new(), "{scenario}: a diagnosis without evidence");
        // All claims of a diagnosis refer to the same snapshot.
        let all = |snapshot: &Value| {
            claims.iter().all(|claim| {
                let records = claim["records"].as_array().unwrap();
                records.iter().all(|record| holds(snapshot, &claim["switch"], record))
            })
        };
        assert!(snapshots.iter().any(all), "{scenario}: no snapshot contains the records of {diagnosis:#}");
        for claim in claims {
            let records = claim["records"].as_array().unwrap();
            assert_ne!(claim["records"], json!([]), "{scenario}: a claim without a record: {claim:#}");
            records.iter().filter(|r| r["kind"] == "host").for_each(|record| check_report(&reports, record));
            found += records.iter().filter(|r| list_of(r["kind"].as_str().unwrap()).is_some()).count();
        }
    }
    found
}

#[test]
fn the_snapshot_contains_the_records_of_every_claim() {
    let list = harrier(&["scenario", "list", "--json"]).json();
    let names = list["scenarios"].as_array().unwrap().iter().map(|s| s["name"].as_str().unwrap().to_string());
    for name in names {
        let found = check(&name);
        assert!(found > 0 || name == "quiet", "{name}: no record was found");
    }
}
