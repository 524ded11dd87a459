//! Counterfactual runs: a verdict is verified by repeating the run without its root cause. If the verdict is right,
//! most of the excess of the victim's RTT over the base RTT disappears, and so do the pauses and queues on its path.
//!
//! Both runs, with and without the root cause, have no agents and no polling packets, so that they differ in the root
//! cause only. A verdict is refuted if the victim stays slow. It is also refuted if the victim recovers but the ports
//! of the pause path stay paused, or the queue at the root port remains: the removed flow was then only a spreader.
//!
//! What a verdict claims about the unchanged run is tested as well: a deadlock needs a joint standstill of its loop
//! (`standstill`), contention a queue at the root port.
//!
//! Configuration findings are first corrected alone. If that is sufficient, no flows or hosts are removed; otherwise
//! the correction must at least help.
//!
//! Two causes can delay one packet, and the victim recovers without both only. Refuted verdicts about one victim and
//! time are repeated together; one is verified if the victim recovers without all root causes, and not without the
//! others alone.

mod confidence;
mod intervention;
mod measurement;
mod queues;
mod standstill;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use model::{Anomaly, CorrectedSettings, Diagnosis, FlowKey, Time, Verification};
use scenario::Scenario;

pub use intervention::Intervention;

use crate::fabric::BuildError;
use crate::pipeline::Pipeline;
use crate::record::{FlowRecord, PauseRecord};
use crate::run::{RunError, run_traffic_watched};
use crate::stopwatch::{Stopwatch, Traces};
use measurement::{Measurement, Scope};
use queues::Queues;

/// Samples of the queue at the root port in the window of a verdict.
const SAMPLES: u64 = 32;

/// Repeats the run without the root cause of each verdict and adds the result to it, which also changes its confidence.
/// A verdict without a root cause that can be removed is not verified; the reason is added to its `missing`.
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
    for diagnosis in diagnoses.iter_mut() {
        match reruns.verify(diagnosis)? {
            Ok((verified, verification)) => {
                diagnosis.verified = Some(verified);
                diagnosis.verification = Some(verification);
            }
            Err(reason) => diagnosis.missing.push(format!("it was not verified: {reason}")),
        }
    }
    for at in 0..diagnoses.len() {
        let others = others_of_one_delay(diagnoses, at);
        if diagnoses[at].verified == Some(false)
            && !others.is_empty()
            && let Some(verification) = reruns.verify_together(&diagnoses[at], &others)?
        {
            diagnoses[at].verified = Some(true);
            diagnoses[at].verification = Some(verification);
        }
    }
    for diagnosis in diagnoses {
        if let Some(verified) = diagnosis.verified {
            diagnosis.confidence = confidence::after(diagnosis.confidence, verified);
        }
    }
    Ok(())
}

/// The other verdicts about the victim of a verdict at that time.
fn others_of_one_delay(diagnoses: &[Diagnosis], at: usize) -> Vec<Diagnosis> {
    let (victim, (from, to)) = (diagnoses[at].victim, Scope::new(&diagnoses[at]).window);
    let is_other = |(other, diagnosis): &(usize, &Diagnosis)| {
        let window = Scope::new(diagnosis).window;
        *other != at && diagnosis.victim == victim && window.0 <= to && from <= window.1
    };
    diagnoses.iter().enumerate().filter(is_other).map(|(_, diagnosis)| diagnosis.clone()).collect()
}

/// A repeated run, with its measurements.
struct Rerun {
    without: Vec<String>,
    traces: Traces,
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
            victims: Arc::new(diagnoses.iter().filter_map(|diagnosis| diagnosis.victim).collect()),
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
            traces,
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
        let unmet = match self.unmet_claim(diagnosis, &scope)? {
            Some(unmet) => Some(unmet),
            None => self.delayed_by_others(diagnosis, &scope, &before)?,
        };
        if intervention.config.is_empty() {
            let after = Measurement::of(self.rerun(&intervention)?, &scope);
            let (recovers, mut verification) = after.compare(&before, &scope);
            if let Some(unmet) = &unmet {
                verification.shown = format!("{unmet}; {}", verification.shown);
            }
            return Ok(Ok((recovers && unmet.is_none(), verification)));
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
        verification.corrected = Some(CorrectedSettings {
            rtt_ns: config_result.1.rtt_after_ns,
            paused_ns: config_result.1.paused_after_ns,
            helps,
        });
        verification.shown.push_str(if helps {
            "; correcting the configuration alone already helps"
        } else {
            "; correcting the configuration alone changes nothing"
        });
        Ok(Ok((recovers && helps, verification)))
    }

    /// What the verdict claims about the unchanged run and that run does not show: a joint standstill of the loop, or a
    /// queue at the root port.
    fn unmet_claim(&mut self, diagnosis: &Diagnosis, scope: &Scope) -> Result<Option<String>, RunError> {
        let topology = &self.scenario.topology;
        let run = self.rerun(&Intervention::default())?;
        let unmet = match (diagnosis.anomaly, &diagnosis.root_cause.port) {
            (
                Anomaly::DeadlockInLoopContention
                | Anomaly::DeadlockOutOfLoopContention
                | Anomaly::DeadlockOutOfLoopInjection,
                _,
            ) => {
                let least = standstill::least(topology, &diagnosis.pause_loop);
                let longest = standstill::longest(&run.pauses, &diagnosis.pause_loop, scope.window, run.end);
                (longest < least).then(|| {
                    format!("no deadlock: the ports of the loop were jointly paused for at most {longest}")
                })
            }
            (Anomaly::FlowContention | Anomaly::ClassContention | Anomaly::SelfInflicted, Some(root)) => {
                (!run.queues.any(root, scope.window))
                    .then(|| format!("there is no queue at {root} at that time"))
            }
            _ => None,
        };
        Ok(unmet)
    }

    /// What shows that a queue that a verdict calls the victim's own is that of others: the victim recovers if it is alone. With
    /// one packet under way it recovers from any queue, so that this alone proves nothing.
    fn delayed_by_others(
        &mut self,
        diagnosis: &Diagnosis,
        scope: &Scope,
        before: &Measurement,
    ) -> Result<Option<String>, RunError> {
        let Some(victim) = diagnosis.victim.filter(|_| diagnosis.anomaly == Anomaly::SelfInflicted) else {
            return Ok(None);
        };
        let all = self.rerun(&Intervention::default())?.flows.iter().map(|record| record.flow);
        let others =
            Intervention { flows: all.filter(|flow| *flow != victim).collect(), ..Intervention::default() };
        if others.is_empty() {
            return Ok(None);
        }
        let alone = Measurement::of(self.rerun(&others)?, scope);
        Ok(alone.recovers(before).then(|| "without all other flows the victim is not slow".to_string()))
    }

    /// The result of the run without the root causes of a refuted verdict and of others about the same delay: only if
    /// the victim recovers, and does not recover without those of the others alone.
    fn verify_together(
        &mut self,
        diagnosis: &Diagnosis,
        others: &[Diagnosis],
    ) -> Result<Option<Verification>, RunError> {
        let scope = Scope::new(diagnosis);
        if self.unmet_claim(diagnosis, &scope)?.is_some() {
            return Ok(None);
        }
        let of_others = others
            .iter()
            .fold(Intervention::default(), |sum, other| sum.union(&Intervention::of(other, self.scenario)));
        let own = Intervention::of(diagnosis, self.scenario);
        let both = own.union(&of_others);
        if own.is_empty() || of_others.is_empty() || both == own || both == of_others {
            return Ok(None);
        }
        let threshold = self.scenario.agents.threshold_percent;
        let Ok(before) = Measurement::slow(self.rerun(&Intervention::default())?, &scope, threshold) else {
            return Ok(None);
        };
        let without_others = Measurement::of(self.rerun(&of_others)?, &scope);
        let without_both = Measurement::of(self.rerun(&both)?, &scope);
        let (recovers, mut verification) = without_both.compare(&before, &scope);
        if !recovers || without_others.recovers(&before) {
            return Ok(None);
        }
        verification
            .shown
            .push_str("; it recovers only without the root causes of all verdicts about this delay");
        Ok(Some(verification))
    }
}
