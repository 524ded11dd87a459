//! Verdicts that are not true are refuted by counterfactual runs.

use std::sync::LazyLock;

use fabric::counterfactual;
use fabric::pipeline::Pipeline;
use model::{Anomaly, Diagnosis};

static PIPELINE: LazyLock<Pipeline> = LazyLock::new(|| Pipeline::hawkeye(&[]).expect("the program compiles"));

/// Claims that the queue at the receiver's port is that of the first flow of a scenario, at a time in microseconds, and checks
/// whether that is verified.
#[track_caller]
fn check_own_queue(scenario: &str, at_us: u64, expected: bool) {
    let seed = 1;
    let drawn = scenario::builtin(scenario).expect("a built-in scenario");
    let instance = drawn.instance(seed).expect("it can be drawn").into_owned();
    let victim = instance.run_flows(seed).first().expect("it has flows").key;
    let receiver = &instance.topology.host_of(victim.dst).expect("a host").name;
    let links = instance.topology.links.iter();
    let port = links.flat_map(|link| [(&link.a, &link.b), (&link.b, &link.a)]);
    let mut port = port.filter(|(host, _)| host.switch == *receiver).map(|(_, port)| port.clone());
    let mut claim = Diagnosis { time_ns: at_us * 1_000, ..Diagnosis::undetermined(victim) };
    claim.anomaly = Anomaly::SelfInflicted;
    claim.confidence = 0.9;
    (claim.root_cause.port, claim.root_cause.flows) = (port.next(), vec![victim]);
    let mut claims = [claim];
    counterfactual::verify(&drawn, seed, &PIPELINE, &mut claims).expect("it can be built");
    let [claim] = claims;
    assert_eq!(claim.verified, Some(expected), "{scenario}: {:?} {:?}", claim.verification, claim.missing);
    assert_eq!(claim.confidence > 0.9, expected, "{scenario}: {}", claim.confidence);
}

/// With one packet under way a victim recovers from any queue.
#[test]
fn a_queue_that_others_cause_is_not_the_victims_own() {
    check_own_queue("class-behind-pauses", 450, false);
    check_own_queue("other-priority", 450, false);
    check_own_queue("self-made-queue", 450, true);
    check_own_queue("victim-alone", 450, true);
}
