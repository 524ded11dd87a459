//! Deadlocks: cyclic buffer dependencies whose ports all stay paused.

use std::collections::{BTreeMap, BTreeSet};

use model::{Anomaly, PortRef, Time};

use super::Facts;
use super::replay::{Episode, Replay};
use super::tree::{Root, Waits, waits};

/// A deadlock.
pub(super) struct Deadlock {
    /// The ports, each of which waits for the next and the last for the first.
    pub(super) loop_ports: Vec<PortRef>,
    /// The root of its first pause.
    pub(super) root: Root,
    /// When an earlier deadlock of the loop was resolved; this one began later.
    pub(super) opened: Option<Time>,
    /// When it began to form.
    pub(super) start: Time,
    /// When the last of its ports was paused: from then on no packet moves along the loop.
    pub(super) closed: Time,
    /// When it was last observed.
    pub(super) until: Time,
}

impl Deadlock {
    pub(super) fn anomaly(&self) -> Anomaly {
        match &self.root {
            Root::Injection(_) => Anomaly::DeadlockOutOfLoopInjection,
            Root::Contention(port) if self.loop_ports.contains(port) => Anomaly::DeadlockInLoopContention,
            Root::Contention(_) => Anomaly::DeadlockOutOfLoopContention,
        }
    }
}

/// All ports of a loop must be paused for this long. Transient pauses last a few microseconds.
const LEAST_DURATION: Time = Time::from_us(150);
/// Number of times at which the run is examined.
const LOOKS: u64 = 200;

/// The deadlocks of a run, in order of time. One that a watchdog resolves and that forms again counts twice.
pub(super) fn find(facts: &Facts<'_>, replay: &Replay) -> Vec<Deadlock> {
    let step = (facts.end.0 / LOOKS).max(1);
    let mut found: Vec<Deadlock> = Vec::new();
    let mut stands = false;
    for at in (1..=LOOKS).map(|look| Time(look * step)) {
        let loop_ports =
            at.0.checked_sub(LEAST_DURATION.0).and_then(|from| loop_at(facts, replay, Time(from), at));
        let Some(loop_ports) = loop_ports else {
            stands = false;
            continue;
        };
        match found.last_mut() {
            Some(last) if stands => last.until = at,
            last => {
                let opened = last.map(|last| opened(replay, last)).filter(|opened| *opened < at);
                let start = began(replay, &loop_ports, at).max(opened.unwrap_or(Time::ZERO));
                if let Some((root, first)) = origin(facts, replay, &loop_ports, start, opened, at) {
                    let closed = closed(replay, &loop_ports, at);
                    let start = if opened.is_some() { start.max(first) } else { start };
                    found.push(Deadlock { loop_ports, root, opened, start, closed, until: at });
                    stands = true;
                }
            }
        }
    }
    found
}

/// When the last of the loop's ports was paused for the deadlock that is observed at `at`.
fn closed(replay: &Replay, loop_ports: &[PortRef], at: Time) -> Time {
    let last = |port: &PortRef| {
        let times = replay.paused.get(port).into_iter().flatten();
        times.filter(|(from, until)| *from <= at && at <= *until).map(|(from, _)| *from).min()
    };
    loop_ports.iter().filter_map(last).max().unwrap_or(at)
}

/// When the first of a loop's ports was resumed after the deadlock was last observed.
fn opened(replay: &Replay, deadlock: &Deadlock) -> Time {
    let over = |port: &PortRef| {
        let times = replay.paused.get(port).into_iter().flatten();
        times
            .filter(|(from, until)| *from <= deadlock.until && deadlock.until <= *until)
            .map(|(_, until)| *until)
            .max()
    };
    deadlock.loop_ports.iter().filter_map(over).min().unwrap_or(deadlock.until)
}

/// A loop of ports that were paused from `from` to `at`, each with packets queued for the next.
fn loop_at(facts: &Facts<'_>, replay: &Replay, from: Time, at: Time) -> Option<Vec<PortRef>> {
    let paused: BTreeSet<&PortRef> = replay
        .paused
        .iter()
        .filter(|(_, times)| times.iter().any(|(start, end)| *start <= from && at <= *end))
        .map(|(port, _)| port)
        .collect();
    if paused.len() < 2 {
        return None;
    }
    let mut next: BTreeMap<&PortRef, BTreeSet<&PortRef>> = BTreeMap::new();
    for stay in replay.stays.iter().filter(|stay| stay.from <= from && at < stay.until) {
        let Some(egress) = stay.egress else { continue };
        let switch = &facts.switches[stay.switch as usize];
        let (ingress, egress) =
            (PortRef::new(switch.clone(), stay.ingress), PortRef::new(switch.clone(), egress));
        if let Some(upstream) = facts.peer(&ingress)
            && let (Some(upstream), Some(egress)) = (paused.get(upstream), paused.get(&egress))
        {
            next.entry(upstream).or_default().insert(egress);
        }
    }
    next.keys().find_map(|start| walk(&next, start))
}

/// The shortest cycle through a port.
fn walk(next: &BTreeMap<&PortRef, BTreeSet<&PortRef>>, start: &PortRef) -> Option<Vec<PortRef>> {
    let mut before: BTreeMap<&PortRef, &PortRef> = BTreeMap::new();
    let mut queue = std::collections::VecDeque::from([start]);
    while let Some(port) = queue.pop_front() {
        for to in next.get(port).into_iter().flatten() {
            if *to == start {
                let mut loop_ports = vec![port.clone()];
                let mut at = port;
                while at != start {
                    at = before.get(at)?;
                    loop_ports.push(at.clone());
                }
                loop_ports.reverse();
                return Some(loop_ports);
            }
            if !before.contains_key(to) {
                before.insert(to, port);
                queue.push_back(to);
            }
        }
    }
    None
}

/// Pauses of a port with a shorter gap count as one.
const SAME: Time = Time::from_us(60);

/// Since when at least one port of the loop was paused before `at`, not counting short gaps.
fn began(replay: &Replay, loop_ports: &[PortRef], at: Time) -> Time {
    let mut times: Vec<(Time, Time)> =
        loop_ports.iter().flat_map(|port| replay.paused.get(port).into_iter().flatten().copied()).collect();
    times.sort_unstable();
    let mut start = at;
    for (from, until) in times.into_iter().rev() {
        if until.0 + SAME.0 >= start.0 && from < start {
            start = from;
        }
    }
    // Overlapping intervals may come in any order of their ends: repeat until the start is stable.
    let mut changed = true;
    while changed {
        changed = false;
        for (from, until) in loop_ports.iter().flat_map(|port| replay.paused.get(port).into_iter().flatten())
        {
            if until.0 + SAME.0 >= start.0 && *from < start {
                start = *from;
                changed = true;
            }
        }
    }
    start
}

/// The root of the first pause of a loop's port from `start` on, and when it was sent; none before the loop was
/// resolved.
fn origin(
    facts: &Facts<'_>,
    replay: &Replay,
    loop_ports: &[PortRef],
    start: Time,
    opened: Option<Time>,
    at: Time,
) -> Option<(Root, Time)> {
    // A pause takes effect a propagation delay after it was sent.
    let slack = Time(start.0.saturating_sub(longest_delay(facts).0)).max(opened.unwrap_or(Time::ZERO));
    let first = replay
        .episodes
        .iter()
        .find(|episode| slack <= episode.at && episode.at <= at && loop_ports.contains(&episode.upstream))?;
    Some((follow(facts, replay, first, &mut BTreeSet::new())?, first.at))
}

fn longest_delay(facts: &Facts<'_>) -> Time {
    let delays = facts.scenario.topology.links.iter().map(|link| link.delay);
    // A frame in transmission delays the pause frame.
    Time(delays.max().unwrap_or(Time::ZERO).0 + Time::from_us(5).0)
}

/// The root of a pause: the port that held most of the traffic.
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
