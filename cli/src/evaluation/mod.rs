//! Runs scenarios repeatedly on all cores and lets each method diagnose them. `analyzer::evaluation` scores the
//! diagnoses; this module contains the threads, files and the progress bar.

mod instance;
mod observe;
pub(crate) mod plot;

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use analyzer::evaluation::{Contestant, Observation};
use fabric::FaultInjection;
use fabric::pipeline::Pipeline;
use indicatif::{ProgressBar, ProgressStyle};
use scenario::Scenario;

pub(crate) use instance::Instance;
use observe::observe;

/// The runs and settings of an evaluation.
#[derive(Clone)]
pub(crate) struct Plan {
    /// The scenarios, each with its name as an argument of `harrier run`.
    pub(crate) scenarios: Vec<(String, Scenario)>,
    /// The seeds of each scenario.
    pub(crate) seeds: std::ops::Range<u64>,
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
    /// Length of a telemetry epoch as a power of two of nanoseconds.
    pub(crate) epoch_shift: u32,
    /// Identifies the executable; kept runs of another one are run again.
    pub(crate) program: String,
}

/// The epoch length of `harrier run`, as a power of two of nanoseconds.
pub(crate) const DEFAULT_EPOCH_SHIFT: u32 = 20;

impl Plan {
    /// Returns the command that repeats a run: `harrier run` for default settings, otherwise `harrier eval`.
    pub(crate) fn repeat_command(&self, name: &str, seed: u64) -> String {
        let name = shell_quoted(name);
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
        let threshold = trial.threshold_percent;
        option("threshold", threshold.unwrap_or_default().to_string(), threshold.is_none());
        option("lose-polls", trial.lose_polls.to_string(), trial.lose_polls == 0.0);
        option("lose-digests", trial.lose_digests.to_string(), trial.lose_digests == 0.0);
        option("silent-switches", trial.silent_switches.to_string(), trial.silent_switches == 0.0);
        if options.is_empty() {
            return format!("harrier run {name} --seed {seed}");
        }
        if method == Contestant::Harrier {
            options.insert(0, " --method harrier".to_string());
        }
        format!("harrier eval --scenario {name} --seed {seed} --runs 1 --draws 1{}", options.concat())
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
pub(crate) struct Evaluated {
    pub(crate) observations: Vec<Observation>,
    /// Descriptions of the first method's failures, each with the command that repeats the run.
    pub(crate) failures: Vec<String>,
}

/// Evaluates all runs in parallel. The result is ordered by scenario and seed.
pub(crate) fn evaluate(plan: &Plan) -> anyhow::Result<Vec<Evaluated>> {
    let runs: Vec<(&str, &Scenario, u64)> = plan
        .scenarios
        .iter()
        .flat_map(|(name, scenario)| plan.seeds.clone().map(move |seed| (name.as_str(), scenario, seed)))
        .collect();
    let pipeline = Pipeline::hawkeye(&[("EPOCH_SHIFT", plan.epoch_shift)])?;
    let bar = ProgressBar::new(runs.len() as u64);
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} runs  {msg}  {eta} left");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<Option<anyhow::Result<Evaluated>>>> =
        Mutex::new(runs.iter().map(|_| None).collect());
    thread::scope(|scope| {
        for _ in 0..plan.jobs.clamp(1, runs.len().max(1)) {
            scope.spawn(|| {
                while let Some((index, (name, scenario, seed))) = take(&next, &runs) {
                    bar.set_message(format!("{name} --seed {seed}"));
                    let evaluated = Instance::draw(plan, &pipeline, name, scenario, seed)
                        .map(|instance| observe(plan, name, &instance));
                    if let Ok(evaluated) = &evaluated {
                        evaluated.failures.iter().for_each(|text| bar.suspend(|| eprintln!("{text}")));
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

/// Takes the next run and returns it with its index.
fn take<T: Copy>(next: &AtomicUsize, runs: &[T]) -> Option<(usize, T)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    Some((index, *runs.get(index)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Plan {
        Plan {
            scenarios: Vec::new(),
            seeds: 1..2,
            methods: vec![Contestant::Harrier],
            jobs: 1,
            work: None,
            trial: FaultInjection::default(),
            draws: 10,
            epoch_shift: DEFAULT_EPOCH_SHIFT,
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
        check(|_| {}, "my file's.toml", r"harrier run 'my file'\''s.toml' --seed 7");
        check(
            |plan| plan.trial.lose_polls = 0.02,
            "quiet",
            "harrier eval --scenario quiet --seed 7 --runs 1 --draws 1 --method harrier --lose-polls 0.02",
        );
        check(
            |plan| {
                plan.methods = vec![Contestant::Spidermon, Contestant::Harrier];
                plan.trial.threshold_percent = Some(300);
                plan.epoch_shift = 18;
            },
            "quiet",
            "harrier eval --scenario quiet --seed 7 --runs 1 --draws 1 --method spidermon --epoch-shift 18 --threshold 300",
        );
    }
}
