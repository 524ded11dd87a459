//! Lets each method diagnose a run and scores the result.

use std::collections::BTreeSet;

use analyzer::evaluation::{Observation, is_right, missed, names_event, score};
use analyzer::incident::settle;
use analyzer::{TopologyIndex, analyze_indexed};
use model::{Diagnosis, GroundTruth, Snapshot, Time};

use super::{Evaluated, Instance, Plan};
use crate::output::{describe_truth, describe_verdict};

/// Maximum number of unrelated events listed for a failed run.
const LISTED_UNRELATED: usize = 6;
/// Length of a polling packet on the wire, a minimum-size frame.
const POLL_BYTES: u64 = 64;

/// Diagnoses and scores a run with every method. Failures are described for the first method only.
pub(super) fn observe(plan: &Plan, name: &str, instance: &Instance) -> Evaluated {
    let index = TopologyIndex::new(&instance.topology);
    let mut evaluated = Evaluated { observations: Vec::new(), failures: Vec::new() };
    for (rank, method) in plan.methods.iter().enumerate() {
        let collected = if method.sees_everything() { &instance.surveys } else { &instance.snapshots };
        let snapshots: Vec<(Time, Snapshot)> =
            collected.iter().map(|(at, snapshot)| (*at, method.look(snapshot))).collect();
        let settings = method.settings();
        let mut found_in: Vec<(&Snapshot, Vec<Diagnosis>)> = Vec::new();
        let mut verdicts: Vec<(Time, Diagnosis)> = Vec::new();
        for (at, snapshot) in &snapshots {
            let found = analyze_indexed(snapshot, &index, &settings).into_iter().map(|a| a.diagnosis);
            let found: Vec<Diagnosis> = found.collect();
            verdicts.extend(found.iter().map(|diagnosis| (*at, diagnosis.clone())));
            found_in.push((snapshot, found));
        }
        let diagnoses = settle(found_in.clone());
        let score = score(&diagnoses, &instance.truth);
        if rank == 0 && !(score.is_perfect() && instance.deviations.is_empty()) {
            evaluated.failures.push(failure(&plan.repeat_command(name, instance.seed), instance, &diagnoses));
        }
        evaluated.observations.push(Observation {
            scenario: name.to_string(),
            drawn: instance.drawn,
            method: *method,
            score,
            missed: missed(&found_in, &diagnoses, &instance.truth),
            switches_collected: snapshots.iter().map(|(_, s)| s.switches.len() as u64).collect(),
            telemetry_bytes: snapshots
                .iter()
                .map(|(_, s)| s.switches.iter().map(|t| t.bytes).sum())
                .collect(),
            polling_bytes: snapshots.iter().map(|(_, s)| s.polls * POLL_BYTES).collect(),
            causal_coverage: truths(&instance.truth).filter_map(|t| coverage(t, &snapshots)).collect(),
            time_to_diagnosis_ns: time_to_diagnosis(&verdicts, &instance.truth),
        });
    }
    evaluated
}

fn truths(truth: &GroundTruth) -> impl Iterator<Item = &GroundTruth> {
    std::iter::once(truth).chain(&truth.others).filter(|truth| truth.anomaly.is_some())
}

/// Returns the share of the switches on the pause path that the most complete snapshot contains.
fn coverage(truth: &GroundTruth, snapshots: &[(Time, Snapshot)]) -> Option<f64> {
    let recurrences = truth.again.iter().filter_map(|again| coverage(again, snapshots));
    let best_recurrence = recurrences.reduce(f64::max);
    let ports = truth.pause_path.iter().chain(&truth.pause_loop).chain(&truth.root_cause.port);
    let wanted: BTreeSet<&str> = ports.map(|port| port.switch.as_str()).collect();
    if wanted.is_empty() {
        return None;
    }
    let contained =
        |snapshot: &Snapshot| wanted.iter().filter(|name| snapshot.switch(name).is_some()).count();
    let most = snapshots.iter().map(|(_, snapshot)| contained(snapshot)).max().unwrap_or(0);
    let share = most as f64 / wanted.len() as f64;
    Some(best_recurrence.map_or(share, |best| best.max(share)))
}

/// Returns the time from the trigger to the end of the first collection with a correct diagnosis.
fn time_to_diagnosis(verdicts: &[(Time, Diagnosis)], truth: &GroundTruth) -> Option<u64> {
    let right = verdicts.iter().filter(|(_, d)| truths(truth).any(|t| names_event(d, t)));
    right.map(|(at, d)| at.as_ns().saturating_sub(d.time_ns)).next()
}

/// Describes a failed run: the command that repeats it, the ground truth and the diagnoses.
fn failure(repeats: &str, instance: &Instance, diagnoses: &[Diagnosis]) -> String {
    let mut text = format!("{repeats}\n");
    for deviation in &instance.deviations {
        text.push_str(&format!("    unlike the expectation: {deviation}\n"));
    }
    for truth in truths(&instance.truth) {
        let mark = if diagnoses.iter().any(|d| names_event(d, truth)) { "found" } else { "missed" };
        text.push_str(&format!("    {mark}: {}\n", describe_truth(truth)));
        for again in &truth.again {
            text.push_str(&format!("    {mark}, recurrence: {}\n", describe_truth(again)));
        }
    }
    for unrelated in instance.truth.beside.iter().take(LISTED_UNRELATED) {
        text.push_str(&format!("    unrelated: {}\n", describe_truth(unrelated)));
    }
    for incident in analyzer::incident::incidents(diagnoses) {
        for verdict in &incident.verdicts {
            let names_expected = truths(&instance.truth).any(|t| names_event(verdict, t));
            let mark = match names_expected || is_right(verdict, &instance.truth) {
                true if names_expected => "right",
                true => "right, unrelated",
                false => "wrong",
            };
            text.push_str(&format!("    {mark}: {}\n", describe_verdict(verdict)));
        }
    }
    text
}
