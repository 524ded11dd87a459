//! Switches without telemetry carry the same traffic as those that execute the telemetry program, and a run in steps is
//! the same as a run in one go.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use fabric::pipeline::Pipeline;
use fabric::stopwatch::{Stopwatch, Trace, Traces};
use fabric::{Fabric, FabricSwitch, TrafficRun};
use model::{FlowKey, Time};
use scenario::Scenario;

static PIPELINE: LazyLock<Pipeline> = LazyLock::new(|| Pipeline::hawkeye(&[]).expect("the program compiles"));

fn builtin(name: &str) -> Scenario {
    scenario::builtin(name).expect("a built-in scenario")
}

fn flows(scenario: &Scenario, seed: u64) -> BTreeSet<FlowKey> {
    scenario.run_flows(seed).iter().map(|flow| flow.key).collect()
}

/// Measures all flows at their senders, and logs all packets.
fn watch<S: FabricSwitch>(fabric: &mut Fabric<S>, scenario: &Scenario, wanted: &BTreeSet<FlowKey>) -> Traces {
    let traces = Traces::default();
    let wanted = Arc::new(wanted.clone());
    fabric.keep_log();
    let hosts = wanted.iter().filter_map(|flow| scenario.topology.host_of(flow.src));
    for host in hosts.map(|host| host.name.clone()).collect::<BTreeSet<_>>() {
        fabric.set_agent(&host, Box::new(Stopwatch::new(wanted.clone(), traces.clone())));
    }
    traces
}

/// Runs an instance on both kinds of switches and compares everything that they leave behind.
fn compare(scenario: &Scenario, seed: u64) {
    let instance = scenario.instance(seed).expect("it can be drawn").into_owned();
    let wanted = flows(&instance, seed);
    let (mut of_both, mut of_plain) = (Traces::default(), Traces::default());
    let mut both = TrafficRun::with_telemetry(instance.clone(), seed, &PIPELINE, |fabric| {
        of_both = watch(fabric, &instance, &wanted);
    })
    .expect("it can be built");
    let mut plain = TrafficRun::new(instance.clone(), seed, &PIPELINE, |fabric| {
        of_plain = watch(fabric, &instance, &wanted);
    })
    .expect("it can be built");
    both.run_to_end().expect("bytes are conserved");
    plain.run_to_end().expect("bytes are conserved");
    let (both, plain) = (both.fabric_mut(), plain.fabric_mut());
    let name = format!("{} --seed {seed}", scenario.name);
    assert_eq!(both.now(), plain.now(), "{name}: end");
    assert_eq!(both.counters(), plain.counters(), "{name}: counters");
    assert!(both.flows() == plain.flows(), "{name}: flows");
    assert!(both.pauses() == plain.pauses(), "{name}: pauses");
    assert!(both.watchdogs() == plain.watchdogs(), "{name}: watchdogs");
    assert!(both.lossless_drops().eq(plain.lossless_drops()), "{name}: drops");
    assert!(both.take_packet_log() == plain.take_packet_log(), "{name}: packets");
    for flow in &wanted {
        assert_eq!(of_both.read(flow, Trace::clone), of_plain.read(flow, Trace::clone), "{name}: {flow}");
    }
}

#[test]
fn both_switches_carry_the_same_traffic_in_built_in_scenarios() {
    for name in scenario::builtin_names() {
        compare(&builtin(name), 1);
    }
}

#[test]
fn both_switches_carry_the_same_traffic_in_generated_scenarios() {
    for seed in 1..=12 {
        compare(&scenario::generate(seed).scenario, seed);
    }
}

/// The longest wait of a flow in a window does not depend on whether the run goes on after all packets of that time are
/// acknowledged.
fn check_partial_run(scenario: &Scenario, seed: u64) {
    let instance = scenario.instance(seed).expect("it can be drawn").into_owned();
    let wanted = flows(&instance, seed);
    let start = || {
        let mut traces = Traces::default();
        let run = TrafficRun::new(instance.clone(), seed, &PIPELINE, |fabric| {
            traces = watch(fabric, &instance, &wanted);
        });
        (run.expect("it can be built"), traces)
    };
    let (mut whole, expected) = start();
    whole.run_to_end().expect("bytes are conserved");
    let end = whole.fabric().now();
    let (mut partial, found) = start();
    // Earlier times follow later ones, as verdicts are not judged in order of time.
    for step in [2, 1, 4, 3, 7, 6, 5] {
        let until = Time(end.0 / 8 * step);
        for flow in &wanted {
            partial.run_until_acknowledged(flow, until, &found).expect("bytes are conserved");
            let window = (Time(until.0 / 8 * 7), until);
            let now = partial.fabric().now();
            let in_whole = expected.read(flow, |trace| trace.longest_in(window, end)).flatten();
            let in_partial = found.read(flow, |trace| trace.longest_in(window, now)).flatten();
            assert_eq!(in_whole, in_partial, "{} --seed {seed}: {flow} until {until}", scenario.name);
        }
    }
}

#[test]
fn a_run_in_steps_shows_the_same_waits() {
    for name in ["poster-fig1", "lossy-link", "short-flap", "black-hole"] {
        check_partial_run(&builtin(name), 1);
    }
    for seed in 1..=6 {
        check_partial_run(&scenario::generate(seed).scenario, seed);
    }
}
