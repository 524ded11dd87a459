//! Counterfactual runs: a verdict is verified by repeating the run without its root cause. If the verdict is right,
//! most of the excess of the victim's RTT over the base RTT disappears, and so do the pauses and queues on its path.
//!
//! Both runs, with and without the root cause, have no agents and no polling packets, so that they differ in the root
//! cause only. A verdict is refuted if the victim stays slow. It is also refuted if the victim recovers but the ports
//! of the pause path stay paused, or the queue at the root port remains: the removed flow was then only a spreader.
//!
//! Configuration findings are first corrected alone. If that is sufficient, no flows or hosts are removed; otherwise
//! the correction must at least help.

mod intervention;
mod measurement;
mod queues;
mod stopwatch;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use model::{Diagnosis, FlowKey, Time, Verification};
use scenario::Scenario;

pub use intervention::Intervention;

use crate::fabric::BuildError;
use crate::pipeline::Pipeline;
use crate::record::{FlowRecord, PauseRecord};
use crate::run::{RunError, run_traffic_watched};
use measurement::{Measurement, Scope};
use queues::Queues;
use stopwatch::{Stopwatch, Trace, Traces};

/// Samples of the queue at the root port in the window of a verdict.
const SAMPLES: u64 = 32;

/// Repeats the run without the root cause of each verdict and adds the result to it. A verdict without a root cause
/// that can be removed is not verified; the reason is added to its `missing`.
///
/// # Errors
/// As [`crate::run`].
pub fn verify(
    scenario: &Scenario,
    seed: u64,
    pipeline: &Pipeline,
    diagnoses: &mut [Diagnosis],
) -> Result<(), RunError> {
    let mut reruns = Reruns::new(scenario, seed, pipeline, diagnoses);
    for diagnosis in diagnoses {
        match reruns.verify(diagnosis)? {
            Ok((verified, verification)) => {
                diagnosis.verified = Some(verified);
                diagnosis.verification = Some(verification);
            }
            Err(reason) => diagnosis.missing.push(format!("it was not verified: {reason}")),
        }
    }
    Ok(())
}

/// A repeated run, with its measurements.
struct Rerun {
    without: Vec<String>,
    traces: BTreeMap<FlowKey, Trace>,
    queues: Queues,
    flows: Vec<FlowRecord>,
    pauses: Vec<PauseRecord>,
    dropped_packets: u64,
    end: Time,
}

/// The repeated runs of one scenario and seed, one for each intervention.
struct Reruns<'b> {
    scenario: &'b Scenario,
    seed: u64,
    pipeline: &'b Pipeline,
    victims: Arc<BTreeSet<FlowKey>>,
    /// The queues to sample in every run, so that verdicts may share a run.
    queues: Queues,
    reruns: BTreeMap<Intervention, Rerun>,
}

impl<'b> Reruns<'b> {
    fn new(scenario: &'b Scenario, seed: u64, pipeline: &'b Pipeline, diagnoses: &[Diagnosis]) -> Reruns<'b> {
        let times = diagnoses.iter().flat_map(|diagnosis| {
            let (from, to) = Scope::new(diagnosis).window;
            (0..SAMPLES).map(move |look| Time(from.0 + (to - from).0 / SAMPLES * look))
        });
        Reruns {
            scenario,
            seed,
            pipeline,
            victims: Arc::new(diagnoses.iter().map(|diagnosis| diagnosis.victim).collect()),
            queues: Queues::new(
                diagnoses.iter().filter_map(|d| d.root_cause.port.clone()).collect(),
                times.collect(),
            ),
            reruns: BTreeMap::new(),
        }
    }

    fn rerun(&mut self, intervention: &Intervention) -> Result<&Rerun, RunError> {
        if !self.reruns.contains_key(intervention) {
            let rerun = self.run(intervention)?;
            self.reruns.insert(intervention.clone(), rerun);
        }
        Ok(&self.reruns[intervention])
    }

    fn run(&self, intervention: &Intervention) -> Result<Rerun, RunError> {
        let before = self.reruns.get(&Intervention::default()).map_or(&[][..], |run| &run.flows);
        let (scenario, without) =
            intervention.apply(self.scenario, self.seed, before).map_err(BuildError::from)?;
        let traces = Traces::default();
        let senders: BTreeSet<&str> = self
            .victims
            .iter()
            .filter_map(|victim| Some(scenario.topology.host_of(victim.src)?.name.as_str()))
            .collect();
        let mut queues = self.queues.clone();
        let set_up = |fabric: &mut crate::Fabric| {
            for sender in &senders {
                let stopwatch = Stopwatch::new(self.victims.clone(), traces.clone());
                fabric.set_agent(sender, Box::new(stopwatch));
            }
        };
        let fabric = run_traffic_watched(&scenario, self.seed, self.pipeline, set_up, &mut queues)?;
        Ok(Rerun {
            without,
            traces: traces.take(),
            queues,
            flows: fabric.flows(),
            pauses: fabric.pauses().to_vec(),
            dropped_packets: fabric.counters().dropped_packets,
            end: fabric.now(),
        })
    }

    /// The result of the counterfactual run, or why there is none.
    fn verify(&mut self, diagnosis: &Diagnosis) -> Result<Result<(bool, Verification), String>, RunError> {
        let intervention = Intervention::of(diagnosis, self.scenario);
        if intervention.is_empty() {
            return Ok(Err("it names no root cause that can be removed from the run".to_string()));
        }
        let scope = Scope::new(diagnosis);
        let threshold = self.scenario.agents.threshold_percent;
        let before = match Measurement::slow(self.rerun(&Intervention::default())?, &scope, threshold) {
            Ok(measurement) => measurement,
            Err(reason) => return Ok(Err(reason)),
        };
        if intervention.config.is_empty() {
            let after = Measurement::of(self.rerun(&intervention)?, &scope);
            return Ok(Ok(after.compare(&before, &scope)));
        }
        let scope = scope.without_root();
        let alone = Measurement::of(self.rerun(&intervention.config_only())?, &scope);
        let config_result = alone.compare(&before, &scope);
        if config_result.0 || intervention == intervention.config_only() {
            return Ok(Ok(config_result));
        }
        let after = Measurement::of(self.rerun(&intervention)?, &scope);
        let (recovers, mut verification) = after.compare(&before, &scope);
        let helps = alone.helps(&before);
        verification.shown.push_str(if helps {
            "; correcting the configuration alone already helps"
        } else {
            "; correcting the configuration alone changes nothing"
        });
        Ok(Ok((recovers && helps, verification)))
    }
}
