//! One run of one scenario: what it brought in and what really happened.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use fabric::RunOptions;
use fabric::pipeline::Pipeline;
use model::{GroundTruth, Snapshot, Time, Topology};
use scenario::Scenario;
use serde::{Deserialize, Serialize};

use super::Plan;
use crate::input::write_all;

/// What all methods see of a run.
#[derive(Serialize, Deserialize)]
pub(crate) struct Instance {
    /// What it was made from; another fingerprint is another run.
    fingerprint: String,
    pub(crate) seed: u64,
    pub(crate) topology: Topology,
    pub(crate) truth: GroundTruth,
    /// What of the expectation the run did not show.
    pub(crate) deviations: Vec<String>,
    /// The telemetry of each event, and when it was complete.
    pub(crate) snapshots: Vec<(Time, Snapshot)>,
    /// The same for all switches of the network, if a method needs them.
    pub(crate) surveys: Vec<(Time, Snapshot)>,
    /// How many instances were drawn until one showed what the scenario is about.
    #[serde(default)]
    pub(crate) drawn: u64,
}

/// Seeds of instances that are drawn because one did not show its anomaly lie so far apart.
const NEXT_DRAW: u64 = 1_000_000;

impl Instance {
    /// An instance that shows what the scenario is about: the first of `seed`, `seed` + 1000000, ... whose run is as the
    /// scenario expects. What any method says of it plays no part. If none is, the first one is kept, with what it lacks.
    pub(crate) fn draw(
        plan: &Plan,
        pipeline: &Pipeline,
        name: &str,
        scenario: &Scenario,
        seed: u64,
    ) -> anyhow::Result<Instance> {
        let mut first = None;
        for number in 0..plan.draws.max(1) {
            let seed = seed.saturating_add(number.saturating_mul(NEXT_DRAW));
            let instance = Instance::obtain(plan, pipeline, name, scenario, seed)?;
            if instance.deviations.is_empty() {
                return Ok(Instance { drawn: number + 1, ..instance });
            }
            first.get_or_insert(Instance { drawn: plan.draws.max(1), ..instance });
        }
        first.context("no instance was drawn")
    }

    /// Runs the scenario, or takes up what an earlier evaluation left.
    fn obtain(
        plan: &Plan,
        pipeline: &Pipeline,
        name: &str,
        scenario: &Scenario,
        seed: u64,
    ) -> anyhow::Result<Instance> {
        let fingerprint = fingerprint(plan, scenario, seed);
        let file = plan.work.as_ref().map(|work| file(work, name, seed));
        if let Some(known) = file.as_ref().and_then(|file| Instance::read(file, &fingerprint)) {
            return Ok(known);
        }
        let instance = Instance::run(plan, pipeline, scenario, seed, fingerprint)
            .with_context(|| plan.repeats(name, seed))?;
        if let Some(file) = &file {
            write_all(&[(file, serde_json::to_vec(&instance)?)])?;
        }
        Ok(instance)
    }

    /// A kept run; none if it is not there, cannot be read or is of another version. It is then made again.
    fn read(file: &PathBuf, fingerprint: &str) -> Option<Instance> {
        let known: Instance = serde_json::from_slice(&fs::read(file).ok()?).ok()?;
        (known.fingerprint == fingerprint).then_some(known)
    }

    fn run(
        plan: &Plan,
        pipeline: &Pipeline,
        scenario: &Scenario,
        seed: u64,
        fingerprint: String,
    ) -> anyhow::Result<Instance> {
        let topology = scenario.instance(seed)?.topology.clone();
        let options = RunOptions { pipeline: pipeline.clone(), diagnose: true };
        let outcome = fabric::run_with_injection(scenario, seed, &options, &plan.trial)?;
        Ok(Instance {
            fingerprint,
            seed,
            topology,
            truth: outcome.ground_truth.unwrap_or_default(),
            deviations: outcome.deviations,
            snapshots: outcome.snapshot_times.into_iter().zip(outcome.snapshots).collect(),
            surveys: outcome.surveys,
            drawn: 1,
        })
    }
}

fn file(work: &std::path::Path, name: &str, seed: u64) -> PathBuf {
    let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    work.join(format!("{plain}-{seed}.json"))
}

/// The program and everything that the scenario says, in a form that changes with either.
fn fingerprint(plan: &Plan, scenario: &Scenario, seed: u64) -> String {
    let text = match &scenario.source {
        Some(source) => format!("{}{:?}", source.text, source.files),
        None => format!("{scenario:?}"),
    };
    let text = format!("{text}{:?}{}{}", plan.trial, plan.epoch_shift, plan.program);
    // FNV-1a: any change of the text changes it, and it is the same everywhere.
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{}-{hash:016x}-{seed}", env!("CARGO_PKG_VERSION"))
}
