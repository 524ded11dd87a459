//! What each method makes of a run.

use std::collections::BTreeSet;

use analyzer::evaluation::{Observation, is_right, missed, names_event, score};
use analyzer::incident::settle;
use analyzer::{TopologyIndex, analyze_indexed};
use model::{Diagnosis, GroundTruth, Snapshot, Time};

use super::{Instance, Plan, Seen};
use crate::output::{describe_truth, describe_verdict};

/// So many of the events besides those that were meant are told of a run that went wrong.
const BESIDE_TOLD: usize = 6;
/// A polling packet on the wire: the shortest frame.
const POLL_BYTES: u64 = 64;

/// Asks every method. Failures are told of the first one.
pub(super) fn observe(plan: &Plan, name: &str, instance: &Instance) -> Seen {
    let index = TopologyIndex::new(&instance.topology);
    let mut seen = Seen { observations: Vec::new(), failures: Vec::new() };
    for (rank, method) in plan.methods.iter().enumerate() {
        let seen_by = if method.sees_everything() { &instance.surveys } else { &instance.snapshots };
        let snapshots: Vec<(Time, Snapshot)> =
            seen_by.iter().map(|(at, snapshot)| (*at, method.look(snapshot))).collect();
        let settings = method.settings();
        let mut answers: Vec<(&Snapshot, Vec<Diagnosis>)> = Vec::new();
        let mut verdicts: Vec<(Time, Diagnosis)> = Vec::new();
        for (at, snapshot) in &snapshots {
            let found = analyze_indexed(snapshot, &index, &settings).into_iter().map(|a| a.diagnosis);
            let found: Vec<Diagnosis> = found.collect();
            verdicts.extend(found.iter().map(|diagnosis| (*at, diagnosis.clone())));
            answers.push((snapshot, found));
        }
        let diagnoses = settle(answers.clone());
        let score = score(&diagnoses, &instance.truth);
        if rank == 0 && !(score.is_perfect() && instance.deviations.is_empty()) {
            seen.failures.push(failure(&plan.repeats(name, instance.seed), instance, &diagnoses));
        }
        seen.observations.push(Observation {
            scenario: name.to_string(),
            drawn: instance.drawn,
            method: *method,
            score,
            missed: missed(&answers, &diagnoses, &instance.truth),
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
    seen
}

fn truths(truth: &GroundTruth) -> impl Iterator<Item = &GroundTruth> {
    std::iter::once(truth).chain(&truth.others).filter(|truth| truth.anomaly.is_some())
}

/// The share of the switches that the cause runs over which the best snapshot holds.
fn coverage(truth: &GroundTruth, snapshots: &[(Time, Snapshot)]) -> Option<f64> {
    let again = truth.again.iter().filter_map(|again| coverage(again, snapshots));
    let again = again.reduce(f64::max);
    let ports = truth.pause_path.iter().chain(&truth.pause_loop).chain(&truth.root_cause.port);
    let wanted: BTreeSet<&str> = ports.map(|port| port.switch.as_str()).collect();
    if wanted.is_empty() {
        return None;
    }
    let held = |snapshot: &Snapshot| wanted.iter().filter(|name| snapshot.switch(name).is_some()).count();
    let most = snapshots.iter().map(|(_, snapshot)| held(snapshot)).max().unwrap_or(0);
    let share = most as f64 / wanted.len() as f64;
    Some(again.map_or(share, |again| again.max(share)))
}

/// From the agent's question to the end of the first collection that gave a right verdict.
fn time_to_diagnosis(verdicts: &[(Time, Diagnosis)], truth: &GroundTruth) -> Option<u64> {
    let right = verdicts.iter().filter(|(_, d)| truths(truth).any(|t| names_event(d, t)));
    right.map(|(at, d)| at.as_ns().saturating_sub(d.time_ns)).next()
}

/// A run that went wrong: what repeats it, what happened and what was said.
fn failure(repeats: &str, instance: &Instance, diagnoses: &[Diagnosis]) -> String {
    let mut text = format!("{repeats}\n");
    for deviation in &instance.deviations {
        text.push_str(&format!("    not as expected: {deviation}\n"));
    }
    for truth in truths(&instance.truth) {
        let mark = if diagnoses.iter().any(|d| names_event(d, truth)) { "found" } else { "missed" };
        text.push_str(&format!("    {mark}: {}\n", describe_truth(truth)));
        for again in &truth.again {
            text.push_str(&format!("    {mark}, again: {}\n", describe_truth(again)));
        }
    }
    for beside in instance.truth.beside.iter().take(BESIDE_TOLD) {
        text.push_str(&format!("    besides: {}\n", describe_truth(beside)));
    }
    for incident in analyzer::incident::incidents(diagnoses) {
        for verdict in &incident.verdicts {
            let is_meant = truths(&instance.truth).any(|t| names_event(verdict, t));
            let mark = match is_meant || is_right(verdict, &instance.truth) {
                true if is_meant => "right",
                true => "true besides",
                false => "wrong",
            };
            text.push_str(&format!("    {mark}: {}\n", describe_verdict(verdict)));
        }
    }
    text
}
