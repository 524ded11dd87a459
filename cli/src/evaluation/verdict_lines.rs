//! `harrier eval --verdicts FILE`: every verdict of the evaluated runs with its judgement, one JSON object a line.
//!
//! The lines are made for error analysis and for fitting the confidence; docs/evaluation/judge.md lists the fields.

use std::path::Path;

use analyzer::Features;
use anyhow::Context;
use eval::judge::actor::{Claim, claim};
use eval::judge::{Grade, Judgement};
use model::diagnosis::Severity;
use model::{Anomaly, Cause, Diagnosis, FlowKey, PortRef};
use scenario::Scenario;
use serde::{Deserialize, Serialize};

use super::Evaluated;
use crate::input::write_all;

/// A verdict with its judgement.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct VerdictLine {
    /// The row of the table: the scenario, or the kind of disturbance.
    row: String,
    /// The command that repeats the run.
    repeat: String,
    seed: u64,
    method: String,
    id: String,
    time_ns: u64,
    anomaly: Anomaly,
    cause: Cause,
    severity: Severity,
    confidence: f64,
    victim: Option<FlowKey>,
    /// The delay that the verdict states.
    delay_ns: u64,
    /// The base round-trip time that the agent assumed; absent without a trigger among the records.
    base_rtt_ns: Option<u64>,
    /// Number of accused actors.
    accused: usize,
    root_port: Option<PortRef>,
    summary: String,
    /// The number of its incident in the run; absent for verdicts of severity `info`.
    incident: Option<usize>,
    grade: Grade,
    /// The number of verdicts that it stands for; 0 if it was not drawn.
    weight: f64,
    /// The part of the excess delay that disappears without the accused; absent if it was not measured.
    coverage: Option<f64>,
    /// The part of each examined actor.
    parts: Vec<ActorPart>,
    /// The examined actors that are innocent.
    innocent: Vec<String>,
    /// The excess delay that the judge measured.
    excess_ns: Option<u64>,
    /// What the confidence depends on.
    features: Features,
    /// Why the verdict has this grade.
    reason: String,
}

/// The part of an actor in the delay.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct ActorPart {
    actor: String,
    part: f64,
}

/// What the lines of one run and method have in common.
pub(super) struct Source<'s> {
    pub(super) scenario: &'s Scenario,
    pub(super) row: String,
    pub(super) repeat: String,
    pub(super) seed: u64,
    pub(super) method: &'static str,
}

impl VerdictLine {
    pub(super) fn new(
        source: &Source<'_>,
        verdict: &Diagnosis,
        incident: Option<usize>,
        judgement: &Judgement,
        features: Features,
    ) -> VerdictLine {
        let guilt = judgement.guilt.as_ref();
        let parts = guilt.into_iter().flat_map(|guilt| &guilt.parts);
        VerdictLine {
            row: source.row.clone(),
            repeat: source.repeat.clone(),
            seed: source.seed,
            method: source.method.to_string(),
            id: verdict.id.clone(),
            time_ns: verdict.time_ns,
            anomaly: verdict.anomaly,
            cause: verdict.cause,
            severity: verdict.severity,
            confidence: verdict.confidence,
            victim: verdict.victim,
            delay_ns: verdict.cost.delay_ns,
            base_rtt_ns: verdict.trigger().map(|trigger| trigger.base_rtt_ns),
            accused: accused(verdict, source.scenario),
            root_port: verdict.root_cause.port.clone(),
            summary: verdict.summary.clone(),
            incident,
            grade: judgement.grade,
            weight: judgement.weight,
            coverage: guilt.map(|guilt| guilt.covered),
            parts: parts.map(|(actor, part)| ActorPart { actor: actor.to_string(), part: *part }).collect(),
            innocent: guilt.into_iter().flat_map(|g| g.innocent()).map(ToString::to_string).collect(),
            excess_ns: judgement.excess_ns,
            features,
            reason: judgement.reason.clone(),
        }
    }
}

fn accused(verdict: &Diagnosis, scenario: &Scenario) -> usize {
    match claim(verdict, scenario) {
        Claim::Accused(actors) => actors.len(),
        Claim::FabricIsClean | Claim::PlaceOnly | Claim::Silent => 0,
    }
}

/// Writes the lines of all runs, in their order.
pub(crate) fn write(file: &Path, runs: &[Evaluated]) -> anyhow::Result<()> {
    let mut text = Vec::new();
    for line in runs.iter().flat_map(|run| &run.lines) {
        serde_json::to_writer(&mut text, line)?;
        text.push(b'\n');
    }
    write_all(&[(file, text)]).with_context(|| format!("cannot write {}", file.display()))
}
