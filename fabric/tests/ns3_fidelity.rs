//! The poster's files against what an ns-3 run of them gave: completion times and pauses.
#![allow(clippy::print_stdout, reason = "the comparison is a table for people")]

mod common;

use std::collections::BTreeMap;

use fabric::{PauseRecord, Pipeline, RunOptions, RunOutcome, run};

/// A row of `fct.txt`: source and destination host, size, completion time in nanoseconds.
struct Completion {
    src: String,
    dst: String,
    fct_ns: u64,
}

fn host_of(hex: &str) -> String {
    let bits = u32::from_str_radix(hex, 16).unwrap();
    (bits >> 8 & 0xffff).to_string()
}

fn read_completions(text: &str) -> Vec<Completion> {
    let row = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        Completion { src: host_of(words[0]), dst: host_of(words[1]), fct_ns: words[6].parse().unwrap() }
    };
    text.lines().map(row).collect()
}

/// Rows of `pfc.txt`: time, port as `node:port`, pause or resume.
fn read_pauses(text: &str) -> Vec<(u64, String, bool)> {
    let row = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        (words[0].parse().unwrap(), format!("{}:{}", words[1], words[3]), words[4] == "1")
    };
    text.lines().map(row).collect()
}

/// Ports in the order of their first pause, and how often each was paused.
fn summary(pauses: &[(u64, String, bool)]) -> (Vec<String>, BTreeMap<String, usize>) {
    let (mut order, mut counts) = (Vec::new(), BTreeMap::new());
    for (_, port, _) in pauses.iter().filter(|(_, _, on)| *on) {
        if !order.contains(port) {
            order.push(port.clone());
        }
        *counts.entry(port.clone()).or_insert(0) += 1;
    }
    (order, counts)
}

fn ours(pauses: &[PauseRecord]) -> Vec<(u64, String, bool)> {
    pauses.iter().map(|p| (p.at.as_ns(), p.port.to_string(), p.on)).collect()
}

#[test]
fn the_poster_files_give_what_ns3_gives() {
    let Some(directory) = common::poster_directory() else {
        eprintln!("SKIPPED: shared/data/hawkeye-poster is not next to this workspace");
        return;
    };
    let scenario = common::read_ns3(&directory.join("config.txt")).unwrap();
    let pipeline = Pipeline::hawkeye(&[]).unwrap_or_else(|error| panic!("{error}"));
    let outcome = run(&scenario, 1, &RunOptions { pipeline, diagnose: true }).unwrap();
    let (flows, pauses) = (&outcome.flows, ours(&outcome.pauses));
    let theirs = read_pauses(&common::read_poster("pfc.txt"));
    let completions = read_completions(&common::read_poster("fct.txt"));

    println!("{} packet-hops, {:?}", outcome.counters.packet_hops, outcome.counters);
    println!("flow      ns-3 ns      ours ns      difference");
    for expected in &completions {
        let flow = flows.iter().find(|f| f.label == format!("{}->{}", expected.src, expected.dst)).unwrap();
        let fct_ns = flow.duration().expect("every flow finishes").as_ns();
        let difference = fct_ns as f64 / expected.fct_ns as f64 - 1.0;
        println!("{:<6} {:>12} {:>12} {:>+10.3} %", flow.label, expected.fct_ns, fct_ns, difference * 100.0);
        assert!(difference.abs() < 0.02, "{}: {fct_ns} ns against {} ns", flow.label, expected.fct_ns);
    }
    let ((order, counts), (our_order, our_counts)) = (summary(&theirs), summary(&pauses));
    println!("port     ns-3 pauses  ours");
    for (port, count) in &counts {
        println!("{port:<8} {count:>11} {:>5}", our_counts.get(port).copied().unwrap_or(0));
    }
    println!("order in ns-3: {order:?}\norder here:    {our_order:?}");
    assert_eq!(our_counts.keys().collect::<Vec<_>>(), counts.keys().collect::<Vec<_>>());
    // The four bursts start at the same instant; their order among themselves is that of equal events.
    let burst = |order: &[String]| order.iter().position(|port| port == "10:3").unwrap();
    assert_eq!(burst(&our_order), burst(&order));
    assert_eq!(our_order[4..], order[4..]);
    for (port, count) in &counts {
        let ours = our_counts[port];
        assert!(ours.abs_diff(*count) * 10 <= *count, "{port}: {ours} pauses against {count}");
    }
    check_snapshot(&outcome);
}

/// The innocent victim's question brings in what the diagnosis rests on.
fn check_snapshot(outcome: &RunOutcome) {
    let victim = outcome.flows.iter().find(|flow| flow.label == "2->4").unwrap();
    let snapshot = outcome.snapshots.iter().find(|s| s.victim == Some(victim.flow)).expect("host 2 asks");
    println!("{:?}", snapshot.trigger);
    assert_eq!(snapshot.missing, Vec::<String>::new());
    for (port, paused) in [("9:1", true), ("10:3", true), ("12:2", false)] {
        assert_eq!(snapshot.paused_packets(&port.parse().unwrap()) > 0, paused, "{port}");
    }
}

/// How much of the result is chance: `cargo test -p harrier-fabric --test ns3_fidelity -- --ignored --nocapture`.
#[test]
#[ignore = "prints figures for docs/ns3-comparison.md and checks nothing"]
fn seeds_change_what_marking_touches() {
    let Some(directory) = common::poster_directory() else {
        return;
    };
    let scenario = common::read_ns3(&directory.join("config.txt")).unwrap();
    for seed in 1..=12 {
        let mut fabric = common::plain_fabric(&scenario, seed);
        while !fabric.all_finished() && fabric.step() {}
        let flows = fabric.flows();
        let times = flows.iter().map(|flow| format!("{} {}", flow.label, flow.duration().unwrap().as_ns()));
        let rows = fabric.pauses().len();
        println!("seed {seed}: {} ns, {rows} pauses and resumes", times.collect::<Vec<_>>().join(", "));
    }
}
