//! A loop whose ports were paused in turn but never stood still: no deadlock, but its first pause shows where the
//! congestion began. The port paused first waited for its successor in the loop, which still sent and had a queue.

use model::Anomaly;

use super::deadlock::{paused_before, queue_until};
use super::deadlock_period::{LoopState, pauses};
use super::{Caveat, Finding, common_caveats};
use crate::facts::span::{Span, clusters};
use crate::findings::contention::Contention;
use crate::graph::context::Context;
use crate::graph::pause_paths::PausePath;
use crate::graph::port_graph::VertexIx;
use crate::thresholds as t;

pub(super) fn find(context: &Context<'_, '_>, pause_path: &PausePath) -> Option<Finding> {
    let pause_loop = &pause_path.pause_loop;
    if pause_loop.is_empty() || !matches!(LoopState::of(context, pause_loop), LoopState::Moves { .. }) {
        return None;
    }
    let (root, contention) = first_queue(context, pause_loop)?;
    let entry = pause_path.path.iter().copied().find(|v| pause_loop.contains(v))?;
    let mut path: Vec<VertexIx> = pause_path.path.iter().copied().take_while(|v| *v != entry).collect();
    let turn = pause_loop.iter().position(|v| *v == entry)?;
    let around = pause_loop.iter().copied().cycle().skip(turn).take(pause_loop.len());
    let until_root = around.clone().position(|v| v == root)?;
    path.extend(around.take(until_root + 1));
    if path.len() < 2 {
        return None;
    }
    let mut caveats = common_caveats(context, pause_path);
    caveats.push(Caveat::new(
        context.settings.value(&t::BY_FIRST_PAUSE),
        "pauses went around a loop that never stood still: the root is the queue behind the loop's first recorded pause",
    ));
    Some(Finding {
        anomaly: Anomaly::PfcBackpressureFlowContention,
        root: context.graph.port(root).map(|port| context.view.port_ref(port)),
        path: context.ports(&path),
        pause_loop: Vec::new(),
        host: None,
        when: contention.when,
        contention: Some(contention),
        caveats,
    })
}

/// Returns the queue behind the first pause of the event under analysis.
fn first_queue(context: &Context<'_, '_>, pause_loop: &[VertexIx]) -> Option<(VertexIx, Contention)> {
    let all: Vec<Span> = pause_loop.iter().flat_map(|v| pauses(context, *v)).collect();
    let events = clusters(all, context.settings.ns(&t::FLUTTER));
    let near = |event: &&Span| context.analysed.is_none_or(|analysed| analysed.overlaps(**event));
    let event = *events.iter().rev().find(near)?;
    let first_of = |v: VertexIx| {
        let own = pauses(context, v).into_iter().filter(|span| span.overlaps(event));
        own.map(|span| span.from).min()
    };
    let first = pause_loop.iter().enumerate().filter_map(|(at, v)| Some((first_of(*v)?, at)));
    let (since, at) = first.min()?;
    let next = pause_loop[(at + 1) % pause_loop.len()];
    if paused_before(context, next, since) {
        return None;
    }
    let near = Span { from: since.saturating_sub(context.settings.event_gap_ns), to: since };
    queue_until(context, next, near, None, first_of(next)).map(|found| (next, found))
}
