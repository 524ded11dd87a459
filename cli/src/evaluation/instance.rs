//! One run of one scenario: what it brought in and what really happened.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use fabric::pipeline::Pipeline;
use fabric::{RunOptions, Scenario};
use model::{GroundTruth, Snapshot, Time, Topology};
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
}

impl Instance {
    /// Runs the scenario, or takes up what an earlier evaluation left.
    pub(crate) fn obtain(
        plan: &Plan,
        pipeline: &Pipeline,
        name: &str,
        scenario: &Scenario,
        seed: u64,
    ) -> anyhow::Result<Instance> {
        let fingerprint = fingerprint(scenario, seed);
        let file = plan.work.as_ref().map(|work| file(work, name, seed));
        if let Some(known) = file.as_ref().and_then(|file| Instance::read(file, &fingerprint)) {
            return Ok(known);
        }
        let instance = Instance::run(pipeline, scenario, seed, fingerprint)
            .with_context(|| format!("harrier run {name} --seed {seed}"))?;
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
        pipeline: &Pipeline,
        scenario: &Scenario,
        seed: u64,
        fingerprint: String,
    ) -> anyhow::Result<Instance> {
        let topology = scenario.instance(seed)?.topology.clone();
        let options = RunOptions { pipeline: pipeline.clone(), diagnose: true };
        let outcome = fabric::run(scenario, seed, &options)?;
        Ok(Instance {
            fingerprint,
            seed,
            topology,
            truth: outcome.ground_truth.unwrap_or_default(),
            deviations: outcome.deviations,
            snapshots: outcome.snapshot_times.into_iter().zip(outcome.snapshots).collect(),
        })
    }
}

fn file(work: &std::path::Path, name: &str, seed: u64) -> PathBuf {
    let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    work.join(format!("{plain}-{seed}.json"))
}

/// Version of the program and everything that the scenario says, in a form that changes with either.
fn fingerprint(scenario: &Scenario, seed: u64) -> String {
    let text = match &scenario.source {
        Some(source) => format!("{}{:?}", source.text, source.files),
        None => format!("{scenario:?}"),
    };
    // FNV-1a: any change of the text changes it, and it is the same everywhere.
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{}-{hash:016x}-{seed}", env!("CARGO_PKG_VERSION"))
}
