//! `pfc_backpressure_flow_contention`: the pause path ends at an unpaused port where flows contend.

use model::Anomaly;
use model::snapshot::Source;

use super::{Finding, common_caveats};
use crate::facts::queue_episode::{Bounds, QueueScope};
use crate::findings::contention::{Contention, contention};
use crate::graph::context::Context;
use crate::graph::pause_paths::PausePath;
use crate::graph::port_graph::VertexIx;

pub(super) fn find(context: &Context<'_, '_>, pause_path: &PausePath) -> Option<Finding> {
    let end = *pause_path.path.last()?;
    let port = context.graph.port(end)?;
    if pause_path.path.len() < 2 || !context.graph.edges(end).is_empty() {
        return None;
    }
    let contention = contended(context, &pause_path.path, end, Bounds::default())?;
    Some(Finding {
        anomaly: Anomaly::PfcBackpressureFlowContention,
        root: Some(context.view.port_ref(port)),
        path: context.ports(&pause_path.path),
        pause_loop: Vec::new(),
        host: None,
        when: contention.when.or(context.graph.when[end]),
        contention: Some(contention),
        caveats: common_caveats(context, pause_path),
    })
}

/// Returns the contention at the end of a path, if its queue has contributors within `bounds`.
pub(super) fn contended(
    context: &Context<'_, '_>,
    path: &[VertexIx],
    end: VertexIx,
    bounds: Bounds,
) -> Option<Contention> {
    let port = context.graph.port(end)?;
    let paused_upstream = context.paused_upstream_of(path, end);
    let waiting_upstream = context.waiting_upstream_of(end);
    let scope = QueueScope {
        victim: context.victim,
        paused_upstream: &paused_upstream,
        waiting_upstream: &waiting_upstream,
        near: context.graph.when[end],
        ahead: None,
        bounds,
    };
    let found = contention(context.view, context.settings, port, scope)?;
    let deep = found.depth >= context.settings.min_wait_packets
        // The prototype records the depth of the input queue, which does not describe this port.
        || context.view.source() == Source::HawkeyeNs3;
    (deep && found.contributors().next().is_some()).then_some(found)
}
