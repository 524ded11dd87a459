//! The victim's path through the switches: from their records, and from the topology where a switch did not report.

use std::collections::{BTreeMap, BTreeSet};

use model::telemetry::FlowRecord;
use model::{FlowKey, PortRef};

use crate::facts::gap::Gap;
use crate::facts::span::Span;
use crate::facts::topology_index::NodeId;
use crate::facts::view::{PortIx, View};
use crate::facts::wording::duration;

/// The egress ports that a flow uses.
#[derive(Clone, Debug, Default)]
pub(crate) struct VictimPath {
    /// Ports with telemetry, in path order.
    pub(crate) ports: Vec<PortIx>,
    /// What is unknown about the path.
    pub(crate) missing: Vec<Gap>,
    /// Number of switches of the path that reported.
    pub(crate) reported: usize,
    /// Number of all switches of the path, as far as known.
    pub(crate) switches: usize,
}

pub(crate) fn victim_path(view: &View<'_>, victim: FlowKey) -> VictimPath {
    let mut path = VictimPath::default();
    let Some(source) = view.index.host_of(victim.src) else {
        let unknown = format!("the topology has no host with the victim's source address {}", victim.src);
        path.missing.push(unknown.into());
        return unordered(view, victim, path);
    };
    let destination = view.index.host_of(victim.dst);
    let mut visited: BTreeSet<NodeId> = BTreeSet::new();
    let mut at = first_switch(view, source, victim);
    while let Some(node) = at {
        if view.index.is_host(node) || !visited.insert(node) {
            break;
        }
        at = step(view, victim, destination, node, &mut path);
    }
    path
}

/// The egress ports of the reverse path, from the receiver on, up to the last switch that was polled for it; `None`
/// when no switch was.
pub(crate) fn reverse_path(view: &View<'_>, victim: FlowKey) -> Option<VictimPath> {
    let ports: BTreeMap<NodeId, u16> = view
        .snapshot
        .switches
        .iter()
        .filter_map(|switch| Some((view.index.node(&switch.switch)?, switch.back_port?)))
        .collect();
    let receiver = view.index.host_of(victim.dst)?;
    let peers = view.index.ports_of(receiver).iter().map(|port| view.index.info(port.peer).node);
    let mut path = VictimPath::default();
    let mut visited: Vec<NodeId> = Vec::new();
    let mut at = peers.into_iter().find(|node| ports.contains_key(node));
    while let Some(node) = at.filter(|node| !visited.contains(node)) {
        visited.push(node);
        let Some(number) = ports.get(&node) else { break };
        path.switches += 1;
        path.reported += 1;
        path.ports.extend(view.switch_at(node).and_then(|switch| view.find(switch, *number)));
        at = view.index.port(node, *number).and_then(|port| view.index.peer(port)).map(|peer| peer.node);
    }
    (path.switches > 0).then_some(path)
}

/// Whether the packets of a flow alone may arrive at `port` faster than it sends: its host and every known link of its path
/// before the port are faster. If the host is not known, they may.
pub(crate) fn is_faster_than(view: &View<'_>, flow: FlowKey, port: PortIx) -> bool {
    let rate = |port: PortIx| view.topo(port).map(|port| view.index.info(port).rate.0);
    let (Some(own), Some(host)) = (rate(port), view.index.host_of(flow.src)) else { return true };
    let host_bps: u128 = view.index.ports_of(host).iter().map(|port| u128::from(port.rate.0)).sum();
    let path = victim_path(view, flow).ports;
    let before = path.iter().position(|at| *at == port).unwrap_or(0);
    let links = path[..before].iter().filter_map(|at| rate(*at)).map(u128::from);
    links.chain([host_bps]).all(|bps| bps > u128::from(own))
}

/// Adds one switch to the path and returns the next node.
fn step(
    view: &View<'_>,
    victim: FlowKey,
    destination: Option<NodeId>,
    node: NodeId,
    path: &mut VictimPath,
) -> Option<NodeId> {
    path.switches += 1;
    let name = view.index.name(node);
    let switch = view.switch_at(node);
    if switch.is_some() {
        path.reported += 1;
    } else {
        path.missing.push(Gap::silence(name, "on the victim's path "));
    }
    let recorded = switch.and_then(|s| egress_of(view, view.ports_of(s), victim));
    if let Some(port) = recorded {
        path.ports.push(port);
        return Some(view.index.peer(view.topo(port)?)?.node);
    }
    let egress = destination.and_then(|d| view.index.sole_next_hop(node, d));
    let Some(egress) = egress else {
        path.missing.push(Gap::of_switch(
            name,
            "has no record of the victim, and the next hop of the victim after it is unknown",
        ));
        return None;
    };
    if let Some(switch) = switch {
        path.missing.push(Gap::of_switch(
            name,
            format!("has no record of the victim; the shortest path leaves it by port {egress}"),
        ));
        path.ports.extend(view.find(switch, egress));
    }
    let port = view.index.port(node, egress)?;
    Some(view.index.peer(port)?.node)
}

/// Returns the switch that the host's NIC is connected to; of several, the one with records of the victim.
fn first_switch(view: &View<'_>, host: NodeId, victim: FlowKey) -> Option<NodeId> {
    let peers = || view.index.ports_of(host).iter().map(|p| view.index.info(p.peer).node);
    let saw = |node: &NodeId| {
        view.switch_at(*node).is_some_and(|s| egress_of(view, view.ports_of(s), victim).is_some())
    };
    peers().find(saw).or_else(|| peers().next())
}

/// Returns the egress port of a flow's latest record (after a route change the old port still has records).
fn egress_of(view: &View<'_>, ports: std::ops::Range<PortIx>, flow: FlowKey) -> Option<PortIx> {
    let last = |f: &FlowRecord| (f.seen_ns.map(|(_, to)| to), f.epoch, f.packets);
    ports
        .filter_map(|p| {
            let of_flow = view.flows(p).iter().filter(|f| f.flow == flow && f.packets > 0);
            Some((of_flow.map(|f| last(f)).max()?, p))
        })
        .max_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)))
        .map(|(_, p)| p)
}

fn unordered(view: &View<'_>, victim: FlowKey, mut path: VictimPath) -> VictimPath {
    path.ports = view.ports().filter(|p| view.flows(*p).iter().any(|f| f.flow == victim)).collect();
    path.reported = path.ports.len();
    path.switches = path.ports.len();
    path
}

/// Lists the switches of a path whose records do not cover the time under analysis: they were frozen before it began, or
/// their oldest record begins after its end.
pub(crate) fn of_other_times(view: &View<'_>, path: &VictimPath, analysed: Option<Span>) -> Vec<Gap> {
    let Some(analysed) = analysed else { return Vec::new() };
    let mut gaps: Vec<(&str, Gap)> = Vec::new();
    for port in &path.ports {
        let switch = view.switch_of(*port);
        let oldest_ns = view.ring_start(switch);
        let (name, frozen_ns) = (switch.name, switch.frozen_ns);
        if frozen_ns > 0 && frozen_ns < analysed.from {
            let (end, began) = (duration(frozen_ns), duration(analysed.from));
            let text = format!("has records up to {end} only; the slow round trip began after {began}");
            gaps.push((name, Gap::of_switch(name, text)));
        } else if let Some(oldest_ns) = oldest_ns.filter(|oldest_ns| analysed.to < *oldest_ns) {
            let (begin, ended) = (duration(oldest_ns), duration(analysed.to));
            let text = format!("has records from {begin} on only; the slow round trip ended at {ended}");
            gaps.push((name, Gap::of_switch(name, text)));
        }
    }
    gaps.sort_by_key(|(name, _)| *name);
    gaps.dedup_by_key(|(name, _)| *name);
    gaps.into_iter().map(|(_, gap)| gap).collect()
}

/// Returns ports by name.
pub(crate) fn port_refs(view: &View<'_>, ports: &[PortIx]) -> Vec<PortRef> {
    ports.iter().map(|p| view.port_ref(*p)).collect()
}
