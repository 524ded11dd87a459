//! Verdicts about loops, storms, slow receivers and ECMP in scenarios that no rule was tuned with.

#![allow(clippy::disallowed_methods, reason = "tests of the binary read and write files")]

use crate::support::harrier;
use serde_json::Value;

/// Runs a scenario with some seeds and returns the verdicts of each; every run must have one.
fn verdicts(scenario: &str, seeds: &[&str]) -> Vec<Vec<Value>> {
    let of_seed = |seed: &&str| {
        let ran = harrier(&["run", scenario, "--seed", seed, "--json"]);
        assert_eq!(ran.status, 0, "{scenario} --seed {seed}: {}", ran.stderr);
        let found = ran.json()["diagnoses"].as_array().unwrap().clone();
        assert!(!found.is_empty(), "{scenario} --seed {seed}: no verdict");
        found
    };
    seeds.iter().map(of_seed).collect()
}

fn is_deadlock(verdict: &Value) -> bool {
    verdict["anomaly"].as_str().unwrap().starts_with("deadlock")
}

/// Checks that the verdicts of a standing loop name one root.
fn assert_one_root(found: &[Value]) {
    let mut deadlocks = found.iter().filter(|verdict| is_deadlock(verdict));
    if let Some(first) = deadlocks.next() {
        for other in deadlocks {
            assert_eq!(other["root_cause"], first["root_cause"], "{other:#}");
        }
    }
}

#[test]
fn verdicts_about_one_standstill_name_one_root() {
    for found in verdicts("ring-incast-outside", &["1", "2", "3"]) {
        assert_eq!(found[0]["cause"], "incast", "{:#}", found[0]);
        assert_one_root(&found);
    }
}

#[test]
fn a_ring_that_moves_is_no_deadlock() {
    for found in verdicts("ring-storm-outside", &["1", "2", "3"]) {
        assert_eq!(found[0]["cause"], "nic_storm", "{:#}", found[0]);
        for verdict in found {
            assert!(!is_deadlock(&verdict), "{verdict:#}");
        }
    }
}

#[test]
fn a_receiver_that_is_almost_fast_enough_is_no_storm() {
    for found in verdicts("almost-fast-receiver", &["1", "2", "3"]) {
        // A verdict that names a port only accuses neither a host nor a flow.
        let accuses = |verdict: &&Value| {
            let root = &verdict["root_cause"];
            !root["host"].is_null() || root["flows"].as_array().is_some_and(|flows| !flows.is_empty())
        };
        assert!(found.iter().any(|verdict| accuses(&verdict)));
        for verdict in found.iter().filter(accuses) {
            assert_eq!(verdict["anomaly"], "pfc_storm_host_injection", "{verdict:#}");
            assert_eq!(verdict["cause"], "slow_receiver", "{verdict:#}");
            assert!(!verdict["advice"].to_string().contains("out of service"), "{verdict:#}");
        }
    }
}

#[test]
fn a_host_that_pauses_with_nothing_to_receive_is_a_storm_at_any_duty() {
    for found in verdicts("storm-duty", &["1", "2", "3"]) {
        for verdict in found {
            assert_eq!(verdict["cause"], "nic_storm", "{verdict:#}");
        }
    }
}
