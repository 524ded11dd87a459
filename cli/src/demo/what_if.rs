//! What if the root cause of a verdict were not there: repeats a round of the demo without it.
//!
//! A round is repeated as `harrier run --verify` repeats a run: from its start, with its seed and the hash functions of
//! the demo's switches, without agents and polling packets.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fabric::{Pipeline, counterfactual};
use model::{Diagnosis, Time, Verification};
use scenario::Scenario;
use tokio::sync::Semaphore;
use web::{WhatIf, WhatIfBackend, WhatIfBusy, WhatIfFuture};

use super::timeline::move_back;

/// Maximum rounds that can be repeated; those before are forgotten.
const ROUNDS: usize = 4096;
/// Maximum answers that are kept, so that a page that is loaded again does not repeat a run.
const ANSWERS: usize = 256;
/// Maximum requests that wait for a run: they are served one after the other, because a run takes one processor.
const WAITING: usize = 8;

/// A round that has begun.
#[derive(Clone)]
pub(super) struct PlayedRound {
    /// When it started on the clock of the network.
    pub(super) start: Time,
    /// The scenario, with times from its start.
    pub(super) scenario: Arc<Scenario>,
    /// The seed of its jitter.
    pub(super) seed: u64,
    /// The seed of the hash functions.
    pub(super) plan_seed: u64,
}

/// The latest rounds; clones share them.
#[derive(Clone, Default)]
pub(super) struct PlayedRounds(Arc<Mutex<VecDeque<PlayedRound>>>);

impl PlayedRounds {
    /// A round begins.
    pub(super) fn begin(&self, round: PlayedRound) {
        let mut rounds = lock(&self.0);
        rounds.push_back(round);
        if rounds.len() > ROUNDS {
            rounds.pop_front();
        }
    }

    /// Returns the round of a time.
    fn at(&self, time: Time) -> Option<PlayedRound> {
        lock(&self.0).iter().rev().find(|round| round.start <= time).cloned()
    }
}

/// Repeats rounds without root causes.
pub(super) struct WhatIfs {
    rounds: PlayedRounds,
    pipeline: Arc<Pipeline>,
    /// The latest answers by the id of their diagnosis.
    answers: Arc<Mutex<VecDeque<(String, WhatIf)>>>,
    one_run: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
}

impl WhatIfs {
    /// Creates a backend for the rounds of a demo.
    ///
    /// # Errors
    /// The switch program does not compile.
    pub(super) fn new(rounds: PlayedRounds) -> anyhow::Result<Arc<WhatIfs>> {
        Ok(Arc::new(WhatIfs {
            rounds,
            pipeline: Arc::new(Pipeline::hawkeye(&[])?),
            answers: Arc::default(),
            one_run: Arc::new(Semaphore::new(1)),
            waiting: Arc::new(Semaphore::new(WAITING)),
        }))
    }

    fn known(&self, id: &str) -> Option<WhatIf> {
        lock(&self.answers).iter().find(|(of, _)| of == id).map(|(_, answer)| answer.clone())
    }
}

impl WhatIfBackend for WhatIfs {
    fn repeat(&self, diagnosis: Diagnosis, others: Vec<Diagnosis>) -> WhatIfFuture<'_> {
        Box::pin(async move {
            let busy = WhatIfBusy { retry_after_s: 2 };
            if let Some(answer) = self.known(&diagnosis.id) {
                return Ok(answer);
            }
            let place = self.waiting.clone().try_acquire_owned().map_err(|_| busy)?;
            let turn = self.one_run.clone().acquire_owned().await.map_err(|_| busy)?;
            // Another client may have asked for the same run meanwhile.
            if let Some(answer) = self.known(&diagnosis.id) {
                return Ok(answer);
            }
            let round = self.rounds.at(Time::from_ns(diagnosis.time_ns));
            let (pipeline, answers) = (self.pipeline.clone(), self.answers.clone());
            let run = tokio::task::spawn_blocking(move || {
                // Held until the run ends, even if its client has gone.
                let _held = (place, turn);
                let id = diagnosis.id.clone();
                let answer = repeat(round, &pipeline, diagnosis, others);
                let mut answers = lock(&answers);
                answers.push_back((id, answer.clone()));
                if answers.len() > ANSWERS {
                    answers.pop_front();
                }
                answer
            });
            let stopped = |_| WhatIf::NotRepeated { reason: "the run was aborted".to_string() };
            Ok(run.await.unwrap_or_else(stopped))
        })
    }
}

/// Repeats the round of a diagnosis without its root cause, and without those of the others about the same delay if the
/// victim stays slow.
fn repeat(
    round: Option<PlayedRound>,
    pipeline: &Pipeline,
    diagnosis: Diagnosis,
    others: Vec<Diagnosis>,
) -> WhatIf {
    let Some(PlayedRound { start, scenario, seed, plan_seed }) = round else {
        let reason = "the round of this diagnosis is over for too long".to_string();
        return WhatIf::NotRepeated { reason };
    };
    let mut scenario = (*scenario).clone();
    let hash_seed = scenario.plan_settings(plan_seed, Time::ZERO).ecmp_seed;
    scenario.routing.ecmp_seed = Some(hash_seed);
    let known = diagnosis.missing.len();
    let mut verdicts: Vec<Diagnosis> = std::iter::once(diagnosis).chain(others).collect();
    verdicts.iter_mut().for_each(|verdict| move_back(verdict, start.as_ns()));
    if let Err(error) = counterfactual::verify(&scenario, seed, pipeline, &mut verdicts) {
        return WhatIf::NotRepeated { reason: error.to_string() };
    }
    let diagnosis = verdicts.swap_remove(0);
    match (diagnosis.verified, diagnosis.verification) {
        (Some(verified), Some(verification)) => {
            WhatIf::Repeated { verified, verification: moved_on(verification, start.as_ns()) }
        }
        _ => {
            let reason = diagnosis.missing.into_iter().nth(known).unwrap_or_default();
            WhatIf::NotRepeated { reason }
        }
    }
}

/// The comparison with times of the network's clock.
fn moved_on(verification: Verification, start_ns: u64) -> Verification {
    let on = |ns: u64| ns.saturating_add(start_ns);
    Verification {
        window_ns: (on(verification.window_ns.0), on(verification.window_ns.1)),
        finish_before_ns: verification.finish_before_ns.map(on),
        finish_after_ns: verification.finish_after_ns.map(on),
        ..verification
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // No critical section can panic half-way, so a poisoned lock still guards consistent data.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::super::timeline::move_on;
    use super::*;

    /// A round of a built-in scenario that starts at `start`, with its verdicts.
    fn play(name: &str, start: Time, seed: u64) -> (PlayedRounds, Pipeline, Vec<Diagnosis>) {
        let scenario = scenario::builtin(name).expect("a built-in scenario");
        let pipeline = Pipeline::hawkeye(&[]).expect("the switch program compiles");
        let options = fabric::RunOptions { pipeline: pipeline.clone(), diagnose: true };
        let outcome = fabric::run(&scenario, seed, &options).expect("the scenario runs");
        let index = analyzer::TopologyIndex::new(&scenario.topology);
        let settings = analyzer::Settings::default();
        let verdicts =
            outcome.snapshots.iter().flat_map(|one| analyzer::analyze_indexed(one, &index, &settings));
        let mut verdicts: Vec<Diagnosis> = verdicts.map(|analysis| analysis.diagnosis).collect();
        verdicts.iter_mut().for_each(|verdict| move_on(verdict, start.as_ns()));
        let rounds = PlayedRounds::default();
        rounds.begin(PlayedRound { start, scenario: Arc::new(scenario), seed, plan_seed: seed });
        (rounds, pipeline, verdicts)
    }

    #[test]
    fn without_the_culprits_of_a_later_round_the_victim_recovers() {
        let start = Time::from_ms(40);
        let (rounds, pipeline, verdicts) = play("poster-fig1", start, 1);
        let first = verdicts.into_iter().next().expect("a verdict");
        let answer = repeat(rounds.at(Time::from_ns(first.time_ns)), &pipeline, first, Vec::new());
        let WhatIf::Repeated { verified, verification } = answer else { panic!("the round is not repeated") };
        assert!(verified);
        assert!(verification.window_ns.0 >= start.as_ns());
        assert!(verification.rtt_after_ns.is_some_and(|after| after < verification.rtt_before_ns));
    }

    #[test]
    fn a_victim_of_two_causes_recovers_without_both_only() {
        let (rounds, pipeline, verdicts) = play("two-causes", Time::from_ms(40), 1);
        let of_one_delay = verdicts.chunk_by(|a, b| (a.victim, a.time_ns) == (b.victim, b.time_ns));
        let of_one_delay = of_one_delay.into_iter().find(|chunk| chunk.len() > 1).expect("two root causes");
        let [first, others @ ..] = of_one_delay else { panic!("two root causes") };
        let is_verified = |others: &[Diagnosis]| {
            let round = rounds.at(Time::from_ns(first.time_ns));
            let answer = repeat(round, &pipeline, first.clone(), others.to_vec());
            matches!(answer, WhatIf::Repeated { verified: true, .. })
        };
        assert!(!is_verified(&[]));
        assert!(is_verified(others));
    }

    #[test]
    fn a_round_that_is_forgotten_is_not_repeated() {
        let pipeline = Pipeline::hawkeye(&[]).expect("the switch program compiles");
        let victim: model::FlowKey = "10.0.0.1:1>10.0.0.2:4791/udp".parse().expect("a flow");
        let answer = repeat(None, &pipeline, Diagnosis::undetermined(victim), Vec::new());
        assert!(matches!(answer, WhatIf::NotRepeated { .. }));
    }
}
