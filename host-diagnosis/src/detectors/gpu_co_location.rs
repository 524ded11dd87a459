//! A production job that is slow while another job uses its GPUs.
//!
//! Source: TGS (Wu et al., NSDI 2023), sections 1 and 6: a production job falls to 57 % of its rate next to an opportunistic
//! one. A phase without training is not a slowdown: validation and work on processors have a rate of zero. What the jobs do
//! inside the GPUs is out of scope.

use model::host::jobs::{JobClass, JobPhase, JobProgress, PlacedJob};
use model::{Cause, HostReport};

use crate::jobs::rate_limit::Parameters;
use crate::{Claim, Detector, Explains, Fabric, HostFinding, HostPart, Outcome, Section};

use super::support::{conclude, is_about_pauses, percent};

/// The loss of rate that is tolerated: the largest overhead that TGS accepts for a production job (10.8 %), and the
/// variation of a rate. A choice.
const TOLERATED_SHARE: f64 = 0.15;
/// By majority: the neighbour is active in most of the slow time.
const OVERLAPPING_SHARE: f64 = 0.5;
/// GPUs below this utilisation are idle.
const IDLE_UTILISATION: f64 = 0.05;
/// Confidence if the job has its rate while the neighbour is away, and without such a comparison. Choices.
const COMPARED: f64 = 0.9;
const NOT_COMPARED: f64 = 0.75;

pub(super) const DETECTOR: Detector = Detector {
    name: "gpu_co_location",
    source: "TGS, NSDI 2023, sections 1 and 6",
    needs: &[Section::Jobs],
    explains: Explains::Delay,
    check,
};

fn check(report: &HostReport, fabric: &Fabric) -> Outcome {
    if is_about_pauses(fabric) {
        return Outcome::FabricExplains;
    }
    let Some(placed) = &report.jobs else { return Outcome::Clean };
    let (mut findings, mut missing) = (Vec::new(), Vec::new());
    let production = placed.jobs.iter().enumerate().filter(|(_, job)| job.class == JobClass::Production);
    for (at, job) in production.filter(|(_, job)| !job.progress.is_empty()) {
        let Some(usual) = job.usual_rate.filter(|rate| *rate > 0.0) else {
            missing.push(format!("the rate of job {} alone (`usual_rate`)", job.name));
            continue;
        };
        let slow = Slow::of(job, usual);
        if slow.ambiguous {
            missing.push(format!(
                "the phases of job {}, or the utilisation of its GPUs: a rate of zero may be a phase of its own",
                job.name
            ));
        }
        if slow.samples.is_empty() {
            continue;
        }
        if job.gpus.is_empty() {
            missing.push(format!("the GPUs of job {}", job.name));
            continue;
        }
        let neighbours = placed.jobs.iter().filter(|other| other.name != job.name && shares_gpu(job, other));
        findings.extend(neighbours.filter_map(|other| finding(report, (at, job), usual, &slow, other)));
    }
    conclude(findings, missing)
}

/// The samples in which a job is slower than usual, without its own phases.
struct Slow<'j> {
    samples: Vec<&'j JobProgress>,
    normal: Vec<&'j JobProgress>,
    /// Whether there are samples that may be slow or a phase of the job.
    ambiguous: bool,
}

impl<'j> Slow<'j> {
    fn of(job: &'j PlacedJob, usual: f64) -> Slow<'j> {
        let mut slow = Slow { samples: Vec::new(), normal: Vec::new(), ambiguous: false };
        for sample in &job.progress {
            let is_slow = sample.rate < (1.0 - TOLERATED_SHARE) * usual;
            match (sample.phase, sample.gpu_utilisation) {
                (Some(JobPhase::Training), _) if is_slow => slow.samples.push(sample),
                (Some(JobPhase::Training), _) => slow.normal.push(sample),
                (Some(JobPhase::Validation | JobPhase::Cpu | JobPhase::Storage), _) => {}
                (None, _) if !is_slow => slow.normal.push(sample),
                // Contention slows a job and does not stop it.
                (None, _) if sample.rate > 0.0 => slow.samples.push(sample),
                (None, Some(utilisation)) if utilisation < IDLE_UTILISATION => {}
                (None, _) => slow.ambiguous = true,
            }
        }
        slow
    }
}

fn shares_gpu(job: &PlacedJob, other: &PlacedJob) -> bool {
    job.gpus.iter().any(|gpu| other.gpus.contains(gpu))
}

/// Whether a job made progress at the time of a sample.
fn is_active(job: &PlacedJob, at: &JobProgress) -> bool {
    job.progress.iter().any(|own| own.rate > 0.0 && own.start_ns < at.end_ns && at.start_ns < own.end_ns)
}

fn length(samples: &[&JobProgress]) -> u64 {
    samples.iter().map(|sample| sample.end_ns.saturating_sub(sample.start_ns)).sum()
}

fn finding(
    report: &HostReport,
    (at, job): (usize, &PlacedJob),
    usual: f64,
    slow: &Slow<'_>,
    other: &PlacedJob,
) -> Option<HostFinding> {
    let together: Vec<&JobProgress> =
        slow.samples.iter().copied().filter(|sample| is_active(other, sample)).collect();
    let share = length(&together) as f64 / length(&slow.samples).max(1) as f64;
    if together.is_empty() || share <= OVERLAPPING_SHARE {
        return None;
    }
    // A job that is as slow without the neighbour is not slowed down by it, and one that is fast next to it neither.
    let (next_to_it, without_it): (Vec<_>, Vec<_>) =
        slow.normal.iter().copied().partition(|sample| is_active(other, sample));
    if length(&next_to_it) >= length(&together) {
        return None;
    }
    let mean = together.iter().map(|sample| sample.rate).sum::<f64>() / together.len() as f64;
    let shared: Vec<&str> =
        job.gpus.iter().filter(|gpu| other.gpus.contains(gpu)).map(String::as_str).collect();
    let mut missing = Vec::new();
    if without_it.is_empty() {
        missing.push(format!("the rate of {} while {} is away", job.name, other.name));
    }
    Some(HostFinding {
        detector: DETECTOR.name.to_string(),
        host: report.host.clone(),
        part: HostPart::Application(job.name.clone()),
        cause: Cause::GpuCoLocation,
        summary: format!(
            "job {} runs at {} of its rate while {} uses {}",
            job.name,
            percent(mean / usual),
            other.name,
            shared.join(", ")
        ),
        confidence: if missing.is_empty() { COMPARED } else { NOT_COMPARED },
        evidence: vec![
            Claim::new(
                format!(
                    "{} samples below {} of the usual rate",
                    together.len(),
                    percent(1.0 - TOLERATED_SHARE)
                ),
                [format!("/jobs/jobs/{at}/progress")],
            ),
            Claim::new(
                format!("{} is active in {} of the slow time", other.name, percent(share)),
                [format!("/jobs/jobs/{at}/gpus")],
            ),
        ],
        missing,
        advice: vec![advice(job, other)],
    })
}

fn advice(job: &PlacedJob, other: &PlacedJob) -> String {
    let rate = other.usual_rate.or_else(|| other.progress.iter().map(|p| p.rate).reduce(f64::max));
    match (other.class, rate) {
        (JobClass::Opportunistic, Some(rate)) if rate > 0.0 => {
            let p = Parameters::for_rate(rate);
            format!(
                "limit the rate of {}. Begin at {} of its rate alone, and multiply the limit by {} after each window in which {} \
                 keeps {} of its rate. Once it has not, add {} after each such window, and multiply by {} after each other one",
                other.name,
                percent(p.first / rate),
                p.slow_start,
                job.name,
                percent(1.0 - p.tolerated),
                percent(p.increase / rate),
                p.decrease
            )
        }
        (JobClass::Opportunistic, _) => format!("limit or move {}, which is opportunistic", other.name),
        (JobClass::Production, _) => format!("move {} or {} to other GPUs", job.name, other.name),
    }
}
