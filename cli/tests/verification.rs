//! `harrier run --verify`: counterfactual runs support the diagnoses of all built-in scenarios.

use crate::support::harrier;
use serde_json::Value;

/// Checks that the victim of every diagnosis recovers in the counterfactual run.
fn check(scenario: &str) {
    let ran = harrier(&["run", scenario, "--verify", "--json"]);
    assert!(ran.status < 2, "{scenario}: {}", ran.stderr);
    for diagnosis in ran.json()["diagnoses"].as_array().unwrap() {
        // That a job wants more than its link carries accuses no actor that a run could leave out.
        if diagnosis["anomaly"] == "undetermined" || diagnosis["cause"] == "legitimately_network_bound" {
            assert!(diagnosis["verified"].is_null(), "it claims nothing: {diagnosis:#}");
            continue;
        }
        assert_eq!(
            diagnosis["verified"],
            Value::Bool(true),
            "harrier run {scenario} --verify: {diagnosis:#}"
        );
        let replay = &diagnosis["verification"];
        assert!(replay["rtt_before_ns"].as_u64() > replay["rtt_after_ns"].as_u64(), "{replay:#}");
        assert_ne!(replay["without"].as_array().unwrap().len(), 0, "{replay:#}");
    }
}

#[test]
fn every_diagnosis_of_a_built_in_scenario_is_verified() {
    let list = harrier(&["scenario", "list", "--json"]).json();
    // Scenarios without an expected anomaly have tests of their own.
    for scenario in list["scenarios"].as_array().unwrap().iter().filter(|s| !s["anomaly"].is_null()) {
        check(scenario["name"].as_str().unwrap());
    }
}

#[test]
fn the_text_output_contains_the_result_of_the_verification() {
    let ran = harrier(&["run", "poster-fig1", "--verify"]);
    let line = ran.stderr.lines().find(|line| line.trim_start().starts_with("verified")).expect("a line");
    assert!(line.contains("yes: its longest RTT is 8.") && line.contains("instead of 16."), "{line}");
    let without = harrier(&["run", "poster-fig1", "--json"]).json();
    assert_eq!(without["diagnoses"][0].get("verified"), Some(&Value::Null));
}
