//! Pauses that a full log overwrote, as far as flow records still show them.

use crate::thresholds as t;
use model::MissingData;
use model::telemetry::FlowRecord;

use super::{PortIx, View};

impl View<'_> {
    /// Returns the earliest time at which the pause event of `port` that is known from `known_ns` on may have begun:
    /// earlier, if earlier pauses were overwritten and a flow that was queued almost only because of pauses was
    /// queued before.
    pub(crate) fn paused_since(&self, port: PortIx, known_ns: u64) -> u64 {
        if !self.settings.applies("overwritten") || !self.has_overwritten_before(port, known_ns) {
            return known_ns;
        }
        let for_pauses = |f: &&&FlowRecord| {
            f.paused_packets as f64
                >= self.settings.value(&t::FOR_PAUSES_SHARE)
                    * f.queued_packets.unwrap_or(f.packets).max(1) as f64
        };
        let paused = self.flows(port).iter().filter(for_pauses);
        paused.filter_map(|f| f.queued_ns).map(|(from, _)| from).min().map_or(known_ns, |ns| ns.min(known_ns))
    }

    /// Whether pauses just before the one that began at `start_ns` were overwritten, in the priorities of the view.
    fn has_overwritten_before(&self, port: PortIx, start_ns: u64) -> bool {
        let own = self.port_ref(port);
        self.snapshot.missing.iter().any(|missing| match missing {
            MissingData::PausesOverwritten { port, priority, before_ns } => {
                *port == own && self.classes.contains(*priority) && *before_ns == start_ns
            }
            _ => false,
        })
    }
}
