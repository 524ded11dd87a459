//! The published replay (Hawkeye, SIGCOMM 2025): all packets of the epochs, spread evenly over them.

use model::telemetry::FlowRecord;

use super::{Contention, FlowPart, sort_parts};
use crate::facts::queue_episode::QueueScope;
use crate::facts::view::{PortIx, View};
use crate::findings::replay::{Arrivals, replay};
use crate::settings::Tuning;

/// A flow contributes if it caused more queueing of others than others caused of its own.
pub(super) fn whole_epoch(
    view: &View<'_>,
    settings: &Tuning,
    port: PortIx,
    scope: QueueScope<'_>,
    records: &[&FlowRecord],
) -> Contention {
    let mut flows = Vec::new();
    let mut arrivals = Vec::new();
    for of_flow in records.chunk_by(|a, b| a.flow == b.flow) {
        let Some(first) = of_flow.first() else { continue };
        let packets: f64 = of_flow.iter().map(|r| r.packets.saturating_sub(r.paused_packets) as f64).sum();
        let all: f64 = of_flow.iter().map(|r| r.packets as f64).sum();
        let depth = of_flow.iter().map(|r| r.depth_sum as f64).sum::<f64>() / all;
        flows.push(first.flow);
        arrivals.push(Arrivals { span: None, packets, depth, excess: 1.0 });
    }
    let waits = replay(&arrivals, settings.replay_packets);
    let mut parts: Vec<FlowPart> = flows
        .iter()
        .zip(arrivals.iter().zip(waits))
        .map(|(flow, (a, w))| FlowPart {
            flow: *flow,
            packets: a.packets,
            excess: a.packets,
            contributes: w.caused > w.ahead && scope.victim != Some(*flow),
            weight: w.caused - w.ahead,
            depth: a.depth,
        })
        .collect();
    sort_parts(&mut parts);
    let depth = view.published_depth(port, None);
    Contention {
        port,
        when: None,
        depth,
        flows: parts,
        history: false,
        changed: true,
        has_grown: true,
        self_made: false,
        may_be_own: true,
        unaccounted: 0.0,
    }
}
