//! The whole telemetry program gives the same packets, events, registers and counters on each of the switch's engines,
//! and processing a packet allocates no memory.

use std::net::IpAddr;

use allocation_counter::measure;
use fabric::nic::packet::Template;
use fabric::{Pipeline, plan_settings};
use model::wire::polling::{Follow, Polling};
use model::wire::{ETHERTYPE_POLLING, Frame, Pfc};
use model::{FlowKey, Time};
use p4_switch::tm::TmConfig;
use p4_switch::{Engine, Event, Switch, SwitchConfig};
use proptest::prelude::*;
use scenario::Scenario;
use scenario::nic::Operation;

const ENGINES: [Engine; 4] =
    [Engine::Interpreter, Engine::MachineCode, Engine::Bytecode, Engine::Unoptimised];

/// The first switch of the poster's network, programmed.
fn switch(scenario: &Scenario, pipeline: &Pipeline, engine: Engine) -> Switch {
    let plans = controller::plan::plan(&scenario.topology, &plan_settings(scenario, 1), &pipeline.layout)
        .expect("the topology can be programmed");
    let (_, plan) = plans.first_key_value().expect("there are switches");
    let ports = (1..=8).map(|port| (port, model::Rate::from_gbps(100)));
    let config = SwitchConfig { engine, ..SwitchConfig::new(TmConfig::lossy(ports, 1 << 20)) };
    let mut switch = Switch::new(config);
    fabric::pipeline::install(&mut switch, pipeline, plan).expect("the plan fits");
    switch
}

/// A frame between two hosts: data packet, ACK, CNP, PFC frame or polling packet.
fn frame(scenario: &Scenario, what: u8, flow: u16) -> Frame {
    let hosts: Vec<IpAddr> =
        scenario.topology.nodes.iter().filter_map(|node| node.addresses.first().copied()).collect();
    let host = |number: u16| hosts[usize::from(number) % hosts.len()];
    let key = FlowKey { src: host(flow), dst: host(flow / 3 + 1), sport: flow, dport: 4791, proto: 17 };
    let template = Template::new(key, (flow % 8) as u8, [2, 0, 0, 0, 0, 1], [2, 0, 0, 0, 0, 2], 7, 58);
    match what % 8 {
        4 => Pfc::single((flow % 8) as u8, flow % 3 * 0x7fff).to_frame([2, 0, 0, 0, 0, 1]),
        5 => {
            let follow = Follow::from_bits(flow as u8);
            let polling = Polling { follow, hop_limit: 7, priority: 3, event: u32::from(flow), flow: key };
            let mut head = vec![2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1];
            head.extend(ETHERTYPE_POLLING.to_be_bytes());
            head.extend(polling.to_bytes());
            Frame::new(&head, 2)
        }
        0 => template.ack(u64::from(flow), false),
        1 => template.cnp(),
        _ => template.data(Operation::Write, u64::from(flow), (flow == 0, false), 1000, false),
    }
}

/// Sends a frame through the switch. Returns the frames that it transmits, its events and its counters, as text.
fn send(switch: &mut Switch, at: Time, port: u16, frame: Frame) -> String {
    switch.receive(at, port, frame);
    let sent: Vec<_> = (0..=8)
        .flat_map(|port| std::iter::from_fn(|| switch.transmit(at, port)).collect::<Vec<_>>())
        .collect();
    format!("{sent:?} {:?} {:?}", switch.take_events(), switch.counters())
}

fn registers(switch: &mut Switch, pipeline: &Pipeline) -> Vec<Vec<u64>> {
    let names = pipeline.program.registers.iter().map(|r| &r.preamble.name);
    names.map(|name| switch.control().register(name.as_str()).expect("it exists").limbs().to_vec()).collect()
}

/// A packet: what it is, its flow, its port, a byte that is changed, its length in three bytes if below 20, and the
/// time since the one before.
type Arrival = (u8, u16, u16, Option<(usize, u8)>, usize, u64);

fn arrivals(flows: u16, gap_ns: u64, most: usize) -> impl Strategy<Value = Vec<Arrival>> {
    let changed = prop::option::weighted(0.3, (0usize..60, any::<u8>()));
    prop::collection::vec((0u8..8, 0..flows, 1u16..9, changed, 0usize..80, 0..gap_ns), 1..most)
}

/// Sends the same packets through switches and compares frames, events, counters and registers.
fn check(pipelines: &[(&Pipeline, Engine)], arrivals: Vec<Arrival>) -> Result<(), TestCaseError> {
    let scenario = scenario::builtin("poster-fig1").expect("the scenario is built in");
    let mut switches: Vec<Switch> =
        pipelines.iter().map(|(pipeline, engine)| switch(&scenario, pipeline, *engine)).collect();
    let mut now = Time(1_000_000);
    for (what, flow, port, changed, length, gap_ns) in arrivals {
        now = Time(now.0 + gap_ns * 1_000);
        let mut frame = frame(&scenario, what, flow);
        if let Some((at, value)) = changed
            && let Some(byte) = frame.head.get_mut(at)
        {
            *byte = value;
        }
        if length < 20 {
            frame.head.truncate(length * 3);
            frame.tail = 0;
        }
        let sent: Vec<String> =
            switches.iter_mut().map(|switch| send(switch, now, port, frame.clone())).collect();
        for other in &sent[1..] {
            prop_assert_eq!(other, &sent[0]);
        }
    }
    let registers: Vec<_> = switches
        .iter_mut()
        .zip(pipelines)
        .map(|(switch, (pipeline, _))| registers(switch, pipeline))
        .collect();
    for other in &registers[1..] {
        prop_assert_eq!(other, &registers[0]);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// Some packets are as hosts send them, some have a changed byte, some are truncated. There are few slots, so that
    /// flows evict one another.
    #[test]
    fn all_engines_give_the_same_results(arrivals in arrivals(40, 2_000_000, 60)) {
        let pipeline = Pipeline::hawkeye(&[("FLOW_SLOT_BITS", 3)]).expect("it compiles");
        check(&ENGINES.map(|engine| (&pipeline, engine)), arrivals)?;
    }

    /// With the register sizes of a deployment, and so many flows in a short time that some share a slot.
    #[test]
    fn all_engines_give_the_same_results_with_many_flows(arrivals in arrivals(4_000, 5_000, 400)) {
        let pipeline = Pipeline::hawkeye(&[]).expect("it compiles");
        check(&ENGINES.map(|engine| (&pipeline, engine)), arrivals)?;
    }
}

#[test]
fn the_telemetry_program_is_machine_code() {
    let pipeline = Pipeline::hawkeye(&[]).expect("it compiles");
    let prepared = pipeline.prepared().expect("it can be loaded");
    assert!(prepared.is_machine_code(), "{:?}", prepared.why_bytecode());
}

#[test]
fn telemetry_allocates_no_memory() {
    let scenario = scenario::builtin("poster-fig1").expect("the scenario is built in");
    let pipeline = Pipeline::hawkeye(&[]).expect("it compiles");
    let mut switch = switch(&scenario, &pipeline, Engine::MachineCode);
    // Few enough that no two share a slot: evictions would cause digests, which are kept.
    let frames: Vec<Frame> = (0..24).map(|flow| frame(&scenario, flow as u8 % 4, flow)).collect();
    let mut events: Vec<Event> = Vec::new();
    let mut forward = |rounds: usize, now: Time| {
        let mut sent = 0;
        for frame in frames.iter().cycle().take(rounds * frames.len()) {
            switch.receive(now, 1, frame.clone());
            for port in 1..=8 {
                sent += usize::from(switch.transmit(now, port).is_some());
            }
            switch.drain_events(&mut events);
            events.clear();
        }
        sent
    };
    let warm = forward(4, Time(1_000_000));
    let mut sent = 0;
    let allocated = measure(|| sent = forward(8, Time(2_000_000)));
    assert!(warm > 0 && sent == 2 * warm);
    assert_eq!(allocated.count_total, 0, "{allocated:?}");
}
