//! Pauses that a port's log had no room for, and what its flow records still tell of them.

use model::Gap;
use model::telemetry::FlowRecord;

use super::{Classes, PortIx, View};

impl View<'_> {
    /// Takes in which ports were paused more often than their logs hold, in the classes that are looked at.
    pub(super) fn note_forgotten(&mut self, classes: Classes) {
        for gap in &self.snapshot.missing {
            let Gap::PausesOverwritten { port, priority, before_ns } = gap else { continue };
            let switch = self.index.node(&port.switch).and_then(|node| self.switch_at(node));
            let found = switch.and_then(|switch| self.find(switch, port.port));
            if let Some(at) = found.filter(|_| classes.contains(*priority)) {
                self.ports[at].forgotten_ns = self.ports[at].forgotten_ns.max(Some(*before_ns));
            }
        }
    }

    /// Since when `port` may have been paused of which the first pause that is left began at `known_ns`: earlier, if others were
    /// overwritten and a flow that waited for pauses, and for little else, waited before.
    pub(crate) fn paused_since(&self, port: PortIx, known_ns: u64) -> u64 {
        if self.ports[port].forgotten_ns.is_none_or(|forgotten_ns| forgotten_ns < known_ns) {
            return known_ns;
        }
        let for_pauses = |f: &&&FlowRecord| f.paused_packets > f.queued_packets.unwrap_or(f.packets) / 2;
        let paused = self.flows(port).iter().filter(for_pauses);
        paused.filter_map(|f| f.queued_ns).map(|(from, _)| from).min().map_or(known_ns, |ns| ns.min(known_ns))
    }
}
