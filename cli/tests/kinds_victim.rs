//! Queues that the victim made itself, flows that a pause released, and traffic of another class: the verdict names
//! what is guilty, and no innocent flow.

#![allow(clippy::disallowed_methods, reason = "tests of the binary read files")]

use std::collections::BTreeMap;

use crate::support::{harrier, scratch, sorted};
use serde_json::Value;

/// A verdict with its flows by their labels in the scenario, without numbers.
#[derive(Debug)]
struct Verdict {
    anomaly: String,
    port: String,
    flows: Vec<String>,
    is_ordinary: bool,
    summary: String,
}

/// Returns the verdicts of a run.
fn verdicts(scenario: &str, seed: u64) -> Vec<Verdict> {
    let ran = harrier(&["run", scenario, "--seed", &seed.to_string(), "--ordinary", "--json"]);
    assert_eq!(ran.status, 0, "{scenario}, seed {seed}: {}", ran.stderr);
    let report = ran.json();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let flows = report["traffic"]["flows"].as_array().expect("a list of flows");
    let labels: BTreeMap<String, String> =
        flows.iter().map(|flow| (text(&flow["flow"]), text(&flow["label"]))).collect();
    let of_label = |flow: String| {
        let label = labels.get(&flow).expect("a flow of the scenario");
        label.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-').to_string()
    };
    let diagnoses = report["diagnoses"].as_array().expect("a list of verdicts");
    diagnoses
        .iter()
        .map(|diagnosis| {
            let mut flows: Vec<String> =
                sorted(&diagnosis["root_cause"]["flows"]).into_iter().map(of_label).collect();
            flows.dedup();
            Verdict {
                anomaly: text(&diagnosis["anomaly"]),
                port: text(&diagnosis["root_cause"]["port"]),
                flows,
                is_ordinary: diagnosis["severity"] == "info",
                summary: text(&diagnosis["summary"]),
            }
        })
        .collect()
}

/// Checks that there are verdicts, and that each is one of `expected`: anomaly, root port (empty: any) and labels of
/// the culprits. Every one of them must occur.
fn check(scenario: &str, expected: &[(&str, &str, &str)]) {
    for seed in [1, 2, 7] {
        let found = verdicts(scenario, seed);
        let is = |verdict: &Verdict, (anomaly, port, label): &(&str, &str, &str)| {
            verdict.anomaly == *anomaly
                && (port.is_empty() || verdict.port == *port)
                && verdict.flows == [label.to_string()]
        };
        // A verdict that names a port only accuses no flow.
        for verdict in found.iter().filter(|verdict| !verdict.flows.is_empty()) {
            assert!(expected.iter().any(|e| is(verdict, e)), "{scenario}, seed {seed}: {verdict:#?}");
        }
        for e in expected {
            assert!(found.iter().any(|v| is(v, e)), "{scenario}, seed {seed}: no {e:?} in {found:#?}");
        }
    }
}

#[test]
fn a_flow_that_overloads_its_receivers_link_is_named_and_a_thin_flow_is_not() {
    check("self-made-queue", &[("self_inflicted", "sw2:2", "victim")]);
}

#[test]
fn a_flow_that_causes_its_own_pauses_is_named_and_thin_flows_are_not() {
    check("self-made-pauses", &[("self_inflicted", "sw2:2", "victim")]);
}

#[test]
fn a_queue_without_any_other_flow_is_the_victims_own() {
    check("victim-alone", &[("self_inflicted", "sw2:2", "victim")]);
    let found = verdicts("victim-alone", 1);
    assert!(found[0].summary.contains("100 % of the packets queued at that port are its own"), "{found:#?}");
}

#[test]
fn a_window_that_fills_a_slow_link_is_no_reason_to_name_a_flow_of_another_link() {
    for seed in [1, 2, 3, 7] {
        let found = verdicts("fast-sender", seed);
        let own =
            |v: &&Verdict| v.anomaly == "self_inflicted" && v.port == "leaf2:1" && v.flows == ["victim"];
        assert!(found.iter().any(|v| own(&v)), "seed {seed}: {found:#?}");
        // All flows start at once: for some microseconds two share the first uplink, which is ordinary queueing.
        let urgent: Vec<_> = found.iter().filter(|v| !v.is_ordinary).collect();
        assert!(!urgent.is_empty(), "seed {seed}: {found:#?}");
        for verdict in urgent {
            assert_eq!(verdict.flows, ["fast"], "seed {seed}: {verdict:#?}");
            assert_eq!(verdict.port, "leaf2:2", "seed {seed}: {verdict:#?}");
        }
    }
}

#[test]
fn a_flood_of_another_priority_is_named_with_its_port() {
    check("other-priority", &[("class_contention", "", "flood")]);
}

#[test]
fn another_priority_is_named_for_the_pauses_from_the_queue_that_it_causes() {
    check("class-behind-pauses", &[("class_contention", "", "other")]);
}

#[test]
fn a_flow_that_drains_the_backlog_of_a_pause_is_no_culprit() {
    check("released-backlog", &[("pfc_backpressure_flow_contention", "s3:5", "burst")]);
}

/// Whether a queue is that of another class is no physical fact that the packet log has, so the verdict itself is expected.
#[test]
fn an_expectation_that_is_not_computed_is_compared_with_the_verdicts() {
    let source = harrier(&["scenario", "show", "class-behind-pauses"]).stdout;
    let folder = scratch("expected-verdicts");
    let check = |expect: &str, status: i32| {
        let file = folder.join("scenario.toml");
        std::fs::write(&file, format!("{source}\n[expect]\n{expect}\n")).expect("a file");
        let ran = harrier(&["run", file.to_str().expect("text"), "--json"]);
        assert_eq!(ran.status, status, "{expect}: {}", ran.stderr);
        assert!(ran.json()["ground_truth"].is_null(), "{expect}");
    };
    check("anomaly = \"class_contention\"\nflows = [\"other\"]\npauses = true", 0);
    check("anomaly = \"class_contention\"\nflows = [\"victim\"]", 1);
    check("anomaly = \"self_inflicted\"", 1);
    check("anomaly = \"class_contention\"\npauses = false", 1);
}
