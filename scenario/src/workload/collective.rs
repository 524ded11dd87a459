//! Communication patterns of machine learning and of partition-aggregate applications: transfers and their
//! dependencies. Patterns of collective operations are in [`model::collective`].

use model::Time;
use model::collective::{Collective, CollectiveError, Part};

use super::{MAX_MESSAGES, Message, WorkloadError, at_least};

/// All hosts except host 0 send `bytes` to host 0, `rounds` times at an interval of `every`.
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

/// A collective operation on `bytes` of all hosts. Its first step begins at `start`.
///
/// # Errors
/// A number of hosts that the operation does not work with, or too many messages.
pub fn collective(
    kind: Collective,
    hosts: usize,
    bytes: u64,
    start: Time,
) -> Result<Vec<Message>, WorkloadError> {
    let message = |part: Part| {
        let start = if part.after.is_empty() { start } else { Time::ZERO };
        Message { src: part.src, dst: part.dst, bytes: part.bytes, start, after: part.after }
    };
    let parts = kind.parts(hosts, bytes).map_err(|error| match error {
        CollectiveError::Members(found) => WorkloadError::Hosts { needed: 2, found },
        CollectiveError::NotPowerOfTwo(found) => WorkloadError::NotPowerOfTwo(found),
        CollectiveError::TooMany => WorkloadError::TooMany,
    })?;
    Ok(parts.into_iter().map(message).collect())
}

fn limit(a: usize, b: usize) -> Result<(), WorkloadError> {
    if a.saturating_mul(b) > MAX_MESSAGES { Err(WorkloadError::TooMany) } else { Ok(()) }
}
