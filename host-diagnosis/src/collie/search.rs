//! Search for anomalous workloads by simulated annealing (Collie, algorithm 1).
//!
//! Each counter is optimised in turn, the one that varies most over ten random workloads first. Workloads that belong to
//! an MFS that is already known are skipped without a test.

use model::host::descriptor::Workload;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::SplitMix64;
use serde::Serialize;

use super::matching::matches;
use super::mfs::{Mfs, Necessary, Stop, extract};
use super::monitor::{Symptom, symptom};
use super::space::{Draw, Point};
use super::subsystem::{Measurement, Subsystem, SubsystemError};

/// The first and the last temperature, the factor between two temperatures, and the workloads at each. A choice: the
/// paper asks for a relaxed schedule and states no numbers. At the first temperature a counter may halve with
/// probability 0.37.
const FIRST_TEMPERATURE: f64 = 1.0;
const LAST_TEMPERATURE: f64 = 0.05;
const DECAY: f64 = 0.8;
const STEPS_PER_TEMPERATURE: usize = 20;
/// Random workloads that rank the counters (section 7.2).
const RANKING_POINTS: usize = 10;
/// Skipped workloads for each test of the budget, after which a search ends: everything reachable is known.
const SKIPS_PER_TEST: usize = 200;

/// What a search may do.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Seed of the random numbers: equal seeds give equal searches.
    pub seed: u64,
    /// Number of workloads that may be run.
    pub tests: usize,
    /// Whether workloads of known anomalies are skipped.
    pub skip_known: bool,
}

/// An anomaly that a search found.
#[derive(Clone, Debug, Serialize)]
pub struct Found {
    /// The number of tests after which its first workload was seen.
    pub after_tests: usize,
    /// What it looks like.
    pub symptom: Symptom,
    /// The factors that are necessary, with their levels.
    pub features: Vec<Necessary>,
    /// The reduced workload.
    pub workload: Workload,
    /// The published anomalies that this workload triggers.
    pub published: Vec<u8>,
    /// The region of the search space.
    #[serde(skip)]
    pub mfs: Mfs,
}

/// The result of a search.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The anomalies in the order in which they were found.
    pub found: Vec<Found>,
    /// Workloads that were run.
    pub tests: usize,
    /// Workloads that were skipped, because they belong to a known anomaly.
    pub skipped: usize,
    /// Workloads that the subsystem could not run.
    pub refused: usize,
    /// Why the search ended before its budget was spent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
}

/// A search that could not be run.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// Without a normal workload to compare with, no factor can be shown to be necessary.
    #[error("the reference workload is itself anomalous ({}): correct the host before a search", .0.text())]
    AnomalousReference(Symptom),
    /// The subsystem failed.
    #[error(transparent)]
    Subsystem(#[from] SubsystemError),
}

/// The counter that a phase of the search optimises.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Target {
    /// Throughput, which the search minimises.
    Throughput,
    /// A counter of unexpected events, which it maximises.
    Diagnostic(&'static str),
}

impl Target {
    fn value(self, measurement: &Measurement) -> f64 {
        match self {
            Target::Throughput => measurement.performance.bits_per_s,
            Target::Diagnostic(name) => measurement.diagnostic.get(name).copied().unwrap_or(0.0),
        }
    }

    /// The relative change of energy from one measurement to another; negative is better (section 5.1).
    fn energy_difference(self, old: f64, new: f64) -> f64 {
        let (change, base) = match self {
            Target::Throughput => (new - old, old),
            Target::Diagnostic(_) => (old - new, new),
        };
        match (change, base) {
            (0.0, _) => 0.0,
            (change, 0.0) => change.signum() * f64::INFINITY,
            (change, base) => change / base,
        }
    }
}

struct Numbers(SplitMix64);

impl Numbers {
    fn share(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

impl Draw for Numbers {
    fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.0.next_u64()) * limit as u128) >> 64) as usize
    }
}

struct Search<'s, S> {
    subsystem: &'s mut S,
    options: Options,
    numbers: Numbers,
    report: Report,
}

/// Searches until the budget is spent.
///
/// # Errors
/// If the reference workload is anomalous, or the subsystem fails at it. A later failure ends the search ([`Report::stopped`]).
pub fn search<S: Subsystem>(subsystem: &mut S, options: Options) -> Result<Report, SearchError> {
    let numbers = Numbers(SplitMix64::from_seed(options.seed.to_le_bytes()));
    let report = Report { found: Vec::new(), tests: 0, skipped: 0, refused: 0, stopped: None };
    let mut search = Search { subsystem, options, numbers, report };
    match search.run() {
        Ok(()) | Err(Failure::Stop(Stop::Budget)) => Ok(search.report),
        // What was found before is kept: a test of a real NIC takes seconds.
        Err(Failure::Stop(Stop::Subsystem(error))) if search.report.tests > 1 => {
            Ok(Report { stopped: Some(error.to_string()), ..search.report })
        }
        Err(Failure::Stop(Stop::Subsystem(error))) => Err(error.into()),
        Err(Failure::Reference(symptom)) => Err(SearchError::AnomalousReference(symptom)),
    }
}

enum Failure {
    Stop(Stop),
    Reference(Symptom),
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Failure {
        Failure::Stop(stop)
    }
}

impl<S: Subsystem> Search<'_, S> {
    fn run(&mut self) -> Result<(), Failure> {
        let reference = self.run_point(Point::reference())?.map_err(Stop::Subsystem)?;
        if let Some(symptom) = symptom(&reference.performance) {
            return Err(Failure::Reference(symptom));
        }
        let targets = self.ranked_targets()?;
        loop {
            for target in &targets {
                self.anneal(*target)?;
            }
        }
    }

    /// Throughput and all counters, the largest relative deviation over random workloads first.
    fn ranked_targets(&mut self) -> Result<Vec<Target>, Stop> {
        let mut measured = Vec::new();
        while measured.len() < RANKING_POINTS {
            let point = self.random();
            let Some(measurement) = self.measure(point)? else { continue };
            self.keep_if_anomalous(point, &measurement)?;
            measured.push(measurement);
        }
        let names = measured.iter().flat_map(|m| m.diagnostic.keys().copied());
        let mut names: Vec<&'static str> = names.collect();
        names.sort_unstable();
        names.dedup();
        let mut targets: Vec<Target> = names.into_iter().map(Target::Diagnostic).collect();
        targets.push(Target::Throughput);
        let deviation = |target: &Target| relative_deviation(measured.iter().map(|m| target.value(m)));
        targets.sort_by(|a, b| deviation(b).total_cmp(&deviation(a)));
        Ok(targets)
    }

    fn anneal(&mut self, target: Target) -> Result<(), Stop> {
        let (mut old, mut value) = self.restart(target)?;
        let mut temperature = FIRST_TEMPERATURE;
        while temperature > LAST_TEMPERATURE {
            for _ in 0..STEPS_PER_TEMPERATURE {
                let new = self.mutated(old);
                if self.skips(new)? {
                    continue;
                }
                let Some(measurement) = self.measure(new)? else { continue };
                let new_value = target.value(&measurement);
                let difference = target.energy_difference(value, new_value);
                if difference < 0.0 || self.numbers.share() < (-difference / temperature).exp() {
                    (old, value) = (new, new_value);
                }
                if self.keep_if_anomalous(new, &measurement)? {
                    (old, value) = self.restart(target)?;
                }
            }
            temperature *= DECAY;
        }
        Ok(())
    }

    /// A random workload of no known anomaly, and its counter.
    fn restart(&mut self, target: Target) -> Result<(Point, f64), Stop> {
        loop {
            let point = self.random();
            if self.skips(point)? {
                continue;
            }
            let Some(measurement) = self.measure(point)? else { continue };
            if !self.keep_if_anomalous(point, &measurement)? {
                return Ok((point, target.value(&measurement)));
            }
        }
    }

    /// Whether a point belongs to a known anomaly and is not run for that reason.
    fn skips(&mut self, point: Point) -> Result<bool, Stop> {
        let skips = self.options.skip_known && self.is_known(point);
        if skips {
            self.report.skipped += 1;
            if self.report.skipped > self.options.tests.saturating_mul(SKIPS_PER_TEST) {
                return Err(Stop::Budget);
            }
        }
        Ok(skips)
    }

    fn is_known(&self, point: Point) -> bool {
        self.report.found.iter().any(|found| found.mfs.contains(point))
    }

    /// Extracts the MFS of an anomalous point of no known anomaly; returns whether there was one.
    fn keep_if_anomalous(&mut self, point: Point, measurement: &Measurement) -> Result<bool, Stop> {
        let Some(seen) = symptom(&measurement.performance) else { return Ok(false) };
        if self.is_known(point) {
            return Ok(false);
        }
        let after_tests = self.report.tests;
        let fixed = self.subsystem.fixed();
        let (reduced, mfs) = extract(point, seen, fixed, &mut |candidate| {
            let measurement = if self.can_run(candidate) { self.measure(candidate)? } else { None };
            Ok(measurement.and_then(|measurement| symptom(&measurement.performance)))
        })?;
        let workload = reduced.workload(self.subsystem.nic(), &self.subsystem.server());
        let published = matches(&workload).iter().map(|found| found.anomaly).collect();
        let features = mfs.necessary();
        self.report.found.push(Found { after_tests, symptom: seen, features, workload, published, mfs });
        Ok(true)
    }

    /// A random point that the subsystem can run.
    fn random(&mut self) -> Point {
        loop {
            let point = Point::random(&mut self.numbers, self.subsystem.fixed());
            if self.can_run(point) {
                return point;
            }
        }
    }

    /// A neighbour of a point that the subsystem can run.
    fn mutated(&mut self, old: Point) -> Point {
        loop {
            let new = old.mutated(&mut self.numbers, self.subsystem.fixed());
            if self.can_run(new) {
                return new;
            }
        }
    }

    fn can_run(&self, point: Point) -> bool {
        self.subsystem.can_run(&self.workload(point))
    }

    fn workload(&self, point: Point) -> Workload {
        point.workload(self.subsystem.nic(), &self.subsystem.server())
    }

    /// Runs a point; `None` if the subsystem cannot run it.
    fn measure(&mut self, point: Point) -> Result<Option<Measurement>, Stop> {
        match self.run_point(point)? {
            Ok(measurement) => Ok(Some(measurement)),
            Err(SubsystemError::NotRunnable(_)) => {
                self.report.refused += 1;
                Ok(None)
            }
            Err(failed @ SubsystemError::Failed(_)) => Err(Stop::Subsystem(failed)),
        }
    }

    fn run_point(&mut self, point: Point) -> Result<Result<Measurement, SubsystemError>, Stop> {
        if self.report.tests >= self.options.tests {
            return Err(Stop::Budget);
        }
        self.report.tests += 1;
        let workload = self.workload(point);
        Ok(self.subsystem.measure(&workload))
    }
}

/// Standard deviation over mean; zero without values.
fn relative_deviation(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let count = values.clone().count().max(1) as f64;
    let mean = values.clone().sum::<f64>() / count;
    let variance = values.map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    if mean == 0.0 { 0.0 } else { variance.sqrt() / mean }
}
