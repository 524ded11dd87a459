//! Follows the pauses of one priority from the paused ports to where they end.

use std::collections::{BTreeMap, BTreeSet};

use super::candidates::{Basis, Rows, candidates};
use super::loops::first_loop;
use super::unit::Unit;
use crate::pressure::Pressure;
use crate::wiring::{PortId, Wiring};

/// What is at the end of the pauses.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum EndKind {
    /// A queue grew at a port that is not paused, or not for as long.
    Congestion,
    /// The neighbour of the port sends the pauses: a host, a switch without readings, or a system that may be either.
    Neighbour,
    /// The switch of the port sends pauses, and none of its egress ports shows why. The port is one that sends them.
    Nothing,
}

/// A place where pauses end.
#[derive(Clone, Debug)]
pub(crate) struct End {
    pub(crate) port: PortId,
    pub(crate) kind: EndKind,
    /// The pauses that end here, in the unit of the trace.
    pub(crate) amount: f64,
    /// Their part of the pauses of the cluster.
    pub(crate) share: f64,
    /// The weakest basis on which the pauses were divided on the way here.
    pub(crate) basis: Basis,
    /// Egress ports from the farthest paused port to this one.
    pub(crate) path: Vec<PortId>,
}

/// Ports whose pauses are connected, and where those end.
#[derive(Clone, Debug)]
pub(crate) struct Cluster {
    pub(crate) priority: usize,
    /// The largest first.
    pub(crate) ends: Vec<End>,
    /// Paused egress ports, ascending.
    pub(crate) paused: Vec<PortId>,
    /// Ports that send pauses, ascending.
    pub(crate) pausing: Vec<PortId>,
    /// Part of the pauses that was still in a loop when following ended.
    pub(crate) looping: f64,
    /// If no pause ends: egress ports each of which is paused because of packets queued at the next, as far as known.
    pub(crate) ring: Vec<PortId>,
}

/// An edge: pauses that a port sends, because of packets queued at an egress port of its switch.
#[derive(Clone, Copy, Debug)]
struct Edge {
    egress: PortId,
    /// Part of the ingress port's pauses.
    part: f64,
    /// The part of those that the pauses of the egress port itself explain.
    onward: f64,
}

/// Returns the clusters of a priority.
pub(crate) fn trace(rows: &Rows<'_>, wiring: &Wiring, priority: usize) -> Vec<Cluster> {
    Tracer::new(rows, wiring).clusters(priority)
}

struct Tracer<'t> {
    rows: &'t Rows<'t>,
    wiring: &'t Wiring,
    /// The pauses that each pausing port sent, in nanoseconds or in frames.
    sent: BTreeMap<PortId, f64>,
    /// The pauses that each paused port received, in the same unit.
    received: BTreeMap<PortId, f64>,
    edges: BTreeMap<PortId, (Vec<Edge>, Basis)>,
}

impl<'t> Tracer<'t> {
    fn new(rows: &'t Rows<'t>, wiring: &'t Wiring) -> Tracer<'t> {
        let unit = Unit::of(rows);
        let mut received = BTreeMap::new();
        let mut sent = BTreeMap::new();
        for row in rows.iter().filter(|row| row.counts_pauses()) {
            let amount = unit.received(row);
            received.insert(row.port, amount);
            // The other end may lack the counter of what it sends.
            if let Some(peer) = wiring.peer(row.port) {
                sent.insert(peer, amount);
            }
        }
        for row in rows.iter().filter(|row| row.sent() > 0) {
            sent.entry(row.port).or_insert_with(|| unit.sent(row));
        }
        for row in rows.iter().filter(|row| is_uncounted_storm(row)) {
            received.insert(row.port, UNCOUNTED);
            if let Some(peer) = wiring.peer(row.port) {
                sent.entry(peer).or_insert(UNCOUNTED);
            }
        }
        let mut tracer = Tracer { rows, wiring, sent, received, edges: BTreeMap::new() };
        let ingresses: Vec<PortId> = tracer.sent.keys().copied().collect();
        for ingress in ingresses {
            let edges = tracer.edges_of(ingress);
            tracer.edges.insert(ingress, edges);
        }
        tracer
    }

    fn edges_of(&self, ingress: PortId) -> (Vec<Edge>, Basis) {
        let amount = self.sent.get(&ingress).copied().unwrap_or(0.0);
        let (found, basis) = candidates(self.rows, self.wiring, ingress, self.wiring.peer(ingress));
        let edge = |(egress, part): (PortId, f64)| {
            let own = self.received.get(&egress).copied().unwrap_or(0.0);
            let onward = match self.rows.get(egress) {
                // How long the storm paused the port is unknown: nothing shows congestion of its own.
                Some(row) if is_uncounted_storm(row) => 1.0,
                _ if amount > 0.0 => (own / amount).min(1.0),
                _ => 0.0,
            };
            Edge { egress, part, onward }
        };
        (found.into_iter().map(edge).collect(), basis)
    }

    fn clusters(&self, priority: usize) -> Vec<Cluster> {
        let mut groups = Groups::default();
        for port in self.received.keys() {
            groups.join(*port, self.wiring.peer(*port).unwrap_or(*port));
        }
        for (ingress, (edges, _)) in &self.edges {
            groups.join(*ingress, *ingress);
            for edge in edges {
                groups.join(*ingress, edge.egress);
            }
        }
        let mut members: BTreeMap<PortId, BTreeSet<PortId>> = BTreeMap::new();
        for port in groups.members() {
            members.entry(groups.root(port)).or_default().insert(port);
        }
        members.into_values().map(|ports| self.cluster(priority, &ports)).collect()
    }

    fn cluster(&self, priority: usize, ports: &BTreeSet<PortId>) -> Cluster {
        let of = |known: &BTreeMap<PortId, f64>| -> Vec<PortId> {
            known.keys().copied().filter(|port| ports.contains(port)).collect()
        };
        let (paused, pausing) = (of(&self.received), of(&self.sent));
        let mut flow = Flow::default();
        let mut moving: BTreeMap<PortId, f64> = BTreeMap::new();
        for port in &pausing {
            *moving.entry(*port).or_default() += self.sent[port];
        }
        for port in &paused {
            if self.wiring.peer(*port).is_none() {
                flow.end(*port, EndKind::Neighbour, self.received[port], Basis::Peaks);
            }
        }
        let total = moving.values().sum::<f64>() + flow.sum();
        // Without a loop every step is towards an end, so there are no more steps than pausing ports; a part that circles
        // is divided at every switch that it passes.
        let steps = pausing.len().clamp(1, 64);
        for _ in 0..steps {
            moving = self.step(moving, &mut flow);
            if moving.is_empty() {
                break;
            }
        }
        let left: f64 = moving.values().sum();
        let looping = if total > 0.0 { left / total } else { 0.0 };
        let mut ends: Vec<End> = flow
            .ends
            .iter()
            .map(|((port, kind), (amount, basis))| {
                let path = self.path(*port, &flow.passed, &paused);
                let share = if total > 0.0 { amount / total } else { 0.0 };
                End { port: *port, kind: kind.clone(), amount: *amount, share, basis: *basis, path }
            })
            .collect();
        ends.sort_by(|a, b| b.amount.total_cmp(&a.amount).then(a.port.cmp(&b.port)));
        let ring = if ends.is_empty() { self.ring(&paused) } else { Vec::new() };
        Cluster { priority, ends, paused, pausing, looping, ring }
    }

    /// The first loop of paused ports, each of whose pauses lead on to the next. Empty if there is none: two switches of one
    /// name, or a cable between two ports of one switch, do not show that packets return.
    fn ring(&self, paused: &[PortId]) -> Vec<PortId> {
        let switch = |port: PortId| &self.wiring.ports[port].switch;
        let mut next: BTreeMap<PortId, Vec<PortId>> = BTreeMap::new();
        for port in paused {
            let ingress = self.wiring.peer(*port).filter(|ingress| switch(*ingress) != switch(*port));
            let Some((edges, _)) = ingress.and_then(|ingress| self.edges.get(&ingress)) else { continue };
            let leads_on = |edge: &&Edge| edge.onward > 0.0 && self.received.contains_key(&edge.egress);
            next.insert(*port, edges.iter().filter(leads_on).map(|edge| edge.egress).collect());
        }
        first_loop(&next)
    }

    /// Moves the pauses of pausing ports by one switch.
    fn step(&self, moving: BTreeMap<PortId, f64>, flow: &mut Flow) -> BTreeMap<PortId, f64> {
        let mut next: BTreeMap<PortId, f64> = BTreeMap::new();
        for (ingress, amount) in moving {
            let Some((edges, basis)) = self.edges.get(&ingress) else { continue };
            if edges.is_empty() {
                flow.end(ingress, EndKind::Nothing, amount, *basis);
            }
            for edge in edges {
                let part = amount * edge.part;
                *flow.passed.entry((edge.egress, ingress)).or_default() += part;
                let onward = part * edge.onward;
                if part > onward {
                    flow.end(edge.egress, EndKind::Congestion, part - onward, *basis);
                }
                if onward <= 0.0 {
                    continue;
                }
                match self.wiring.peer(edge.egress) {
                    Some(peer) => *next.entry(peer).or_default() += onward,
                    None => flow.end(edge.egress, EndKind::Neighbour, onward, *basis),
                }
            }
        }
        next
    }

    /// The egress ports on the way of most pauses to `root`, which is last.
    fn path(&self, root: PortId, passed: &BTreeMap<(PortId, PortId), f64>, paused: &[PortId]) -> Vec<PortId> {
        let mut path = vec![root];
        let mut at = root;
        loop {
            let into = passed.range((at, PortId::MIN)..=(at, PortId::MAX));
            let before = |((_, ingress), amount): (&(PortId, PortId), &f64)| {
                let from = self.wiring.peer(*ingress)?;
                (paused.binary_search(&from).is_ok() && !path.contains(&from)).then_some((from, *amount))
            };
            let heaviest = into.filter_map(before).max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
            let Some((from, _)) = heaviest else { break };
            path.push(from);
            at = from;
        }
        path.reverse();
        path
    }
}

/// Stands for the pauses of a storm that only the watchdog shows. Any amount does: such pauses end at their port.
const UNCOUNTED: f64 = 1.0;

fn is_uncounted_storm(row: &Pressure) -> bool {
    row.has_storm() && !row.counts_pauses()
}

/// Where pauses have ended, and which ways they took.
#[derive(Default)]
struct Flow {
    ends: BTreeMap<(PortId, EndKind), (f64, Basis)>,
    /// By egress port and by the ingress port whose pauses led to it.
    passed: BTreeMap<(PortId, PortId), f64>,
}

impl Flow {
    fn end(&mut self, port: PortId, kind: EndKind, amount: f64, basis: Basis) {
        let (sum, weakest) = self.ends.entry((port, kind)).or_insert((0.0, basis));
        *sum += amount;
        *weakest = basis.max(*weakest);
    }

    fn sum(&self) -> f64 {
        self.ends.values().map(|(amount, _)| amount).sum()
    }
}

/// Sets of connected ports (union-find).
#[derive(Default)]
struct Groups {
    parent: BTreeMap<PortId, PortId>,
}

impl Groups {
    fn root(&self, port: PortId) -> PortId {
        let mut at = port;
        while let Some(parent) = self.parent.get(&at).filter(|parent| **parent != at) {
            at = *parent;
        }
        at
    }

    fn join(&mut self, a: PortId, b: PortId) {
        for port in [a, b] {
            self.parent.entry(port).or_insert(port);
        }
        let (a, b) = (self.root(a), self.root(b));
        self.parent.insert(a.max(b), a.min(b));
    }

    fn members(&self) -> Vec<PortId> {
        self.parent.keys().copied().collect()
    }
}
