//! Severity: what stops traffic is critical, ordinary queueing is telemetry. Counterfactual runs of network faults and
//! of the victim's own queue.

use crate::support::harrier;
use serde_json::Value;

/// Checks the highest severity of the verdicts of a scenario.
fn check(scenario: &str, expected: &str) {
    const ORDER: [&str; 4] = ["info", "minor", "major", "critical"];
    for seed in ["1", "7"] {
        let report = harrier(&["run", scenario, "--seed", seed, "--json"]).json();
        let diagnoses = report["diagnoses"].as_array().unwrap();
        let of = |d: &Value| ORDER.iter().position(|name| d["severity"] == *name).unwrap();
        let highest = diagnoses.iter().map(of).max();
        assert_eq!(highest.map(|at| ORDER[at]), Some(expected), "{scenario}, seed {seed}");
        for diagnosis in diagnoses {
            assert_ne!(diagnosis["cost"]["delay_ns"], 0, "{scenario}, seed {seed}");
            assert_ne!(diagnosis["cost"]["bytes"], 0, "{scenario}, seed {seed}");
            let victims = diagnosis["victims"].as_array().unwrap().len();
            assert_eq!(diagnosis["cost"]["flows"], victims, "{scenario}, seed {seed}");
        }
    }
}

#[test]
fn what_stops_or_loses_traffic_is_critical() {
    for scenario in ["host-storm", "deadlock-in-loop", "routing-loop", "black-hole", "short-headroom"] {
        check(scenario, "critical");
    }
}

#[test]
fn what_pauses_several_flows_is_major() {
    for scenario in ["poster-fig1", "slow-receiver", "lossy-link"] {
        check(scenario, "major");
    }
}

#[test]
fn what_only_delays_a_flow_is_minor() {
    for scenario in ["contention-only", "self-made-pauses", "narrow-host-bus"] {
        check(scenario, "minor");
    }
}

#[test]
fn the_text_output_contains_severity_and_cost() {
    let ran = harrier(&["run", "poster-fig1"]);
    let line = ran.stderr.lines().find(|line| line.trim_start().starts_with("severity")).expect("a line");
    assert!(line.contains("major, costs 8."), "{line}");
    assert!(line.contains(" times its base RTT, "), "{line}");
    assert!(!line.contains("lost"), "{line}");
}

#[test]
fn the_cost_contains_the_packets_that_were_lost() {
    let report = harrier(&["run", "lossy-link", "--json"]).json();
    let verdicts = report["diagnoses"].as_array().expect("a list");
    let [verdict, ..] = verdicts.as_slice() else { panic!("{report:.2000}") };
    let records = verdict["evidence"].as_array().expect("a list").iter().flat_map(|evidence| {
        evidence["records"].as_array().into_iter().flatten().filter(|record| record["kind"] == "loss")
    });
    let mut lost: Vec<String> = records.map(ToString::to_string).collect();
    lost.sort();
    lost.dedup();
    let packets = |text: &String| serde_json::from_str::<Value>(text).expect("JSON")["packets"].as_u64();
    let sum: u64 = lost.iter().filter_map(packets).sum();
    assert!(sum > 0);
    assert_eq!(verdict["cost"]["lost_packets"], sum);
    let text = harrier(&["run", "lossy-link"]).stderr;
    let line = text.lines().find(|line| line.trim_start().starts_with("severity")).expect("a line");
    assert!(line.ends_with(&format!("{sum} packets lost")), "{line}");
}

#[test]
fn own_queues_and_network_faults_are_verified() {
    for scenario in ["self-made-queue", "lossy-link", "black-hole", "short-flap", "detour"] {
        for seed in ["1", "7"] {
            let run = ["run", scenario, "--seed", seed, "--json"];
            let plain = harrier(&run).json();
            let verified = harrier(&[&run[..], &["--verify"]].concat()).json();
            let list = |report: &Value| report["diagnoses"].as_array().unwrap().clone();
            for (diagnosis, before) in list(&verified).iter().zip(list(&plain)) {
                assert_eq!(diagnosis["verified"], true, "{scenario}, seed {seed}: {diagnosis:#}");
                let confidence = |diagnosis: &Value| diagnosis["confidence"].as_f64().unwrap();
                let (before, after) = (confidence(&before), confidence(diagnosis));
                assert!(before < after && after <= 0.99, "{scenario}, seed {seed}: {before}, {after}");
            }
        }
    }
}
