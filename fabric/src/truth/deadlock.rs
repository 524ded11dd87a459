//! Rings of ports that wait for one another while nothing moves.

use std::collections::{BTreeMap, BTreeSet};

use model::{Anomaly, PortRef, Time};

use super::Facts;
use super::replay::{Episode, Replay};
use super::tree::{Root, Waits, waits};

/// A deadlock.
pub(super) struct Deadlock {
    /// The ports, each waiting for the next and the last for the first.
    pub(super) ring: Vec<PortRef>,
    /// Where the first pause that led to it came from.
    pub(super) root: Root,
    /// When an earlier one was over: what was there before is no part of this one.
    pub(super) opened: Option<Time>,
    /// When it began to form.
    pub(super) start: Time,
    /// When the last of its ports was silenced: from then on nothing comes round.
    pub(super) closed: Time,
    /// Until when it was seen.
    pub(super) until: Time,
}

impl Deadlock {
    pub(super) fn anomaly(&self) -> Anomaly {
        match &self.root {
            Root::Injection(_) => Anomaly::DeadlockOutOfLoopInjection,
            Root::Contention(port) if self.ring.contains(port) => Anomaly::DeadlockInLoopContention,
            Root::Contention(_) => Anomaly::DeadlockOutOfLoopContention,
        }
    }
}

/// A ring must stand still for so long. A pause that is about to end lasts a few microseconds.
const STANDSTILL: Time = Time::from_us(150);
/// How many instants of the run are looked at.
const LOOKS: u64 = 200;

/// The deadlocks of a run, in order of time: one that a watchdog opens and that closes again is two.
pub(super) fn find(facts: &Facts<'_>, replay: &Replay) -> Vec<Deadlock> {
    let step = (facts.end.0 / LOOKS).max(1);
    let mut found: Vec<Deadlock> = Vec::new();
    let mut stands = false;
    for at in (1..=LOOKS).map(|look| Time(look * step)) {
        let ring = at.0.checked_sub(STANDSTILL.0).and_then(|from| ring_at(facts, replay, Time(from), at));
        let Some(ring) = ring else {
            stands = false;
            continue;
        };
        match found.last_mut() {
            Some(last) if stands => last.until = at,
            last => {
                let opened = last.map(|last| opened(replay, last)).filter(|opened| *opened < at);
                let start = began(replay, &ring, at).max(opened.unwrap_or(Time::ZERO));
                if let Some((root, first)) = origin(facts, replay, &ring, start, opened, at) {
                    let closed = closed(replay, &ring, at);
                    let start = if opened.is_some() { start.max(first) } else { start };
                    found.push(Deadlock { ring, root, opened, start, closed, until: at });
                    stands = true;
                }
            }
        }
    }
    found
}

/// When the last of the ring's ports was silenced for the standstill that is seen at `at`.
fn closed(replay: &Replay, ring: &[PortRef], at: Time) -> Time {
    let last = |port: &PortRef| {
        let times = replay.silent.get(port).into_iter().flatten();
        times.filter(|(from, until)| *from <= at && at <= *until).map(|(from, _)| *from).min()
    };
    ring.iter().filter_map(last).max().unwrap_or(at)
}

/// When the first of a ring's ports could send again after it was last seen standing.
fn opened(replay: &Replay, deadlock: &Deadlock) -> Time {
    let over = |port: &PortRef| {
        let times = replay.silent.get(port).into_iter().flatten();
        times
            .filter(|(from, until)| *from <= deadlock.until && deadlock.until <= *until)
            .map(|(_, until)| *until)
            .max()
    };
    deadlock.ring.iter().filter_map(over).min().unwrap_or(deadlock.until)
}

/// A ring of ports that were silent from `from` to `at`, each with packets that wait for the next.
fn ring_at(facts: &Facts<'_>, replay: &Replay, from: Time, at: Time) -> Option<Vec<PortRef>> {
    let silent: BTreeSet<&PortRef> = replay
        .silent
        .iter()
        .filter(|(_, times)| times.iter().any(|(start, end)| *start <= from && at <= *end))
        .map(|(port, _)| port)
        .collect();
    if silent.len() < 2 {
        return None;
    }
    let mut next: BTreeMap<&PortRef, BTreeSet<&PortRef>> = BTreeMap::new();
    for stay in replay.stays.iter().filter(|stay| stay.from <= from && at < stay.until) {
        let Some(egress) = stay.egress else { continue };
        let switch = &facts.switches[stay.switch as usize];
        let (ingress, egress) =
            (PortRef::new(switch.clone(), stay.ingress), PortRef::new(switch.clone(), egress));
        if let Some(upstream) = facts.peer(&ingress)
            && let (Some(upstream), Some(egress)) = (silent.get(upstream), silent.get(&egress))
        {
            next.entry(upstream).or_default().insert(egress);
        }
    }
    next.keys().find_map(|start| walk(&next, start))
}

/// The shortest way from a port back to itself.
fn walk(next: &BTreeMap<&PortRef, BTreeSet<&PortRef>>, start: &PortRef) -> Option<Vec<PortRef>> {
    let mut before: BTreeMap<&PortRef, &PortRef> = BTreeMap::new();
    let mut queue = std::collections::VecDeque::from([start]);
    while let Some(port) = queue.pop_front() {
        for to in next.get(port).into_iter().flatten() {
            if *to == start {
                let mut ring = vec![port.clone()];
                let mut at = port;
                while at != start {
                    at = before.get(at)?;
                    ring.push(at.clone());
                }
                ring.reverse();
                return Some(ring);
            }
            if !before.contains_key(to) {
                before.insert(to, port);
                queue.push_back(to);
            }
        }
    }
    None
}

/// A port that is silent again so soon was silent for the same reason.
const SAME: Time = Time::from_us(60);

/// Since when at least one port of the ring had been silent, but for moments, before `at`.
fn began(replay: &Replay, ring: &[PortRef], at: Time) -> Time {
    let mut times: Vec<(Time, Time)> =
        ring.iter().flat_map(|port| replay.silent.get(port).into_iter().flatten().copied()).collect();
    times.sort_unstable();
    let mut start = at;
    for (from, until) in times.into_iter().rev() {
        if until.0 + SAME.0 >= start.0 && from < start {
            start = from;
        }
    }
    // Intervals that overlap in a chain may come in any order of their ends: once more until nothing changes.
    let mut changed = true;
    while changed {
        changed = false;
        for (from, until) in ring.iter().flat_map(|port| replay.silent.get(port).into_iter().flatten()) {
            if until.0 + SAME.0 >= start.0 && *from < start {
                start = *from;
                changed = true;
            }
        }
    }
    start
}

/// Where the first pause of a ring's port from `start` on came from, and when it was sent; none before the ring was opened.
fn origin(
    facts: &Facts<'_>,
    replay: &Replay,
    ring: &[PortRef],
    start: Time,
    opened: Option<Time>,
    at: Time,
) -> Option<(Root, Time)> {
    // A pause takes effect a propagation after it was sent.
    let slack = Time(start.0.saturating_sub(longest_delay(facts).0)).max(opened.unwrap_or(Time::ZERO));
    let first = replay
        .episodes
        .iter()
        .find(|episode| slack <= episode.at && episode.at <= at && ring.contains(&episode.upstream))?;
    Some((follow(facts, replay, first, &mut BTreeSet::new())?, first.at))
}

fn longest_delay(facts: &Facts<'_>) -> Time {
    let delays = facts.scenario.topology.links.iter().map(|link| link.delay);
    // The frame on the wire when the pause is due goes first.
    Time(delays.max().unwrap_or(Time::ZERO).0 + Time::from_us(5).0)
}

/// The root behind a pause: where most of what was held waited.
fn follow(
    facts: &Facts<'_>,
    replay: &Replay,
    episode: &Episode,
    seen: &mut BTreeSet<PortRef>,
) -> Option<Root> {
    let port = &episode.towards.first()?.0;
    if !seen.insert(port.clone()) {
        return Some(Root::Contention(port.clone()));
    }
    match waits(facts, replay, port, episode.at) {
        Waits::Contention => Some(Root::Contention(port.clone())),
        Waits::Host => Some(Root::Injection(port.clone())),
        Waits::Switch => {
            let before = replay.episodes.iter().rev();
            let behind = before.filter(|e| e.at <= episode.at).find(|e| e.upstream == *port)?;
            follow(facts, replay, behind, seen)
        }
    }
}
