//! Forwards packets through a small router with tables of each match kind; reports nanoseconds per packet.
//!
//! `cargo bench -p p4-switch --bench packet [-- ROUNDS PACKETS [CASE]]` prints, for the cases whose name contains
//! CASE, the time of the fastest round, which other load affects least. A packet of 64 bytes is received,
//! parsed, routed, enqueued, dequeued and deparsed. For a measure that does not depend on load, run one round of one
//! case under an instruction counter with two values of PACKETS and compare.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark reads the clock and reports"
)]

mod router;

use std::hint::black_box;
use std::time::Instant;

use model::Time;
use model::wire::Frame;
use p4_switch::{Event, Switch};
use router::{CASES, Case};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let number = |at: usize, otherwise| args.get(at).and_then(|arg| arg.parse().ok()).unwrap_or(otherwise);
    let (rounds, packets) = (number(0, 400), number(1, 4_096));
    let wanted = args.get(2).map_or("", String::as_str);
    CASES.iter().filter(|case| case.name.contains(wanted)).for_each(|case| report(*case, rounds, packets));
}

fn report(case: Case, rounds: u64, packets: u64) {
    let (mut switch, frames) = (case.switch(), case.frames());
    let mut events = Vec::new();
    let best = (0..rounds)
        .map(|_| {
            let start = Instant::now();
            for number in 0..packets {
                forward(&mut switch, &mut events, &frames[number as usize % frames.len()]);
            }
            start.elapsed().as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min);
    assert_eq!(switch.counters().transmitted, rounds * packets, "every packet is forwarded");
    let ns = best * 1e9 / packets as f64;
    println!("{:<24} {ns:7.1} ns a packet = {:.2} million packets/s", case.name, 1e3 / ns);
}

/// Receives one packet and transmits all packets that are ready.
fn forward(switch: &mut Switch, events: &mut Vec<Event>, frame: &Frame) {
    switch.receive(Time::ZERO, 3, frame.clone());
    switch.drain_events(events);
    for event in events.drain(..) {
        if let Event::PortReady(port) = event {
            while let Some(frame) = black_box(switch.transmit(Time::ZERO, port)) {
                black_box(frame);
            }
        }
    }
}
