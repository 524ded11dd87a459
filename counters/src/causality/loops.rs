//! Loops of paused ports: a deadlock, if no packet leaves them.

use std::collections::{BTreeMap, BTreeSet};

use super::candidates::Rows;
use crate::pressure::{Level, Pressure};
use crate::thresholds as t;
use crate::wiring::{PortId, Wiring};

/// Ports each of which waits for buffer space of the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Loop {
    pub(crate) priority: usize,
    /// Egress ports in pause order, beginning with the smallest number.
    pub(crate) ports: Vec<PortId>,
    /// Whether a port is in the loop because it stood still for the whole interval, and no counter shows that its queue
    /// held packets in it.
    pub(crate) is_standing: bool,
}

/// Returns the loops of ports of a priority that are paused and in which packets stayed. Two hosts or switches that
/// pause each other are no loop: packets do not return by the port by which they came.
///
/// Where packets certainly stayed, any ports can form a loop: routes may be wrong. Where they may have stayed, because a
/// deadlock began within the interval, packets must be able to take the way on shortest paths, or no other queue of the
/// switch holds packets: otherwise two congested ports in opposite directions of a Clos network would look like a loop.
/// Where a port stood still and only its old watermark shows packets, no other port of the switch may explain the pauses.
pub(crate) fn loops(rows: &Rows<'_>, wiring: &Wiring, priority: usize) -> Vec<Loop> {
    let waits = Waits::new(rows, wiring);
    let mut next: BTreeMap<PortId, Vec<PortId>> = BTreeMap::new();
    for port in &waits.waiting {
        let Some(ingress) = wiring.peer(*port) else { continue };
        // Two switches of one name, or a cable between two ports of one switch: neither shows that packets return.
        if wiring.ports[ingress].switch == wiring.ports[*port].switch {
            continue;
        }
        let own = wiring.ports_of(&wiring.ports[ingress].switch).iter().copied();
        let waits_for = own.filter(|egress| *egress != ingress && waits.can_wait(*port, ingress, *egress));
        next.insert(*port, waits_for.collect());
    }
    let mut found = Vec::new();
    let mut used = BTreeSet::new();
    for port in &waits.waiting {
        if used.contains(port) {
            continue;
        }
        if let Some(ports) = shortest_loop(*port, &next, &used) {
            used.extend(ports.iter().copied());
            let is_standing = ports.iter().any(|port| !waits.stuck.contains(port));
            found.push(Loop { priority, ports, is_standing });
        }
    }
    found
}

/// Which ports can wait for each other.
struct Waits<'w> {
    rows: &'w Rows<'w>,
    wiring: &'w Wiring,
    /// Ports in which packets certainly stayed.
    certain: BTreeSet<PortId>,
    /// And those in which they may have stayed since some time within the interval.
    stuck: BTreeSet<PortId>,
    /// And those that may have stood still since before the interval.
    waiting: BTreeSet<PortId>,
}

impl<'w> Waits<'w> {
    fn new(rows: &'w Rows<'w>, wiring: &'w Wiring) -> Waits<'w> {
        let ports_with = |is_kind: fn(&Pressure) -> bool| -> BTreeSet<PortId> {
            rows.iter().filter(|row| is_kind(row)).map(|row| row.port).collect()
        };
        let (certain, stuck) = (ports_with(Pressure::is_stuck), ports_with(Pressure::may_be_stuck));
        let waiting = &stuck | &ports_with(Pressure::may_stand_still);
        Waits { rows, wiring, certain, stuck, waiting }
    }

    /// Whether packets that left by `port` and arrived at `ingress` can wait for buffer space behind `egress`.
    fn can_wait(&self, port: PortId, ingress: PortId, egress: PortId) -> bool {
        let are_both = |kind: &BTreeSet<PortId>| kind.contains(&port) && kind.contains(&egress);
        if !are_both(&self.waiting) {
            return false;
        }
        if !are_both(&self.stuck) {
            return !self.has_other_reason(ingress, egress);
        }
        let is_way = || self.wiring.knows_ways() && self.wiring.is_way(Some(port), egress);
        are_both(&self.certain) || is_way() || self.is_drained(&self.wiring.ports[egress].switch)
    }

    /// Whether no other queue of a switch holds packets: congestion outside of a loop would have some in its queue.
    fn is_drained(&self, switch: &str) -> bool {
        self.others(switch).all(|row| row.change.occupancy_bytes.is_none_or(|bytes| bytes == 0))
    }

    /// Whether another egress port explains that `ingress` pauses: it is paused more than ordinarily, it may be paused and
    /// has no counter that tells, or its queue holds packets or grew to a quarter of that of `egress` or more. A queue that
    /// is not paused and did not grow has drained within the interval, whatever its old watermark is.
    fn has_other_reason(&self, ingress: PortId, egress: PortId) -> bool {
        let peak = |row: &Pressure| row.change.queue_peak.map_or(0, |peak| peak.bytes);
        let own = self.rows.get(egress).map_or(0, peak);
        let is_reason = |row: &Pressure| {
            let is_paused =
                row.is_paused() && (row.has_storm() || row.paused_part.level() != Some(Level::Ordinary));
            let has_grown =
                row.queue_peak().is_some_and(|bytes| bytes as f64 >= t::OUTSIDE_QUEUE_PART * own as f64);
            let holds = row.change.occupancy_bytes.is_some_and(|bytes| bytes > 0);
            is_paused || !row.knows_pauses() || has_grown || holds
        };
        self.others(&self.wiring.ports[egress].switch).any(|row| row.port != ingress && is_reason(row))
    }

    /// The rows of the ports of a switch that are not waiting.
    fn others(&self, switch: &str) -> impl Iterator<Item = &'w Pressure> {
        let ports = self.wiring.ports_of(switch).iter().filter(|port| !self.waiting.contains(port));
        ports.filter_map(|port| self.rows.get(*port))
    }
}

/// The first loop among ports and those that they lead on to; empty if there is none.
pub(super) fn first_loop(next: &BTreeMap<PortId, Vec<PortId>>) -> Vec<PortId> {
    let none = BTreeSet::new();
    next.keys().find_map(|port| shortest_loop(*port, next, &none)).unwrap_or_default()
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
