//! At which egress ports of a switch the packets are queued that make it send pauses.

use crate::pressure::Pressure;
use crate::reading::PRIORITIES;
use crate::thresholds as t;
use crate::wiring::{PortId, Wiring};

/// How the parts of the egress ports are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Basis {
    /// By the peaks of the queues in the window.
    Peaks,
    /// By peaks that the watermarks showed after the window.
    LatePeaks,
    /// By the packets in the queues at the end of the window.
    Occupancy,
    /// By pauses, marks and drops; how large the queues were is unknown.
    Signs,
    /// By the bytes sent: the busiest port. The source has nothing else.
    Busiest,
}

/// The rows of one priority.
#[derive(Debug, Default)]
pub(crate) struct Rows<'r> {
    /// In order of port.
    by_port: Vec<&'r Pressure>,
}

impl<'r> Rows<'r> {
    /// The rows of every priority, of rows in order of port.
    pub(crate) fn by_priority(rows: &'r [Pressure]) -> [Rows<'r>; PRIORITIES] {
        let mut all: [Rows<'r>; PRIORITIES] = Default::default();
        for row in rows {
            all[row.priority].by_port.push(row);
        }
        all
    }

    pub(crate) fn get(&self, port: PortId) -> Option<&'r Pressure> {
        let found = self.by_port.binary_search_by_key(&port, |row| row.port);
        found.ok().map(|position| self.by_port[position])
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &'r Pressure> {
        self.by_port.iter().copied()
    }
}

/// Returns the egress ports that hold the packets which `ingress` pauses for, each with its part. `from` is the paused
/// port at the other end, if it is known. Empty if the switch shows no egress port.
pub(crate) fn candidates(
    rows: &Rows<'_>,
    wiring: &Wiring,
    ingress: PortId,
    from: Option<PortId>,
) -> (Vec<(PortId, f64)>, Basis) {
    let switch = &wiring.ports[ingress].switch;
    // A switch does not send a packet back by the port by which it came.
    let egress: Vec<&Pressure> = wiring
        .ports_of(switch)
        .iter()
        .filter(|port| **port != ingress)
        .filter_map(|port| rows.get(*port))
        .collect();
    let on_way: Vec<&Pressure> = egress.iter().copied().filter(|row| wiring.is_way(from, row.port)).collect();
    for rows in [&on_way, &egress] {
        for (basis, weight) in WEIGHTS {
            let weighted = parts(rows, weight);
            if weighted.is_empty() {
                continue;
            }
            let is_late = |row: &&&Pressure| row.has_late_peak();
            let basis = match basis {
                Basis::Peaks if rows.iter().any(|row| is_late(&row)) => Basis::LatePeaks,
                basis => basis,
            };
            return (weighted, basis);
        }
    }
    // The busiest port of all is named only if no port shows more.
    let busiest = on_way.iter().chain(&egress).max_by_key(|row| {
        (row.change.queue_bytes.or(row.change.queue_packets).unwrap_or(0), std::cmp::Reverse(row.port))
    });
    let busiest = busiest.filter(|row| row.change.queue_bytes.or(row.change.queue_packets) > Some(0));
    (busiest.map(|row| (row.port, 1.0)).into_iter().collect(), Basis::Busiest)
}

type Weight = fn(&Pressure) -> f64;
const WEIGHTS: [(Basis, Weight); 3] =
    [(Basis::Peaks, peak_weight), (Basis::Occupancy, occupancy_weight), (Basis::Signs, sign_weight)];

fn peak_weight(row: &Pressure) -> f64 {
    // A queue that sends and is not paused has a peak of some packets at any load, which is small beside the others.
    row.queue_peak().map_or(0.0, |bytes| bytes as f64)
}

fn occupancy_weight(row: &Pressure) -> f64 {
    row.change.occupancy_bytes.map_or(0.0, |bytes| bytes as f64)
}

/// Ports with a sign of congestion, by the bytes that they sent: the larger the part of the traffic, the more of it is
/// queued there.
fn sign_weight(row: &Pressure) -> f64 {
    let marked = row.change.ecn_marked.is_some_and(|count| count > 0);
    let has_sign = row.is_paused() || marked || row.drops() > 0;
    if !has_sign {
        return 0.0;
    }
    row.change.queue_bytes.or(row.change.queue_packets).map_or(1.0, |count| count.max(1) as f64)
}

fn parts(rows: &[&Pressure], weight: Weight) -> Vec<(PortId, f64)> {
    let mut weighted: Vec<(PortId, f64)> =
        rows.iter().map(|row| (row.port, weight(row))).filter(|(_, weight)| *weight > 0.0).collect();
    if weighted.len() > t::MOST_EGRESS_PORTS {
        let largest = |a: &(PortId, f64), b: &(PortId, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        weighted.select_nth_unstable_by(t::MOST_EGRESS_PORTS, largest);
        weighted.truncate(t::MOST_EGRESS_PORTS);
        weighted.sort_by_key(|(port, _)| *port);
    }
    let sum: f64 = weighted.iter().map(|(_, weight)| weight).sum();
    weighted.into_iter().map(|(port, weight)| (port, weight / sum)).collect()
}
