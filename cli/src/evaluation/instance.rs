//! One run of a scenario: its telemetry and its ground truth.

use std::fs;
use std::hash::Hasher as _;
use std::path::PathBuf;

use anyhow::Context;
use eval::GroundTruth;
use fabric::RunOptions;
use fabric::pipeline::Pipeline;
use model::{HostReport, Snapshot, Time, Topology};
use scenario::Scenario;
use serde::{Deserialize, Serialize};

use super::counter_reading::{self, Counted};
use super::{Plan, Subject};
use crate::input::write_all;

/// A run that all methods diagnose.
#[derive(Serialize, Deserialize)]
pub(crate) struct Instance {
    /// Identifies scenario, seed, settings and program; a kept run with another fingerprint is discarded.
    fingerprint: String,
    pub(crate) seed: u64,
    pub(crate) topology: Topology,
    pub(crate) truth: Option<GroundTruth>,
    /// When the run ended.
    pub(crate) end: Time,
    /// Differences between the run and the scenario's expectation.
    pub(crate) deviations: Vec<String>,
    /// The snapshot of each event, with the time at which its collection was complete.
    pub(crate) snapshots: Vec<(Time, Snapshot)>,
    /// The reports of hosts for each of them.
    #[serde(default)]
    pub(crate) host_reports: Vec<Vec<HostReport>>,
    /// The same with the telemetry of all switches of the network, if a method needs it.
    pub(crate) surveys: Vec<(Time, Snapshot)>,
    /// What ordinary switches count in the run, for each way of reading that a method needs.
    #[serde(default)]
    pub(crate) counted: Vec<Counted>,
    /// Number of instances drawn until one showed the scenario's anomaly.
    #[serde(default)]
    pub(crate) drawn: u64,
}

/// Distance between the seeds of successive instances that are drawn for one run.
const NEXT_DRAW: u64 = 1_000_000;

impl Instance {
    /// Returns the instance of the subject's seed or, if the plan allows more than one draw and that run is unlike the
    /// scenario's expectation, the first of the seeds `seed` + 1000000, ... whose run is not. If none is, returns the
    /// first one.
    pub(crate) fn draw(plan: &Plan, pipeline: &Pipeline, subject: &Subject) -> anyhow::Result<Instance> {
        let mut first = None;
        for number in 0..plan.draws.max(1) {
            let seed = subject.seed.saturating_add(number.saturating_mul(NEXT_DRAW));
            let instance = Instance::obtain(plan, pipeline, &subject.name, &subject.scenario, seed)?;
            if instance.deviations.is_empty() {
                return Ok(Instance { drawn: number + 1, ..instance });
            }
            first.get_or_insert(Instance { drawn: plan.draws.max(1), ..instance });
        }
        first.context("no instance was drawn")
    }

    /// Loads the run from an earlier evaluation, or runs the scenario.
    fn obtain(
        plan: &Plan,
        pipeline: &Pipeline,
        name: &str,
        scenario: &Scenario,
        seed: u64,
    ) -> anyhow::Result<Instance> {
        let fingerprint = fingerprint(plan, scenario, seed);
        let work = plan.work.as_ref().filter(|_| !plan.keeps_judged_only);
        let file = work.map(|work| file(work, name, seed));
        if let Some(known) = file.as_ref().and_then(|file| Instance::read(file, &fingerprint)) {
            return Ok(known);
        }
        let instance = Instance::run(plan, pipeline, scenario, seed, fingerprint)
            .with_context(|| plan.repeat_command(name, seed))?;
        if let Some(file) = &file {
            write_all(&[(file, serde_json::to_vec(&instance)?)])?;
        }
        Ok(instance)
    }

    /// Reads a kept run. Returns `None`, so that the scenario is run again, if the file is missing or damaged or has
    /// another fingerprint.
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
        let drawn = scenario.instance(seed)?.into_owned();
        let options = RunOptions { pipeline: pipeline.clone(), diagnose: true };
        let outcome = fabric::run_with_injection(scenario, seed, &options, &plan.trial)?;
        let (truth, deviations) = eval::truth::establish(&drawn, &outcome);
        let counted = counter_reading::read(plan, scenario, seed, &options, &drawn.topology)?;
        Ok(Instance {
            fingerprint,
            seed,
            topology: drawn.topology,
            truth,
            end: outcome.end,
            deviations,
            snapshots: outcome.snapshot_times.into_iter().zip(outcome.snapshots).collect(),
            host_reports: outcome.host_reports,
            surveys: outcome.surveys,
            counted,
            drawn: 1,
        })
    }
}

pub(super) fn file(work: &std::path::Path, name: &str, seed: u64) -> PathBuf {
    let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    work.join(format!("{plain}-{seed}.json"))
}

/// Returns a text that changes with the program, the settings of the evaluation, the scenario and the seed.
pub(super) fn fingerprint(plan: &Plan, scenario: &Scenario, seed: u64) -> String {
    let text = match &scenario.source {
        Some(source) => format!("{}{:?}", source.text, source.files),
        None => format!("{scenario:?}"),
    };
    let sources = counter_reading::sources(plan);
    let epochs = (plan.epoch_shift, plan.epoch_ring_bits);
    let text = format!("{text}{:?}{epochs:?}{}{sources:?}", plan.trial, plan.program);
    format!("{}-{:016x}-{seed}", env!("CARGO_PKG_VERSION"), hash(&text))
}

/// FNV-1a, which gives the same value on every platform and in every version.
pub(super) fn hash(text: &str) -> u64 {
    let mut hasher = fnv::FnvHasher::default();
    hasher.write(text.as_bytes());
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Test vectors of the FNV reference distribution: kept runs stay valid.
    #[test]
    fn fingerprints_use_fnv_1a() {
        assert_eq!(
            ["", "a", "foobar"].map(hash),
            [0xcbf2_9ce4_8422_2325, 0xaf63_dc4c_8601_ec8c, 0x8594_4171_f739_67e8]
        );
    }

    #[test]
    fn file_names_of_kept_runs_contain_name_and_seed() {
        let name = file(std::path::Path::new("work"), "paper-storm@30", 7);
        assert_eq!(name, PathBuf::from("work/paper-storm-30-7.json"));
    }
}
