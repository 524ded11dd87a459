//! Forwarding loops: packets of one flow that return to the same switch with a decreasing time to live.

use std::collections::{BTreeMap, BTreeSet};

use model::PortRef;

use super::Facts;
use super::replay::Replay;

/// A forwarding loop.
pub(super) struct RoutingLoop {
    /// The egress ports of the loop, in order.
    pub(super) loop_ports: Vec<PortRef>,
    /// The flows in the loop.
    pub(super) flows: Vec<usize>,
}

/// This many different TTLs at one switch indicate a loop: a detour after a change of routes gives two.
const ROUNDS: usize = 3;

pub(super) fn find(facts: &Facts<'_>, replay: &Replay) -> Option<RoutingLoop> {
    let mut seen: BTreeMap<(usize, PortRef), BTreeSet<u8>> = BTreeMap::new();
    for stay in replay.stays.iter().filter(|stay| stay.stream.is_data()) {
        if let Some(egress) = stay.egress {
            let port = PortRef::new(facts.switches[stay.switch as usize].clone(), egress);
            seen.entry((stay.stream.flow(), port)).or_default().insert(stay.ttl);
        }
    }
    seen.retain(|_, ttls| ttls.len() >= ROUNDS);
    let first = seen.keys().next()?.0;
    let ports: BTreeSet<&PortRef> =
        seen.keys().filter(|(flow, _)| *flow == first).map(|(_, port)| port).collect();
    let mut loop_ports: Vec<PortRef> = Vec::new();
    let mut at = entry(facts, &ports)?;
    while !loop_ports.contains(at) {
        loop_ports.push(at.clone());
        let next = &facts.peer(at)?.switch;
        at = ports.iter().copied().find(|port| port.switch == *next)?;
    }
    let flows: BTreeSet<usize> = seen.keys().map(|(flow, _)| *flow).collect();
    Some(RoutingLoop { loop_ports, flows: flows.into_iter().collect() })
}

/// The first port of the loop: that of the switch with a static route, which is the wrong one.
fn entry<'p>(facts: &Facts<'_>, ports: &BTreeSet<&'p PortRef>) -> Option<&'p PortRef> {
    let by_hand = |port: &&&PortRef| {
        let routes = &facts.scenario.routing.routes;
        routes.iter().any(|r| r.route.switch == port.switch && r.route.ports.contains(&port.port))
    };
    ports.iter().find(by_hand).or_else(|| ports.iter().next()).copied()
}
