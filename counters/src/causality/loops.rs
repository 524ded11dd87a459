//! Loops of paused ports: a deadlock, if no packet leaves them.

use std::collections::{BTreeMap, BTreeSet};

use super::candidates::Rows;
use crate::pressure::Pressure;
use crate::wiring::{PortId, Wiring};

/// Ports each of which waits for buffer space of the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Loop {
    pub(crate) priority: usize,
    /// Egress ports in pause order, beginning with the smallest number.
    pub(crate) ports: Vec<PortId>,
}

/// Returns the loops of ports of a priority that are paused and in which packets stayed. Two hosts or switches that
/// pause each other are no loop: packets do not return by the port by which they came.
///
/// Where packets certainly stayed, any ports can form a loop: routes may be wrong. Where they may have stayed, because a
/// deadlock began within the interval, packets must be able to take the way on shortest paths, or no other queue of the
/// switch holds packets: otherwise two congested ports in opposite directions of a Clos network would look like a loop.
pub(crate) fn loops(rows: &[Pressure], wiring: &Wiring, priority: usize) -> Vec<Loop> {
    let rows = Rows::new(rows, priority);
    let ports_with = |is_kind: fn(&Pressure) -> bool| -> BTreeSet<PortId> {
        rows.iter().filter(|row| is_kind(row)).map(|row| row.port).collect()
    };
    let (certain, stuck) = (ports_with(Pressure::is_stuck), ports_with(Pressure::may_be_stuck));
    // Congestion outside of a loop would have packets in its queue.
    let is_drained = |switch: &str| {
        let others = wiring.ports_of(switch).iter().filter(|port| !stuck.contains(port));
        let holds = |row: &Pressure| row.change.occupancy_bytes.is_some_and(|bytes| bytes > 0);
        others.filter_map(|port| rows.get(*port)).all(|row| !holds(row))
    };
    let mut next: BTreeMap<PortId, Vec<PortId>> = BTreeMap::new();
    for port in &stuck {
        let Some(ingress) = wiring.peer(*port) else { continue };
        // Two switches of one name, or a cable between two ports of one switch: neither shows that packets return.
        if wiring.ports[ingress].switch == wiring.ports[*port].switch {
            continue;
        }
        let own = wiring.ports_of(&wiring.ports[ingress].switch);
        let can_wait = |egress: PortId| {
            let are_certain = certain.contains(port) && certain.contains(&egress);
            let is_way = wiring.knows_ways() && wiring.is_way(Some(*port), egress);
            are_certain || is_way || is_drained(&wiring.ports[egress].switch)
        };
        let waits_for = own
            .iter()
            .copied()
            .filter(|egress| *egress != ingress && stuck.contains(egress) && can_wait(*egress));
        next.insert(*port, waits_for.collect());
    }
    let mut found = Vec::new();
    let mut used = BTreeSet::new();
    for port in &stuck {
        if used.contains(port) {
            continue;
        }
        if let Some(ports) = shortest_loop(*port, &next, &used) {
            used.extend(ports.iter().copied());
            found.push(Loop { priority, ports });
        }
    }
    found
}

/// The shortest loop through `start`, by breadth-first search.
fn shortest_loop(
    start: PortId,
    next: &BTreeMap<PortId, Vec<PortId>>,
    used: &BTreeSet<PortId>,
) -> Option<Vec<PortId>> {
    let mut came_from: BTreeMap<PortId, PortId> = BTreeMap::new();
    let mut front = vec![start];
    while !front.is_empty() {
        let mut later = Vec::new();
        for port in front {
            for to in next.get(&port).into_iter().flatten() {
                if *to == start {
                    let mut ports = vec![port];
                    while let Some(before) = came_from.get(&ports[ports.len() - 1]) {
                        ports.push(*before);
                    }
                    ports.reverse();
                    return Some(ports);
                }
                if !used.contains(to) && !came_from.contains_key(to) {
                    came_from.insert(*to, port);
                    later.push(*to);
                }
            }
        }
        front = later;
    }
    None
}
