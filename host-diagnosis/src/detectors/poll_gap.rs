//! Threads that do not poll in time: completions wait in the queue while the network is idle.
//!
//! Long gaps of several threads at the same time have a common reason in the process, usually a lock; the slow code
//! segments name it. Source: X-RDMA (Ma et al., CLUSTER 2019), sections VI-A (methods I to III) and VII-D (an allocator's
//! lock).

use std::collections::{BTreeMap, BTreeSet};

use model::host::HostPolls;
use model::host::polls::PollGap;
use model::{Cause, HostReport};

use crate::xrdma::request_time_ns;
use crate::{Claim, Detector, Explains, Fabric, HostFinding, HostPart, Outcome, Section};

use super::support::is_about_pauses;

/// Gaps that are compared with each other: the last ones of the report. A choice, which bounds the time of a comparison of pairs.
const MOST_GAPS: usize = 2_048;

pub(super) const DETECTOR: Detector = Detector {
    name: "poll_gap",
    source: "X-RDMA, CLUSTER 2019, sections VI-A and VII-D",
    needs: &[Section::Polls],
    explains: Explains::Delay,
    check,
};

/// Two gaps are simultaneous if they share at least this part of the shorter one. By majority.
const SHARED_PART: f64 = 0.5;
/// Confidence that a common reason in the process holds several threads up. Choice: a scheduler that takes the
/// processors away looks alike without a slow segment.
const WITHOUT_LOCATION: f64 = 0.7;
/// With a slow segment of the code at that time.
const WITH_LOCATION: f64 = 0.9;
/// For gaps of one thread at a time: the thread has other work.
const SINGLE: f64 = 0.6;

fn check(report: &HostReport, fabric: &Fabric) -> Outcome {
    if is_about_pauses(fabric) {
        return Outcome::FabricExplains;
    }
    let Some(polls) = &report.polls else { return Outcome::Clean };
    let limit = polls.long_gap_ns.unwrap_or(0);
    let mut long: Vec<(usize, &PollGap)> =
        polls.gaps.iter().enumerate().filter(|(_, gap)| gap.duration_ns > limit).collect();
    long.drain(..long.len().saturating_sub(MOST_GAPS));
    if long.is_empty() {
        return Outcome::Clean;
    }
    let shared: Vec<(usize, &PollGap)> = long
        .iter()
        .filter(|(_, gap)| {
            long.iter().any(|(_, other)| other.thread != gap.thread && is_simultaneous(gap, other))
        })
        .copied()
        .collect();
    let finding = if shared.is_empty() { single(polls, &long) } else { application_lock(polls, &shared) };
    Outcome::of(vec![finding.into_finding(report, polls)])
}

/// A finding before the facts that all have in common.
struct Draft {
    part: HostPart,
    summary: String,
    confidence: f64,
    claims: Vec<Claim>,
    advice: Vec<String>,
    missing: Vec<String>,
}

fn is_simultaneous(one: &PollGap, other: &PollGap) -> bool {
    let (one_end, other_end) =
        (one.start_ns.saturating_add(one.duration_ns), other.start_ns.saturating_add(other.duration_ns));
    let shared = one_end.min(other_end).saturating_sub(one.start_ns.max(other.start_ns));
    let shorter = one.duration_ns.min(other.duration_ns);
    shorter > 0 && shared as f64 >= SHARED_PART * shorter as f64
}

/// Several threads at the same time: the application holds them up.
fn application_lock(polls: &HostPolls, gaps: &[(usize, &PollGap)]) -> Draft {
    let threads: BTreeSet<&str> = gaps.iter().map(|(_, gap)| gap.thread.as_str()).collect();
    let location = location(polls, gaps);
    let place =
        location.as_ref().map_or("a lock of the application".to_string(), |(place, _)| format!("`{place}`"));
    let mut claims = vec![gaps_claim(&threads, gaps, "at the same time")];
    let mut missing = Vec::new();
    match &location {
        Some((place, records)) => {
            claims.push(Claim::new(
                format!("`{place}` was slow in these gaps"),
                records.iter().map(|at| format!("/polls/slow_segments/{at}")),
            ));
        }
        None => missing.push("slow code segments: the lock is not named".to_string()),
    }
    Draft {
        part: HostPart::Application(
            location.as_ref().map_or("threads that poll".to_string(), |(place, _)| place.clone()),
        ),
        summary: format!(
            "{} threads did not poll at the same time because of {place}: application lock, not the network",
            threads.len()
        ),
        confidence: if location.is_some() { WITH_LOCATION } else { WITHOUT_LOCATION },
        claims,
        advice: vec![
            "remove the lock from the path of polls: memory and queues of a thread of its own".to_string(),
            "lower `slow_threshold` until a code segment is logged".to_string(),
        ],
        missing,
    }
}

/// One thread at a time: it has other work.
fn single(polls: &HostPolls, gaps: &[(usize, &PollGap)]) -> Draft {
    let threads: BTreeSet<&str> = gaps.iter().map(|(_, gap)| gap.thread.as_str()).collect();
    let names = threads.iter().copied().collect::<Vec<_>>().join(", ");
    let mut claims = vec![gaps_claim(&threads, gaps, "one at a time")];
    if let Some((place, records)) = location(polls, gaps) {
        claims.push(Claim::new(
            format!("`{place}` was slow in these gaps"),
            records.iter().map(|at| format!("/polls/slow_segments/{at}")),
        ));
    }
    Draft {
        part: HostPart::Application(names.clone()),
        summary: format!("{names} did not poll in time: completions waited in the host, not in the network"),
        confidence: SINGLE,
        claims,
        advice: vec!["move long operations out of threads that poll".to_string()],
        missing: Vec::new(),
    }
}

fn gaps_claim(threads: &BTreeSet<&str>, gaps: &[(usize, &PollGap)], when: &str) -> Claim {
    let longest = gaps.iter().map(|(_, gap)| gap.duration_ns).max().unwrap_or(0);
    let names = threads.iter().copied().collect::<Vec<_>>().join(", ");
    Claim::new(
        format!("{names}: {} gaps between polls {when}, the longest {} us", gaps.len(), longest / 1000),
        gaps.iter().map(|(at, _)| format!("/polls/gaps/{at}")),
    )
}

/// The code segment that was slow in most of the gaps, with its records.
fn location(polls: &HostPolls, gaps: &[(usize, &PollGap)]) -> Option<(String, Vec<usize>)> {
    let mut of_place: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, segment) in polls.slow_segments.iter().enumerate() {
        let as_gap = PollGap {
            thread: segment.thread.clone(),
            start_ns: segment.start_ns,
            duration_ns: segment.duration_ns,
        };
        let is_in_gap =
            gaps.iter().any(|(_, gap)| gap.thread == segment.thread && is_simultaneous(gap, &as_gap));
        if is_in_gap {
            of_place.entry(&segment.location).or_default().push(at);
        }
    }
    let most = of_place.into_iter().max_by(|a, b| a.1.len().cmp(&b.1.len()).then_with(|| b.0.cmp(a.0)))?;
    Some((most.0.to_string(), most.1))
}

impl Draft {
    fn into_finding(self, report: &HostReport, polls: &HostPolls) -> HostFinding {
        let mut evidence = self.claims;
        let times = polls
            .requests
            .iter()
            .enumerate()
            .filter_map(|(at, request)| Some((at, request_time_ns(request)?)));
        if let Some((at, longest)) = times.max_by_key(|(_, time)| *time) {
            evidence.push(Claim::new(
                format!(
                    "requests were in the network for at most {:.1} us (T2 - T1 - Toff)",
                    longest as f64 / 1e3
                ),
                [format!("/polls/requests/{at}")],
            ));
        }
        HostFinding {
            detector: DETECTOR.name.to_string(),
            host: report.host.clone(),
            part: self.part,
            cause: Cause::PollGap,
            summary: self.summary,
            confidence: self.confidence,
            evidence,
            missing: self.missing,
            advice: self.advice,
        }
    }
}
