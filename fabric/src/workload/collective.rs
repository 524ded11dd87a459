//! The patterns of machine learning and of partition-aggregate: who sends what to whom, and what waits for what.
//!
//! All-reduce by a ring and by halving and doubling: Thakur, Rabenseifner, Gropp, "Optimization of Collective
//! Communication Operations in MPICH", 2005, sections 4.4 and 4.5. Steps are not synchronised by a clock: a host
//! sends its next part when the part that it builds on has arrived.

use model::Time;

use super::{MAX_MESSAGES, Message, WorkloadError, at_least};

/// Everybody but host 0 sends `bytes` to host 0, `rounds` times, `every` apart.
///
/// # Errors
/// Fewer than two hosts, or too many messages.
pub fn incast(
    hosts: usize,
    bytes: u64,
    start: Time,
    rounds: u32,
    every: Time,
) -> Result<Vec<Message>, WorkloadError> {
    at_least(2, hosts)?;
    limit(hosts - 1, rounds as usize)?;
    let round = |number: u32| Time(start.0.saturating_add(every.0.saturating_mul(u64::from(number))));
    let message = |round, src| Message { src, dst: 0, bytes, start: round, after: Vec::new() };
    Ok((0..rounds).flat_map(|n| (1..hosts).map(move |src| message(round(n), src))).collect())
}

/// All-reduce of `bytes` over a ring: 2 (n - 1) steps, in each of which every host sends an n-th to the next.
///
/// # Errors
/// Fewer than two hosts, or too many messages.
pub fn ring_all_reduce(hosts: usize, bytes: u64, start: Time) -> Result<Vec<Message>, WorkloadError> {
    at_least(2, hosts)?;
    let steps = 2 * (hosts - 1);
    limit(hosts, steps)?;
    let part = bytes.div_ceil(hosts as u64).max(1);
    let message = |step: usize, src: usize| {
        let (start, after) = match step.checked_sub(1) {
            None => (start, Vec::new()),
            // What arrived from the host before in the last step is what goes on now.
            Some(before) => (Time::ZERO, vec![before * hosts + (src + hosts - 1) % hosts]),
        };
        Message { src, dst: (src + 1) % hosts, bytes: part, start, after }
    };
    Ok((0..steps).flat_map(|step| (0..hosts).map(move |src| message(step, src))).collect())
}

/// All-reduce of `bytes` by recursive halving and doubling: 2 log2 n steps between partners ever nearer, then ever
/// farther apart, of a half, a quarter, ... of the data.
///
/// # Errors
/// A number of hosts that is no power of two, or 1.
pub fn halving_doubling(hosts: usize, bytes: u64, start: Time) -> Result<Vec<Message>, WorkloadError> {
    at_least(2, hosts)?;
    if !hosts.is_power_of_two() {
        return Err(WorkloadError::NotPowerOfTwo(hosts));
    }
    let levels = hosts.trailing_zeros() as usize;
    limit(hosts, 2 * levels)?;
    let mut messages = Vec::new();
    for step in 0..2 * levels {
        let level = if step < levels { step } else { 2 * levels - 1 - step };
        let distance = hosts >> (level + 1);
        let part = (bytes >> (level + 1)).max(1);
        for src in 0..hosts {
            let (start, after) = match step.checked_sub(1) {
                None => (start, Vec::new()),
                Some(before) => {
                    let level = if before < levels { before } else { 2 * levels - 1 - before };
                    (Time::ZERO, vec![before * hosts + (src ^ hosts >> (level + 1))])
                }
            };
            messages.push(Message { src, dst: src ^ distance, bytes: part, start, after });
        }
    }
    Ok(messages)
}

/// Everybody sends an n-th of `bytes` to everybody else at once, each beginning with the host after itself.
///
/// # Errors
/// Fewer than two hosts, or too many messages.
pub fn all_to_all(hosts: usize, bytes: u64, start: Time) -> Result<Vec<Message>, WorkloadError> {
    at_least(2, hosts)?;
    limit(hosts, hosts - 1)?;
    let part = bytes.div_ceil(hosts as u64).max(1);
    let message =
        |step, src| Message { src, dst: (src + step) % hosts, bytes: part, start, after: Vec::new() };
    Ok((1..hosts).flat_map(|step| (0..hosts).map(move |src| message(step, src))).collect())
}

fn limit(a: usize, b: usize) -> Result<(), WorkloadError> {
    if a.saturating_mul(b) > MAX_MESSAGES { Err(WorkloadError::TooMany) } else { Ok(()) }
}
