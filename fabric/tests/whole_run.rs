//! Whole runs with the telemetry program on every hop: the traffic is the same as without it, and snapshots contain
//! what the diagnosis needs.

use std::sync::OnceLock;

use fabric::{Pipeline, RunOptions, RunOutcome, run};
use model::{MissingData, PortRef, TriggerReason};
use scenario::Scenario;

fn pipeline() -> &'static Pipeline {
    static PIPELINE: OnceLock<Pipeline> = OnceLock::new();
    PIPELINE.get_or_init(|| Pipeline::hawkeye(&[]).unwrap_or_else(|error| panic!("{error}")))
}

fn outcome(scenario: &Scenario, seed: u64) -> RunOutcome {
    let options = RunOptions { pipeline: pipeline().clone(), diagnose: true };
    run(scenario, seed, &options).unwrap_or_else(|error| panic!("{error}"))
}

fn builtin(name: &str, seed: u64) -> RunOutcome {
    let outcome = outcome(&scenario::builtin(name).unwrap(), seed);
    assert_eq!(outcome.counters.dropped_packets, 0, "{:?}", outcome.counters.drops);
    assert!(!outcome.snapshots.is_empty(), "{name}, seed {seed}: no polling packet was sent");
    outcome
}

fn port(text: &str) -> PortRef {
    text.parse().unwrap()
}

#[test]
fn the_posters_snapshot_has_the_pause_path_to_the_incast() {
    let outcome = builtin("poster-fig1", 1);
    let snapshot = &outcome.snapshots[0];
    assert_eq!(snapshot.missing, Vec::<MissingData>::new());
    assert_eq!(snapshot.victim, Some(outcome.flows[0].flow));
    assert_eq!(snapshot.trigger.as_ref().unwrap().reason, TriggerReason::SlowRtt);
    let names: Vec<&str> = snapshot.switches.iter().map(|s| s.switch.as_str()).collect();
    assert_eq!(names, ["sw1", "sw2", "sw3", "sw4"]);
    assert!(snapshot.paused_packets(&port("sw1:1")) > 0);
    assert!(snapshot.paused_packets(&port("sw2:3")) > 0);
    assert_eq!(snapshot.paused_packets(&port("sw4:1")), 0);
    let at_root = &snapshot.switch("sw4").unwrap().flows;
    for flow in &outcome.flows[1..] {
        assert!(
            at_root.iter().any(|record| record.flow == flow.flow && record.egress_port == 1),
            "{}",
            flow.label
        );
    }
}

#[test]
fn the_snapshots_of_a_storm_have_the_pause_path_to_the_host() {
    let outcome = builtin("host-storm", 1);
    let paused: Vec<&str> = ["sw1:1", "sw2:3", "sw4:1"]
        .into_iter()
        .filter(|name| outcome.snapshots.iter().any(|s| s.paused_packets(&port(name)) > 0))
        .collect();
    assert_eq!(paused, ["sw1:1", "sw2:3", "sw4:1"]);
}

#[test]
fn the_snapshot_of_contention_has_no_pauses() {
    let outcome = builtin("contention-only", 1);
    let snapshot = &outcome.snapshots[0];
    assert!(snapshot.switches.iter().all(|s| s.pauses.is_empty()));
    let flows = &snapshot.switch("sw3").unwrap().flows;
    assert!(flows.iter().any(|record| record.flow == outcome.flows[0].flow && record.depth_sum > 0));
}

#[test]
fn no_flow_starts_after_the_scenarios_end() {
    let mut scenario = scenario::builtin("poster-fig1").unwrap();
    scenario.stop = model::Time::from_us(2_200);
    scenario.flows[2].start = model::Time::from_us(2_195);
    let early = outcome(&scenario, 1);
    assert!(early.end > scenario.stop, "the collection continues after the end");
    for late in 3..6 {
        scenario.flows[late].start = scenario.stop + model::Time(1);
        scenario.flows[late].start_jitter = model::Time::ZERO;
    }
    let outcome = outcome(&scenario, 1);
    let sent: Vec<bool> = outcome.flows.iter().map(|flow| flow.sent_packets > 0).collect();
    assert_eq!(sent, [true, true, true, false, false, false]);
}

#[test]
fn equal_seeds_give_equal_outcomes() {
    let text = |seed| serde_json::to_string(&builtin("poster-fig1", seed)).unwrap();
    assert_eq!(text(5), text(5));
    assert_ne!(text(5), text(6));
}

#[test]
fn no_packet_is_lost_in_a_lossless_run() {
    let scenario = scenario::builtin("poster-fig1").unwrap();
    let mut fabric = fabric::prepare(&scenario, 3, pipeline(), true).unwrap();
    for part in (1..=16).rev() {
        // During the run and at its end.
        fabric.run_until(model::Time(scenario.stop.0 / part));
        let (sent, arrived, lost, flying) = fabric.frame_balance();
        assert_eq!(sent, arrived + lost + flying);
        for (name, switch) in fabric.switches() {
            let totals = switch.traffic_manager().totals();
            assert!(totals.balanced(), "{name}: {totals:?}");
        }
    }
    assert!(fabric.all_finished());
    let sent: u64 = fabric.flows().iter().map(|flow| flow.sent_packets).sum();
    assert_eq!(sent, fabric.counters().data_packets_accepted);
}

#[test]
fn the_program_does_not_change_the_traffic() {
    let scenario = scenario::builtin("poster-fig1").unwrap();
    let options = RunOptions { pipeline: pipeline().clone(), diagnose: false };
    let with = run(&scenario, 2, &options).unwrap();
    let mut plain = crate::common::plain_fabric(&scenario, 2);
    while !plain.is_through() && plain.next_time().is_some_and(|at| at <= scenario.stop) {
        plain.step();
    }
    assert_eq!(with.pauses, plain.pauses());
    assert_eq!(with.flows, plain.flows());
    assert_eq!(with.counters.packet_hops, plain.counters().packet_hops);
}
