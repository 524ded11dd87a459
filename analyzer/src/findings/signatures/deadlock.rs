//! The three deadlocks: the paused ports form a cyclic buffer dependency.
//!
//! If all ports of the loop wait only for each other, the initial congestion was in the loop. If a port of the loop
//! also waits for a port outside, that is where it started: contention or a host. Contention outside is the start only
//! if the port that waits for it was the first of the loop to be paused, and if more of its traffic was then queued
//! outside than at the loop's next port; a standing deadlock also pauses the paths that cross it.
//!
//! Once the last port of the loop is paused, no packet circulates. Queue contents after that show which flows the loop
//! blocks, not which flows closed it.

use model::Anomaly;
use model::wire::pfc::quanta_time;

use super::backpressure::contended;
use super::deadlock_period::{DeadlockPeriod, LoopState, slowest};
use super::{Caveat, Finding, common_caveats};
use super::{moving_loop, untimed_loop};
use crate::facts::queue_episode::{Bounds, QueueScope};
use crate::facts::span::{Span, pause_span};
use crate::facts::topology_index::NodeId;
use crate::facts::view::PortIx;
use crate::facts::wording::{duration, duration_f64};
use crate::findings::contention::{Contention, contention};
use crate::graph::context::Context;
use crate::graph::pause_paths::PausePath;
use crate::graph::port_graph::{Vertex, VertexIx};
use crate::thresholds as t;

pub(super) fn find(context: &Context<'_, '_>, pause_path: &PausePath) -> Option<Finding> {
    if pause_path.pause_loop.is_empty() {
        return None;
    }
    let end = *pause_path.path.last()?;
    if let LoopState::Moves { longest_ns } = LoopState::of(context, &pause_path.pause_loop) {
        // A path that leaves the loop has a root of its own.
        let ends_inside = pause_path.pause_loop.contains(&end);
        return ends_inside
            .then(|| moving_loop::find(context, pause_path))
            .flatten()
            .or_else(|| ends_inside.then(|| resolved(context, pause_path, longest_ns)));
    }
    if pause_path.pause_loop.contains(&end) {
        return Some(in_loop(context, pause_path, end));
    }
    let outside =
        match context.graph.vertices[end] {
            Vertex::Host(host) => Some(injected(context, pause_path, host, end)),
            Vertex::Port(port)
                if !is_covered(context, pause_path, port)
                    || !paused_first(context, pause_path)
                    || !exit_queued_outside(context, pause_path) =>
            {
                None
            }
            Vertex::Port(port) => contended(context, &pause_path.path, end, closing(context, pause_path))
                .map(|contention| Finding {
                    anomaly: Anomaly::DeadlockOutOfLoopContention,
                    root: Some(context.view.port_ref(port)),
                    path: context.ports(&pause_path.path),
                    pause_loop: context.ports(&pause_path.pause_loop),
                    host: None,
                    when: contention.when,
                    contention: Some(contention),
                    caveats: loop_caveats(context, pause_path),
                }),
            Vertex::Silent(_) | Vertex::Unlinked(_) => None,
        };
    // No port outside explains the loop, so it started inside.
    outside.or_else(|| {
        let entry = pause_path.path.iter().copied().find(|v| pause_path.pause_loop.contains(v))?;
        Some(in_loop(context, pause_path, entry))
    })
}

fn period(context: &Context<'_, '_>, pause_loop: &[VertexIx]) -> Option<DeadlockPeriod> {
    LoopState::of(context, pause_loop).period()
}

/// The finding of a loop behind a port that a host pauses: a deadlock, or a storm that has closed a loop.
fn injected(context: &Context<'_, '_>, pause_path: &PausePath, host: NodeId, end: VertexIx) -> Finding {
    let ports = context.ports(&pause_path.path);
    let ports_of_loop = context.ports(&pause_path.pause_loop);
    let stands = outlives_a_pause(context, &pause_path.pause_loop);
    let mut caveats = loop_caveats(context, pause_path);
    if let Some(so_far) = period(context, &pause_path.pause_loop).filter(|_| !stands) {
        let names: Vec<String> =
            ports_of_loop.iter().map(|port| context.view.port_ref(*port).to_string()).collect();
        caveats.push(Caveat::new(
            context.settings.value(&t::STANDS_SO_FAR),
            format!(
                "the pauses have closed the loop {}, which has stood still for {}: it may stay when the host stops pausing",
                names.join(" -> "),
                duration_f64(so_far.standstill.span.length_ns())
            ),
        ));
    }
    Finding {
        anomaly: match stands {
            true => Anomaly::DeadlockOutOfLoopInjection,
            false => Anomaly::PfcStormHostInjection,
        },
        root: ports.last().map(|port| context.view.port_ref(*port)),
        path: ports,
        pause_loop: if stands { ports_of_loop } else { Vec::new() },
        host: Some(host),
        contention: None,
        when: context.graph.when[end],
        caveats,
    }
}

/// Whether a loop has stood still for longer than the longest pause. While a host outside pauses a port of the loop, its
/// packets may wait for the host alone and leave when it stops; pauses that are refreshed because of it do not show that
/// the loop waits for itself.
fn outlives_a_pause(context: &Context<'_, '_>, pause_loop: &[VertexIx]) -> bool {
    match LoopState::of(context, pause_loop) {
        LoopState::Stands(period) => {
            let ports: Vec<PortIx> = pause_loop.iter().filter_map(|v| context.graph.port(*v)).collect();
            let longest_pause = quanta_time(u16::MAX, slowest(context, &ports));
            period.standstill.span.length_ns() >= longest_pause.as_ns() as f64
        }
        LoopState::Unknown | LoopState::Moves { .. } => true,
    }
}

/// Whether the records of a port reach back to the first pause that led to the deadlock.
fn is_covered(context: &Context<'_, '_>, pause_path: &PausePath, port: PortIx) -> bool {
    period(context, &pause_path.pause_loop).is_none_or(|period| period.is_covered(context, port))
}

/// The finding of a loop whose ports were paused in turn, but never all at once for long enough: the pauses that reach
/// the victim came around the loop, and the records do not show where they began.
fn resolved(context: &Context<'_, '_>, pause_path: &PausePath, longest_ns: u64) -> Finding {
    let ports = context.ports(&pause_path.pause_loop);
    let names: Vec<String> = ports.iter().map(|port| context.view.port_ref(*port).to_string()).collect();
    let mut caveats = common_caveats(context, pause_path);
    caveats.push(Caveat::new(
        context.settings.value(&t::AROUND_LOOP),
        format!(
            "the ports {} were paused in turn, all at once for at most {}: no deadlock, and the records do not show which queue the pauses came from",
            names.join(" -> "),
            duration(longest_ns)
        ),
    ));
    Finding {
        anomaly: Anomaly::PfcBackpressureFlowContention,
        root: None,
        path: context.ports(&pause_path.path),
        pause_loop: Vec::new(),
        host: None,
        contention: None,
        when: pause_path.path.first().and_then(|v| context.graph.when[*v]),
        caveats,
    }
}

/// Whether the port at which a path leaves the loop was the first port of the loop to be paused, as far as recorded.
fn paused_first(context: &Context<'_, '_>, pause_path: &PausePath) -> bool {
    let pause_loop = &pause_path.pause_loop;
    let since = |v: &VertexIx| first_paused_ns(context, pause_loop, *v);
    let exit = pause_path.path.iter().rev().find(|v| pause_loop.contains(v));
    let Some(own) = exit.and_then(since) else { return true };
    pause_loop
        .iter()
        .filter_map(since)
        .all(|other| own <= other.saturating_add(context.settings.ns(&t::AT_ONCE)))
}

/// Returns the time from the end of the previous deadlock of the loop to the pause that closed it.
fn closing(context: &Context<'_, '_>, pause_path: &PausePath) -> Bounds {
    let unended_since = |v: &VertexIx| {
        let pauses = context.view.pauses(context.graph.port(*v)?);
        pauses.iter().filter(|pause| pause.end_ns.is_none()).map(|pause| pause.start_ns).min()
    };
    let closed: Option<Vec<u64>> = pause_path.pause_loop.iter().map(unended_since).collect();
    let period = period(context, &pause_path.pause_loop);
    Bounds {
        since: period.and_then(|period| period.opened_ns),
        until: closed.and_then(|at| at.into_iter().max()),
    }
}

/// Whether, when the loop's exit port was first paused, more of its traffic was queued outside the loop than at the
/// loop's next port.
fn exit_queued_outside(context: &Context<'_, '_>, pause_path: &PausePath) -> bool {
    let pause_loop = &pause_path.pause_loop;
    let Some(at) = pause_path.path.iter().rposition(|v| pause_loop.contains(v)) else { return true };
    let (exit, outside) = (pause_path.path[at], pause_path.path.get(at + 1));
    let inside = pause_loop.iter().position(|v| *v == exit).map(|at| pause_loop[(at + 1) % pause_loop.len()]);
    let view = context.view;
    let port = |v: VertexIx| context.graph.port(v);
    let (Some(exit_port), Some(outside), Some(inside)) =
        (port(exit), outside.and_then(|v| port(*v)), inside.and_then(port))
    else {
        return true;
    };
    let ingress = view.topo(exit_port).and_then(|p| view.index.peer(p)).map(|peer| peer.number);
    let (Some(ingress), Some(since)) = (ingress, first_paused_ns(context, pause_loop, exit)) else {
        return true;
    };
    let known = period(context, pause_loop).and_then(|period| period.first_pause(context, exit));
    // A buffer fills up to XOFF within microseconds.
    let from = since.saturating_sub(context.settings.event_gap_ns / 4);
    let before = Span { from, to: known.unwrap_or(since).max(since) };
    view.queued_from(outside, ingress, before) >= view.queued_from(inside, ingress, before)
}

/// The finding of a loop whose initial congestion was at one of its own ports.
fn in_loop(context: &Context<'_, '_>, pause_path: &PausePath, entry: VertexIx) -> Finding {
    let late = !pause_path
        .pause_loop
        .iter()
        .all(|v| context.graph.port(*v).is_none_or(|port| is_covered(context, pause_path, port)));
    let untimed = untimed_loop::initial(context, &pause_path.pause_loop);
    let is_untimed = untimed.is_some();
    let root = untimed.or_else(|| initial(context, pause_path)).filter(|_| !late);
    let mut path: Vec<VertexIx> = pause_path.path.iter().copied().take_while(|v| *v != entry).collect();
    let turn = pause_path.pause_loop.iter().position(|v| *v == entry).unwrap_or(0);
    let around = pause_path.pause_loop.iter().cycle().skip(turn).take(pause_path.pause_loop.len());
    for v in around {
        path.push(*v);
        if root.as_ref().is_some_and(|(r, _)| r == v) {
            break;
        }
    }
    let mut caveats = loop_caveats(context, pause_path);
    if late {
        caveats.push(Caveat::new(
            context.settings.value(&t::ROOT_NOT_COVERED),
            "the records begin after the first pause of the loop, so the flows that started the loop are unknown",
        ));
    } else if is_untimed {
        caveats.push(untimed_loop::caveat(context));
    } else if root.is_none() {
        caveats.push(Caveat::new(
            context.settings.value(&t::ROOT_NOT_COVERED),
            "no port of the loop has records of a queue before it was paused, so the flows that started the loop are unknown",
        ));
    }
    let (root, contention) = root.unzip();
    Finding {
        anomaly: Anomaly::DeadlockInLoopContention,
        root: root.and_then(|v| context.graph.port(v)).map(|p| context.view.port_ref(p)),
        path: context.ports(&path),
        pause_loop: context.ports(&pause_path.pause_loop),
        host: None,
        when: contention.as_ref().and_then(|c: &Contention| c.when),
        contention,
        caveats,
    }
}

/// Returns the loop's initial queue. The deadlock grew from the earliest pause of its event. The port paused then
/// waited for its successor in the loop, where packets were queued; if the successor was paused as well, for the port
/// after it.
fn initial(context: &Context<'_, '_>, pause_path: &PausePath) -> Option<(VertexIx, Contention)> {
    let pause_loop = &pause_path.pause_loop;
    let mut starts: Vec<(u64, usize)> = pause_loop
        .iter()
        .enumerate()
        .filter_map(|(at, v)| Some((first_paused_ns(context, pause_loop, *v)?, at)))
        .collect();
    starts.sort_unstable();
    // If its queue is no longer in the registers, try the port that was paused next.
    starts.iter().find_map(|(since, at)| {
        let after = (1..pause_loop.len()).map(|step| pause_loop[(at + step) % pause_loop.len()]);
        let next = after.into_iter().find(|v| !paused_before(context, *v, *since))?;
        queue_before_pause(context, pause_loop, next).map(|found| (next, found))
    })
}

/// Whether `v` was paused at `at`, or shortly enough before that its backlog had not drained.
pub(super) fn paused_before(context: &Context<'_, '_>, v: VertexIx, at: u64) -> bool {
    let Some(port) = context.graph.port(v) else { return false };
    let frozen_ns = context.view.switch_of(port).frozen_ns;
    let near = Span { from: at.saturating_sub(context.settings.event_gap_ns / 4), to: at };
    context.view.pauses(port).iter().any(|p| pause_span(p, frozen_ns).overlaps(near) && p.start_ns < at)
}

/// Returns the queue of a port of the loop before the loop paused it, if it has contributors.
fn queue_before_pause(context: &Context<'_, '_>, pause_loop: &[VertexIx], v: VertexIx) -> Option<Contention> {
    let port = context.graph.port(v)?;
    let period = period(context, pause_loop);
    let first = period.and_then(|period| period.first_pause(context, v));
    let near = first.map(|at| Span { from: at.saturating_sub(context.settings.event_gap_ns), to: at });
    queue_of(context, port, near, Bounds { since: period.and_then(|period| period.opened_ns), until: first })
}

/// Returns the queue of `v` near a time and up to its own first pause, if it has contributors.
pub(super) fn queue_until(
    context: &Context<'_, '_>,
    v: VertexIx,
    near: Span,
    since: Option<u64>,
    until: Option<u64>,
) -> Option<Contention> {
    queue_of(context, context.graph.port(v)?, Some(near), Bounds { since, until })
}

fn queue_of(
    context: &Context<'_, '_>,
    port: PortIx,
    near: Option<Span>,
    bounds: Bounds,
) -> Option<Contention> {
    // All flows of the loop are paused somewhere in it, so upstream pauses exclude no contributor here.
    let scope = QueueScope { victim: context.victim, near, bounds, ..QueueScope::default() };
    let found = contention(context.view, context.settings, port, scope)?;
    let weight: f64 = found.contributors().map(|f| f.weight).sum();
    (found.depth >= context.settings.min_wait_packets && weight > 0.0).then_some(found)
}

/// Returns when `v` was first paused in the event that ends in the deadlock; if its log was full, the earliest possible
/// time.
fn first_paused_ns(context: &Context<'_, '_>, pause_loop: &[VertexIx], v: VertexIx) -> Option<u64> {
    let period = period(context, pause_loop)?;
    let first = period.first_pause(context, v)?;
    let earliest = context.view.paused_since(context.graph.port(v)?, first);
    Some(earliest.max(period.opened_ns.unwrap_or(0)).min(first))
}

/// Returns for how long the loop of a finding had stood still when it was read, in nanoseconds, if it may still resolve
/// itself.
pub(crate) fn unsettled_ns(context: &Context<'_, '_>, pause_loop: &[PortIx]) -> Option<f64> {
    let pause_loop: Option<Vec<VertexIx>> = pause_loop.iter().map(|port| context.vertex(*port)).collect();
    let standstill = period(context, &pause_loop.filter(|ports| !ports.is_empty())?)?.standstill;
    (!standstill.settled).then(|| standstill.span.length_ns())
}

fn loop_caveats(context: &Context<'_, '_>, pause_path: &PausePath) -> Vec<Caveat> {
    let mut caveats = common_caveats(context, pause_path);
    match LoopState::of(context, &pause_path.pause_loop) {
        LoopState::Stands(period) if !period.standstill.settled => caveats.push(Caveat::new(
            context.settings.value(&t::STANDS_SO_FAR),
            format!(
                "the loop had stood still for {} when it was read: it may still resolve itself",
                duration_f64(period.standstill.span.length_ns())
            ),
        )),
        LoopState::Stands(_) | LoopState::Moves { .. } => {}
        LoopState::Unknown => caveats.push(Caveat::new(
            context.settings.value(&t::BY_PAUSES_ALONE),
            "a port of the loop has no pause intervals: its ports may have been paused at different times",
        )),
    }
    caveats
}
