//! Labs name what the simulation of the same scenario names: real frames between separate processes, the verdict from
//! REST.
//!
//! A lab needs the right to create network namespaces; without it these tests are skipped.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests of processes read files and sockets"
)]

use crate::lab::Lab;
use crate::support::{harrier, sorted};
use serde_json::Value;

/// The simulation's diagnosis of a scenario.
fn simulated(scenario: &str) -> Value {
    let run = harrier(&["run", scenario, "--seed", "1", "--json"]).json();
    run["diagnoses"][0].clone()
}

/// Compares the diagnosis of a lab with that of the simulation at these JSON pointers. Lists may have any order.
fn check(scenario: &str, pointers: &[&str]) {
    let Some(lab) = Lab::up(scenario, 40) else { return };
    let expected = simulated(scenario);
    let anomaly = expected["anomaly"].as_str().expect("an anomaly");
    let values = |diagnosis: &Value| -> Vec<Vec<String>> {
        let value = |pointer: &&str| match diagnosis.pointer(pointer) {
            Some(list @ Value::Array(_)) => sorted(list),
            Some(other) => vec![other.to_string()],
            None => Vec::new(),
        };
        pointers.iter().map(value).collect()
    };
    lab.wait_for_incident(&format!("{pointers:?} of {anomaly} as {:?}", values(&expected)), || {
        let mut found = lab.diagnoses().into_iter();
        found.find(|diagnosis| diagnosis["anomaly"] == anomaly && values(diagnosis) == values(&expected))
    });
}

#[test]
fn the_posters_incast_is_named_with_its_flows_and_its_path() {
    check("poster-fig1", &["/victim", "/cause", "/root_cause/port", "/root_cause/flows", "/pause_path"]);
}

#[test]
fn a_nic_storm_is_named_with_its_host() {
    check("host-storm", &["/victim", "/cause", "/root_cause/port", "/root_cause/host", "/pause_path"]);
}

#[test]
fn a_slow_receiver_is_named_with_its_host() {
    check("slow-receiver", &["/victim", "/cause", "/root_cause/port", "/root_cause/host"]);
}

#[test]
fn a_threshold_that_is_too_low_is_named_with_its_setting() {
    check("misconfigured-alpha", &["/victim", "/cause", "/root_cause/port", "/root_cause/config"]);
}

#[test]
fn a_deadlock_is_named_with_its_loop() {
    check("deadlock-in-loop", &["/victim", "/cause", "/loop"]);
}

/// No daemon knows the topology: LLDP and the agents show it, the server puts it together, and the controller programs the
/// switches for it.
#[test]
fn without_a_topology_the_network_is_learned_and_the_verdict_is_the_same() {
    let Some(lab) = Lab::up_with("poster-fig1", 48, &["--without-topology"]) else { return };
    let expected = lab.plan_of_links();
    lab.until("the network is learned", || lab.links_of_server() == expected);
    lab.until("the switches are programmed", || {
        lab.has_logged(
            "controller",
            &format!("for the network that was learned nodes=12 links={}", expected.len()),
        )
    });
    let simulated = simulated("poster-fig1");
    lab.wait_for_incident("the incast", || {
        let mut found = lab.diagnoses().into_iter();
        found.find(|diagnosis| {
            diagnosis["anomaly"] == simulated["anomaly"]
                && diagnosis["root_cause"]["port"] == simulated["root_cause"]["port"]
                && sorted(&diagnosis["root_cause"]["flows"]) == sorted(&simulated["root_cause"]["flows"])
        })
    });
}
