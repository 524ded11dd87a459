//! Pauses that a port's log had no room for, and what its flow records still tell of them.

use model::MissingData;
use model::telemetry::FlowRecord;

use super::{PortIx, View};

/// A record speaks of pauses if at least this share of the packets that waited did so for one.
const FOR_PAUSES_SHARE: f64 = 0.9;

impl View<'_> {
    /// Since when `port` may have been paused of which the first pause of an event that is left began at `known_ns`: earlier, if
    /// the ones before it were overwritten and a flow that waited for pauses, and for next to nothing else, waited before.
    pub(crate) fn paused_since(&self, port: PortIx, known_ns: u64) -> u64 {
        if !self.has_gap_before(port, known_ns) {
            return known_ns;
        }
        let for_pauses = |f: &&&FlowRecord| {
            f.paused_packets as f64 >= FOR_PAUSES_SHARE * f.queued_packets.unwrap_or(f.packets).max(1) as f64
        };
        let paused = self.flows(port).iter().filter(for_pauses);
        paused.filter_map(|f| f.queued_ns).map(|(from, _)| from).min().map_or(known_ns, |ns| ns.min(known_ns))
    }

    /// Whether pauses just before the one that began at `start_ns` were overwritten, in the classes that are looked at.
    fn has_gap_before(&self, port: PortIx, start_ns: u64) -> bool {
        let own = self.port_ref(port);
        self.snapshot.missing.iter().any(|gap| match gap {
            MissingData::PausesOverwritten { port, priority, before_ns } => {
                *port == own && self.classes.contains(*priority) && *before_ns == start_ns
            }
            _ => false,
        })
    }
}
