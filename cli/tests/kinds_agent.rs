//! Congestion that grows or comes while a flow is slow already, and base round trips despite retransmissions.

#![allow(clippy::disallowed_methods, reason = "tests of the binary read and write files")]

mod support;

use std::collections::BTreeSet;

use serde_json::Value;
use support::harrier;

/// Runs a built-in scenario.
fn run(scenario: &str, seed: &str) -> Value {
    let ran = harrier(&["run", scenario, "--seed", seed, "--json"]);
    assert_eq!(ran.status, 0, "{scenario}, seed {seed}: {}", ran.stderr);
    ran.json()
}

/// Checks that one verdict of the scenario names exactly the flows with this label prefix.
fn check_named(scenario: &str, prefix: &str, seeds: &[&str]) {
    for seed in seeds {
        let report = run(scenario, seed);
        let flows = report["traffic"]["flows"].as_array().expect("flows");
        let wanted: BTreeSet<&str> = flows
            .iter()
            .filter(|flow| flow["label"].as_str().is_some_and(|label| label.starts_with(prefix)))
            .filter_map(|flow| flow["flow"].as_str())
            .collect();
        assert!(!wanted.is_empty());
        let named = |diagnosis: &Value| -> BTreeSet<String> {
            let flows = diagnosis["root_cause"]["flows"].as_array().into_iter().flatten();
            flows.filter_map(Value::as_str).map(str::to_string).collect()
        };
        let diagnoses = report["diagnoses"].as_array().expect("diagnoses");
        assert!(
            diagnoses.iter().any(|d| named(d).iter().map(String::as_str).collect::<BTreeSet<_>>() == wanted),
            "{scenario}, seed {seed}: no verdict names {wanted:?}: {:?}",
            diagnoses.iter().map(named).collect::<Vec<_>>()
        );
    }
}

#[test]
fn an_incast_that_follows_a_mild_collision_is_named() {
    check_named("growing-trouble", "burst", &["1", "2", "21"]);
}

#[test]
fn retransmissions_do_not_shorten_the_base_rtt() {
    // The only path has 40 us of propagation in both directions together.
    for seed in ["2", "5", "8"] {
        let report = run("stale-headroom-profile", seed);
        for diagnosis in report["diagnoses"].as_array().expect("diagnoses") {
            let evidence = diagnosis["evidence"].as_array().expect("evidence");
            let claims: Vec<&str> = evidence.iter().filter_map(|e| e["claim"].as_str()).collect();
            assert!(
                claims
                    .iter()
                    .any(|claim| claim.contains("base RTT of 44.8 us") || claim.contains("base RTT 44.8 us")),
                "seed {seed}: {claims:?}"
            );
        }
    }
}
