//! Deadlocks of simulated networks, as servers and the demo diagnose them.

use analyzer::{Settings, Standstills, TopologyIndex};
use fabric::RunOptions;
use fabric::pipeline::Pipeline;
use model::Diagnosis;

use super::AnalysedEvent;

/// The first verdict about a deadlock in a run.
fn deadlock() -> AnalysedEvent {
    let scenario = scenario::builtin("deadlock-in-loop").expect("a built-in scenario");
    let options = RunOptions { pipeline: Pipeline::hawkeye(&[]).expect("it compiles"), diagnose: true };
    let outcome = fabric::run(&scenario, 1, &options).expect("it runs");
    let index = TopologyIndex::new(&scenario.topology);
    let events = outcome.snapshots.into_iter().map(|snapshot| {
        let mut analyses = analyzer::analyze_indexed(&snapshot, &index, &Settings::default());
        analyses.retain(|analysis| !analysis.diagnosis.pause_loop.is_empty());
        AnalysedEvent { arrivals: Vec::new(), snapshot, analyses }
    });
    events.into_iter().find(|event| !event.analyses.is_empty()).expect("a deadlock is diagnosed")
}

/// The same deadlock, polled again for another agent as event `event`, `later_ns` later; a verdict that is less sure and
/// names another root cause.
fn polled_again(first: &AnalysedEvent, event: u32, later_ns: i64) -> AnalysedEvent {
    let (mut snapshot, mut analyses) = (first.snapshot.clone(), first.analyses.clone());
    snapshot.event = event;
    if let Some(trigger) = &mut snapshot.trigger {
        trigger.follows = None;
    }
    let switches: Vec<String> = snapshot.switches.iter().map(|one| one.switch.clone()).collect();
    switches.iter().for_each(|switch| snapshot.shift_clock(switch, later_ns));
    for analysis in &mut analyses {
        let diagnosis = &mut analysis.diagnosis;
        diagnosis.id = format!("{event}-{}", diagnosis.id);
        diagnosis.root_cause.port = Some("s9:9".parse().expect("a port"));
        diagnosis.confidence = 0.1;
    }
    AnalysedEvent { arrivals: Vec::new(), snapshot, analyses }
}

fn roots(event: &AnalysedEvent) -> Vec<Option<String>> {
    let port = |diagnosis: &Diagnosis| diagnosis.root_cause.port.as_ref().map(ToString::to_string);
    event.analyses.iter().map(|analysis| port(&analysis.diagnosis)).collect()
}

#[test]
fn verdicts_about_one_deadlock_get_the_root_cause_of_the_surest_one() {
    let mut first = deadlock();
    let (before, ids) = (roots(&first), first.analyses.len());
    let mut standstills = Standstills::default();
    first.unify(&mut standstills);
    assert_eq!(roots(&first), before, "a single verdict stays");
    let mut second = polled_again(&first, 77, 1_000);
    second.unify(&mut standstills);
    assert_eq!(roots(&second), before);
    assert_eq!(second.analyses.len(), ids);
    assert!(second.analyses[0].diagnosis.id.starts_with("77-"), "it stays a verdict of its own");
    // A second later, it is another deadlock of the same switches.
    let mut other = polled_again(&first, 78, 1_000_000_000);
    let own = roots(&other);
    other.unify(&mut standstills);
    assert_eq!(roots(&other), own);
}
