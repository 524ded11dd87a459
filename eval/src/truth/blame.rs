//! Which flows made a queue grow: those that sent more during the queue than before it. A flow that only keeps its
//! previous rate is not a culprit.

use std::collections::{BTreeMap, BTreeSet};

use model::{PortRef, Time};

use super::replay::{Busy, Replay};

/// A flow is a culprit if its excess is at least this part of the largest excess, in percent.
const PART_PERCENT: f64 = 25.0;
/// A flow with an excess between this and [`PART_PERCENT`] is a minor contributor, which a verdict may or may not name.
const MINOR_PERCENT: f64 = 4.0;
/// A flow's previous rate is that of its packets in this time before the queue, not counting the time in which the port
/// was paused.
const BEFORE: Time = Time::from_ms(1);
/// That time is divided into slices of this length. Slices in which the flow sent nothing do not count: a flow that was
/// paused and resumes does not exceed its previous rate.
const SLICE: Time = Time::from_us(10);
/// A flow that had sent for less than this before the queue has no previous rate: all its packets are excess.
const NEWCOMER: Time = Time::from_us(100);

/// The culprits of a queue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Blame {
    /// The culprits, largest excess first.
    pub(super) culprits: Vec<usize>,
    /// Minor contributors.
    pub(super) minor: Vec<usize>,
}

/// What a flow sent to a port: during the queue, and by slice before it.
#[derive(Default)]
struct Sent {
    inside: u64,
    before: BTreeMap<u64, u64>,
}

/// The culprits of the queues at `port` in these periods.
pub(super) fn blame(replay: &Replay, port: &PortRef, times: &[Busy], end: Time) -> Blame {
    let mut added: BTreeMap<usize, f64> = BTreeMap::new();
    for busy in times {
        let until = busy.until.min(end);
        let since = sending_since(replay, port, busy.from);
        let mut sent: BTreeMap<usize, Sent> = BTreeMap::new();
        for stay in replay.came(port, since, until) {
            let sent = sent.entry(stay.stream.flow()).or_default();
            if stay.from >= busy.from {
                sent.inside += u64::from(stay.bytes);
            } else {
                let slice = (busy.from.0 - stay.from.0) / SLICE.0;
                *sent.before.entry(slice).or_default() += u64::from(stay.bytes);
            }
        }
        let shared = shared_queues(replay, port, busy, &sent);
        for (flow, sent) in sent {
            *added.entry(flow).or_insert(0.0) += more(&sent, &shared, until.0.saturating_sub(busy.from.0));
        }
    }
    let most = added.values().copied().fold(0.0, f64::max);
    let part = |bytes: f64| if most > 0.0 { 100.0 * bytes / most } else { 0.0 };
    let mut flows: Vec<(usize, f64)> =
        added.into_iter().filter(|(_, bytes)| *bytes > 0.0 && part(*bytes) >= MINOR_PERCENT).collect();
    flows.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let (culprits, minor): (Vec<_>, Vec<_>) =
        flows.into_iter().partition(|(_, bytes)| part(*bytes) >= PART_PERCENT);
    let numbers = |flows: Vec<(usize, f64)>| flows.into_iter().map(|(flow, _)| flow).collect();
    Blame { culprits: numbers(culprits), minor: numbers(minor) }
}

/// Since when a port could send for [`BEFORE`] up to `at`: while it was paused, no flow could show its rate.
fn sending_since(replay: &Replay, port: &PortRef, at: Time) -> Time {
    let (mut from, mut left) = (at, BEFORE.0);
    for (start, end) in replay.paused.get(port).into_iter().flatten().rev().filter(|(start, _)| *start < at) {
        let open = from.saturating_sub(*end).0;
        if open >= left {
            break;
        }
        left -= open;
        from = from.min(*start);
    }
    Time(from.0.saturating_sub(left))
}

/// The slices before a queue in which several flows were in an earlier queue: their packets belong to that event and do
/// not count for the previous rate.
fn shared_queues(
    replay: &Replay,
    port: &PortRef,
    busy: &Busy,
    sent: &BTreeMap<usize, Sent>,
) -> BTreeSet<u64> {
    let mut flows: BTreeMap<u64, usize> = BTreeMap::new();
    for slice in sent.values().flat_map(|sent| sent.before.keys()) {
        *flows.entry(*slice).or_default() += 1;
    }
    let queues = replay.busy.get(port).map_or(&[][..], Vec::as_slice);
    let had_queue = |slice: u64| {
        let until = busy.from.0.saturating_sub(slice * SLICE.0);
        let from = until.saturating_sub(SLICE.0);
        queues.iter().any(|queue| queue.from.0 < until && from < queue.until.0)
    };
    flows
        .into_iter()
        .filter(|(slice, flows)| *flows > 1 && had_queue(*slice))
        .map(|(slice, _)| slice)
        .collect()
}

/// The excess of a flow in `length` picoseconds, in bytes.
fn more(sent: &Sent, shared: &BTreeSet<u64>, length: u64) -> f64 {
    let calm = || sent.before.iter().filter(|(slice, _)| !shared.contains(slice));
    let (slices, bytes) = calm().fold((0, 0), |(n, sum), (_, bytes)| (n + 1, sum + bytes));
    let time = slices * SLICE.0;
    let previous_bytes = if time < NEWCOMER.0 { 0.0 } else { bytes as f64 / time as f64 * length as f64 };
    sent.inside as f64 - previous_bytes
}

/// The culprits of these queues as computed at earlier times, each with the time until which they applied, if they
/// differ from the final ones. In order of time.
pub(super) fn phases(replay: &Replay, port: &PortRef, times: &[Busy], end: Time) -> Vec<(Time, Blame)> {
    let (Some(first), Some(last)) = (times.first(), times.last()) else { return Vec::new() };
    let (from, until) = (first.from, last.until.min(end));
    let step = ((until.saturating_sub(from)).0 / MOST_PHASES).max(SHORTEST_PHASE.0);
    let mut found: Vec<(Time, Blame)> = Vec::new();
    let mut at = Time(from.0.saturating_add(step));
    while at < until {
        let by_then: Vec<Busy> = times
            .iter()
            .filter(|busy| busy.from < at)
            .map(|busy| Busy { until: busy.until.min(at), ..*busy })
            .collect();
        let blamed = blame(replay, port, &by_then, at);
        match found.last_mut() {
            Some(last) if last.1 == blamed => last.0 = at,
            _ => found.push((at, blamed)),
        }
        at = Time(at.0.saturating_add(step));
    }
    let whole = blame(replay, port, times, end);
    found.retain(|(_, blamed)| *blamed != whole);
    found
}

/// The culprits of a queue are computed at most this often while it lasts ...
const MOST_PHASES: u64 = 24;
/// ... and with at least this time in between.
const SHORTEST_PHASE: Time = Time::from_us(25);

/// A queue that returns within this time is the same: it drained only because its senders were paused.
const SAME: Time = Time::from_us(60);

/// The queues at `port`. Queues that follow each other soon are merged, except long shallow ones.
pub(super) fn queues(replay: &Replay, port: &PortRef) -> Vec<Busy> {
    let mut merged: Vec<Busy> = Vec::new();
    for busy in replay.busy.get(port).into_iter().flatten() {
        match merged.last_mut() {
            Some(last) if busy.from.saturating_sub(last.until) <= SAME && !last.is_apart_from(busy) => {
                last.until = busy.until;
                last.peak_bytes = last.peak_bytes.max(busy.peak_bytes);
            }
            _ => merged.push(*busy),
        }
    }
    merged
}
