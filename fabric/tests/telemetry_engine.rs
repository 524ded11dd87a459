//! The whole telemetry program on each of the switch's engines: the same packets, events, registers and counters; and
//! a packet costs no allocation.

use std::net::IpAddr;

use allocation_counter::measure;
use fabric::nic::message::Operation;
use fabric::nic::packet::Template;
use fabric::{Pipeline, Scenario, plan_settings, scenario};
use model::wire::Frame;
use model::{FlowKey, Time};
use p4_switch::tm::TmConfig;
use p4_switch::{Engine, Event, Switch, SwitchConfig};
use proptest::prelude::*;

/// Switch `s1`'s neighbour in the poster's network: one with hosts and equal-cost paths.
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

/// A packet between two hosts: data, an answer, a congestion notification.
fn frame(scenario: &Scenario, what: u8, flow: u16) -> Frame {
    let hosts: Vec<IpAddr> =
        scenario.topology.nodes.iter().filter_map(|node| node.addresses.first().copied()).collect();
    let host = |number: u16| hosts[usize::from(number) % hosts.len()];
    let key = FlowKey { src: host(flow), dst: host(flow / 3 + 1), sport: flow, dport: 4791, proto: 17 };
    let template = Template::new(key, (flow % 8) as u8, [2, 0, 0, 0, 0, 1], [2, 0, 0, 0, 0, 2], 7, 58);
    match what % 4 {
        0 => template.acknowledgement(u64::from(flow), false),
        1 => template.cnp(),
        _ => template.data(Operation::Write, u64::from(flow), (flow == 0, false), 1000),
    }
}

/// What leaves the switch, in words.
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// Some packets as hosts send them, some with a few bytes changed, some cut off.
    #[test]
    fn engines_agree(
        packets in prop::collection::vec(
            (0u8..8, 0u16..40, 1u16..9, prop::option::of((0usize..60, any::<u8>())), 0usize..80, 0u64..2_000_000),
            1..60,
        ),
    ) {
        let scenario = scenario::builtin("poster-fig1").expect("the scenario is built in");
        let pipeline = Pipeline::hawkeye(&[("FLOW_SLOT_BITS", 3)]).expect("it compiles");
        let engines = [Engine::Compiled, Engine::Unoptimised, Engine::Interpreter];
        let mut switches = engines.map(|engine| switch(&scenario, &pipeline, engine));
        let mut now = Time(1_000_000);
        for (what, flow, port, changed, length, gap_ns) in packets {
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
            let [compiled, unoptimised, interpreted] =
                switches.each_mut().map(|switch| send(switch, now, port, frame.clone()));
            prop_assert_eq!(&compiled, &interpreted);
            prop_assert_eq!(&unoptimised, &interpreted);
        }
        let [compiled, unoptimised, interpreted] =
            switches.each_mut().map(|switch| registers(switch, &pipeline));
        prop_assert_eq!(&compiled, &interpreted);
        prop_assert_eq!(&unoptimised, &interpreted);
    }
}

#[test]
fn telemetry_allocates_nothing() {
    let scenario = scenario::builtin("poster-fig1").expect("the scenario is built in");
    let pipeline = Pipeline::hawkeye(&[]).expect("it compiles");
    let mut switch = switch(&scenario, &pipeline, Engine::Compiled);
    // Few enough that no two share a slot: an evicted slot is reported, and reports are kept.
    let frames: Vec<Frame> = (0..24).map(|flow| frame(&scenario, flow as u8, flow)).collect();
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
