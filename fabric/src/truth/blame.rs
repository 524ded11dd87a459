//! Which flows made a queue grow: those that sent more into it while it was there than just before. A flow that had
//! been passing all the time without anybody waiting is not to blame for the queue that others made.

use std::collections::BTreeMap;

use model::{PortRef, Time};

use super::Facts;
use super::replay::{Busy, Replay, Stay};

/// A flow is to blame when it added this part of what the one that added most did, in percent.
const PART_PERCENT: i128 = 10;

/// The flows to blame for the queues at `port` during these times, those that added most first.
pub(super) fn blame(facts: &Facts<'_>, replay: &Replay, port: &PortRef, times: &[Busy]) -> Vec<usize> {
    let Some(switch) = facts.switches.iter().position(|name| *name == port.switch) else {
        return Vec::new();
    };
    let here = |stay: &&Stay| {
        stay.switch as usize == switch && stay.egress == Some(port.port) && stay.stream.is_data()
    };
    let stays: Vec<&Stay> = replay.stays.iter().filter(here).collect();
    let mut added: BTreeMap<usize, i128> = BTreeMap::new();
    for busy in times {
        let until = busy.until.min(facts.end);
        let before = Time(busy.from.0.saturating_sub(until.0.saturating_sub(busy.from.0)));
        let first = stays.partition_point(|stay| stay.from < before);
        for stay in stays[first..].iter().take_while(|stay| stay.from <= until) {
            let bytes = i128::from(stay.bytes);
            // The time before may be cut short by the start of the run; nothing was sent then anyway.
            *added.entry(stay.stream.flow()).or_insert(0) +=
                if stay.from >= busy.from { bytes } else { -bytes };
        }
    }
    let most = added.values().copied().max().unwrap_or(0);
    let mut flows: Vec<(usize, i128)> =
        added.into_iter().filter(|(_, bytes)| *bytes > 0 && bytes * 100 >= most * PART_PERCENT).collect();
    flows.sort_by_key(|(flow, bytes)| (std::cmp::Reverse(*bytes), *flow));
    flows.into_iter().map(|(flow, _)| flow).collect()
}

/// A queue that is back so soon is the same: it was gone only because its sources were paused.
const SAME: Time = Time::from_us(60);

/// The times with a queue at `port` in which something happened at one of `times`, each with those that follow soon.
pub(super) fn busy_times(replay: &Replay, port: &PortRef, times: &[Time]) -> Vec<Busy> {
    let mut merged: Vec<Busy> = Vec::new();
    for busy in replay.busy.get(port).into_iter().flatten() {
        match merged.last_mut() {
            Some(last) if busy.from.saturating_sub(last.until) <= SAME => {
                last.until = busy.until;
                last.peak_bytes = last.peak_bytes.max(busy.peak_bytes);
            }
            _ => merged.push(*busy),
        }
    }
    merged.retain(|busy| times.iter().any(|at| busy.from <= *at && *at <= busy.until));
    merged
}
