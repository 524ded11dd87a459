//! Scores of verdicts against ground truth: right, wrong and missed.

mod support;

use harrier_analyzer::evaluation::{Missed, Score, missed, score};
use model::{Anomaly, Diagnosis, FlowKey, GroundTruth, Snapshot};
use support::stories::early_poll;

/// Returns the right verdict on an incast, and its ground truth.
fn incast() -> (Diagnosis, GroundTruth) {
    let verdict = early_poll().diagnose().remove(0);
    let truth = GroundTruth {
        anomaly: Some(verdict.anomaly),
        root_cause: verdict.root_cause.clone(),
        victims: vec![verdict.victim],
        time_ns: Some((verdict.time_ns, verdict.time_ns + 100_000)),
        ..GroundTruth::default()
    };
    (verdict, truth)
}

/// Checks the numbers of true positives, false positives and false negatives after a change to verdict or truth.
#[track_caller]
fn check(expected: (u64, u64, u64), change: impl FnOnce(&mut Diagnosis, &mut GroundTruth)) {
    let (mut verdict, mut truth) = incast();
    change(&mut verdict, &mut truth);
    let (true_positive, false_positive, false_negative) = expected;
    assert_eq!(score(&[verdict], &truth), Score { true_positive, false_positive, false_negative });
}

fn without_first(flows: &[FlowKey]) -> Vec<FlowKey> {
    flows[1..].to_vec()
}

#[test]
fn a_right_verdict_names_exactly_the_culprits() {
    check((1, 0, 0), |_, _| {});
    check((0, 1, 1), |verdict, _| verdict.root_cause.flows.truncate(2));
    check((0, 1, 1), |verdict, _| verdict.root_cause.flows.push(verdict.victim.reversed()));
    check((0, 1, 1), |verdict, _| verdict.root_cause.port = Some(model::PortRef::new("sw9", 9)));
    check((0, 1, 1), |verdict, _| verdict.anomaly = Anomaly::FlowContention);
}

#[test]
fn minor_contributors_and_the_victim_may_be_named_or_not() {
    let minor = |truth: &mut GroundTruth| {
        truth.minor = truth.root_cause.flows[..1].to_vec();
        truth.root_cause.flows = without_first(&truth.root_cause.flows);
    };
    check((1, 0, 0), |_, truth| minor(truth));
    check((1, 0, 0), |verdict, truth| {
        minor(truth);
        verdict.root_cause.flows.retain(|flow| *flow != truth.minor[0]);
    });
    check((1, 0, 0), |verdict, truth| truth.root_cause.flows.push(verdict.victim));
}

#[test]
fn a_verdict_without_a_root_cause_is_a_miss_and_no_false_positive() {
    let without_flows = |verdict: &mut Diagnosis, confidence: f64| {
        verdict.root_cause.flows.clear();
        verdict.confidence = confidence;
    };
    check((0, 0, 1), |verdict, _| without_flows(verdict, 0.3));
    check((0, 1, 1), |verdict, _| without_flows(verdict, 0.9));
    check((0, 0, 1), |verdict, _| {
        without_flows(verdict, 0.9);
        (verdict.anomaly, verdict.root_cause.port) = (Anomaly::HostOnly, None);
    });
}

#[test]
fn a_verdict_about_another_event_is_neither_right_nor_wrong() {
    let other_event = |truth: &mut GroundTruth| {
        let other = GroundTruth { beside: Vec::new(), ..truth.clone() };
        truth.beside.push(other);
        truth.root_cause.flows = without_first(&truth.root_cause.flows);
    };
    check((0, 0, 1), |_, truth| other_event(truth));
    // A queue that only the victim built has no culprit; a verdict about another time is still wrong.
    let own = |verdict: &Diagnosis, truth: &mut GroundTruth, time_ns: (u64, u64)| {
        other_event(truth);
        truth.beside[0].root_cause.flows = vec![verdict.victim];
        truth.beside[0].time_ns = Some(time_ns);
    };
    check((0, 0, 1), |verdict, truth| own(verdict, truth, (0, verdict.time_ns)));
    check((0, 1, 1), |verdict, truth| own(verdict, truth, (0, verdict.time_ns - 1)));
}

#[test]
fn wrong_verdicts_of_other_times_and_other_victims_do_not_count() {
    check((0, 0, 1), |verdict, truth| {
        verdict.root_cause.flows.truncate(2);
        truth.time_ns = Some((0, verdict.time_ns - 100_001));
    });
    check((0, 0, 1), |verdict, truth| {
        verdict.root_cause.flows.truncate(2);
        truth.victims = vec![verdict.victim.reversed()];
    });
}

/// Checks how many misses report missing data and how many lack the root switch, after a change to the incast's
/// snapshot and verdicts.
#[track_caller]
fn check_missed(expected: (u64, u64), change: impl FnOnce(&mut Snapshot, &mut Vec<Diagnosis>)) {
    let (verdict, truth) = incast();
    let (mut snapshot, mut verdicts) = (early_poll().snapshot, vec![verdict]);
    change(&mut snapshot, &mut verdicts);
    let all = verdicts.clone();
    let (said_missing, root_uncollected) = expected;
    let found = missed(&[(&snapshot, verdicts)], &all, &truth);
    assert_eq!(found, Missed { said_missing, root_uncollected });
}

#[test]
fn a_miss_that_reports_missing_data_is_not_misleading() {
    let wrong = |verdicts: &mut [Diagnosis], confidence: f64| {
        verdicts[0].root_cause.flows.truncate(1);
        verdicts[0].confidence = confidence;
    };
    let lost = |snapshot: &mut Snapshot| {
        snapshot.missing.push(model::MissingData::Other("sw4 did not answer".into()));
        snapshot.switches.retain(|switch| switch.switch != "sw4");
    };
    // A named event is not missed, even if data is missing.
    check_missed((0, 0), |snapshot, _| lost(snapshot));
    check_missed((1, 1), |snapshot, verdicts| (lost(snapshot), wrong(verdicts, 0.5)).1);
    check_missed((1, 1), |snapshot, verdicts| (lost(snapshot), verdicts.clear()).1);
    // Wrong with high confidence, or uncertain without missing data.
    check_missed((0, 1), |snapshot, verdicts| (lost(snapshot), wrong(verdicts, 0.6)).1);
    check_missed((0, 0), |_, verdicts| wrong(verdicts, 0.4));
    // Without a trigger at that time there is no verdict to mislead.
    check_missed((0, 1), |snapshot, verdicts| {
        lost(snapshot);
        verdicts.clear();
        snapshot.trigger = None;
    });
}
