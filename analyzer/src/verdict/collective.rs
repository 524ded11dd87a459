//! Steps of collective operations, and the transfer that delays a job.
//!
//! After Vedrfolnir (INFOCOM 2026): the dependencies between transfers form a graph. Starting at the transfer that
//! ends last, the longest dependencies are followed back; the transfer of that chain with the longest delay beyond
//! its usual duration is the one that delays the job. The provenance graph shows its cause, as for any flow.

use model::job::{JobStep, StepRole};
use model::{FlowKey, Job, Transfer};

use crate::thresholds as t;

/// The transfer that delays a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlowTransfer<'j> {
    /// The transfer.
    pub transfer: &'j Transfer,
    /// Its duration so far, in nanoseconds.
    pub took_ns: u64,
    /// The median duration of transfers of its size, in nanoseconds.
    pub usual_ns: u64,
    /// The number of transfers that depend on it, directly or indirectly.
    pub waiting: usize,
}

/// Returns the transfer that delays a job at `now_ns`; `None` if all take their usual time, or if times are not
/// known.
pub fn holds_up(job: &Job, now_ns: u64) -> Option<SlowTransfer<'_>> {
    let started = |transfer: &Transfer| transfer.start_ns.is_some_and(|start| start <= now_ns);
    let end = |transfer: &Transfer| transfer.finish_ns.unwrap_or(now_ns).min(now_ns);
    let transfer = |at: u32| job.transfers.get(at as usize);
    // From the last transfer back over the longest dependencies: `after` refers to earlier transfers, so this ends.
    let last = (0..job.transfers.len() as u32).filter(|at| transfer(*at).is_some_and(started));
    let mut at = last.max_by_key(|at| (transfer(*at).map(end), std::cmp::Reverse(*at)))?;
    let mut slowest: Option<(u32, u64, u64)> = None;
    loop {
        let current = transfer(at)?;
        let took = end(current).saturating_sub(current.start_ns.unwrap_or(now_ns));
        if let Some(usual) = usual_ns(job, current)
            && took as f64 >= usual as f64 * t::SLOW_TRANSFER.value
            && slowest.is_none_or(|(_, most, of)| took.saturating_sub(usual) > most.saturating_sub(of))
        {
            slowest = Some((at, took, usual));
        }
        let before = current.after.iter().copied().filter(|before| *before < at);
        match before.max_by_key(|before| transfer(*before).map(end)) {
            Some(before) => at = before,
            None => break,
        }
    }
    let (at, took_ns, usual_ns) = slowest?;
    Some(SlowTransfer { transfer: transfer(at)?, took_ns, usual_ns, waiting: waiting(job, at) })
}

/// Returns the latest known time of a job, at least `now_ns`. A trigger comes early in an event, and only later times
/// show whether the job was delayed.
pub fn latest_ns(job: &Job, now_ns: u64) -> u64 {
    let times = job.transfers.iter().flat_map(|transfer| [transfer.start_ns, transfer.finish_ns]);
    times.flatten().fold(now_ns, u64::max)
}

/// Returns the median duration of finished transfers of the same size.
fn usual_ns(job: &Job, like: &Transfer) -> Option<u64> {
    let took = |transfer: &Transfer| Some(transfer.finish_ns?.saturating_sub(transfer.start_ns?));
    let mut times: Vec<u64> =
        job.transfers.iter().filter(|other| other.bytes == like.bytes).filter_map(took).collect();
    times.sort_unstable();
    (times.len() as f64 >= t::TRANSFER_SAMPLES.value).then(|| times[times.len() / 2])
}

/// Returns how many transfers depend on this one.
fn waiting(job: &Job, root: u32) -> usize {
    let mut waits = vec![false; job.transfers.len()];
    for (at, transfer) in job.transfers.iter().enumerate() {
        waits[at] = transfer.after.iter().any(|before| {
            *before == root
                || waits.get(*before as usize).is_some_and(|waits| *waits && (*before as usize) < at)
        });
    }
    waits.into_iter().filter(|waits| *waits).count()
}

/// Returns the transfer that a flow carried at a time. If a connection carries several, the last one that had
/// started; if times are not known, the first.
pub fn transfer_of(job: &Job, flow: FlowKey, now_ns: u64) -> Option<&Transfer> {
    let own = || job.transfers.iter().filter(|transfer| transfer.flow == flow);
    let started = |transfer: &&Transfer| transfer.start_ns.is_some_and(|start| start <= now_ns);
    own().filter(started).max_by_key(|transfer| transfer.start_ns).or_else(|| own().next())
}

/// Returns the steps that a victim and its culprits belong to, those of the victim first.
pub fn steps(jobs: &[Job], victim: FlowKey, culprits: &[FlowKey], now_ns: u64) -> Vec<JobStep> {
    let mut steps: Vec<JobStep> = Vec::new();
    let roles = std::iter::once((StepRole::Victim, victim))
        .chain(culprits.iter().map(|culprit| (StepRole::Culprit, *culprit)));
    for (role, flow) in roles {
        for job in jobs {
            let Some(transfer) = transfer_of(job, flow, now_ns) else { continue };
            let same = |known: &&mut JobStep| {
                (known.role, known.step) == (role, transfer.step) && known.job == job.name
            };
            if let Some(known) = steps.iter_mut().find(same) {
                known.flows.push(flow);
                continue;
            }
            let is_timed = job.transfers.iter().any(|transfer| transfer.start_ns.is_some());
            let slow = holds_up(job, latest_ns(job, now_ns));
            steps.push(JobStep {
                job: job.name.clone(),
                step: transfer.step,
                steps: job.steps(),
                role,
                flows: vec![flow],
                holds_up: (is_timed && role == StepRole::Victim)
                    .then(|| slow.is_some_and(|slow| slow.transfer.flow == flow)),
            });
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use model::Topology;
    use model::collective::Collective;
    use model::job::JobDescription;

    use super::*;

    /// Returns a ring all-reduce of four members. Every transfer takes 100 ns, except those at these positions.
    fn ring(slow: &[(usize, u64)]) -> Job {
        let description = JobDescription {
            name: "train".to_string(),
            transfers: Vec::new(),
            collective: Some(Collective::AllReduceRing),
            members: (1..=4).map(|n| format!("10.0.0.{n}")).collect(),
            bytes: Some(4_000),
            sport: None,
            dport: None,
            one_connection: false,
        };
        let mut job = description.resolve(&Topology::default()).unwrap();
        for at in 0..job.transfers.len() {
            let before = job.transfers[at].after.iter().filter_map(|b| job.transfers[*b as usize].finish_ns);
            let start = before.max().unwrap_or(1_000);
            let took = slow.iter().find(|(slow, _)| *slow == at).map_or(100, |(_, took)| *took);
            job.transfers[at].start_ns = Some(start);
            job.transfers[at].finish_ns = Some(start + took);
        }
        job
    }

    /// Checks position, duration and number of dependent transfers of the transfer that delays the job.
    fn check(slow: &[(usize, u64)], now_ns: u64, expected: Option<(usize, u64, usize)>) {
        let job = ring(slow);
        let found = holds_up(&job, now_ns).map(|slow| {
            let at = job.transfers.iter().position(|t| t == slow.transfer).unwrap();
            (at, slow.took_ns, slow.waiting)
        });
        assert_eq!(found, expected);
    }

    #[test]
    fn the_slow_transfer_is_found_upstream_of_those_that_depend_on_it() {
        check(&[], 10_000, None);
        // Transfer 6 is in the second step: one transfer of each later step depends on it.
        check(&[(6, 500)], 10_000, Some((6, 500, 4)));
        // Two slow transfers on different chains: the longer one ends last.
        check(&[(6, 500), (9, 300)], 10_000, Some((6, 500, 4)));
        // It has not finished.
        check(&[(6, 5_000)], 1_700, Some((6, 600, 4)));
        // No transfer was slow at that time.
        check(&[(6, 5_000)], 1_150, None);
        // Jitter is not slow.
        check(&[(6, 140)], 10_000, None);
    }

    #[test]
    fn victim_and_culprits_are_named_with_their_steps() {
        let job = ring(&[(6, 500)]);
        let (victim, culprit) = (job.transfers[6].flow, job.transfers[1].flow);
        let found = steps(&[job], victim, &[culprit, "1.1.1.1:1>2.2.2.2:2/udp".parse().unwrap()], 10_000);
        let shown: Vec<_> = found.iter().map(|s| (s.role, s.step, s.steps, s.holds_up)).collect();
        assert_eq!(shown, [(StepRole::Victim, 2, 6, Some(true)), (StepRole::Culprit, 1, 6, None)]);
    }
}
