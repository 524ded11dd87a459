//! `pfc_storm_host_injection`: the pause path ends at a port that a host pauses.
//!
//! No queue in the fabric causes such a pause, so no flow is a culprit: packets at that port are queued because of the host.

use model::Anomaly;

use super::backpressure::contended;
use super::{Finding, trail_doubts};
use crate::contention::Bounds;
use crate::graph::{Vertex, VertexIx};
use crate::pause_paths::Trail;
use crate::scene::Scene;
use crate::span::pause_span;
use crate::view::saturating;

pub(super) fn find(scene: &Scene<'_, '_>, trail: &Trail) -> Option<Finding> {
    let [.., facing, end] = trail.path.as_slice() else { return None };
    let Vertex::Host(host) = scene.graph.vertices[*end] else { return None };
    let port = scene.graph.port(*facing)?;
    let ports: Vec<VertexIx> = trail.path[..trail.path.len() - 1].to_vec();
    if duty(scene, *facing) < scene.settings.storm_duty
        && let Some(contention) = contended(scene, &ports, *facing, Bounds::default())
    {
        // The host paused only briefly and flows contend there, so contention is the cause.
        let paused = ports.len() > 1;
        return paused.then(|| Finding {
            anomaly: Anomaly::PfcBackpressureFlowContention,
            root: Some(scene.view.port_ref(port)),
            path: scene.ports(&ports),
            pause_loop: Vec::new(),
            host: None,
            when: contention.when,
            contention: Some(contention),
            doubts: trail_doubts(scene, trail),
        });
    }
    Some(Finding {
        anomaly: Anomaly::PfcStormHostInjection,
        root: Some(scene.view.port_ref(port)),
        path: scene.ports(&ports),
        pause_loop: Vec::new(),
        host: Some(host),
        contention: None,
        when: scene.graph.when[*facing],
        doubts: trail_doubts(scene, trail),
    })
}

/// The share of the event's time in which a port was paused; without intervals, the share of its packets.
fn duty(scene: &Scene<'_, '_>, v: VertexIx) -> f64 {
    let Some(port) = scene.graph.port(v) else { return 1.0 };
    let when = scene.graph.when[v];
    let pauses = scene.view.pauses(port);
    if let (Some(when), false) = (when, pauses.is_empty()) {
        let frozen_ns = scene.view.switch_of(port).frozen_ns;
        let paused: f64 = pauses.iter().map(|p| pause_span(p, frozen_ns).shared_ns(when)).sum();
        return paused / when.length_ns();
    }
    let records = scene.view.flows(port).iter().filter(|f| scene.view.flow_in(port, f, when));
    let packets = saturating(records.map(|f| f.packets));
    if packets > 0 { scene.view.paused_packets(port, when) as f64 / packets as f64 } else { 1.0 }
}
