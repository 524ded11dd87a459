//! The initial congestion of a loop without pause intervals, as in imported dumps: the order of the pauses is unknown,
//! but packets that were enqueued while a port was *not* paused show its queue.
//!
//! A port of the loop that only waits for its successor sends as fast as packets arrive until it is paused. A port whose
//! unpaused packets meet a deep queue receives more than its link carries: that overload fills the buffer, and pauses
//! the loop's other ports. So the loop began at the port with by far the deepest queue of unpaused packets.

use model::snapshot::Source;

use super::Caveat;
use crate::facts::queue_episode::QueueScope;
use crate::findings::contention::{Contention, contention};
use crate::graph::context::Context;
use crate::graph::port_graph::VertexIx;
use crate::thresholds as t;

/// Returns the initial congestion of a loop none of whose ports has pause intervals.
pub(super) fn initial(context: &Context<'_, '_>, pause_loop: &[VertexIx]) -> Option<(VertexIx, Contention)> {
    let has_intervals =
        |v: &VertexIx| context.graph.port(*v).is_some_and(|port| !context.view.pauses(port).is_empty());
    // The poster's prototype records the depth of the input queue, which does not describe the egress port.
    if !context.settings.applies("signatures.untimed_loop")
        || context.view.source() == Source::HawkeyeNs3
        || pause_loop.iter().any(has_intervals)
    {
        return None;
    }
    let mut queues: Vec<(VertexIx, Contention)> =
        pause_loop.iter().filter_map(|v| Some((*v, queue(context, pause_loop, *v)?))).collect();
    queues.sort_by(|(a, x), (b, y)| y.depth.total_cmp(&x.depth).then(a.cmp(b)));
    let second = queues.get(1).map_or(0.0, |(_, queue)| queue.depth);
    let (root, deepest) = queues.into_iter().next()?;
    let weight: f64 = deepest.contributors().map(|f| f.weight).sum();
    let is_deep =
        deepest.depth >= context.settings.min_wait_packets.max(second * context.settings.value(&t::DEEPER));
    (is_deep && weight > 0.0).then_some((root, deepest))
}

/// Returns the queue of a port of the loop. Flows that are paused at another port of the loop spread the congestion.
fn queue(context: &Context<'_, '_>, pause_loop: &[VertexIx], v: VertexIx) -> Option<Contention> {
    let port = context.graph.port(v)?;
    let others =
        pause_loop.iter().filter(|other| **other != v).filter_map(|other| context.graph.port(*other));
    let mut spread: Vec<_> = others.flat_map(|other| context.paused_flows(other, None)).collect();
    spread.sort_unstable();
    spread.dedup();
    let scope = QueueScope { victim: context.victim, paused_upstream: &spread, ..QueueScope::default() };
    contention(context.view, context.settings, port, scope)
}

/// The caveat of a verdict about such a loop.
pub(super) fn caveat(context: &Context<'_, '_>) -> Caveat {
    Caveat::new(
        context.settings.value(&t::BY_DEPTH),
        "the order in which the loop's ports were paused is not recorded: the loop is taken to begin at the port whose unpaused packets met by far the deepest queue",
    )
}
