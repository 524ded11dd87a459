//! Nanoseconds a packet at one switch of the poster's network, with the whole telemetry program as machine code and
//! as bytecode. The frames stay in memory; there is no network around the switch.
//!
//! `cargo bench -p harrier-fabric --bench hawkeye [-- ROUNDS [PACKETS [CASES]]]`. A packet is received, parsed, routed,
//! entered into the flow, port and causality registers, queued, dequeued and deparsed. Without arguments the fastest of
//! ten rounds is reported: other work on the machine has disturbed it least. One short round is enough for an
//! instruction counter.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark reads the clock and reports"
)]

use std::hint::black_box;
use std::net::IpAddr;
use std::time::Instant;

use fabric::nic::packet::Template;
use fabric::{Fabric, Pipeline};
use model::wire::Frame;
use model::{FlowKey, Time};
use p4_switch::{Event, Switch};
use scenario::Scenario;
use scenario::nic::Operation;

/// Time between two packets: about a thousand packets of 1,048 bytes in a telemetry epoch.
const GAP: Time = Time(1_000_000);
const FLOWS: u16 = 64;

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|arg| arg.parse::<u64>().ok());
    let rounds = numbers.next().unwrap_or(10);
    let packets = numbers.next().unwrap_or(200_000);
    let only = std::env::args().skip(1).find(|arg| !arg.starts_with('-') && arg.parse::<u64>().is_err());
    let only = only.unwrap_or_default();
    let scenario = scenario::builtin("poster-fig1").expect("the scenario is built in");
    let compiled = Pipeline::hawkeye(&[]).expect("the program that comes with Harrier compiles");
    let bytecode = compiled.clone().as_bytecode();
    for (what, data, pipeline) in [
        ("data packets, machine code", true, &compiled),
        ("acknowledgements, machine code", false, &compiled),
        ("data packets, bytecode", true, &bytecode),
        ("acknowledgements, bytecode", false, &bytecode),
    ] {
        if !what.contains(&only) {
            continue;
        }
        let mut fabric = fabric::prepare(&scenario, 1, pipeline, false).expect("the network can be built");
        let frames = frames(&scenario, data);
        let switch = first_switch(&scenario, &mut fabric);
        let mut bench = Bench { frames, events: Vec::new(), now: Time(GAP.0), ports: Vec::new() };
        let best = (0..rounds)
            .map(|_| {
                let start = Instant::now();
                bench.round(switch, packets);
                start.elapsed().as_secs_f64()
            })
            .fold(f64::INFINITY, f64::min);
        let ns = best * 1e9 / packets as f64;
        println!("hawkeye, {what:<26} {ns:7.1} ns a packet = {:.2} million packets/s", 1e3 / ns);
        assert_eq!(switch.counters().transmitted, rounds * packets, "every packet was forwarded");
    }
}

struct Bench {
    frames: Vec<Frame>,
    events: Vec<Event>,
    now: Time,
    ports: Vec<u16>,
}

impl Bench {
    fn round(&mut self, switch: &mut Switch, packets: u64) {
        for number in 0..packets {
            let frame = &self.frames[number as usize % self.frames.len()];
            switch.receive(self.now, 1, frame.clone());
            switch.drain_events(&mut self.events);
            self.ports.extend(self.events.drain(..).filter_map(|event| match event {
                Event::PortReady(port) => Some(port),
                _ => None,
            }));
            for port in self.ports.drain(..) {
                // The last call finds the queue empty, as in a network without congestion.
                while let Some(frame) = black_box(switch.transmit(self.now, port)) {
                    black_box(frame);
                }
            }
            self.now = Time(self.now.0 + GAP.0);
        }
    }
}

fn first_switch<'f>(scenario: &Scenario, fabric: &'f mut Fabric) -> &'f mut Switch {
    let is_switch = |name: &&str| !scenario.topology.is_host(name);
    let name = scenario.topology.nodes.iter().map(|node| node.name.as_str()).find(is_switch);
    fabric.switch_mut(name.expect("there are switches")).expect("it was built")
}

/// Packets of several flows between two hosts, in turn.
fn frames(scenario: &Scenario, data: bool) -> Vec<Frame> {
    let hosts: Vec<IpAddr> =
        scenario.topology.nodes.iter().filter_map(|node| node.addresses.first().copied()).collect();
    (0..FLOWS)
        .map(|flow| {
            let src = hosts[usize::from(flow) % hosts.len()];
            let dst = hosts[(usize::from(flow) + 1) % hosts.len()];
            let key = FlowKey { src, dst, sport: 10_000 + flow, dport: 4791, proto: 17 };
            let template = Template::new(key, 3, [2, 0, 0, 0, 0, 1], [2, 0, 0, 0, 0, 2], 7, 58);
            if data {
                template.data(Operation::Write, 1, (false, false), 1000, false)
            } else {
                template.ack(1, false)
            }
        })
        .collect()
}
