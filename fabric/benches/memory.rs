//! Memory of a large fabric: 320 hosts and 56 switches, every switch with the telemetry program, every host sending.
//!
//! `cargo bench -p harrier-fabric --bench memory [-- whole | -- scenario]` prints the process's peak resident memory
//! (Linux: VmHWM) after each step: of the network alone, or (`whole`) of a run in which agents poll and the controller
//! collects; `scenario` prints the scenario instead, for `harrier run`. The public ns-3 prototype takes 1.6 GB for a
//! network of this size.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark reads the clock and reports"
)]

use std::time::Instant;

use fabric::{Pipeline, RunOptions};
use model::Time;
use scenario::Scenario;

/// Five podsets of four ToRs with sixteen servers and four leaves, sixteen spines.
const SCENARIO: &str = r#"
name = "large"
stop = "1ms"
[topology]
kind = "podset"
podsets = 5
tors = 4
leaves = 4
servers_per_tor = 16
spines = 16
rate = "100Gbps"
[switch]
lossless = [3]
"#;

fn main() {
    let network = scenario::parse("large.toml", SCENARIO).expect("the network is valid");
    let hosts: Vec<&str> = network
        .topology
        .nodes
        .iter()
        .filter(|node| network.topology.is_host(&node.name))
        .map(|node| node.name.as_str())
        .collect();
    let switches = network.topology.nodes.len() - hosts.len();
    // Host n sends to host n + 77, which is in another podset.
    let flows: String = (0..hosts.len())
        .map(|n| {
            let to = hosts[(n + 77) % hosts.len()];
            format!("[[flow]]\nfrom = \"{}\"\nto = \"{to}\"\nsize = \"250kB\"\n", hosts[n])
        })
        .collect();
    if std::env::args().any(|arg| arg == "scenario") {
        println!("{SCENARIO}{flows}");
        return;
    }
    let scenario =
        scenario::parse("large.toml", &format!("{SCENARIO}{flows}")).expect("the scenario is valid");
    println!("{} hosts, {switches} switches: {}", hosts.len(), peak());
    let pipeline = Pipeline::hawkeye(&[]).expect("the program that comes with Harrier compiles");
    println!("program compiled: {}", peak());
    if std::env::args().any(|arg| arg == "whole") {
        return whole(&scenario, pipeline);
    }
    let start = Instant::now();
    let mut fabric = fabric::prepare(&scenario, 1, &pipeline, true).expect("the scenario is valid");
    println!("built and programmed in {:.2} s: {}", start.elapsed().as_secs_f64(), peak());
    let start = Instant::now();
    fabric.run_until(Time::from_ms(1));
    let (hops, seconds) = (fabric.counters().packet_hops, start.elapsed().as_secs_f64());
    println!("{hops} packet-hops in {seconds:.2} s: {}", peak());
}

/// Runs the scenario to its end, with agents that poll and a controller that collects.
fn whole(scenario: &Scenario, pipeline: Pipeline) {
    let start = Instant::now();
    let options = RunOptions { pipeline, diagnose: true };
    let outcome = fabric::run(scenario, 1, &options).expect("the scenario is valid");
    let (snapshots, seconds) = (outcome.snapshots.len(), start.elapsed().as_secs_f64());
    println!("to its end, with {snapshots} collections, in {seconds:.2} s: {}", peak());
}

/// Peak resident memory of the process, as text.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or("peak memory unknown".to_string(), |size| format!("peak {}", size.trim()))
}
