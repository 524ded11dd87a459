//! When a cyclic buffer dependency closed, and for how long it was deadlocked. A loop that a watchdog opened can close
//! again: that is another event with its own cause, and earlier pauses belong to the first event.

use model::TriggerReason;

use crate::context::Context;
use crate::graph::VertexIx;
use crate::span::{Span, clusters, pause_span};

/// Before a loop closes, its ports are paused and resumed in short turns; pauses with at most this gap belong together.
const FLUTTER_NS: u64 = 60_000;
/// Minimum time for which all ports of a loop are paused in a deadlock.
const DEADLOCK_NS: f64 = 100_000.0;
/// Gaps in a port's pause through which no traffic passes: a switch at its threshold resumes and pauses within a packet
/// time.
const MOMENT_NS: u64 = 1_000;

/// One deadlock of a loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeadlockPeriod {
    /// When an earlier deadlock of the same loop ended; nothing before belongs to this one.
    pub(super) opened_ns: Option<u64>,
    /// From the first pause of the loop's ports that led to the deadlock.
    event: Span,
}

impl DeadlockPeriod {
    /// Returns, in this order of preference: the deadlock that delayed the slow packet, if the packet was acknowledged;
    /// the first one since the victim's last packet arrived at a port of the loop; the one that existed when the loop
    /// was read; the last one; the last time when all ports were paused. `None` without pause intervals.
    pub(super) fn of(context: &Context<'_, '_>, pause_loop: &[VertexIx]) -> Option<DeadlockPeriod> {
        let of_ports: Vec<Vec<Span>> = pause_loop.iter().map(|v| pauses(context, *v)).collect();
        let all = of_ports.iter().flatten().copied().collect();
        let frozen_ns = pause_loop.iter().filter_map(|v| context.graph.port(*v));
        let frozen_ns = frozen_ns.map(|port| context.view.switch_of(port).frozen_ns).min()?;
        let joint = intersect_all(of_ports.into_iter().map(|spans| clusters(spans, MOMENT_NS)));
        let is_deadlock = |span: &&Span| span.length_ns() >= DEADLOCK_NS;
        let delayed_packet = slow_packet(context).and_then(|in_flight| {
            let shared = |span: &&Span| span.shared_ns(in_flight);
            joint
                .iter()
                .filter(is_deadlock)
                .filter(|span| shared(span) >= DEADLOCK_NS)
                .max_by_key(|span| shared(span) as u64)
        });
        let after_last_packet = || {
            let last_ns = victims_last_ns(context, pause_loop)?;
            joint.iter().filter(is_deadlock).find(|span| span.to >= last_ns)
        };
        let deadlock = delayed_packet
            .or_else(after_last_packet)
            .or(joint.last().filter(|span| span.to >= frozen_ns || is_deadlock(span)));
        let deadlock = deadlock.or_else(|| joint.iter().rev().find(is_deadlock)).or(joint.last());
        let earlier =
            joint.iter().rev().filter(is_deadlock).find(|span| deadlock.is_some_and(|s| span.to < s.from));
        let opened_ns = earlier.map(|span| span.to);
        let events = clusters(all, FLUTTER_NS);
        let of_deadlock = |event: &&Span| deadlock.is_none_or(|deadlock| event.overlaps(*deadlock));
        let event = events.iter().rev().find(of_deadlock).or(events.last())?;
        let from = event.from.max(opened_ns.unwrap_or(0));
        Some(DeadlockPeriod { opened_ns, event: Span { from, to: event.to.max(from) } })
    }

    /// Returns when `v` was first paused in this event, as far as recorded.
    pub(super) fn first_pause(&self, context: &Context<'_, '_>, v: VertexIx) -> Option<u64> {
        let of_event = |span: &Span| span.overlaps(self.event) && span.from >= self.opened_ns.unwrap_or(0);
        pauses(context, v).into_iter().filter(of_event).map(|span| span.from).min()
    }
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

fn pauses(context: &Context<'_, '_>, v: VertexIx) -> Vec<Span> {
    let Some(port) = context.graph.port(v) else { return Vec::new() };
    let frozen_ns = context.view.switch_of(port).frozen_ns;
    context.view.pauses(port).iter().map(|pause| pause_span(pause, frozen_ns)).collect()
}

/// Returns the intersection of all lists; lists are ascending and disjoint, and so is the result.
fn intersect_all(mut lists: impl Iterator<Item = Vec<Span>>) -> Vec<Span> {
    let first = lists.next().unwrap_or_default();
    lists.fold(first, |common, list| {
        let common_with = |span: &Span| {
            let from = list.partition_point(|other| other.to < span.from);
            list[from..].iter().map_while(|other| span.intersection(*other)).collect::<Vec<Span>>()
        };
        common.iter().flat_map(common_with).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_intersection_contains_only_times_of_all_lists() {
        let spans = |list: &[(u64, u64)]| list.iter().map(|(a, b)| Span::new(*a, *b)).collect::<Vec<_>>();
        let lists = [&[(0, 10), (20, 40)][..], &[(5, 30), (35, 50)], &[(0, 100)]];
        assert_eq!(intersect_all(lists.iter().map(|l| spans(l))), spans(&[(5, 10), (20, 30), (35, 40)]));
        assert_eq!(intersect_all([spans(&[(0, 4)]), spans(&[(6, 9)])].into_iter()), Vec::new());
        assert_eq!(intersect_all(std::iter::empty()), Vec::new());
    }
}
