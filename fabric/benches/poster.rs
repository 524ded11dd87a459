//! The poster's run: packet-hops a CPU second, with the telemetry program on every hop and without a program.
//!
//! `cargo bench -p harrier-fabric` prints one line a case. The public files of the scenario are used where they
//! lie next to the workspace; otherwise the built-in scenario of the same shape. CPU time is that of the one
//! thread that simulates, so it equals the time on the clock of an idle machine.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark reads the clock and reports"
)]

#[path = "../tests/common/mod.rs"]
mod common;

use std::time::Instant;

use fabric::{Pipeline, RunOptions, Scenario, run, scenario};

fn main() {
    let scenario = match common::poster_directory() {
        Some(directory) => {
            common::read_ns3(&directory.join("config.txt")).expect("the public files are valid")
        }
        None => scenario::builtin("poster-fig1").expect("the scenario is built in"),
    };
    let pipeline = Pipeline::hawkeye(&[]).expect("the program that comes with Harrier compiles");
    for round in 1..=3 {
        report(round, "telemetry program", &scenario, |scenario| {
            let options = RunOptions { pipeline: pipeline.clone(), diagnose: true };
            run(scenario, 1, &options).expect("the scenario runs").counters.packet_hops
        });
        report(round, "no program", &scenario, |scenario| {
            let mut fabric = common::plain_fabric(scenario, 1);
            while !fabric.is_through() && fabric.step() {}
            fabric.counters().packet_hops
        });
    }
}

fn report(round: u32, what: &str, scenario: &Scenario, run: impl FnOnce(&Scenario) -> u64) {
    let start = Instant::now();
    let hops = run(scenario);
    let seconds = start.elapsed().as_secs_f64();
    let rate = hops as f64 / seconds;
    println!("round {round}: {what:<18} {hops} packet-hops in {seconds:.3} s = {rate:.0} packet-hops/s");
}
