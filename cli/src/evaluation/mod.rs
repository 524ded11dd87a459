//! Runs scenarios repeatedly on all cores and lets each method diagnose them. The crate `eval` judges the diagnoses;
//! this module contains the methods, the threads, the files and the progress bar.

mod contestant;
mod counter_reading;
pub(crate) mod csv;
pub(crate) mod generated;
mod instance;
mod judged;
pub(crate) mod live;
mod mixed;
mod observe;
pub(crate) mod plot;
pub(crate) mod variation;
pub(crate) mod verdict_lines;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use eval::judge::{Budget, Disturbance};
use eval::table::Observation;
use fabric::FaultInjection;
use fabric::pipeline::Pipeline;
use indicatif::{ProgressBar, ProgressStyle};
use scenario::Scenario;
use serde::{Deserialize, Serialize};

pub(crate) use contestant::Contestant;
pub(crate) use instance::Instance;
use observe::observe;
use verdict_lines::VerdictLine;

/// A run to evaluate.
#[derive(Clone)]
pub(crate) struct Subject {
    /// The name of its row.
    pub(crate) row: String,
    /// The scenario's name as an argument of `harrier run`.
    pub(crate) name: String,
    /// The scenario.
    pub(crate) scenario: Arc<Scenario>,
    /// The seed.
    pub(crate) seed: u64,
    /// What was put into it; absent: what its expectation states.
    pub(crate) disturbances: Option<Vec<Disturbance>>,
}

/// The runs and settings of an evaluation.
#[derive(Clone)]
pub(crate) struct Plan {
    /// The runs.
    pub(crate) subjects: Vec<Subject>,
    /// The methods.
    pub(crate) methods: Vec<Contestant>,
    /// Number of threads.
    pub(crate) jobs: usize,
    /// Directory of finished runs, from which an interrupted evaluation continues.
    pub(crate) work: Option<PathBuf>,
    /// Injected losses and settings of the collection.
    pub(crate) trial: FaultInjection,
    /// Maximum number of instances to draw for a run until one shows the scenario's anomaly.
    pub(crate) draws: u64,
    /// How many repeated runs the verdicts of one run and method may need.
    pub(crate) budget: Budget,
    /// Whether the flows ahead are judged as well, by the packet log.
    pub(crate) packets_ahead: bool,
    /// Whether the work directory keeps judged runs without their snapshots.
    pub(crate) keeps_judged_only: bool,
    /// Length of a telemetry epoch as a power of two of nanoseconds.
    pub(crate) epoch_shift: u32,
    /// Number of epochs that a switch keeps, as a power of two.
    pub(crate) epoch_ring_bits: u32,
    /// Number of rounds of the demo that are compared with each run; absent: none.
    pub(crate) live: Option<usize>,
    /// Rules of the analyzer that no method applies.
    pub(crate) without: BTreeSet<String>,
    /// Factors on thresholds of the analyzer, for all methods.
    pub(crate) scale: BTreeMap<String, f64>,
    /// Identifies the executable; kept runs of another one are run again.
    pub(crate) program: String,
}

/// The epoch length of `harrier run`, as a power of two of nanoseconds.
pub(crate) const DEFAULT_EPOCH_SHIFT: u32 = 17;
/// The number of epochs that a switch of `harrier run` keeps, as a power of two.
pub(crate) const DEFAULT_EPOCH_RING_BITS: u32 = 5;

impl Plan {
    /// Compiles the switch program with the epochs of this plan.
    pub(crate) fn pipeline(&self) -> anyhow::Result<Pipeline> {
        Ok(Pipeline::hawkeye(&[
            ("EPOCH_SHIFT", self.epoch_shift),
            ("EPOCH_RING_BITS", self.epoch_ring_bits),
        ])?)
    }

    /// Returns the command that repeats a run: `harrier run` for default settings, otherwise `harrier eval`.
    pub(crate) fn repeat_command(&self, name: &str, seed: u64) -> String {
        // The name of a generated scenario is followed by a comment with the command that writes it.
        let (name, comment) = match name.split_once(" # ") {
            Some((name, comment)) => (name, format!("  # {comment}")),
            None => (name, String::new()),
        };
        let name = shell_quoted(name);
        if self.live.is_some() {
            return format!("harrier eval --live --scenario {name} --seed {seed} --runs 1{comment}");
        }
        let method = self.methods.first().copied().unwrap_or(Contestant::Harrier);
        let mut options: Vec<String> = Vec::new();
        let mut option = |name: &str, value: String, is_default: bool| {
            if !is_default {
                options.push(format!(" --{name} {value}"));
            }
        };
        let trial = &self.trial;
        option("method", method.name().to_string(), method == Contestant::Harrier);
        option("epoch-shift", self.epoch_shift.to_string(), self.epoch_shift == DEFAULT_EPOCH_SHIFT);
        let ring_bits = self.epoch_ring_bits;
        option("epoch-ring-bits", ring_bits.to_string(), ring_bits == DEFAULT_EPOCH_RING_BITS);
        let threshold = trial.threshold_percent;
        option("threshold", threshold.unwrap_or_default().to_string(), threshold.is_none());
        option("lose-polls", trial.lose_polls.to_string(), trial.lose_polls == 0.0);
        option("lose-digests", trial.lose_digests.to_string(), trial.lose_digests == 0.0);
        option("silent-switches", trial.silent_switches.to_string(), trial.silent_switches == 0.0);
        if options.is_empty() {
            return format!("harrier run {name} --seed {seed}{comment}");
        }
        if method == Contestant::Harrier {
            options.insert(0, " --method harrier".to_string());
        }
        format!("harrier eval --scenario {name} --seed {seed} --runs 1{}{comment}", options.concat())
    }
}

/// Quotes a word for a shell where necessary.
fn shell_quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./@:+%,=".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_string();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// The evaluation of one run.
#[derive(Serialize, Deserialize)]
pub(crate) struct Evaluated {
    pub(crate) observations: Vec<Observation>,
    /// Descriptions of the first method's failures, each with the command that repeats the run.
    pub(crate) failures: Vec<String>,
    /// Every verdict with its judgement.
    pub(crate) lines: Vec<VerdictLine>,
}

/// Evaluates all runs in parallel. The result is in the order of the runs.
pub(crate) fn evaluate(plan: &Plan) -> anyhow::Result<Vec<Evaluated>> {
    let pipeline = plan.pipeline()?;
    // The length of an epoch does not change the traffic, so that the judge always has the same one.
    let judges = Pipeline::hawkeye(&[])?;
    let bar = ProgressBar::new(plan.subjects.len() as u64);
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} runs  {msg}  {eta} left");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<Option<anyhow::Result<Evaluated>>>> =
        Mutex::new(plan.subjects.iter().map(|_| None).collect());
    thread::scope(|scope| {
        for _ in 0..plan.jobs.clamp(1, plan.subjects.len().max(1)) {
            scope.spawn(|| {
                while let Some(index) = take(&next, plan.subjects.len()) {
                    let subject = &plan.subjects[index];
                    bar.set_message(format!("{} --seed {}", subject.name, subject.seed));
                    let evaluated = evaluate_one(plan, &pipeline, &judges, subject);
                    if let Ok(evaluated) = &evaluated {
                        evaluated.failures.iter().for_each(|text| bar.suspend(|| stderr_line!("{text}")));
                    }
                    bar.inc(1);
                    results.lock().unwrap_or_else(PoisonError::into_inner)[index] = Some(evaluated);
                }
            });
        }
    });
    bar.finish_and_clear();
    let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.into_iter().flatten().collect()
}

/// Evaluates a run, or reads it from the work directory.
fn evaluate_one(
    plan: &Plan,
    pipeline: &Pipeline,
    judges: &Pipeline,
    subject: &Subject,
) -> anyhow::Result<Evaluated> {
    if let Some(rounds) = plan.live {
        return live::evaluate(plan, pipeline, judges, subject, rounds);
    }
    if plan.keeps_judged_only
        && let Some(evaluated) = judged::read(plan, subject)
    {
        return Ok(evaluated);
    }
    let instance = Instance::draw(plan, pipeline, subject)?;
    match judged::read(plan, subject) {
        Some(evaluated) => Ok(evaluated),
        None => judged::keep(plan, subject, observe(plan, judges, subject, &instance)?),
    }
}

/// Takes the number of the next of `count` runs.
fn take(next: &AtomicUsize, count: usize) -> Option<usize> {
    Some(next.fetch_add(1, Ordering::Relaxed)).filter(|index| *index < count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Plan {
        Plan {
            subjects: Vec::new(),
            methods: vec![Contestant::Harrier],
            jobs: 1,
            work: None,
            trial: FaultInjection::default(),
            draws: 1,
            budget: Budget::default(),
            packets_ahead: false,
            keeps_judged_only: false,
            epoch_shift: DEFAULT_EPOCH_SHIFT,
            epoch_ring_bits: DEFAULT_EPOCH_RING_BITS,
            live: None,
            without: BTreeSet::new(),
            scale: BTreeMap::new(),
            program: String::new(),
        }
    }

    fn check(change: impl FnOnce(&mut Plan), name: &str, command: &str) {
        let mut plan = plan();
        change(&mut plan);
        assert_eq!(plan.repeat_command(name, 7), command);
    }

    #[test]
    fn the_repeat_command_contains_every_setting_that_differs_from_the_default() {
        check(|_| {}, "paper-storm@30", "harrier run paper-storm@30 --seed 7");
        check(|plan| plan.live = Some(2), "quiet", "harrier eval --live --scenario quiet --seed 7 --runs 1");
        check(|_| {}, "my file's.toml", r"harrier run 'my file'\''s.toml' --seed 7");
        check(
            |plan| plan.trial.lose_polls = 0.02,
            "quiet",
            "harrier eval --scenario quiet --seed 7 --runs 1 --method harrier --lose-polls 0.02",
        );
        check(
            |plan| {
                plan.methods = vec![Contestant::Spidermon, Contestant::Harrier];
                plan.trial.threshold_percent = Some(300);
                plan.epoch_shift = 18;
            },
            "quiet",
            "harrier eval --scenario quiet --seed 7 --runs 1 --method spidermon --epoch-shift 18 --threshold 300",
        );
    }
}
