//! Verdicts on losses, outages and route changes: the network is named, no host.

use crate::support::{assert_verdict, harrier};
use serde_json::{Value, json};

/// Checks that every verdict of these seeds has these values, names a port of `switches`, and that there is one.
fn check(scenario: &str, switches: &[&str], expected: &Value) {
    for seed in ["1", "2", "77"] {
        let ran = harrier(&["run", scenario, "--seed", seed, "--json"]);
        assert_eq!(ran.status, 0, "{scenario}, seed {seed}: {}", ran.stderr);
        let report = ran.json();
        let diagnoses = report["diagnoses"].as_array().unwrap();
        assert!(!diagnoses.is_empty(), "{scenario}, seed {seed}: no diagnosis");
        for diagnosis in diagnoses {
            assert_verdict(diagnosis, expected);
            let root = diagnosis["root_cause"]["port"].as_str().unwrap_or_default();
            let switch = root.split(':').next().unwrap_or_default();
            assert!(switches.contains(&switch), "{scenario}, seed {seed}: {root}");
            assert_ne!(diagnosis["advice"], json!([]), "{scenario}, seed {seed}");
            for claim in diagnosis["evidence"].as_array().unwrap() {
                assert_ne!(
                    claim["records"],
                    json!([]),
                    "{scenario}, seed {seed}: a claim without a record: {claim:#}"
                );
            }
        }
    }
}

fn path_change() -> Value {
    json!({ "/anomaly": "path_change", "/root_cause/host": null, "/root_cause/flows": [] })
}

#[test]
fn a_black_hole_is_at_the_switch_without_a_route() {
    check("black-hole", &["spine1"], &path_change());
}

#[test]
fn a_detour_is_at_the_link_that_the_packets_no_longer_use() {
    check("detour", &["near", "far"], &path_change());
}

#[test]
fn a_short_outage_is_at_the_link_that_was_down() {
    check("short-flap", &["west", "east"], &path_change());
}

#[test]
fn damaged_frames_are_at_the_port_that_receives_them() {
    let expected = json!({ "/anomaly": "packet_loss", "/root_cause/host": null, "/root_cause/flows": [] });
    check("lossy-link", &["east", "west"], &expected);
}

#[test]
fn packets_without_a_route_are_counted() {
    let report = harrier(&["run", "black-hole", "--seed", "1", "--json"]).json();
    assert!(
        report["traffic"]["drops"]["NoRoute"].as_u64().unwrap_or(0) > 0,
        "{}",
        report["traffic"]["drops"]
    );
}

#[test]
fn the_load_of_the_evaluations_scenarios_has_a_range() {
    let ran = harrier(&["run", "paper-contention@95"]);
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("must be a number from 1 to 90"), "{}", ran.stderr);
}
