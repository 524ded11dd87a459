//! What went wrong in a run, as a list of events in time: each with its own beginning and end, root, culprits, and the
//! part of the network that it held up.
//!
//! An event is a stretch of time in which one root made trouble: a queue at a port that nobody had silenced, from which
//! pauses came or in which a watched flow waited; a host that paused its switch; a ring that stood still. The same root at
//! another time is another event. Watched flows count with their way there and the way back of what answers them.

use std::collections::{BTreeMap, BTreeSet};

use model::{Anomaly, PortRef, Time};

use super::blame::{Blame, blame, queues};
use super::replay::{Busy, Replay, Stay};
use super::tree::{Root, Tree, Waiting};
use super::{Facts, deadlock, loops};

/// What one event was, before it is put into words.
#[derive(Clone, Debug)]
pub(super) struct Event {
    pub(super) anomaly: Anomaly,
    pub(super) port: PortRef,
    pub(super) host: Option<String>,
    pub(super) blame: Blame,
    /// The queues at the root that flows are blamed for.
    pub(super) made: Vec<Busy>,
    pub(super) ring: Vec<PortRef>,
    /// Who waited for whom meanwhile.
    pub(super) tree: Tree,
    /// Ports where flows were held up.
    pub(super) touched: BTreeSet<PortRef>,
    /// From when to when.
    pub(super) when: (Time, Time),
    /// How long ports were silent on its account, all together, in picoseconds.
    pub(super) silence: u128,
    /// The longest that it held up a packet of a watched flow, or what answers one, at one port.
    pub(super) harm: Time,
    /// Flows that suffer whatever their round trips say.
    pub(super) lost: Vec<usize>,
}

impl Event {
    fn overlaps(&self, other: &Event) -> bool {
        self.when.0 <= other.when.1 && other.when.0 <= self.when.1
    }
}

/// What events are found from.
pub(super) struct Run<'r> {
    pub(super) facts: &'r Facts<'r>,
    pub(super) replay: &'r Replay,
    pub(super) waiting: &'r Waiting,
    /// Egress ports of each flow's data.
    pub(super) paths: &'r [Vec<PortRef>],
    /// Whether each flow is watched.
    pub(super) watched: &'r [bool],
}

/// A deadlock forms in less than this.
const FORMING: Time = Time::from_us(50);
/// A host that pauses its switch again within this time has not stopped.
const HOST_RESTS: Time = Time::from_us(500);
/// What comes of a queue may come a little after it.
const LATER: Time = Time::from_us(50);
/// What piled up during a trouble is gone so long after it.
const DRAINS: Time = Time::from_us(100);
/// A packet of a watched flow that waited less was not held up.
pub(super) const NO_HARM: Time = Time::from_us(1);
/// What held up no watched flow and silenced others for less than this part of what the worst event did is no event of
/// its own, one part in so many.
const LEAST_SILENCE: u128 = 20;

/// Everything that went wrong, what harmed watched flows most first.
pub(super) fn events(run: &Run<'_>) -> Vec<Event> {
    if let Some(event) = routing_loop(run) {
        return vec![event];
    }
    let deadlocks: Vec<Event> = deadlocks(run);
    let mut pauses = pauses(run);
    // A queue that nobody sent more into than before waits for something else.
    pauses.retain(|event| event.host.is_some() || !event.blame.culprits.is_empty());
    for event in &mut pauses {
        event.harm = harm(run, event);
    }
    let most = pauses.iter().map(|event| event.silence).max().unwrap_or(0);
    pauses.retain(|event| event.harm > NO_HARM || event.silence * LEAST_SILENCE >= most);
    pauses.sort_by(|a, b| b.silence.cmp(&a.silence).then_with(|| (&a.port, a.when).cmp(&(&b.port, b.when))));
    let mut found = deadlocks;
    for event in pauses {
        if found.iter().all(|before| !is_consequence(run, &event, before)) {
            found.push(event);
        }
    }
    found.extend(contentions(run));
    for event in &mut found {
        event.harm = harm(run, event);
    }
    let rank = |event: &Event| (event.ring.is_empty(), event.anomaly == Anomaly::FlowContention);
    found.sort_by(|a, b| {
        let by_harm = b.harm.cmp(&a.harm).then_with(|| b.silence.cmp(&a.silence));
        rank(a).cmp(&rank(b)).then(by_harm).then_with(|| (&a.port, a.when).cmp(&(&b.port, b.when)))
    });
    found
}

/// Whether an event only came of a greater one: at a port that waited for it, or by flows that it had held up and that
/// came on in bunches. What began before did not come of it.
fn is_consequence(run: &Run<'_>, event: &Event, before: &Event) -> bool {
    let held_up = |flow: &usize| run.paths[*flow].iter().any(|port| before.touched.contains(port));
    let by_bunches =
        || event.blame.culprits.iter().filter(|flow| held_up(flow)).count() * 2 > event.blame.culprits.len();
    event.overlaps(before)
        && event.when.0 >= before.when.0
        && is_brief(event)
        && (before.touched.contains(&event.port) || by_bunches())
}

/// Whether the queues of an event stood no longer than what piled up elsewhere takes to drain.
fn is_brief(event: &Event) -> bool {
    let stood =
        event.made.iter().map(|busy| busy.until.saturating_sub(busy.from).0).fold(0, u64::saturating_add);
    stood <= DRAINS.0
}

fn routing_loop(run: &Run<'_>) -> Option<Event> {
    let found = loops::find(run.facts, run.replay)?;
    let tree = run.waiting.tree(Time::ZERO, run.facts.end);
    Some(Event {
        anomaly: Anomaly::RoutingLoop,
        port: found.ring.first()?.clone(),
        host: None,
        blame: Blame::default(),
        made: Vec::new(),
        touched: found.ring.iter().flat_map(|port| tree.waiting_for(port)).collect(),
        ring: found.ring,
        tree,
        when: (Time::ZERO, run.facts.end),
        silence: 0,
        harm: Time::ZERO,
        lost: found.flows,
    })
}

fn deadlocks(run: &Run<'_>) -> Vec<Event> {
    let found = deadlock::find(run.facts, run.replay).into_iter();
    found
        .map(|found| {
            let opened = found.opened.unwrap_or(Time::ZERO);
            let before = Time(found.start.0.saturating_sub(FORMING.0)).max(opened);
            let port = found.root.port().clone();
            let (host, made) = match &found.root {
                Root::Injection(port) => (host_behind(run, port), Vec::new()),
                Root::Contention(port) => {
                    let all = run.replay.busy.get(port).map_or(&[][..], Vec::as_slice);
                    let forming =
                        || all.iter().filter(|busy| busy.from <= found.closed && before <= busy.until);
                    let times = forming()
                        .filter(|busy| !forming().any(|other| busy.is_shallow_beside(other)))
                        .map(|busy| Busy { from: busy.from.max(opened), ..*busy })
                        .map(|busy| Busy { until: made_until(run, port, busy, found.closed), ..busy });
                    (None, times.collect())
                }
            };
            let tree = run.waiting.tree(Time::ZERO, found.until);
            let held = found.ring.iter().chain([&port]).flat_map(|port| tree.waiting_for(port)).collect();
            Event {
                anomaly: found.anomaly(),
                blame: blame(run.replay, &port, &made, run.facts.end),
                made,
                port,
                host,
                touched: held,
                tree,
                when: (before, found.until),
                silence: u128::MAX,
                harm: Time::ZERO,
                lost: Vec::new(),
                ring: found.ring,
            }
        })
        .collect()
}

/// Until when a queue at a deadlock's root was made by those who sent into it: when the port itself is silenced, or the ring
/// has closed, what comes on waits for that.
fn made_until(run: &Run<'_>, port: &PortRef, busy: Busy, closed: Time) -> Time {
    let silenced = silent_at(run, port).map(|(from, _)| from).find(|from| busy.from <= *from);
    busy.until.min(closed).min(silenced.unwrap_or(Time::MAX))
}

/// When a port was silenced, in order.
fn silent_at<'r>(run: &'r Run<'_>, port: &PortRef) -> impl Iterator<Item = (Time, Time)> + use<'r> {
    run.replay.silent.get(port).into_iter().flatten().copied()
}

fn host_behind(run: &Run<'_>, port: &PortRef) -> Option<String> {
    run.facts.peer(port).map(|peer| peer.switch.clone())
}

/// Events from which pauses came.
fn pauses(run: &Run<'_>) -> Vec<Event> {
    let mut found = Vec::new();
    let mut injected: BTreeSet<&PortRef> = BTreeSet::new();
    let roots = run.waiting.roots();
    for (root, times) in &roots {
        match root {
            Root::Injection(port) => {
                injected.insert(port);
            }
            Root::Contention(port) => {
                for busy in queues(run.replay, port) {
                    found.extend(between_silences(run, root, busy, times));
                }
            }
        }
    }
    // A port that a host silences is silent on that host's account, whoever else waits.
    let topology = &run.facts.scenario.topology;
    let far_is_host =
        |port: &&PortRef| run.facts.peer(port).is_some_and(|peer| topology.is_host(&peer.switch));
    let silenced =
        run.replay.silent.keys().filter(far_is_host).filter(|port| !topology.is_host(&port.switch));
    injected.extend(silenced);
    for port in injected {
        found.extend(injections(run, port));
    }
    found
}

/// A queue from which pauses came at these times, cut where its port was silenced: the first part that pauses came from, and
/// later ones that are more than the moments between two pauses.
fn between_silences(run: &Run<'_>, root: &Root, busy: Busy, times: &[Time]) -> Vec<Event> {
    let mut found: Vec<Event> = Vec::new();
    let mut from = busy.from;
    while let Some(first) = times.iter().copied().find(|at| from <= *at && *at <= busy.until) {
        let event = contended(run, root, busy, first);
        let [made] = event.made[..] else { break };
        from = Time(made.until.max(first).0 + 1);
        if found.is_empty() || made.until.saturating_sub(made.from) > DRAINS {
            found.push(event);
        }
    }
    found
}

/// A queue from which pauses came, the first one at `first`. If its own port had been silenced before that, what happened
/// since counts.
fn contended(run: &Run<'_>, root: &Root, busy: Busy, first: Time) -> Event {
    let port = root.port().clone();
    let over = silent_at(run, &port).map(|(_, until)| until);
    let over = over.filter(|until| busy.from <= *until && *until <= first).max();
    // Once it is silenced itself, it is not what others wait for.
    let silenced = silent_at(run, &port).map(|(from, _)| from).find(|from| first < *from);
    let busy = Busy {
        from: over.unwrap_or(busy.from),
        until: busy.until.min(silenced.unwrap_or(Time::MAX)),
        ..busy
    };
    let until = Time(busy.until.0.saturating_add(LATER.0)).min(run.facts.end);
    let tree = run.waiting.tree(busy.from, until);
    Event {
        anomaly: Anomaly::PfcBackpressureFlowContention,
        host: None,
        blame: blame(run.replay, &port, &[busy], run.facts.end),
        made: vec![busy],
        ring: Vec::new(),
        touched: tree.waiting_for(&port),
        tree,
        when: (busy.from, until),
        silence: run.waiting.silence(root, busy.from, until),
        harm: Time::ZERO,
        lost: Vec::new(),
        port,
    }
}

/// What a host silenced.
fn injections(run: &Run<'_>, port: &PortRef) -> Vec<Event> {
    let mut times: Vec<(Time, Time, u128)> = Vec::new();
    for (from, until) in run.replay.silent.get(port).into_iter().flatten() {
        let length = u128::from(until.0 - from.0);
        match times.last_mut() {
            Some(last) if from.saturating_sub(last.1) <= HOST_RESTS => {
                *last = (last.0, last.1.max(*until), last.2 + length);
            }
            _ => times.push((*from, *until, length)),
        }
    }
    let root = Root::Injection(port.clone());
    let event = |(from, until, own): (Time, Time, u128)| {
        let tree = run.waiting.tree(from, Time(until.0.saturating_add(LATER.0)));
        Some(Event {
            anomaly: Anomaly::PfcStormHostInjection,
            host: Some(host_behind(run, port)?),
            blame: Blame::default(),
            made: Vec::new(),
            ring: Vec::new(),
            touched: tree.waiting_for(port),
            tree,
            when: (from, until),
            silence: own + run.waiting.silence(&root, from, until),
            harm: Time::ZERO,
            lost: Vec::new(),
            port: port.clone(),
        })
    };
    times.into_iter().filter_map(event).collect()
}

/// Queues that watched flows, or what answers them, waited in while nobody had silenced the port.
fn contentions(run: &Run<'_>) -> Vec<Event> {
    let mut times: BTreeMap<PortRef, Vec<Time>> = BTreeMap::new();
    for stay in watched(run).filter(|stay| waited(run, stay) > NO_HARM) {
        if let Some(port) = port_of(run, stay) {
            times.entry(port).or_default().push(stay.from);
        }
    }
    let mut found = Vec::new();
    for (port, times) in times {
        let is_met = |busy: &Busy| times.iter().any(|at| busy.from <= *at && *at <= busy.until);
        for busy in queues(run.replay, &port).into_iter().filter(is_met) {
            if run.replay.was_silent(&port, busy.from, busy.until) {
                continue;
            }
            found.push(Event {
                anomaly: Anomaly::FlowContention,
                host: None,
                blame: blame(run.replay, &port, &[busy], run.facts.end),
                made: vec![busy],
                ring: Vec::new(),
                tree: Tree::default(),
                touched: BTreeSet::from([port.clone()]),
                when: (busy.from, busy.until.min(run.facts.end)),
                silence: 0,
                harm: Time::ZERO,
                lost: Vec::new(),
                port: port.clone(),
            });
        }
    }
    found
}

/// The stays of watched flows and of what answers them.
fn watched<'r>(run: &'r Run<'_>) -> impl Iterator<Item = &'r Stay> {
    run.replay.stays.iter().filter(|stay| run.watched.get(stay.stream.flow()).copied().unwrap_or(false))
}

fn port_of(run: &Run<'_>, stay: &Stay) -> Option<PortRef> {
    Some(PortRef::new(run.facts.switches[stay.switch as usize].clone(), stay.egress?))
}

/// For how long of a packet's stay its port was silenced.
fn silenced_during(run: &Run<'_>, port: &PortRef, stay: &Stay) -> Time {
    let until = stay.until.min(run.facts.end);
    silent_at(run, port)
        .fold(Time::ZERO, |sum, (from, to)| sum + to.min(until).saturating_sub(from.max(stay.from)))
}

fn waited(run: &Run<'_>, stay: &Stay) -> Time {
    stay.until.min(run.facts.end).saturating_sub(stay.from)
}

/// The longest that an event held up a packet of a watched flow: at its root, or by silencing a port while the packet was
/// there. What else waits at such a port does so for another reason, and so does what waits at the root of a contention
/// while that is silenced itself.
fn harm(run: &Run<'_>, event: &Event) -> Time {
    let switches: Vec<(u32, u16)> = event
        .touched
        .iter()
        .filter_map(|port| {
            let switch = run.facts.switches.iter().position(|name| *name == port.switch)?;
            Some((switch as u32, port.port))
        })
        .collect();
    let is_held = |stay: &&Stay| {
        stay.egress.is_some_and(|egress| switches.contains(&(stay.switch, egress)))
            && stay.from <= event.when.1
            && event.when.0 <= stay.until
    };
    let held_up = |stay: &Stay| match port_of(run, stay) {
        Some(port) if port != event.port => silenced_during(run, &port, stay),
        Some(port) if event.host.is_none() && event.ring.is_empty() => {
            waited(run, stay).saturating_sub(silenced_during(run, &port, stay))
        }
        _ => waited(run, stay),
    };
    watched(run).filter(is_held).map(held_up).max().unwrap_or(Time::ZERO)
}
