//! What the report of a simulated host says about its jobs: place, progress and demand, and the transfers that a processor starts.

use model::FlowKey;
use model::Time;
use model::host::HostJobs;
use model::host::jobs::{FetchDemand, JobClass, JobPhase, JobProgress, PlacedJob};
use model::host::latency::{TimedTransfer, TransferControl};
use scenario::nic::HostJobSpec;

use crate::host_operations::ConnectionReading;
use crate::host_report::NicReading;
use crate::nic::operations::OperationTimes;

/// A job of a host.
#[derive(Clone, Debug, PartialEq)]
pub struct JobReading {
    /// The job.
    pub spec: HostJobSpec,
    /// Its flows.
    pub flows: Vec<FlowKey>,
}

/// Transfers in a report: the latest ones, enough for a pattern (a choice).
const REPORTED_TRANSFERS: usize = 64;

/// The jobs at the last reading, with their latest iterations and what they have sent since the first one. `None` without jobs.
pub(crate) fn jobs(first: &NicReading, last: &NicReading) -> Option<HostJobs> {
    let jobs: Vec<PlacedJob> =
        last.jobs.iter().map(|job| placed(job, last, sent_bits_per_s(job, first, last))).collect();
    (!jobs.is_empty()).then_some(HostJobs { jobs })
}

/// What the flows of a job sent between two readings, in bits a second.
fn sent_bits_per_s(job: &JobReading, first: &NicReading, last: &NicReading) -> f64 {
    let sent = |reading: &NicReading| -> u64 {
        reading.sending.iter().filter(|flow| job.flows.contains(&flow.flow)).map(|flow| flow.bytes).sum()
    };
    let seconds = last.at.saturating_sub(first.at).as_secs_f64();
    let bytes = sent(last).saturating_sub(sent(first));
    if seconds > 0.0 { bytes as f64 * 8.0 / seconds } else { 0.0 }
}

fn placed(job: &JobReading, last: &NicReading, sent_bits_per_s: f64) -> PlacedJob {
    let spec = &job.spec;
    let slowest = slowest(job, last);
    let demand = spec.wanted.zip(slowest).and_then(|(wanted, connection)| {
        let batch = connection.operations.last()?;
        Some(FetchDemand {
            batch_bytes: batch.bytes,
            batches_per_s: rate(wanted)?,
            nic_bits_per_s: last.line_rate.0 as f64,
            measured_bits_per_s: sent_bits_per_s,
        })
    });
    PlacedJob {
        name: spec.name.clone(),
        class: if spec.is_production { JobClass::Production } else { JobClass::Opportunistic },
        workload: None,
        gpus: spec.gpus.clone(),
        usual_rate: spec.usual.and_then(rate),
        progress: match slowest {
            Some(connection) => progress(&connection.operations),
            None => active(spec, last.at).into_iter().collect(),
        },
        demand,
    }
}

/// The connection of a job whose iterations take longest: the others wait for it.
fn slowest<'r>(job: &JobReading, last: &'r NicReading) -> Option<&'r ConnectionReading> {
    let own = last.connections.iter().filter(|connection| job.flows.contains(&connection.flow));
    own.max_by_key(|connection| mean(&connection.operations))
}

fn mean(operations: &[OperationTimes]) -> Time {
    let (Some(first), Some(last)) = (operations.first(), operations.last()) else { return Time::ZERO };
    Time(last.polled.saturating_sub(first.polled).0 / (operations.len() as u64).max(1))
}

/// How many times a second something happens that takes this long.
fn rate(takes: Time) -> Option<f64> {
    let seconds = takes.as_secs_f64();
    (seconds > 0.0).then(|| 1.0 / seconds)
}

/// The iterations between the ends of these operations.
fn progress(operations: &[OperationTimes]) -> Vec<JobProgress> {
    let pairs = operations.windows(2).filter_map(|pair| {
        let (start, end) = (pair[0].polled, pair[1].polled);
        Some(JobProgress {
            start_ns: start.as_ns(),
            end_ns: end.as_ns(),
            rate: rate(end.saturating_sub(start))?,
            phase: Some(JobPhase::Training),
            gpu_utilisation: None,
        })
    });
    pairs.collect()
}

/// The time up to `now` in which a job without flows was active; `None` if it was not.
fn active(spec: &HostJobSpec, now: Time) -> Option<JobProgress> {
    let used = spec.gpu_use()?;
    let (start, end) = (used.start, used.end.min(now));
    (start < end).then(|| JobProgress {
        start_ns: start.as_ns(),
        end_ns: end.as_ns(),
        rate: used.share,
        phase: Some(JobPhase::Training),
        gpu_utilisation: None,
    })
}

/// The transfers that a processor started and that were complete after `first`, each with the time from readiness of its data.
pub(crate) fn transfers(last: &NicReading, first: Time) -> Vec<TimedTransfer> {
    let mut rows: Vec<(Time, TimedTransfer)> = Vec::new();
    for job in last.jobs.iter().filter(|job| job.spec.control_overhead > Time::ZERO) {
        for connection in last.connections.iter().filter(|one| job.flows.contains(&one.flow)) {
            let bits_per_s = connection.slowest_link.unwrap_or(last.line_rate).0 as f64;
            let complete = connection.operations.iter().filter(|operation| operation.completed > first);
            rows.extend(complete.map(|one| (one.polled, transfer(job, one, bits_per_s))));
        }
    }
    rows.sort_by_key(|(polled, _)| *polled);
    rows.drain(..rows.len().saturating_sub(REPORTED_TRANSFERS));
    rows.into_iter().map(|(_, transfer)| transfer).collect()
}

fn transfer(job: &JobReading, operation: &OperationTimes, bits_per_s: f64) -> TimedTransfer {
    TimedTransfer {
        name: job.spec.name.clone(),
        control: TransferControl::Cpu,
        bytes: operation.bytes,
        duration_ns: operation.polled.saturating_sub(operation.ready).as_ns(),
        posted_after_ns: Some(operation.posted.saturating_sub(operation.ready).as_ns()),
        bits_per_s,
        alone_bits_per_s: None,
        overlaps_computation: None,
    }
}
