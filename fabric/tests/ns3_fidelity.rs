//! ns-3 files with known results: small files compared with arithmetic, and the poster's files, if present, compared
//! with an ns-3 run of them.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the comparison is a table for people")]

use std::collections::BTreeMap;

use fabric::output::ns3 as output;
use fabric::{PauseRecord, Pipeline, RunOptions, RunOutcome, Watch, run, run_watched};
use p4_switch::Switch;
use scenario::ns3::Loaded;

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
fn the_posters_files_give_the_results_of_ns3() {
    let Some(directory) = crate::common::poster_directory() else { return };
    let scenario = crate::common::read_ns3(&directory.join("config.txt")).unwrap();
    let pipeline = Pipeline::hawkeye(&[]).unwrap_or_else(|error| panic!("{error}"));
    let outcome = run(&scenario, 1, &RunOptions { pipeline, diagnose: true }).unwrap();
    let (flows, pauses) = (&outcome.flows, ours(&outcome.pauses));
    let theirs = read_pauses(&crate::common::read_poster("pfc.txt"));
    let completions = read_completions(&crate::common::read_poster("fct.txt"));

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
    check_columns(&output::completions(&scenario, &outcome.flows), &crate::common::read_poster("fct.txt"));
    let rows = |text: &str| text.lines().count();
    assert_eq!(
        rows(&output::pauses(&scenario.topology, &outcome.pauses)),
        rows(&crate::common::read_poster("pfc.txt"))
    );
}

/// The columns that do not depend on random numbers are equal: addresses, ports, sizes and the completion time without
/// other traffic. A start may differ by one nanosecond, which the simulator loses to floating point.
fn check_columns(ours: &str, theirs: &str) {
    let rows = |text: &str| -> Vec<Vec<String>> {
        text.lines().map(|line| line.split(' ').map(str::to_string).collect()).collect()
    };
    let (ours, theirs) = (rows(ours), rows(theirs));
    assert_eq!(ours.len(), theirs.len());
    for (own, their) in ours.iter().zip(&theirs) {
        let start = |row: &[String]| row[5].parse::<u64>().unwrap();
        assert!(start(own) - start(their) <= 1, "{own:?} against {their:?}");
        assert_eq!((&own[..5], &own[7..]), (&their[..5], &their[7..]));
    }
}

/// Samples the queues at the times of the settings.
struct Queues(Option<output::QueueMonitor>);

impl Watch for Queues {
    fn next_look(&self) -> Option<model::Time> {
        self.0.as_ref().and_then(output::QueueMonitor::next_time)
    }

    fn look(&mut self, _now: model::Time, fabric: &mut fabric::Fabric<Switch>) {
        if let Some(monitor) = &mut self.0 {
            monitor.look(fabric);
        }
    }
}

/// Runs a fixture. Also returns the three files that the simulator would write.
fn run_fixture(name: &str) -> (RunOutcome, [String; 3]) {
    let Loaded { scenario, outputs } =
        crate::common::load_ns3(&crate::common::fixture(name).join("config.txt")).unwrap();
    let pipeline = Pipeline::hawkeye(&[]).unwrap_or_else(|error| panic!("{error}"));
    let mut queues = Queues(Some(output::QueueMonitor::new(&outputs, &scenario)));
    let options = RunOptions { pipeline, diagnose: false };
    let outcome = run_watched(&scenario, 1, &options, &mut queues).unwrap_or_else(|error| panic!("{error}"));
    let completions = output::completions(&scenario, &outcome.flows);
    let pauses = output::pauses(&scenario.topology, &outcome.pauses);
    let queues = queues.0.map(output::QueueMonitor::finish).unwrap_or_default();
    (outcome, [completions, pauses, queues])
}

/// Whole nanoseconds for `bytes` at a rate in gigabits a second.
fn wire(bytes: u64, gbps: u64) -> u64 {
    bytes * 8 / gbps
}

#[test]
fn lone_flows_on_a_line_complete_at_the_computed_time() {
    let (outcome, [completions, pauses, queues]) = run_fixture("ns3-line");
    // Data of 1000 + 48 bytes over 100, 400, 400 and 100 Gb/s; the fast links in the middle add nanoseconds that are
    // rounded down. ACKs have 60 bytes. Cables: 1 + 3 + 3 + 1 us.
    let (flight, ack) = (8_000, 2 * wire(60, 100) + 2 * wire(60, 400) + 8_000);
    let first = 1_000 * wire(1_048, 100) + 2 * wire(1_048, 400) + wire(1_048, 100) + flight + ack;
    // 100 full packets and one of 500 bytes, which waits behind them at 50 Gb/s.
    let queued = wire(1_048, 100) + 2 * wire(1_048, 400) + 100 * wire(1_048, 50) + wire(548, 50) + flight;
    let second = queued + wire(60, 50) + 2 * wire(60, 400) + wire(60, 100) + 8_000;
    // Without other traffic: twice the cables, a payload at every hop, and all bytes at the slowest link's rate.
    let alone = |hops: u64, bytes: u64, gbps: u64| 16_000 + hops + bytes * 8 / gbps;
    let (one, two) = (2 * 80 + 2 * 20, 80 + 2 * 20 + 160);
    let expected = format!(
        "0b000001 0b000201 10000 100 1000000 2000000000 {first} {}\n\
         0b000101 0b000301 10000 100 100500 2010000000 {second} {}\n",
        alone(one, 1_000_000 + 1_000 * 48, 100),
        alone(two, 100_500 + 101 * 48, 50),
    );
    assert_eq!(completions, expected);
    assert_eq!((pauses.as_str(), outcome.counters.dropped_packets), ("", 0));
    // 1001 samples of eight ports from 2 s on. The line is as fast as its sender, so that no whole packet is queued.
    let ports = ["4 1", "4 2", "4 3", "5 1", "5 2", "6 1", "6 2", "6 3"];
    let block = |time: u64, looks: u64| {
        let rows = ports.map(|port| format!("{port} {looks}\n"));
        format!("time: {time}\n{}", rows.concat())
    };
    assert_eq!(queues, block(2_000_000_000, 1) + &block(2_000_100_000, 1_001));
}

#[test]
fn an_incast_pauses_at_the_computed_time_and_keeps_its_port_busy() {
    let (outcome, [completions, pauses, _]) = run_fixture("ns3-incast");
    const PACKETS: u64 = 1_500;
    let (data, ack, cable) = (wire(1_356, 100), wire(60, 100), 1_000);
    // Both senders' packets alternate at the receiver's port, which is busy from the first to the last of them: a
    // paused sender resumes before 17 KiB have left.
    let last = data + cable + 2 * PACKETS * data + cable + 2 * (ack + cable);
    let ends: Vec<u64> = completions
        .lines()
        .map(|line| line.split(' ').nth(6).and_then(|word| word.parse().ok()).expect("a time"))
        .collect();
    assert_eq!(ends.len(), 2);
    assert_eq!(ends[1], last);
    // Half of the arriving packets leave. Of the sender that is second in turn, n - (n - 1) / 2 packets are queued when
    // its n-th has arrived and the packet that leaves at that instant has not left yet: 16 packets at the
    // thirtieth, more than 16 + 4 KiB.
    let limit = 20 * 1_024 / 1_356 + 1;
    let n = (1..).find(|n| n - (n - 1) / 2 == limit).expect("it grows");
    assert_eq!((limit, n), (16, 30));
    let first = pauses.split(' ').next().and_then(|word| word.parse().ok());
    assert_eq!(first, Some(2_000_000_000 + n * data + cable + ack + cable));
    // Pauses and resumes alternate at each sender, and no other port is paused.
    for sender in ["0 0 1", "1 0 1"] {
        let own: Vec<&str> = pauses.lines().filter(|line| line.contains(&format!(" {sender} "))).collect();
        assert!(own.len() > 20, "{} lines", own.len());
        for (index, line) in own.iter().enumerate() {
            assert!(line.ends_with(if index % 2 == 0 { " 1" } else { " 0" }), "{line}");
        }
    }
    assert_eq!(
        pauses.lines().filter(|line| !line.contains(" 0 0 1 ") && !line.contains(" 1 0 1 ")).count(),
        0
    );
    assert_eq!(outcome.counters.dropped_packets, 0);
}

/// The victim's polling packet collects the records that the diagnosis is based on.
fn check_snapshot(outcome: &RunOutcome) {
    let victim = outcome.flows.iter().find(|flow| flow.label == "2->4").unwrap();
    let snapshot = outcome
        .snapshots
        .iter()
        .find(|s| s.victim == Some(victim.flow))
        .expect("host 2 sends a polling packet");
    println!("{:?}", snapshot.trigger);
    assert_eq!(snapshot.missing, Vec::<model::MissingData>::new());
    for (port, paused) in [("9:1", true), ("10:3", true), ("12:2", false)] {
        assert_eq!(snapshot.paused_packets(&port.parse().unwrap()) > 0, paused, "{port}");
    }
}

/// Prints how much the results depend on the seed:
/// `cargo test -p harrier-fabric --test fabric ns3_fidelity -- --ignored --nocapture`.
#[test]
#[ignore = "prints figures for docs/ns3-comparison.md and checks nothing"]
fn prints_the_results_of_twelve_seeds() {
    let Some(directory) = crate::common::poster_directory() else { return };
    let scenario = crate::common::read_ns3(&directory.join("config.txt")).unwrap();
    for seed in 1..=12 {
        let mut fabric = crate::common::plain_fabric(&scenario, seed);
        while !fabric.all_finished() && fabric.step() {}
        let flows = fabric.flows();
        let times = flows.iter().map(|flow| format!("{} {}", flow.label, flow.duration().unwrap().as_ns()));
        let rows = fabric.pauses().len();
        println!("seed {seed}: {} ns, {rows} pauses and resumes", times.collect::<Vec<_>>().join(", "));
    }
}
