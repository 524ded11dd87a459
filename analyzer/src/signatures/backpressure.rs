//! `pfc_backpressure_flow_contention`: the pause path ends at an unpaused port where flows contend.

use model::Anomaly;
use model::snapshot::Source;

use super::{Finding, trail_doubts};
use crate::contention::{Bounds, Contention, Question, contention};
use crate::graph::VertexIx;
use crate::pause_paths::Trail;
use crate::scene::Scene;

pub(super) fn find(scene: &Scene<'_, '_>, trail: &Trail) -> Option<Finding> {
    let end = *trail.path.last()?;
    let port = scene.graph.port(end)?;
    if trail.path.len() < 2 || !scene.graph.edges(end).is_empty() {
        return None;
    }
    let contention = contended(scene, &trail.path, end, Bounds::default())?;
    Some(Finding {
        anomaly: Anomaly::PfcBackpressureFlowContention,
        root: Some(scene.view.port_ref(port)),
        path: scene.ports(&trail.path),
        pause_loop: Vec::new(),
        host: None,
        when: contention.when.or(scene.graph.when[end]),
        contention: Some(contention),
        doubts: trail_doubts(scene, trail),
    })
}

/// Returns the contention at the end of a path, if its queue has contributors within `bounds`.
pub(super) fn contended(
    scene: &Scene<'_, '_>,
    path: &[VertexIx],
    end: VertexIx,
    bounds: Bounds,
) -> Option<Contention> {
    let port = scene.graph.port(end)?;
    let carriers = scene.carriers(path, end);
    let question =
        Question { victim: scene.victim, carriers: &carriers, near: scene.graph.when[end], bounds };
    let found = contention(scene.view, scene.settings, port, question)?;
    let deep = found.depth >= scene.settings.min_wait_packets
        // Depths of the input's queue say nothing about this port's.
        || scene.view.snapshot.source == Source::HawkeyeNs3;
    (deep && found.contributors().next().is_some()).then_some(found)
}
