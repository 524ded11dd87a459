//! Runs scenarios many times over all cores and sets methods side by side. What is counted, and how, is in
//! `analyzer::evaluation`; here are threads, files and the progress bar.

mod instance;
mod observe;

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

/// What is to be evaluated.
#[derive(Clone)]
pub(crate) struct Plan {
    /// The scenarios, each with the name that `harrier run` takes for it.
    pub(crate) scenarios: Vec<(String, Scenario)>,
    /// Seeds of each.
    pub(crate) seeds: std::ops::Range<u64>,
    /// The methods.
    pub(crate) methods: Vec<Contestant>,
    /// Threads.
    pub(crate) jobs: usize,
    /// Where finished runs are kept, so that an evaluation that was broken off goes on where it was.
    pub(crate) work: Option<PathBuf>,
    /// What happens to the collections.
    pub(crate) trial: FaultInjection,
    /// At most so many instances are drawn for a run until one shows what its scenario is about.
    pub(crate) draws: u64,
    /// An epoch of the switches lasts 2 to this power of nanoseconds.
    pub(crate) epoch_shift: u32,
    /// The program that makes the runs: kept runs of another one are made again.
    pub(crate) program: String,
}

/// An epoch of the switches as `harrier run` has it, a power of two of nanoseconds.
pub(crate) const USUAL_EPOCH_SHIFT: u32 = 20;

impl Plan {
    /// The one command that repeats a run. `harrier run` does where everything is as usual.
    pub(crate) fn repeats(&self, name: &str, seed: u64) -> String {
        let name = quoted(name);
        let method = self.methods.first().copied().unwrap_or(Contestant::Harrier);
        let mut options: Vec<String> = Vec::new();
        let mut option = |name: &str, value: String, usual: bool| {
            if !usual {
                options.push(format!(" --{name} {value}"));
            }
        };
        let trial = &self.trial;
        option("method", method.name().to_string(), method == Contestant::Harrier);
        option("epoch-shift", self.epoch_shift.to_string(), self.epoch_shift == USUAL_EPOCH_SHIFT);
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

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./@:+%,=".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_string();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// One run, as every method sees it.
pub(crate) struct Seen {
    pub(crate) observations: Vec<Observation>,
    /// What went wrong for the first method, with the command that repeats it.
    pub(crate) failures: Vec<String>,
}

/// Does all runs. The result is in the order of scenarios and seeds, whatever the order in which they ended.
pub(crate) fn evaluate(plan: &Plan) -> anyhow::Result<Vec<Seen>> {
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
    let results: Mutex<Vec<Option<anyhow::Result<Seen>>>> = Mutex::new(runs.iter().map(|_| None).collect());
    thread::scope(|scope| {
        for _ in 0..plan.jobs.clamp(1, runs.len().max(1)) {
            scope.spawn(|| {
                while let Some((at, (name, scenario, seed))) = take(&next, &runs) {
                    bar.set_message(format!("{name} --seed {seed}"));
                    let seen = Instance::draw(plan, &pipeline, name, scenario, seed)
                        .map(|instance| observe(plan, name, &instance));
                    if let Ok(seen) = &seen {
                        seen.failures.iter().for_each(|text| bar.suspend(|| eprintln!("{text}")));
                    }
                    bar.inc(1);
                    results.lock().unwrap_or_else(PoisonError::into_inner)[at] = Some(seen);
                }
            });
        }
    });
    bar.finish_and_clear();
    let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.into_iter().flatten().collect()
}

/// The next run that nobody has taken yet, and its number.
fn take<T: Copy>(next: &AtomicUsize, runs: &[T]) -> Option<(usize, T)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    Some((at, *runs.get(at)?))
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
            epoch_shift: USUAL_EPOCH_SHIFT,
            program: String::new(),
        }
    }

    fn check(change: impl FnOnce(&mut Plan), name: &str, command: &str) {
        let mut plan = plan();
        change(&mut plan);
        assert_eq!(plan.repeats(name, 7), command);
    }

    #[test]
    fn a_run_is_repeated_with_everything_that_is_not_as_usual() {
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
