//! The events of a run: each with its start and end, root, culprits, and the ports that it affected.
//!
//! An event is a period in which one root caused delay: a queue at a port that was not paused, which caused pauses or
//! delayed a watched flow; a host that paused its switch; a deadlock. The same root at another time is another event.
//! Watched flows count with their path and with the reverse path of their ACKs.

use std::collections::{BTreeMap, BTreeSet};

use model::{Anomaly, PortRef, Time};

use super::blame::{Blame, blame, queues};
use super::replay::{Busy, Replay, Stay};
use super::tree::{Root, Tree, Waiting};
use super::{Facts, deadlock, loops};

/// One event.
#[derive(Clone, Debug)]
pub(super) struct Event {
    pub(super) anomaly: Anomaly,
    pub(super) port: PortRef,
    pub(super) host: Option<String>,
    pub(super) blame: Blame,
    /// The queues at the root whose culprits are computed.
    pub(super) made: Vec<Busy>,
    pub(super) loop_ports: Vec<PortRef>,
    /// The wait-for edges of the period.
    pub(super) tree: Tree,
    /// Ports where flows were delayed.
    pub(super) touched: BTreeSet<PortRef>,
    /// Start and end.
    pub(super) when: (Time, Time),
    /// The total paused time of all ports that is attributed to it, in picoseconds.
    pub(super) paused_time: u128,
    /// The longest delay of a packet or ACK of a watched flow at one port.
    pub(super) harm: Time,
    /// Flows that are victims regardless of their RTTs.
    pub(super) lost: Vec<usize>,
}

impl Event {
    fn overlaps(&self, other: &Event) -> bool {
        self.when.0 <= other.when.1 && other.when.0 <= self.when.1
    }
}

/// The inputs of events.
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
/// The effects of a queue may start this long after it.
const LATER: Time = Time::from_us(50);
/// Queues that built up during an event have drained this long after it.
const DRAINS: Time = Time::from_us(100);
/// A packet of a watched flow that waited less was not delayed.
pub(super) const NO_HARM: Time = Time::from_us(1);
/// An event that delayed no watched flow counts only if its paused time is at least 1/n of that of the worst event.
const LEAST_PAUSED_TIME: u128 = 20;

/// All events, those with the longest delay of watched flows first.
pub(super) fn events(run: &Run<'_>) -> Vec<Event> {
    if let Some(event) = routing_loop(run) {
        return vec![event];
    }
    let deadlocks: Vec<Event> = deadlocks(run);
    let mut pauses = pauses(run);
    // A queue without a flow that exceeded its previous rate has another cause.
    pauses.retain(|event| event.host.is_some() || !event.blame.culprits.is_empty());
    for event in &mut pauses {
        event.harm = harm(run, event);
    }
    let most = pauses.iter().map(|event| event.paused_time).max().unwrap_or(0);
    pauses.retain(|event| event.harm > NO_HARM || event.paused_time * LEAST_PAUSED_TIME >= most);
    pauses.sort_by(|a, b| {
        b.paused_time.cmp(&a.paused_time).then_with(|| (&a.port, a.when).cmp(&(&b.port, b.when)))
    });
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
    let rank = |event: &Event| (event.loop_ports.is_empty(), event.anomaly == Anomaly::FlowContention);
    found.sort_by(|a, b| {
        let by_harm = b.harm.cmp(&a.harm).then_with(|| b.paused_time.cmp(&a.paused_time));
        rank(a).cmp(&rank(b)).then(by_harm).then_with(|| (&a.port, a.when).cmp(&(&b.port, b.when)))
    });
    found
}

/// Whether an event is a consequence of a larger one: at a port that waited for it, or caused by flows that it had
/// delayed and that arrived in bursts. An event that began earlier is not a consequence.
fn is_consequence(run: &Run<'_>, event: &Event, before: &Event) -> bool {
    let held_up = |flow: &usize| run.paths[*flow].iter().any(|port| before.touched.contains(port));
    let by_bunches =
        || event.blame.culprits.iter().filter(|flow| held_up(flow)).count() * 2 > event.blame.culprits.len();
    event.overlaps(before)
        && event.when.0 >= before.when.0
        && is_brief(event)
        && (before.touched.contains(&event.port) || by_bunches())
}

/// Whether the queues of an event lasted no longer than queues elsewhere take to drain.
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
        port: found.loop_ports.first()?.clone(),
        host: None,
        blame: Blame::default(),
        made: Vec::new(),
        touched: found.loop_ports.iter().flat_map(|port| tree.waiting_for(port)).collect(),
        loop_ports: found.loop_ports,
        tree,
        when: (Time::ZERO, run.facts.end),
        paused_time: 0,
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
                        .filter(|busy| !forming().any(|other| busy.is_shallow_next_to(other)))
                        .map(|busy| Busy { from: busy.from.max(opened), ..*busy })
                        .map(|busy| Busy { until: made_until(run, port, busy, found.closed), ..busy });
                    (None, times.collect())
                }
            };
            let tree = run.waiting.tree(Time::ZERO, found.until);
            let held =
                found.loop_ports.iter().chain([&port]).flat_map(|port| tree.waiting_for(port)).collect();
            Event {
                anomaly: found.anomaly(),
                blame: blame(run.replay, &port, &made, run.facts.end),
                made,
                port,
                host,
                touched: held,
                tree,
                when: (before, found.until),
                paused_time: u128::MAX,
                harm: Time::ZERO,
                lost: Vec::new(),
                loop_ports: found.loop_ports,
            }
        })
        .collect()
}

/// Until when a queue at a deadlock's root is caused by its flows: afterwards it grows because the port itself is
/// paused or the deadlock is complete.
fn made_until(run: &Run<'_>, port: &PortRef, busy: Busy, closed: Time) -> Time {
    let paused = paused_at(run, port).map(|(from, _)| from).find(|from| busy.from <= *from);
    busy.until.min(closed).min(paused.unwrap_or(Time::MAX))
}

/// When a port was paused, in order.
fn paused_at<'r>(run: &'r Run<'_>, port: &PortRef) -> impl Iterator<Item = (Time, Time)> + use<'r> {
    run.replay.paused.get(port).into_iter().flatten().copied()
}

fn host_behind(run: &Run<'_>, port: &PortRef) -> Option<String> {
    run.facts.peer(port).map(|peer| peer.switch.clone())
}

/// Events that caused pauses.
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
                    found.extend(between_pauses(run, root, busy, times));
                }
            }
        }
    }
    // A port that a host pauses is attributed to that host only.
    let topology = &run.facts.scenario.topology;
    let far_is_host =
        |port: &&PortRef| run.facts.peer(port).is_some_and(|peer| topology.is_host(&peer.switch));
    let paused = run.replay.paused.keys().filter(far_is_host).filter(|port| !topology.is_host(&port.switch));
    injected.extend(paused);
    for port in injected {
        found.extend(injections(run, port));
    }
    found
}

/// A queue that caused pauses at these times, divided where its port was paused: the first part that caused pauses, and
/// later parts that are longer than the time between two pauses.
fn between_pauses(run: &Run<'_>, root: &Root, busy: Busy, times: &[Time]) -> Vec<Event> {
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

/// A queue that caused pauses, the first one at `first`. If its own port had been paused before, only the time since
/// then counts.
fn contended(run: &Run<'_>, root: &Root, busy: Busy, first: Time) -> Event {
    let port = root.port().clone();
    let over = paused_at(run, &port).map(|(_, until)| until);
    let over = over.filter(|until| busy.from <= *until && *until <= first).max();
    // Once the port itself is paused, other ports do not wait for its queue.
    let paused = paused_at(run, &port).map(|(from, _)| from).find(|from| first < *from);
    let busy =
        Busy { from: over.unwrap_or(busy.from), until: busy.until.min(paused.unwrap_or(Time::MAX)), ..busy };
    let until = Time(busy.until.0.saturating_add(LATER.0)).min(run.facts.end);
    let tree = run.waiting.tree(busy.from, until);
    Event {
        anomaly: Anomaly::PfcBackpressureFlowContention,
        host: None,
        blame: blame(run.replay, &port, &[busy], run.facts.end),
        made: vec![busy],
        loop_ports: Vec::new(),
        touched: tree.waiting_for(&port),
        tree,
        when: (busy.from, until),
        paused_time: run.waiting.paused_time(root, busy.from, until),
        harm: Time::ZERO,
        lost: Vec::new(),
        port,
    }
}

/// The pauses of hosts.
fn injections(run: &Run<'_>, port: &PortRef) -> Vec<Event> {
    let mut times: Vec<(Time, Time, u128)> = Vec::new();
    for (from, until) in run.replay.paused.get(port).into_iter().flatten() {
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
            loop_ports: Vec::new(),
            touched: tree.waiting_for(port),
            tree,
            when: (from, until),
            paused_time: own + run.waiting.paused_time(&root, from, until),
            harm: Time::ZERO,
            lost: Vec::new(),
            port: port.clone(),
        })
    };
    times.into_iter().filter_map(event).collect()
}

/// Queues in which packets or ACKs of watched flows were delayed while the port was not paused.
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
            if run.replay.was_paused(&port, busy.from, busy.until) {
                continue;
            }
            found.push(Event {
                anomaly: Anomaly::FlowContention,
                host: None,
                blame: blame(run.replay, &port, &[busy], run.facts.end),
                made: vec![busy],
                loop_ports: Vec::new(),
                tree: Tree::default(),
                touched: BTreeSet::from([port.clone()]),
                when: (busy.from, busy.until.min(run.facts.end)),
                paused_time: 0,
                harm: Time::ZERO,
                lost: Vec::new(),
                port: port.clone(),
            });
        }
    }
    found
}

/// The stays of packets and ACKs of watched flows.
fn watched<'r>(run: &'r Run<'_>) -> impl Iterator<Item = &'r Stay> {
    run.replay.stays.iter().filter(|stay| run.watched.get(stay.stream.flow()).copied().unwrap_or(false))
}

fn port_of(run: &Run<'_>, stay: &Stay) -> Option<PortRef> {
    Some(PortRef::new(run.facts.switches[stay.switch as usize].clone(), stay.egress?))
}

/// For how long of a packet's stay its port was paused.
fn paused_during(run: &Run<'_>, port: &PortRef, stay: &Stay) -> Time {
    let until = stay.until.min(run.facts.end);
    paused_at(run, port)
        .fold(Time::ZERO, |sum, (from, to)| sum + to.min(until).saturating_sub(from.max(stay.from)))
}

fn waited(run: &Run<'_>, stay: &Stay) -> Time {
    stay.until.min(run.facts.end).saturating_sub(stay.from)
}

/// The longest delay of a packet of a watched flow by an event: at its root, or at a port that was paused while the
/// packet was queued there. Other delays at such a port have other causes, and so do delays at the root of a contention
/// while that port itself is paused.
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
        Some(port) if port != event.port => paused_during(run, &port, stay),
        Some(port) if event.host.is_none() && event.loop_ports.is_empty() => {
            waited(run, stay).saturating_sub(paused_during(run, &port, stay))
        }
        _ => waited(run, stay),
    };
    watched(run).filter(is_held).map(held_up).max().unwrap_or(Time::ZERO)
}
