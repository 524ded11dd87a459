//! When a cyclic buffer dependency closed, and for how long it was deadlocked. A loop that a watchdog opened can close
//! again: that is another event with its own cause, and earlier pauses belong to the first event.

use model::{Rate, TriggerReason};

use crate::facts::span::{Span, clusters, pause_span};
use crate::facts::view::PortIx;
use crate::findings::standstill::{Limits, Standstill, standstills};
use crate::graph::context::Context;
use crate::graph::port_graph::VertexIx;
use crate::thresholds as t;

/// What the records show about a loop.
#[derive(Clone, Copy, Debug)]
pub(super) enum LoopState {
    /// A port of the loop has no pause intervals, so they cannot be compared.
    Unknown,
    /// The ports are paused in turn; the longest joint pause in nanoseconds.
    Moves { longest_ns: u64 },
    /// All ports are paused and no packet moves, or that delayed the slow packet.
    Stands(DeadlockPeriod),
}

/// One deadlock of a loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeadlockPeriod {
    /// When an earlier deadlock of the same loop ended; nothing before belongs to this one.
    pub(super) opened_ns: Option<u64>,
    /// The joint standstill.
    pub(super) standstill: Standstill,
    /// From the first pause of the loop's ports that led to the deadlock.
    pub(super) event: Span,
}

impl LoopState {
    /// Returns the state of a loop. Of several deadlocks it is, in this order of preference: the one that delayed the
    /// slow packet, if the packet was acknowledged; the first one since the victim's last packet arrived at a port of
    /// the loop; the one that existed when the loop was read. Without a trigger it is the last one.
    pub(super) fn of(context: &Context<'_, '_>, pause_loop: &[VertexIx]) -> LoopState {
        let ports: Vec<PortIx> = pause_loop.iter().filter_map(|v| context.graph.port(*v)).collect();
        let of_ports: Vec<Vec<Span>> = pause_loop.iter().map(|v| pauses(context, *v)).collect();
        let read_ns = ports.iter().map(|port| context.view.switch_of(*port).frozen_ns).min();
        let Some(read_ns) = read_ns.filter(|_| of_ports.iter().all(|pauses| !pauses.is_empty())) else {
            return LoopState::Unknown;
        };
        let limits =
            Limits::of(context.settings, slowest(context, &ports), context.trigger.map(|t| t.base_rtt_ns));
        let (found, longest_ns) = standstills(&of_ports, &moves(context, &ports), read_ns, limits);
        let Some(standstill) = explaining(context, pause_loop, &found) else {
            return LoopState::Moves { longest_ns };
        };
        let earlier = found.iter().rev().find(|other| other.span.to < standstill.span.from && other.settled);
        let opened_ns = earlier.map(|other| other.span.to);
        let events = clusters(of_ports.into_iter().flatten().collect(), context.settings.ns(&t::FLUTTER));
        let event = events.iter().rev().find(|event| event.overlaps(standstill.span));
        let event = event.copied().unwrap_or(standstill.span);
        let from = event.from.max(opened_ns.unwrap_or(0));
        let event = Span { from, to: event.to.max(from) };
        LoopState::Stands(DeadlockPeriod { opened_ns, standstill, event })
    }

    pub(super) fn period(self) -> Option<DeadlockPeriod> {
        match self {
            LoopState::Stands(period) => Some(period),
            LoopState::Unknown | LoopState::Moves { .. } => None,
        }
    }
}

impl DeadlockPeriod {
    /// Returns when `v` was first paused in this event, as far as recorded.
    pub(super) fn first_pause(&self, context: &Context<'_, '_>, v: VertexIx) -> Option<u64> {
        let of_event = |span: &Span| span.overlaps(self.event) && span.from >= self.opened_ns.unwrap_or(0);
        pauses(context, v).into_iter().filter(of_event).map(|span| span.from).min()
    }

    /// Whether the records of a switch reach back to the first pause that led to the deadlock. Records that begin later
    /// show which queues stand, not which one was first.
    pub(super) fn is_covered(&self, context: &Context<'_, '_>, port: PortIx) -> bool {
        let start = context.view.ring_start(context.view.switch_of(port));
        start.is_none_or(|start| start <= self.event.from)
    }
}

/// Returns the standstill that explains the victim's delay.
fn explaining(
    context: &Context<'_, '_>,
    pause_loop: &[VertexIx],
    found: &[Standstill],
) -> Option<Standstill> {
    if context.trigger.is_none() {
        return found.last().copied();
    }
    let in_flight = slow_packet(context);
    let shared_ns = |s: &Standstill| in_flight.map_or(0, |packet| s.span.shared_ns(packet) as u64);
    let delayed_packet = found.iter().filter(|s| shared_ns(s) > 0).max_by_key(|s| shared_ns(s));
    let after_last_packet = || {
        let last_ns = victims_last_ns(context, pause_loop)?;
        found.iter().find(|s| s.span.to >= last_ns)
    };
    let standing = || found.iter().rev().find(|s| s.stands);
    delayed_packet.or_else(after_last_packet).or_else(standing).copied()
}

/// The rate of the slowest link of a loop.
pub(super) fn slowest(context: &Context<'_, '_>, ports: &[PortIx]) -> Rate {
    let rates = ports.iter().filter_map(|port| context.view.topo(*port));
    rates.map(|port| context.view.index.info(port).rate).min().unwrap_or(Rate::from_gbps(100))
}

/// Returns when packets were last seen to arrive from a port of the loop at the next one, by flow and epoch: that port
/// sent them, so it was not standing.
fn moves(context: &Context<'_, '_>, ports: &[PortIx]) -> Vec<u64> {
    let view = context.view;
    let next = ports.iter().cycle().skip(1);
    let mut moves = Vec::new();
    for (port, next) in ports.iter().zip(next) {
        let ingress = view.topo(*port).and_then(|port| view.index.peer(port)).map(|peer| peer.number);
        let arrived = view.flows(*next).iter().filter(|f| ingress.is_some() && f.ingress_port == ingress);
        moves.extend(arrived.filter_map(|f| f.seen_ns).flat_map(|(from, to)| [from, to]));
    }
    moves
}

/// Returns when the slow packet was in flight, if it was acknowledged.
fn slow_packet(context: &Context<'_, '_>) -> Option<Span> {
    let trigger = context.trigger.filter(|trigger| trigger.reason == TriggerReason::SlowRtt)?;
    Some(Span { from: trigger.time_ns.saturating_sub(trigger.rtt_ns), to: trigger.time_ns })
}

/// Returns when the victim's last packet arrived at a port of the loop.
fn victims_last_ns(context: &Context<'_, '_>, pause_loop: &[VertexIx]) -> Option<u64> {
    let victim = context.victim?;
    let ports = pause_loop.iter().filter_map(|v| context.graph.port(*v));
    let records = ports.flat_map(|port| context.view.records_of(port, victim));
    records.filter_map(|record| record.seen_ns).map(|(from, to)| from.max(to)).max()
}

pub(super) fn pauses(context: &Context<'_, '_>, v: VertexIx) -> Vec<Span> {
    let Some(port) = context.graph.port(v) else { return Vec::new() };
    let frozen_ns = context.view.switch_of(port).frozen_ns;
    context.view.pauses(port).iter().map(|pause| pause_span(pause, frozen_ns)).collect()
}
