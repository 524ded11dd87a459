//! When a cyclic buffer dependency closed, and for how long it was deadlocked. A loop that a watchdog opens can close again:
//! that is another event with its own cause, and earlier pauses belong to the first event.

use model::TriggerReason;

use crate::context::Context;
use crate::graph::VertexIx;
use crate::span::{Span, clusters, pause_span};

/// Before a loop closes, its ports are paused and resumed in short turns; pauses with at most this gap belong together.
const FLUTTER_NS: u64 = 60_000;
/// Minimum time for which all ports of a loop are paused in a deadlock.
const STOOD_NS: f64 = 100_000.0;
/// Gaps in a port's pause through which no traffic passes: a switch at its threshold resumes and pauses within a packet time.
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
    /// Returns, in this order of preference: the deadlock that delayed the slow packet, if the packet was acknowledged; the
    /// first one since the victim's last packet arrived at a port of the loop; the one that existed when the loop was read;
    /// the last one; the last time when all ports were paused. `None` without pause intervals.
    pub(super) fn of(context: &Context<'_, '_>, ring: &[VertexIx]) -> Option<DeadlockPeriod> {
        let of_ports: Vec<Vec<Span>> = ring.iter().map(|v| pauses(context, *v)).collect();
        let all = of_ports.iter().flatten().copied().collect();
        let frozen_ns = ring.iter().filter_map(|v| context.graph.port(*v));
        let frozen_ns = frozen_ns.map(|port| context.view.switch_of(port).frozen_ns).min()?;
        let joint = together(of_ports.into_iter().map(|spans| clusters(spans, MOMENT_NS)));
        let stood = |span: &&Span| span.length_ns() >= STOOD_NS;
        let held_up = slow_packet(context).and_then(|way| {
            let shared = |span: &&Span| span.shared_ns(way);
            joint
                .iter()
                .filter(stood)
                .filter(|span| shared(span) >= STOOD_NS)
                .max_by_key(|span| shared(span) as u64)
        });
        let stopped = || {
            let last_ns = victims_last(context, ring)?;
            joint.iter().filter(stood).find(|span| span.to >= last_ns)
        };
        let subject =
            held_up.or_else(stopped).or(joint.last().filter(|span| span.to >= frozen_ns || stood(span)));
        let subject = subject.or_else(|| joint.iter().rev().find(stood)).or(joint.last());
        let earlier = joint.iter().rev().filter(stood).find(|span| subject.is_some_and(|s| span.to < s.from));
        let opened_ns = earlier.map(|span| span.to);
        let events = clusters(all, FLUTTER_NS);
        let of_subject = |event: &&Span| subject.is_none_or(|subject| event.overlaps(*subject));
        let event = events.iter().rev().find(of_subject).or(events.last())?;
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
fn victims_last(context: &Context<'_, '_>, ring: &[VertexIx]) -> Option<u64> {
    let victim = context.victim?;
    let ports = ring.iter().filter_map(|v| context.graph.port(*v));
    let records = ports.flat_map(|port| context.view.records_of(port, victim));
    records.filter_map(|record| record.seen_ns).map(|(from, to)| from.max(to)).max()
}

fn pauses(context: &Context<'_, '_>, v: VertexIx) -> Vec<Span> {
    let Some(port) = context.graph.port(v) else { return Vec::new() };
    let frozen_ns = context.view.switch_of(port).frozen_ns;
    context.view.pauses(port).iter().map(|pause| pause_span(pause, frozen_ns)).collect()
}

/// Returns the intersection of all lists; lists are ascending and disjoint, and so is the result.
fn together(mut lists: impl Iterator<Item = Vec<Span>>) -> Vec<Span> {
    let first = lists.next().unwrap_or_default();
    lists.fold(first, |common, list| {
        let meets = |span: &Span| {
            let from = list.partition_point(|other| other.to < span.from);
            list[from..].iter().map_while(|other| span.intersection(*other)).collect::<Vec<Span>>()
        };
        common.iter().flat_map(meets).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_all_have_in_common() {
        let spans = |list: &[(u64, u64)]| list.iter().map(|(a, b)| Span::new(*a, *b)).collect::<Vec<_>>();
        let lists = [&[(0, 10), (20, 40)][..], &[(5, 30), (35, 50)], &[(0, 100)]];
        assert_eq!(together(lists.iter().map(|l| spans(l))), spans(&[(5, 10), (20, 30), (35, 40)]));
        assert_eq!(together([spans(&[(0, 4)]), spans(&[(6, 9)])].into_iter()), Vec::new());
        assert_eq!(together(std::iter::empty()), Vec::new());
    }
}
