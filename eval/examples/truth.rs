//! Prints the ground truth of a scenario, seed by seed: `cargo run -p harrier-eval --example truth -- FILE.toml 20`.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "an example reads a file and the clock and reports"
)]

use std::time::Instant;

use fabric::{Pipeline, RunOptions, run};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let named = args.next().ok_or("name a scenario or a file")?;
    let seeds: u64 = args.next().map_or(Ok(1), |text| text.parse())?;
    let scenario = match scenario::builtin(&named) {
        Some(scenario) => scenario,
        None => scenario::parse(&named, &std::fs::read_to_string(&named)?)?,
    };
    let options = RunOptions { pipeline: Pipeline::hawkeye(&[])?, diagnose: args.next().is_some() };
    for seed in 1..=seeds {
        let start = Instant::now();
        let outcome = run(&scenario, seed, &options)?;
        let instance = scenario.instance(seed)?;
        let (truth, deviations) = eval::truth::establish(&instance, &outcome);
        let (counters, seconds) = (&outcome.counters, start.elapsed().as_secs_f64());
        println!(
            "seed {seed}: {seconds:.2} s, end {}, {} hops, {} pauses, drops {:?}, {} snapshots",
            outcome.end,
            counters.packet_hops,
            counters.pauses_sent,
            counters.drops,
            outcome.snapshots.len()
        );
        println!("  {}", serde_json::to_string(&truth)?);
        for deviation in &deviations {
            println!("  DEVIATION {deviation}");
        }
        if seeds == 1 {
            for flow in &outcome.flows {
                println!(
                    "  {} {}: {} B, {} .. {:?}, acked {}, rtt {}..{}, resent {}",
                    flow.label,
                    flow.flow,
                    flow.bytes,
                    flow.start,
                    flow.finish.map(|t| t.to_string()),
                    flow.acknowledged_bytes,
                    flow.rtt.min,
                    flow.rtt.max,
                    flow.retransmitted_packets
                );
            }
        }
    }
    Ok(())
}
