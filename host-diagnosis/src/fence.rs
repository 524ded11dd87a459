//! How many requests of a connection are in flight at once: the evidence for a hidden fence.
//!
//! A fence that the application did not ask for lets the NIC start a request only after the completion of the previous one.
//! The send queue is deep, but one request completes each round trip, whatever the round trip is (Bai et al., NSDI 2023,
//! section 8.3, FMR hidden fence).

use std::collections::BTreeMap;

use model::host::latency::{HostLatency, OperationKind, RdmaConnection, RdmaOperation};

/// Completions without which a rate is not a measurement: a choice.
const LEAST_COMPLETIONS: usize = 8;
/// Completions a round trip up to which requests are serialised. One, with a tolerance for the time between completion and
/// start.
const SERIALISED_PER_RTT: f64 = 1.25;
/// Requests that are posted and not complete, from which a queue is deep: several round trips of waiting. A choice.
const DEEP_QUEUE: f64 = 4.0;
/// The share of the link, used by all connections, above which its rate, rather than a fence, limits the connection. A choice: "extremely low
/// throughput" in the source.
const LIMITED_BY_LINK: f64 = 0.5;
/// A request behind a fence takes a round trip and its time on the link. One that takes longer than this many times that waits
/// for something else, e.g. a rate limit. A choice: registrations and completions take less than the messages.
const SLOWEST: f64 = 2.0;
/// The share of requests that are transmitted before the completion of the previous one, above which they are pipelined. By
/// majority: a fence lets none pass.
const PIPELINED_SHARE: f64 = 0.5;
/// The correlation of latency with round trips from which they depend on each other strongly: a choice.
pub const STRONG_CORRELATION: f64 = 0.9;
/// Connections with different round trips that a correlation needs.
pub const LEAST_ROUND_TRIPS: usize = 3;

/// The completions of a connection.
#[derive(Clone, Debug, PartialEq)]
pub struct Pace {
    /// The connection.
    pub connection: String,
    /// Its round trip without queueing, in nanoseconds.
    pub rtt_ns: u64,
    /// Completed requests a round trip.
    pub per_rtt: f64,
    /// Requests that are posted and not complete, on average.
    pub outstanding: f64,
    /// The mean of T5 - T1, in nanoseconds.
    pub nic_latency_ns: f64,
    /// Throughput of all connections of the host with known sizes as a share of the link's rate, if size and rate are known.
    pub link_share: Option<f64>,
    /// The time between two completions as a multiple of a round trip and the time of a message on the link, if sizes and rate
    /// are known.
    pub fenced_times: Option<f64>,
    /// The share of requests that the NIC transmitted (T4) before the previous one had completed (T5); `None` without T4.
    pub early_share: Option<f64>,
}

impl Pace {
    /// Whether one request completes each round trip although many are posted. A connection whose link is busy, or whose
    /// requests take much longer than a round trip, is not serialised.
    pub fn is_serialised(&self) -> bool {
        self.per_rtt <= SERIALISED_PER_RTT
            && self.outstanding >= DEEP_QUEUE
            && self.link_share.is_none_or(|share| share < LIMITED_BY_LINK)
            && self.fenced_times.is_none_or(|times| times <= SLOWEST)
            && self.early_share.is_none_or(|share| share <= PIPELINED_SHARE)
    }
}

/// Returns the pace of each connection with a known round trip and enough completions, and the names of the others.
pub fn paces(latency: &HostLatency) -> (Vec<Pace>, Vec<String>) {
    let mut requests: BTreeMap<&str, Vec<&RdmaOperation>> = BTreeMap::new();
    for operation in latency.operations.iter().filter(|o| o.success && o.kind != OperationKind::Register) {
        requests.entry(operation.connection.as_str()).or_default().push(operation);
    }
    let (mut paces, mut unknown) = (Vec::new(), Vec::new());
    for (name, operations) in requests {
        let connection = latency.connections.iter().find(|connection| connection.name == name);
        match connection.and_then(|connection| pace(connection, &operations)) {
            Some(pace) => paces.push(pace),
            None => unknown.push(name.to_string()),
        }
    }
    share_link(latency, &mut paces);
    (paces, unknown)
}

/// Replaces the share of the link that each connection has by that of all of them: they leave the host over the same link.
fn share_link(latency: &HostLatency, paces: &mut [Pace]) {
    let rate = |pace: &Pace| latency.connections.iter().find(|one| one.name == pace.connection)?.bits_per_s;
    let all: f64 = paces.iter().filter_map(|pace| Some(pace.link_share? * rate(pace)?)).sum();
    for pace in paces {
        pace.link_share = pace.link_share.and(rate(pace)).map(|rate| all / rate);
    }
}

fn pace(connection: &RdmaConnection, operations: &[&RdmaOperation]) -> Option<Pace> {
    let rtt_ns = connection.base_rtt_ns.filter(|rtt| *rtt > 0)?;
    let first = operations.iter().map(|o| o.t5_ns).min()?;
    let last = operations.iter().map(|o| o.t5_ns).max()?;
    if operations.len() < LEAST_COMPLETIONS || last == first {
        return None;
    }
    let count = operations.len() as f64;
    // The first completion starts the measurement and is not part of it.
    let per_ns = (count - 1.0) / (last - first) as f64;
    let nic_latency_ns =
        operations.iter().map(|o| o.t5_ns.saturating_sub(o.t1_ns) as f64).sum::<f64>() / count;
    let bytes: Option<u64> = operations.iter().map(|o| o.bytes).sum();
    let known_rate = connection.bits_per_s.filter(|rate| *rate > 0.0);
    let on_link_ns = bytes.zip(known_rate).map(|(bytes, rate)| bytes as f64 * 8e9 / count / rate);
    Some(Pace {
        connection: connection.name.clone(),
        rtt_ns,
        per_rtt: per_ns * rtt_ns as f64,
        // Little's law.
        outstanding: per_ns * nic_latency_ns,
        nic_latency_ns,
        link_share: on_link_ns.map(|time| time * per_ns),
        fenced_times: on_link_ns.map(|time| 1.0 / (per_ns * (rtt_ns as f64 + time))),
        early_share: early_share(operations),
    })
}

/// The share of requests that were transmitted before the one that completed before them had completed.
fn early_share(operations: &[&RdmaOperation]) -> Option<f64> {
    let mut ordered = operations.to_vec();
    ordered.sort_by_key(|operation| operation.t5_ns);
    let pairs = ordered.windows(2).map(|pair| pair[1].t4_ns.map(|sent| sent < pair[0].t5_ns));
    let early: Option<Vec<bool>> = pairs.collect();
    let early = early.filter(|early| !early.is_empty())?;
    Some(early.iter().filter(|is_early| **is_early).count() as f64 / early.len() as f64)
}

/// The correlation (Pearson) of round trips with T5 - T1; `None` with fewer than [`LEAST_ROUND_TRIPS`] different round
/// trips.
pub fn correlation(paces: &[&Pace]) -> Option<f64> {
    let mut different: Vec<u64> = paces.iter().map(|pace| pace.rtt_ns).collect();
    different.sort_unstable();
    different.dedup();
    if different.len() < LEAST_ROUND_TRIPS {
        return None;
    }
    let count = paces.len() as f64;
    let points: Vec<(f64, f64)> =
        paces.iter().map(|pace| (pace.rtt_ns as f64, pace.nic_latency_ns)).collect();
    let mean_rtt = points.iter().map(|point| point.0).sum::<f64>() / count;
    let mean_latency = points.iter().map(|point| point.1).sum::<f64>() / count;
    let (mut covariance, mut of_rtt, mut of_latency) = (0.0, 0.0, 0.0);
    for (rtt, latency) in points {
        let (x, y) = (rtt - mean_rtt, latency - mean_latency);
        covariance += x * y;
        of_rtt += x * x;
        of_latency += y * y;
    }
    (of_latency > 0.0).then(|| covariance / (of_rtt * of_latency).sqrt())
}
