//! Packet-hops a CPU second of the poster's run: with the telemetry program on every hop, as machine code and as
//! bytecode, and without a program.
//!
//! `cargo bench -p harrier-fabric` prints one line per case. The public files of the scenario are used if they are next
//! to the workspace, otherwise the built-in scenario with the same network. CPU time is what Linux accounts to the
//! process (proc_pid_schedstat); other systems report wall-clock time.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark reads the clock and reports"
)]

#[path = "../tests/common/mod.rs"]
mod common;

use std::time::Instant;

use fabric::{Pipeline, RunOptions, run};
use scenario::Scenario;

fn main() {
    let scenario = match common::poster_directory() {
        Some(directory) => {
            common::read_ns3(&directory.join("config.txt")).expect("the public files are valid")
        }
        None => scenario::builtin("poster-fig1").expect("the scenario is built in"),
    };
    let pipeline = Pipeline::hawkeye(&[]).expect("the program that comes with Harrier compiles");
    for round in 1..=3 {
        for (what, pipeline) in
            [("telemetry program", pipeline.clone()), ("as bytecode", pipeline.clone().as_bytecode())]
        {
            report(round, what, &scenario, |scenario| {
                let options = RunOptions { pipeline, diagnose: true };
                run(scenario, 1, &options).expect("the scenario runs").counters.packet_hops
            });
        }
        report(round, "no program", &scenario, |scenario| {
            let mut fabric = common::plain_fabric(scenario, 1);
            while !fabric.is_through() && fabric.step() {}
            fabric.counters().packet_hops
        });
    }
}

fn report(round: u32, what: &str, scenario: &Scenario, run: impl FnOnce(&Scenario) -> u64) {
    let (start, cpu) = (Instant::now(), cpu_seconds());
    let hops = run(scenario);
    let elapsed = start.elapsed().as_secs_f64();
    let seconds = cpu.zip(cpu_seconds()).map_or(elapsed, |(before, after)| after - before);
    let rate = hops as f64 / seconds;
    println!(
        "round {round}: {what:<18} {hops} packet-hops in {seconds:.3} CPU s ({elapsed:.3} s) = {rate:.0} packet-hops/CPU s"
    );
}

/// CPU time of this process so far.
fn cpu_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    let ns: f64 = text.split_whitespace().next()?.parse().ok()?;
    Some(ns / 1e9)
}
