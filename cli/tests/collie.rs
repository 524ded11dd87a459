//! `harrier collie`: anomalies of a workload, malformed descriptors, and the search.

#![allow(clippy::disallowed_methods, reason = "tests of the binary read and write files")]

use std::fs;

use crate::support::{harrier, repository, scratch};
use serde_json::json;

fn example(name: &str) -> String {
    repository("docs/examples").join(name).display().to_string()
}

#[test]
fn a_workload_is_matched_with_the_cheapest_change_and_the_fix() {
    let ran = harrier(&["collie", "match", &example("workloads/tensors.json")]);
    assert_eq!(ran.status, 1, "{}", ran.stderr);
    for part in [
        "workload: anomaly #9: PFC pauses, up to 25 % of the time (pcie_ordering)",
        "cheapest  use a scatter-gather list of fewer than 3 elements",
        "or  send messages of at most 1 KiB separately from those of at least 64 KiB",
        "fix  configure the NIC as a device with forced PCIe relaxed ordering",
    ] {
        assert!(ran.stdout.contains(part), "no `{part}` in:\n{}", ran.stdout);
    }
    assert!(!ran.stdout.contains("one direction"), "the direction is fixed:\n{}", ran.stdout);
    let ran = harrier(&["collie", "match", "--json", &example("hosts/rnic-workload.json")]);
    let found = &ran.json()["workloads"][0];
    assert_eq!(found["measured"], "pause_frames");
    assert_eq!(found["anomalies"][0]["anomaly"], 1);
}

#[test]
fn a_workload_without_anomaly_exits_with_0_and_a_malformed_one_with_2() {
    let folder = scratch("collie-match");
    let mut workload: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(example("workloads/tensors.json")).unwrap()).unwrap();
    let write = |name: &str, text: String| {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    workload["sge_per_wqe"] = json!(2);
    let fine = harrier(&["collie", "match", &write("fine.json", workload.to_string())]);
    assert_eq!((fine.status, fine.stdout.as_str()), (0, "workload: triggers no published anomaly\n"));
    workload["message_bytes"] = json!([]);
    workload["queue_pairs"] = json!(0);
    let wrong = harrier(&["collie", "match", &write("wrong.json", workload.to_string())]);
    assert_eq!(wrong.status, 2);
    for part in
        ["2 problems", "wrong.json: /message_bytes: the pattern is empty", "wrong.json: /queue_pairs: 0"]
    {
        assert!(wrong.stderr.contains(part), "no `{part}` in:\n{}", wrong.stderr);
    }
    let syntax = harrier(&["collie", "match", &write("syntax.json", "{\n  \"nic\": cx6\n}".to_string())]);
    assert_eq!(syntax.status, 2);
    assert!(syntax.stderr.contains("syntax.json:2:10: not JSON"), "{}", syntax.stderr);
}

#[test]
fn a_search_finds_anomalies_and_repeats_with_its_seed() {
    let search =
        |seed: &str| harrier(&["collie", "search", "--seed", seed, "--budget", "1000", "--json"]).json();
    let report = search("3");
    assert_eq!(report["report"]["tests"], 1000);
    assert!(report["report"]["found"].as_array().unwrap().len() >= 3, "{report}");
    assert_eq!(report, search("3"));
    assert_ne!(report["report"], search("4")["report"]);
}
