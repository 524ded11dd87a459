//! Runs scenarios many times over all cores and sets methods side by side. What is counted, and how, is in
//! `analyzer::evaluation`; here are threads, files and the progress bar.

mod instance;
mod observe;

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use analyzer::evaluation::{Contestant, Observation};
use fabric::pipeline::Pipeline;
use fabric::{Scenario, Trial};
use indicatif::{ProgressBar, ProgressStyle};

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
    pub(crate) trial: Trial,
    /// At most so many instances are drawn for a run until one shows what its scenario is about.
    pub(crate) draws: u64,
    /// An epoch of the switches lasts 2 to this power of nanoseconds.
    pub(crate) epoch_shift: u32,
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
                        .map(|instance| observe(name, &instance, &plan.methods));
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
