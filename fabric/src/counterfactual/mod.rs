//! The counterfactual check of a verdict: the same run without what the verdict blames. If the blame is right, the
//! victim's packets take their usual time in it, and what held them up is gone.
//!
//! Both runs, with and without the culprit, are made without agents and polling packets: only the culprit differs. A
//! verdict is refuted where the victim stays slow. It is also refuted where the victim recovers and the ports that
//! paused it stay paused, or the queue at the named root stays: then somebody was taken away who only carried the pause.
//!
//! A configuration that is blamed is put right by itself first. Where that is enough, nobody else has to go; where it is
//! not, it must at least help.

mod queues;
mod remedy;
mod sight;
mod stopwatch;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use model::{Diagnosis, FlowKey, Time, Verification};
use scenario::Scenario;

pub use remedy::Remedy;

use crate::fabric::BuildError;
use crate::pipeline::Pipeline;
use crate::record::{FlowRecord, PauseRecord};
use crate::run::{RunError, run_traffic};
use queues::Queues;
use sight::{Question, Sight};
use stopwatch::{Stopwatch, Trace, Traces};

/// Looks at the root's queue in the time of a trouble.
const LOOKS: u64 = 32;

/// Replays the run without the culprit of each verdict, and says in each what came of it. A verdict that names nothing
/// that could be taken away stays as it is, and says so under `missing`.
///
/// # Errors
/// As [`crate::run`].
pub fn verify(
    scenario: &Scenario,
    seed: u64,
    pipeline: &Pipeline,
    diagnoses: &mut [Diagnosis],
) -> Result<(), RunError> {
    let mut bench = Bench::new(scenario, seed, pipeline, diagnoses);
    for diagnosis in diagnoses {
        match bench.verify(diagnosis)? {
            Ok((verified, verification)) => {
                diagnosis.verified = Some(verified);
                diagnosis.verification = Some(verification);
            }
            Err(reason) => diagnosis.missing.push(format!("it was not verified: {reason}")),
        }
    }
    Ok(())
}

/// A run, with what is asked of it.
struct Replay {
    without: Vec<String>,
    traces: BTreeMap<FlowKey, Trace>,
    queues: Queues,
    flows: Vec<FlowRecord>,
    pauses: Vec<PauseRecord>,
    dropped_packets: u64,
    end: Time,
}

/// Runs of one scenario and seed; equal remedies are tried once.
struct Bench<'b> {
    scenario: &'b Scenario,
    seed: u64,
    pipeline: &'b Pipeline,
    victims: Arc<BTreeSet<FlowKey>>,
    /// Of every run, so that verdicts may share it.
    queues: Queues,
    replays: BTreeMap<Remedy, Replay>,
}

impl<'b> Bench<'b> {
    fn new(scenario: &'b Scenario, seed: u64, pipeline: &'b Pipeline, diagnoses: &[Diagnosis]) -> Bench<'b> {
        let times = diagnoses.iter().flat_map(|diagnosis| {
            let (from, to) = Question::new(diagnosis).window;
            (0..LOOKS).map(move |look| Time(from.0 + (to - from).0 / LOOKS * look))
        });
        Bench {
            scenario,
            seed,
            pipeline,
            victims: Arc::new(diagnoses.iter().map(|diagnosis| diagnosis.victim).collect()),
            queues: Queues::new(
                diagnoses.iter().filter_map(|d| d.root_cause.port.clone()).collect(),
                times.collect(),
            ),
            replays: BTreeMap::new(),
        }
    }

    fn replay(&mut self, remedy: &Remedy) -> Result<&Replay, RunError> {
        if !self.replays.contains_key(remedy) {
            let replay = self.run(remedy)?;
            self.replays.insert(remedy.clone(), replay);
        }
        Ok(&self.replays[remedy])
    }

    fn run(&self, remedy: &Remedy) -> Result<Replay, RunError> {
        let before = self.replays.get(&Remedy::default()).map_or(&[][..], |run| &run.flows);
        let (scenario, without) = remedy.apply(self.scenario, self.seed, before).map_err(BuildError::from)?;
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
        let fabric = run_traffic(&scenario, self.seed, self.pipeline, set_up, &mut queues)?;
        Ok(Replay {
            without,
            traces: traces.take(),
            queues,
            flows: fabric.flows(),
            pauses: fabric.pauses().to_vec(),
            dropped_packets: fabric.counters().dropped_packets,
            end: fabric.now(),
        })
    }

    /// What the replay shows, or why there is none.
    fn verify(&mut self, diagnosis: &Diagnosis) -> Result<Result<(bool, Verification), String>, RunError> {
        let remedy = Remedy::of(diagnosis, self.scenario);
        if remedy.is_empty() {
            return Ok(Err("it names nothing that could be taken out of the run".to_string()));
        }
        let question = Question::new(diagnosis);
        let threshold = self.scenario.agents.threshold_percent;
        let before = match Sight::slow(self.replay(&Remedy::default())?, &question, threshold) {
            Ok(sight) => sight,
            Err(reason) => return Ok(Err(reason)),
        };
        if remedy.config.is_empty() {
            let after = Sight::of(self.replay(&remedy)?, &question);
            return Ok(Ok(after.beside(&before, &question)));
        }
        let question = question.without_root();
        let alone = Sight::of(self.replay(&remedy.config_only())?, &question);
        let by_itself = alone.beside(&before, &question);
        if by_itself.0 || remedy == remedy.config_only() {
            return Ok(Ok(by_itself));
        }
        let after = Sight::of(self.replay(&remedy)?, &question);
        let (recovers, mut verification) = after.beside(&before, &question);
        let helps = alone.helps(&before);
        verification.shown.push_str(if helps {
            "; the configuration alone, put right, already helps"
        } else {
            "; the configuration alone, put right, changes nothing"
        });
        Ok(Ok((recovers && helps, verification)))
    }
}
