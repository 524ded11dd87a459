//! Ports whose neighbour may pause them, and which have no counter that tells: it is absent, or no number.

use model::Diagnosis;

use super::confidence;
use crate::case::Case;
use crate::causality::{Basis, Cluster};
use crate::text;
use crate::wiring::PortId;

/// What is missing about these ports, in a line.
pub(super) fn line(case: &Case<'_>, ports: &[PortId], priority: usize) -> String {
    let shown: Vec<String> = ports.iter().map(|port| case.shown(*port)).collect();
    format!(
        "whether the neighbour pauses {} in priority {priority}: the counter of received pause frames \
         (SAI_PORT_STAT_PFC_{priority}_RX_PKTS) is absent or no number; add `show pfc counters` or a dump of COUNTERS_DB",
        text::list(&shown)
    )
}

/// Lowers the confidence of a verdict about a port if the switch has other ports that may be the end of the pauses
/// instead, and says which.
pub(super) fn doubt(case: &Case<'_>, cluster: &Cluster, port: PortId, basis: Basis, verdict: &mut Diagnosis) {
    let others = others(case, cluster, port, basis);
    if !others.is_empty() {
        verdict.confidence *= confidence::UNREAD;
        verdict.missing.push(line(case, &others, cluster.priority));
    }
}

/// The other ports of the port's switch that may be paused and hold the packets.
pub(super) fn others(case: &Case<'_>, cluster: &Cluster, port: PortId, basis: Basis) -> Vec<PortId> {
    let switch = &case.wiring.ports[port].switch;
    let own = case.wiring.ports_of(switch);
    let pausing: Vec<PortId> =
        cluster.pausing.iter().copied().filter(|pausing| own.contains(pausing)).collect();
    let is_up = |port: PortId| {
        let change = case.window.switches.get(switch);
        let change = change.and_then(|change| change.ports.get(&case.wiring.ports[port].name));
        change.is_none_or(|change| change.up != Some(false))
    };
    let rows = case.rows_of(switch).filter(|row| row.priority == cluster.priority);
    let may_be_end = rows.filter(|row| {
        // A new peak has been compared with the others, and one of 0 holds nothing.
        let is_compared = row.change.queue_peak.is_some_and(|peak| peak.is_new || peak.bytes == 0);
        let by_peaks = matches!(basis, Basis::Peaks | Basis::LatePeaks);
        row.port != port
            && !row.knows_pauses()
            && !(by_peaks && is_compared)
            // Packets do not leave by the port by which they came.
            && pausing != [row.port]
            && is_up(row.port)
    });
    may_be_end.map(|row| row.port).collect()
}
