//! `class_contention`: traffic of another class holds back the victim's class at a port of its path.
//!
//! A port serves its classes by strict priority or by weights (IEEE 802.1Q, transmission selection). A class with a
//! small load has no queue unless the port sends packets of another class, or is paused. So the evidence is a queue of
//! the victim's class that its own packets do not explain, and packets of another class queued at that port meanwhile.
//! The snapshot does not contain the scheduler's settings, and none are assumed.

use std::collections::{BTreeMap, BTreeSet};

use model::{Anomaly, FlowKey, TriggerReason};

use super::Finding;
use crate::facts::queue_episode::QueueScope;
use crate::facts::span::Span;
use crate::facts::view::PortIx;
use crate::findings::contention::{Contention, FlowPart, contention};
use crate::graph::context::Context;
use crate::thresholds as t;

/// The queue of the victim's class at a port, as its packets met it.
pub(crate) struct Held {
    pub(crate) packets: f64,
    pub(crate) queued: f64,
    depth_sum: f64,
    span: Span,
}

/// Returns the ports at which other classes delay the victim, longest delay first. `others` has the same path and the
/// records of the other classes.
pub(crate) fn find(context: &Context<'_, '_>, others: &Context<'_, '_>) -> Vec<Finding> {
    let mut found: Vec<(f64, Finding)> = Vec::new();
    let is_silent = context.trigger.is_some_and(|trigger| trigger.reason == TriggerReason::Silence);
    let mut held_before: Option<Span> = None;
    for port in &context.path.ports {
        let Some(other) = counterpart(context, *port, others) else { continue };
        let held = held(context, *port).filter(|held| is_held(context, held));
        let time = match &held {
            Some(held) => {
                // The records do not show when the last packets left: no later than the time under analysis.
                let time = context.analysed.map_or(held.span, |analysed| held.span.hull(analysed));
                Span { from: held.span.from, ..time }
            }
            // Packets that have not left the first port cannot meet the queues of the next ones, which add to their
            // delay.
            None => match held_before.filter(|_| is_silent) {
                Some(time) => time,
                None => continue,
            },
        };
        let Some(queue) = queue_of_others(others, other, time) else { continue };
        let sent_ns = sent_ns(others, &queue);
        let own_ns = held.map(|held| {
            context.settings.value(&t::PEAK) * held.mean_packets() * context.view.packet_ns(*port)
        });
        let delay_ns = own_ns.map_or(sent_ns, |own_ns| slowdown_ns(own_ns, sent_ns, time.length_ns()));
        if explains(context, delay_ns) {
            held_before.get_or_insert(time);
            found.push((delay_ns, finding(others, queue, Vec::new())));
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    // Further ports count only with a flow that is not named already.
    let mut named: BTreeSet<FlowKey> = BTreeSet::new();
    found.retain(|(_, finding)| {
        let flows = || finding.contention.iter().flat_map(Contention::contributors).map(|part| part.flow);
        let is_new = flows().any(|flow| !named.contains(&flow));
        named.extend(flows());
        is_new
    });
    found.into_iter().map(|(_, finding)| finding).collect()
}

/// Returns the finding that other classes hold back the queue of a finding, or `None` if that queue explains itself.
///
/// Packets that arrive by links no faster than the port, all together, have no queue there while the port sends only them.
/// Packets that need less than half of a time to send have none for most of it. If there was one nevertheless, and other classes
/// sent most of what left the port meanwhile, the queue is theirs, and so are the pauses that come from it. `others` has the
/// same path and the records of the other classes.
pub(crate) fn behind(
    context: &Context<'_, '_>,
    others: &Context<'_, '_>,
    found: &Finding,
) -> Option<Finding> {
    let own = found.contention.as_ref().filter(|_| found.pause_loop.is_empty() && found.host.is_none())?;
    let (port, time) = (own.port, own.when?);
    let own_ns = sent_ns(context, own);
    let is_light = own_ns < time.length_ns() * context.settings.value(&t::CLASS_SENT_SHARE)
        && context.settings.applies("class_contention.light");
    if context.view.can_overfill(port, Some(time)) && !is_light {
        return None;
    }
    let other = counterpart(context, port, others)?;
    let others_ns = sent_ns(others, &passing(others, other, time)?);
    let both_ns = own_ns + others_ns;
    if others_ns < both_ns * context.settings.value(&t::CLASS_SENT_SHARE) {
        return None;
    }
    let path = found.path.iter().filter_map(|port| counterpart(context, *port, others)).collect();
    Some(finding(others, queue_of_others(others, other, time)?, path))
}

/// Returns the queue of other classes at a port or, without one, the flows that pass it, if other flows than the victim are named
/// for it: a victim that a switch before put into another class does not delay itself there.
///
/// A port that serves another class leaves the victim's class the rest, whether the flows of that class are new or not. So flows
/// are named for their packets, not for their growth, if those that grew sent less than half of them.
fn queue_of_others(others: &Context<'_, '_>, port: PortIx, time: Span) -> Option<Contention> {
    let scope = QueueScope { near: Some(time), ..QueueScope::default() };
    let queue = contention(others.view, others.settings, port, scope)
        .filter(|queue| queue.depth >= others.settings.min_wait_packets)
        .filter(|queue| !others.settings.applies("class_contention.steady") || names_most(others, queue))
        .or_else(|| passing(others, port, time));
    queue.filter(|queue| queue.contributors().any(|part| Some(part.flow) != others.victim))
}

/// Whether the flows that a queue is attributed to sent most of its packets.
fn names_most(others: &Context<'_, '_>, queue: &Contention) -> bool {
    let named: f64 = queue.contributors().map(|part| part.packets).sum();
    let all: f64 = queue.flows.iter().map(|part| part.packets).sum();
    named >= all * others.settings.value(&t::CLASS_SENT_SHARE)
}

/// Returns the time that the packets of a queue take to send.
fn sent_ns(context: &Context<'_, '_>, queue: &Contention) -> f64 {
    queue.flows.iter().map(|part| part.packets).sum::<f64>() * context.view.packet_ns(queue.port)
}

impl Held {
    /// The mean number of packets ahead of those that were queued.
    fn mean_packets(&self) -> f64 {
        self.depth_sum / self.queued.max(1.0)
    }
}

/// Returns how much later a queue that takes `own_ns` at the rate of the port is empty because of other classes, which
/// sent for `sent_ns` within `time_ns`. They leave the victim's class the rest of the rate, so the queue takes
/// `own_ns / (1 - share)`. Without a rest they delay it for as long as they send.
fn slowdown_ns(own_ns: f64, sent_ns: f64, time_ns: f64) -> f64 {
    let share = sent_ns / time_ns.max(1.0);
    if share < 1.0 { sent_ns.min(own_ns * share / (1.0 - share)) } else { sent_ns }
}

/// Whether most packets of the victim met a queue of their own class.
fn is_held(context: &Context<'_, '_>, held: &Held) -> bool {
    let is_deep = held.depth_sum >= held.queued * context.settings.min_wait_packets;
    held.queued >= held.packets * context.settings.value(&t::HELD_SHARE) && is_deep
}

fn finding(others: &Context<'_, '_>, queue: Contention, path: Vec<PortIx>) -> Finding {
    Finding {
        anomaly: Anomaly::ClassContention,
        root: Some(others.view.port_ref(queue.port)),
        path,
        pause_loop: Vec::new(),
        host: None,
        when: queue.when,
        contention: Some(queue),
        caveats: Vec::new(),
    }
}

/// Returns the flows that pass a port without a queue in `time`: one link delivers them at the rate of the port.
fn passing(others: &Context<'_, '_>, port: PortIx, time: Span) -> Option<Contention> {
    let view = others.view;
    let mut packets: BTreeMap<FlowKey, f64> = BTreeMap::new();
    for r in view.flows(port) {
        let Some(seen) = view.seen_span(port, r) else { continue };
        let share = (seen.shared_ns(time) / seen.length_ns()).min(1.0);
        *packets.entry(r.flow).or_default() += r.packets as f64 * share;
    }
    let mut sent: Vec<(FlowKey, f64)> = packets.into_iter().filter(|(_, packets)| *packets > 0.0).collect();
    sent.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let (_, largest) = *sent.first()?;
    let all: f64 = sent.iter().map(|(_, packets)| packets).sum();
    let enough = all * others.settings.value(&t::ENOUGH_SHARE);
    let least = largest * others.settings.value(&t::CLASS_CONTRIBUTOR_SHARE);
    let mut named = 0.0;
    let part = |(flow, packets): (FlowKey, f64)| {
        let contributes = packets >= least || named < enough;
        named += packets;
        FlowPart { flow, packets, excess: packets, contributes, weight: packets, depth: 0.0 }
    };
    let flows = sent.into_iter().map(part).collect();
    Some(Contention {
        port,
        when: Some(time),
        depth: 0.0,
        flows,
        history: false,
        changed: false,
        has_grown: false,
        self_made: false,
        may_be_own: true,
        unaccounted: view.unaccounted(port, Some(time)),
    })
}

/// Returns the same port in the view of the other classes.
fn counterpart(context: &Context<'_, '_>, port: PortIx, others: &Context<'_, '_>) -> Option<PortIx> {
    let switch = others.view.switch_at(context.view.switch_of(port).node?)?;
    others.view.find(switch, context.view.number(port))
}

/// Returns the queue that the victim's packets met at a port in the time under analysis.
pub(crate) fn held(context: &Context<'_, '_>, port: PortIx) -> Option<Held> {
    let records = context.view.records_of(port, context.victim?);
    let is_timed = context.settings.applies("class_contention.in_time");
    let mut held: Option<Held> = None;
    for r in records.iter().filter(|r| r.packets > 0 && context.view.flow_in(port, r, context.analysed)) {
        let Some(span) = r.queued_ns.map(|(from, to)| Span::new(from, to)) else { continue };
        // A queue that began after the slow packet was acknowledged did not delay it.
        if is_timed && context.analysed.is_some_and(|analysed| !analysed.overlaps(span)) {
            continue;
        }
        // Packets before the first queued one arrived before the queue.
        let seen = r.seen_ns.map_or(span, |(from, to)| Span::new(from, to));
        let share =
            span.intersection(seen).map_or(0.0, |inside| (inside.length_ns() / seen.length_ns()).min(1.0));
        let queued = r.queued_packets.unwrap_or(r.packets) as f64;
        let own = Held {
            packets: (r.packets as f64 * share).max(queued),
            queued,
            depth_sum: r.depth_sum as f64,
            span,
        };
        held = Some(match held {
            None => own,
            Some(sum) => Held {
                packets: sum.packets + own.packets,
                queued: sum.queued + own.queued,
                depth_sum: sum.depth_sum + own.depth_sum,
                span: sum.span.hull(own.span),
            },
        });
    }
    held
}

/// Whether a delay accounts for most of what the agent measured.
fn explains(context: &Context<'_, '_>, delay_ns: f64) -> bool {
    let Some(trigger) = context.trigger else { return true };
    let extra_ns = trigger.excess_ns() as f64;
    delay_ns >= extra_ns * context.settings.value(&t::CLASS_EXPLAINED_SHARE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(own_ns: f64, sent_ns: f64, time_ns: f64, expected_ns: f64) {
        let delay_ns = slowdown_ns(own_ns, sent_ns, time_ns);
        assert!((delay_ns - expected_ns).abs() < 1e-6, "{delay_ns} instead of {expected_ns}");
    }

    #[test]
    fn another_class_delays_a_queue_by_the_share_of_the_rate_that_it_takes() {
        // Half of the rate: a queue of 1 us takes 2 us.
        check(1_000.0, 10_000.0, 20_000.0, 1_000.0);
        // 4/5 of the rate: five times as long.
        check(1_000.0, 16_000.0, 20_000.0, 4_000.0);
        // No longer than the other class sent.
        check(30_000.0, 10_000.0, 20_000.0, 10_000.0);
        // All of the rate: the victim's class is starved while the other one sends.
        check(1_000.0, 20_000.0, 20_000.0, 20_000.0);
        check(0.0, 10_000.0, 20_000.0, 0.0);
    }
}
