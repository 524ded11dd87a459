//! The directed links that the victim's packets and their ACKs use, and the least time that the network takes for them.
//!
//! Records come first. Where a switch has none, all its shortest paths count, and a hop is certain only if there is one.
//! After a route change the old hops belong to the path as well: the slow packet may have used either.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::net::IpAddr;

use model::{FlowKey, NetworkChange, NetworkEvent, PortRef, Time};

use crate::facts::span::Span;
use crate::facts::topology_index::{NodeId, PortId};
use crate::facts::view::{PortIx, View};

/// Length of the shortest Ethernet frame, in bytes (IEEE 802.3): the lower bound of serialisation.
const SHORTEST_FRAME_BYTES: u64 = 64;

/// A directed link that packets of the victim, or their ACKs, use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VictimLink {
    /// The egress port.
    pub(crate) from: PortId,
    /// The ingress port at the far end.
    pub(crate) to: PortId,
    /// Whether records or a sole shortest path show it; else it is one of several possible links.
    pub(crate) certain: bool,
    /// Whether it belongs to the path of the ACKs.
    pub(crate) is_reverse: bool,
}

/// Returns the links of the path and the reverse path, in path order.
pub(crate) fn victim_links(view: &View<'_>, victim: FlowKey) -> Vec<VictimLink> {
    let mut links = Vec::new();
    let (src, dst) = (view.index.host_of(victim.src), view.index.host_of(victim.dst));
    if let (Some(src), Some(dst)) = (src, dst) {
        for (from, to, address, is_reverse) in [(src, dst, victim.dst, false), (dst, src, victim.src, true)] {
            walk(view, (from, to), is_reverse, &mut links, &|node| {
                hops(view, victim, node, to, address, is_reverse)
            });
        }
    }
    links
}

type Hops = Vec<(u16, bool)>;

fn walk(
    view: &View<'_>,
    (from, to): (NodeId, NodeId),
    is_reverse: bool,
    links: &mut Vec<VictimLink>,
    hops: &dyn Fn(NodeId) -> Hops,
) {
    let mut known: BTreeMap<NodeId, bool> = BTreeMap::new();
    let mut queue = std::collections::VecDeque::from([(from, true)]);
    while let Some((node, reached)) = queue.pop_front() {
        if node == to || known.contains_key(&node) {
            continue;
        }
        known.insert(node, reached);
        let own = view.index.ports_of(node);
        let ports = match view.index.is_host(node) {
            true if node == from => own.iter().map(|port| (port.number, own.len() == 1)).collect(),
            true => continue,
            false => hops(node),
        };
        for (number, certain) in ports {
            let Some(port) = view.index.port(node, number) else { continue };
            let Some(peer) = view.index.peer(port) else { continue };
            let certain = certain && reached;
            links.push(VictimLink { from: port, to: view.index.info(port).peer, certain, is_reverse });
            queue.push_back((peer.node, certain));
        }
    }
}

/// The egress ports of a switch towards `to`, each with whether it is certain.
fn hops(
    view: &View<'_>,
    victim: FlowKey,
    node: NodeId,
    to: NodeId,
    address: IpAddr,
    is_reverse: bool,
) -> Hops {
    let name = view.index.name(node);
    let telemetry = view.switch_at(node);
    let mut recorded: BTreeSet<u16> = match is_reverse {
        true => view.snapshot.switch(name).and_then(|switch| switch.back_port).into_iter().collect(),
        false => {
            let ports = telemetry.map(|switch| view.ports_of(switch)).into_iter().flatten();
            let has_victim =
                |port: &PortIx| view.flows(*port).iter().any(|f| f.flow == victim && f.packets > 0);
            ports.filter(has_victim).map(|port| view.number(port)).collect()
        }
    };
    let mut possible: BTreeSet<u16> = BTreeSet::new();
    for (_, before, after) in route_changes(view, name, address) {
        for ports in [before, after] {
            match ports {
                [port] => {
                    recorded.insert(*port);
                }
                many => possible.extend(many),
            }
        }
    }
    if recorded.is_empty() {
        possible.extend(view.index.next_hops(name, to));
    }
    let sole = recorded.is_empty() && possible.len() == 1;
    let others = possible.into_iter().filter(|port| !recorded.contains(port)).map(|port| (port, sole));
    recorded.iter().map(|port| (*port, true)).chain(others).collect()
}

/// Returns the changes of the routes of a switch to an address: event, egress ports before and after.
pub(crate) fn route_changes<'a>(
    view: &View<'a>,
    switch: &'a str,
    address: IpAddr,
) -> impl Iterator<Item = (&'a NetworkEvent, &'a [u16], &'a [u16])> {
    view.snapshot.events.iter().filter(move |event| event.switch == switch).filter_map(move |event| {
        match &event.change {
            NetworkChange::Route { prefix, before, after } if covers(prefix, address) => {
                Some((event, before.as_slice(), after.as_slice()))
            }
            _ => None,
        }
    })
}

/// Whether a prefix in CIDR notation contains an address.
fn covers(prefix: &str, address: IpAddr) -> bool {
    let Some((network, length)) = prefix.split_once('/') else { return false };
    let (Ok(network), Ok(length)) = (network.parse::<IpAddr>(), length.parse::<u32>()) else { return false };
    match (network, address) {
        (IpAddr::V4(network), IpAddr::V4(address)) => {
            let shift = 32_u32.saturating_sub(length);
            u32::from(network).checked_shr(shift) == u32::from(address).checked_shr(shift)
        }
        (IpAddr::V6(network), IpAddr::V6(address)) => {
            let shift = 128_u32.saturating_sub(length);
            u128::from(network).checked_shr(shift) == u128::from(address).checked_shr(shift)
        }
        _ => false,
    }
}

/// Returns when the link of a port was down, as the logs of either end have it; an outage without an end lasts.
pub(crate) fn outages(view: &View<'_>, port: PortId) -> Vec<Span> {
    let ends = [view.index.port_ref(port), view.index.port_ref(view.index.info(port).peer)];
    let mut spans: Vec<Span> = Vec::new();
    for end in &ends {
        let mut down: Option<u64> = None;
        let own = view.snapshot.events.iter().filter(|event| event.link_port().as_ref() == Some(end));
        for event in own {
            match event.change {
                NetworkChange::LinkDown { .. } => down = down.or(Some(event.time_ns)),
                _ => spans.extend(down.take().map(|from| Span::new(from, event.time_ns))),
            }
        }
        spans.extend(down.map(|from| Span { from, to: u64::MAX }));
    }
    crate::facts::span::clusters(spans, 0)
}

/// Returns the time for the shortest frame to cross links in one direction, in nanoseconds: propagation and
/// serialisation.
pub(crate) fn least_ns(view: &View<'_>, ports: impl IntoIterator<Item = PortRef>) -> u64 {
    let costs = ports.into_iter().filter_map(|port| view.index.topology().link_of(&port)).map(cost_ns);
    costs.fold(0_u64, u64::saturating_add)
}

/// Returns the egress ports of the path of the ACKs, if records or sole shortest paths show all of it.
pub(crate) fn reverse_ports(view: &View<'_>, links: &[VictimLink], src: NodeId) -> Option<Vec<PortRef>> {
    let back: Vec<&VictimLink> = links.iter().filter(|link| link.is_reverse).collect();
    let arrives = back.iter().any(|link| view.index.info(link.to).node == src);
    (arrives && back.iter().all(|link| link.certain))
        .then(|| back.iter().map(|link| view.index.port_ref(link.from)).collect())
}

fn cost_ns(link: &model::topology::Link) -> u64 {
    // A link of rate 0 delivers nothing: its serialisation takes for ever.
    let serialisation = link.rate.serialisation(SHORTEST_FRAME_BYTES);
    Time(link.delay.0.saturating_add(serialisation.0)).as_ns()
}

/// Returns the least round-trip time between two hosts over any path, in nanoseconds: no base RTT is below it.
/// `None` if they are not connected.
pub(crate) fn lower_bound_ns(view: &View<'_>, src: NodeId, dst: NodeId) -> Option<u64> {
    Some(fastest_ns(view, src, dst)?.saturating_mul(2))
}

/// Returns the least time for the shortest frame from one node to another over any path, in nanoseconds. `None` if they are
/// not connected.
pub(crate) fn fastest_ns(view: &View<'_>, src: NodeId, dst: NodeId) -> Option<u64> {
    let mut links: BTreeMap<&str, Vec<(&str, u64)>> = BTreeMap::new();
    for link in &view.index.topology().links {
        for (a, b) in [(&link.a, &link.b), (&link.b, &link.a)] {
            links.entry(&a.switch).or_default().push((&b.switch, cost_ns(link)));
        }
    }
    let (src, dst) = (view.index.name(src), view.index.name(dst));
    let mut done: BTreeSet<&str> = BTreeSet::new();
    let mut open = BinaryHeap::from([Reverse((0_u64, src))]);
    while let Some(Reverse((cost, node))) = open.pop() {
        if node == dst {
            return Some(cost);
        }
        if done.insert(node) {
            let next = links.get(node).into_iter().flatten();
            open.extend(next.map(|(peer, more)| Reverse((cost.saturating_add(*more), *peer))));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_covers_its_addresses_only() {
        let check = |prefix: &str, address: &str, expected: bool| {
            assert_eq!(covers(prefix, address.parse().unwrap()), expected, "{prefix} {address}");
        };
        check("10.0.1.1/32", "10.0.1.1", true);
        check("10.0.1.1/32", "10.0.1.2", false);
        check("10.0.1.0/24", "10.0.1.2", true);
        check("0.0.0.0/0", "10.0.1.2", true);
        check("fd00::/64", "fd00::7", true);
        check("fd00::/64", "10.0.1.2", false);
        check("rain", "10.0.1.2", false);
    }
}
