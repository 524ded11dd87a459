//! The paths of a verdict's flows through the network, hop by hop, each with how it is known.
//!
//! Records come first: a flow record shows its egress port, and its ingress port shows the hop before it. Between them,
//! a hop is derived if the shortest paths that cross most of the recorded hops leave one choice, and assumed otherwise.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use model::diagnosis::{FlowPath, FlowRole, Hop, Known};
use model::telemetry::FlowRecord;
use model::{FlowKey, PortRef, Snapshot};

use crate::facts::topology_index::{NodeId, TopologyIndex};
use crate::facts::view::View;

/// Returns the path of the victim, that of its ACKs if they are what is delayed, and one of each culprit. Flows whose
/// ends are not hosts of the topology have none.
pub(crate) fn paths(
    view: &View<'_>,
    victim: FlowKey,
    has_slow_acks: bool,
    culprits: &[FlowKey],
) -> Vec<FlowPath> {
    let (snapshot, index) = (view.snapshot, view.index);
    let acks = has_slow_acks.then_some((victim, FlowRole::Acks));
    let others = culprits.iter().filter(|flow| **flow != victim).map(|flow| (*flow, FlowRole::Culprit));
    let flows = std::iter::once((victim, FlowRole::Victim)).chain(acks).chain(others);
    let path = |(flow, role)| {
        let hops = match role {
            FlowRole::Acks => ack_hops(snapshot, index, flow)?,
            FlowRole::Victim | FlowRole::Culprit => flow_hops(snapshot, index, flow)?,
        };
        Some(FlowPath { flow, role, hops })
    };
    flows.filter_map(path).collect()
}

/// The egress ports of switches that the flow leaves by, in order.
fn flow_hops(snapshot: &Snapshot, index: &TopologyIndex<'_>, flow: FlowKey) -> Option<Vec<Hop>> {
    let (src, dst) = (index.host_of(flow.src)?, index.host_of(flow.dst)?);
    Some(hops(index, src, Choices { recorded: recorded(snapshot, index, flow), index, dst }))
}

/// As [`flow_hops`], of the flow's ACKs: where the reverse path was polled, the switch knows their egress port.
fn ack_hops(snapshot: &Snapshot, index: &TopologyIndex<'_>, flow: FlowKey) -> Option<Vec<Hop>> {
    let (src, dst) = (index.host_of(flow.src)?, index.host_of(flow.dst)?);
    let known = snapshot.switches.iter();
    let recorded =
        known.filter_map(|switch| Some((index.node(&switch.switch)?, switch.back_port?))).collect();
    Some(hops(index, dst, Choices { recorded, index, dst: src }))
}

fn hops(index: &TopologyIndex<'_>, src: NodeId, network: Choices<'_, '_>) -> Vec<Hop> {
    let dst = network.dst;
    let mut hops = Vec::new();
    // The nodes that the flow may be at, and the one that is shown.
    let mut possible = first_switches(index, src, &network.recorded);
    let mut at = possible.first().copied();
    let best = network.best(&possible);
    let mut visited = BTreeSet::new();
    while let Some(node) = at.filter(|node| *node != dst && visited.insert(*node)) {
        let choices = best.get(&node).map_or(&[][..], Vec::as_slice);
        let Some(number) = choices.first().copied() else { break };
        let is_recorded = network.recorded.contains_key(&node);
        let known = match (is_recorded, possible.len(), choices.len()) {
            (true, ..) => Known::Recorded,
            (false, 1, 1) => Known::Derived,
            _ => Known::Assumed,
        };
        hops.push(Hop { port: PortRef::new(index.name(node), number), known });
        let peer = |node, number| Some(index.peer(index.port(node, number)?)?.node);
        at = peer(node, number);
        possible = match is_recorded {
            true => at.into_iter().collect(),
            false => {
                let onwards = possible.iter().flat_map(|node| {
                    let choices = best.get(node).map_or(&[][..], Vec::as_slice);
                    choices.iter().filter_map(|number| peer(*node, *number))
                });
                let mut nodes: Vec<NodeId> = onwards.collect();
                nodes.sort_unstable();
                nodes.dedup();
                nodes
            }
        };
    }
    hops
}

/// The switches that the sender's packets may arrive at: those with a record of the flow, else all that it is
/// connected to.
fn first_switches(index: &TopologyIndex<'_>, src: NodeId, recorded: &BTreeMap<NodeId, u16>) -> Vec<NodeId> {
    let peers = || index.ports_of(src).iter().map(|port| index.info(port.peer).node);
    let mut nodes: Vec<NodeId> = peers().filter(|node| recorded.contains_key(node)).collect();
    if nodes.is_empty() {
        nodes = peers().collect();
    }
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

/// The recorded egress port of each switch: of the switch's own latest record, else by the ingress port of the next
/// switch.
fn recorded(snapshot: &Snapshot, index: &TopologyIndex<'_>, flow: FlowKey) -> BTreeMap<NodeId, u16> {
    // After a change of the route, the old port still has records. Of equally late records the lowest port counts.
    let lateness = |record: &FlowRecord| {
        let seen_ns = record.seen_ns.map(|(_, to)| to);
        (seen_ns, record.epoch, record.packets, Reverse(record.egress_port), record.ingress_port)
    };
    let mut latest: BTreeMap<NodeId, &FlowRecord> = BTreeMap::new();
    for switch in &snapshot.switches {
        let Some(node) = index.node(&switch.switch) else { continue };
        for record in switch.flows.iter().filter(|record| record.flow == flow && record.packets > 0) {
            let known = latest.entry(node).or_insert(record);
            if lateness(record) > lateness(known) {
                *known = record;
            }
        }
    }
    let before = |(node, record): (&NodeId, &&FlowRecord)| {
        let port = index.port(*node, record.ingress_port?)?;
        index.peer(port).filter(|before| !index.is_host(before.node)).map(|port| (port.node, port.number))
    };
    let mut by_ingress: BTreeMap<NodeId, u16> = latest.iter().filter_map(before).collect();
    let own = latest.into_iter().map(|(node, record)| (node, record.egress_port));
    by_ingress.extend(own);
    by_ingress
}

/// Where a flow may go at each switch.
struct Choices<'a, 't> {
    /// The recorded egress port of a switch.
    recorded: BTreeMap<NodeId, u16>,
    index: &'a TopologyIndex<'t>,
    dst: NodeId,
}

impl Choices<'_, '_> {
    /// The recorded port, else the ports on shortest paths.
    fn of(&self, node: NodeId) -> Vec<u16> {
        match self.recorded.get(&node) {
            Some(port) => vec![*port],
            None => self.index.next_hops(self.index.name(node), self.dst).to_vec(),
        }
    }

    /// For every node that is reached from `first`, the ports from which a path crosses most of the recorded hops.
    fn best(&self, first: &[NodeId]) -> BTreeMap<NodeId, Vec<u16>> {
        let mut order = Vec::new();
        let mut onwards: BTreeMap<NodeId, Vec<(u16, NodeId)>> = BTreeMap::new();
        let mut queue: VecDeque<NodeId> = first.iter().copied().collect();
        while let Some(node) = queue.pop_front() {
            if node == self.dst || self.index.is_host(node) || onwards.contains_key(&node) {
                continue;
            }
            let ports = self.of(node).into_iter();
            let peers: Vec<(u16, NodeId)> = ports
                .filter_map(|port| Some((port, self.index.peer(self.index.port(node, port)?)?.node)))
                .collect();
            queue.extend(peers.iter().map(|(_, peer)| *peer));
            onwards.insert(node, peers);
            order.push(node);
        }
        // Shortest paths come closer with each hop, so the score of every peer is known before that of the node. A
        // recorded hop may lead back; then the peer counts as 0.
        let mut crossed: BTreeMap<NodeId, usize> = BTreeMap::new();
        let mut best = BTreeMap::new();
        for node in order.into_iter().rev() {
            let score = |peer: &NodeId| crossed.get(peer).copied().unwrap_or(0);
            let peers = &onwards[&node];
            let most = peers.iter().map(|(_, peer)| score(peer)).max().unwrap_or(0);
            let ports = peers.iter().filter(|(_, peer)| score(peer) == most).map(|(port, _)| *port);
            best.insert(node, ports.collect());
            crossed.insert(node, most + usize::from(self.recorded.contains_key(&node)));
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use model::topology::{Link, Node, NodeKind};
    use model::{Rate, Time, Topology};
    use serde_json::json;

    use super::*;

    /// Two leaves with a host each; between them two spines, and a third leaf that no shortest path crosses.
    fn leaf_spine() -> Topology {
        let node = |name: &str, kind, addresses: &[[u8; 4]]| {
            let addresses = addresses.iter().map(|address| (*address).into()).collect();
            Node { name: name.into(), kind, addresses }
        };
        let mut nodes =
            vec![node("h1", NodeKind::Host, &[[10, 0, 0, 1]]), node("h2", NodeKind::Host, &[[10, 0, 0, 2]])];
        nodes.extend(["l1", "l2", "l3", "s1", "s2"].map(|name| node(name, NodeKind::Switch, &[])));
        let ends = "h1:1 l1:1, h2:1 l2:1, l1:2 s1:1, l1:3 s2:1, l2:2 s1:2, l2:3 s2:2, l3:2 s1:3, l3:3 s2:3";
        let links = ends.split(", ").map(|link| {
            let (a, b) = link.split_once(' ').unwrap();
            let (rate, delay) = (Rate::from_gbps(100), Time::from_us(1));
            Link { a: a.parse().unwrap(), b: b.parse().unwrap(), rate, delay }
        });
        Topology { nodes, links: links.collect() }
    }

    /// A snapshot with records of the flow: switch, ingress port, egress port, time of the last packet.
    fn snapshot(flow: FlowKey, records: &[(&str, Option<u16>, u16, u64)]) -> Snapshot {
        let names: BTreeSet<&str> = records.iter().map(|(switch, ..)| *switch).collect();
        let switch = |name: &str| {
            let own = records.iter().filter(|(switch, ..)| *switch == name);
            let flows = own.map(|(_, ingress, egress, to)| {
                json!({
                    "flow": flow, "epoch": 1, "ingress_port": ingress, "egress_port": egress, "priority": 3,
                    "packets": 4, "bytes": 4096, "queued_packets": 0, "depth_sum": 0, "paused_packets": 0,
                    "psn_first": 0, "psn_last": 3, "seen_ns": [0, to], "queued_ns": null, "evicted": false,
                })
            });
            json!({
                "switch": name, "frozen_ns": 9, "polled_from": [], "on_victim_path": true, "epochs": [],
                "flows": flows.collect::<Vec<_>>(), "ports": [], "meters": [], "pauses": [], "bytes": 0,
            })
        };
        let value = json!({
            "format": model::snapshot::SNAPSHOT_FORMAT, "event": 1, "source": "harrier", "victim": flow,
            "trigger": null, "epoch_ns": 1, "switches": names.into_iter().map(switch).collect::<Vec<_>>(),
            "polls": 1, "missing": [],
        });
        serde_json::from_value(value).unwrap()
    }

    /// Checks the hops from h1 to h2, written as port and the first letter of how each is known.
    fn check(records: &[(&str, Option<u16>, u16, u64)], expected: &str) {
        let flow = FlowKey::udp([10, 0, 0, 1].into(), 10_000, [10, 0, 0, 2].into(), 4791);
        let topology = leaf_spine();
        let hops = flow_hops(&snapshot(flow, records), &TopologyIndex::new(&topology), flow).unwrap();
        let text = hops.iter().map(|hop| {
            let known = match hop.known {
                Known::Recorded => 'r',
                Known::Derived => 'd',
                Known::Assumed => 'a',
            };
            format!("{} {known}", hop.port)
        });
        assert_eq!(text.collect::<Vec<_>>().join(", "), expected, "{records:?}");
    }

    #[test]
    fn a_hop_is_recorded_derived_or_assumed() {
        check(
            &[("l1", Some(1), 3, 5), ("s2", Some(1), 2, 5), ("l2", Some(3), 1, 5)],
            "l1:3 r, s2:2 r, l2:1 r",
        );
        // Nothing is recorded: either spine, then the only port of the last leaf.
        check(&[], "l1:2 a, s1:2 a, l2:1 d");
        // The record of the second spine leaves one choice at the first leaf, with its ingress port or without.
        check(&[("s2", None, 2, 5)], "l1:3 d, s2:2 r, l2:1 d");
        check(&[("s2", Some(1), 2, 5)], "l1:3 r, s2:2 r, l2:1 d");
        // So does the ingress port at the last leaf.
        check(&[("l2", Some(3), 1, 5)], "l1:3 d, s2:2 r, l2:1 r");
    }

    #[test]
    fn the_latest_record_counts_after_a_change_of_the_route() {
        check(&[("l1", Some(1), 2, 5), ("l1", Some(1), 3, 8)], "l1:3 r, s2:2 d, l2:1 d");
        check(&[("l1", Some(1), 2, 8), ("l1", Some(1), 3, 5)], "l1:2 r, s1:2 d, l2:1 d");
    }

    #[test]
    fn a_detour_and_a_loop_are_shown_as_recorded() {
        // Over the third leaf, which no shortest path crosses.
        let detour = [("l1", Some(1), 2, 5), ("s1", Some(1), 3, 5), ("l3", Some(2), 3, 5)];
        check(&detour, "l1:2 r, s1:3 r, l3:3 r, s2:2 d, l2:1 d");
        // The spine sends the packets back: the path ends where it returns.
        check(&[("l1", Some(1), 2, 5), ("s1", Some(1), 1, 5)], "l1:2 r, s1:1 r");
    }

    #[test]
    fn acks_leave_by_the_ports_that_were_polled_for_them() {
        let flow = FlowKey::udp([10, 0, 0, 1].into(), 10_000, [10, 0, 0, 2].into(), 4791);
        let topology = leaf_spine();
        let mut snapshot = snapshot(flow, &[("l1", Some(1), 2, 5), ("l2", Some(2), 1, 5)]);
        snapshot.switches[1].back_port = Some(3);
        let hops = ack_hops(&snapshot, &TopologyIndex::new(&topology), flow).unwrap();
        let ports: Vec<String> = hops.iter().map(|hop| hop.port.to_string()).collect();
        assert_eq!(ports, ["l2:3", "s2:1", "l1:1"]);
        let known: Vec<Known> = hops.iter().map(|hop| hop.known).collect();
        assert_eq!(known, [Known::Recorded, Known::Derived, Known::Derived]);
    }

    #[test]
    fn a_flow_of_unknown_hosts_has_no_path() {
        let topology = leaf_spine();
        let flow = FlowKey::udp([10, 0, 0, 1].into(), 1, [10, 0, 0, 9].into(), 2);
        assert_eq!(flow_hops(&snapshot(flow, &[]), &TopologyIndex::new(&topology), flow), None);
    }
}
