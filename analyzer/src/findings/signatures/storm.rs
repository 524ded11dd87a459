//! `pfc_storm_host_injection`: the pause path ends at a port that a host pauses.
//!
//! No queue in the fabric causes such a pause, so no flow is a culprit: packets at that port are queued because of the
//! host.

use model::Anomaly;

use super::backpressure::contended;
use super::{Finding, common_caveats};
use crate::facts::queue_episode::Bounds;
use crate::facts::span::pause_span;
use crate::facts::view::saturating;
use crate::graph::context::Context;
use crate::graph::pause_paths::PausePath;
use crate::graph::port_graph::{Vertex, VertexIx};

pub(super) fn find(context: &Context<'_, '_>, pause_path: &PausePath) -> Option<Finding> {
    let [.., facing, end] = pause_path.path.as_slice() else { return None };
    let Vertex::Host(host) = context.graph.vertices[*end] else { return None };
    let port = context.graph.port(*facing)?;
    let ports: Vec<VertexIx> = pause_path.path[..pause_path.path.len() - 1].to_vec();
    if duty(context, *facing) < context.settings.storm_duty
        && let Some(contention) = contended(context, &ports, *facing, Bounds::default())
    {
        // The host paused only briefly and flows contend there, so contention is the cause.
        let paused = ports.len() > 1;
        return paused.then(|| Finding {
            anomaly: Anomaly::PfcBackpressureFlowContention,
            root: Some(context.view.port_ref(port)),
            path: context.ports(&ports),
            pause_loop: Vec::new(),
            host: None,
            when: contention.when,
            contention: Some(contention),
            caveats: common_caveats(context, pause_path),
        });
    }
    Some(Finding {
        anomaly: Anomaly::PfcStormHostInjection,
        root: Some(context.view.port_ref(port)),
        path: context.ports(&ports),
        pause_loop: Vec::new(),
        host: Some(host),
        contention: None,
        when: context.graph.when[*facing],
        caveats: common_caveats(context, pause_path),
    })
}

/// Returns the share of the event's time in which a port was paused; without intervals, the share of its packets.
fn duty(context: &Context<'_, '_>, v: VertexIx) -> f64 {
    let Some(port) = context.graph.port(v) else { return 1.0 };
    let when = context.graph.when[v];
    let pauses = context.view.pauses(port);
    if let (Some(when), false) = (when, pauses.is_empty()) {
        let frozen_ns = context.view.switch_of(port).frozen_ns;
        let paused: f64 = pauses.iter().map(|p| pause_span(p, frozen_ns).shared_ns(when)).sum();
        return paused / when.length_ns();
    }
    let records = context.view.flows(port).iter().filter(|f| context.view.flow_in(port, f, when));
    let packets = saturating(records.map(|f| f.packets));
    if packets > 0 { context.view.paused_packets(port, when) as f64 / packets as f64 } else { 1.0 }
}
