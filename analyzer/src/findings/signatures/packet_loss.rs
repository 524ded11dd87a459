//! `packet_loss`: packets were lost on a link or at a switch of the path while the slow packet was in flight, and no
//! queue, pause or path change explains the delay.
//!
//! Counters have no time of each loss, only of the first and the last one. If neither is in the time under analysis,
//! losses are taken as a Poisson process: with a mean of n losses in that time, the probability that there was one is
//! 1 - exp(-n).
//!
//! That is how often a packet is lost in such a time. If no ACK came, and queues and pauses of a path that is completely
//! recorded cannot account for it, the alternative to a loss is a host that stopped, which is rarer ([`t::SILENT_HOST`]): the
//! probability follows from both by Bayes' rule.
//!
//! A discard for lack of buffer is the consequence of a queue, or of a setting that leaves too little room for it. So a
//! verdict about such losses names what filled the buffer, the contention at that port, or the setting; if the records
//! show neither, the losses explain nothing, and the delay is `undetermined`. What a PFC watchdog dropped is the consequence
//! of pauses, so the verdict is about these ([`flushed`]). A packet whose time to live expired went round a forwarding loop
//! ([`expired`]). A link that damages frames delays no flow whose packets all arrived over it ([`arrived`]).

use model::{Anomaly, LossReason, LossRecord, PortRef, TriggerReason};

use super::path_change::slow_span;
use super::{Caveat, Finding, arrived, expired, flushed};
use crate::facts::queue_episode::{Bounds, QueueScope};
use crate::facts::span::Span;
use crate::facts::victim_links::{VictimLink, victim_links};
use crate::facts::view::PortIx;
use crate::findings::contention::{Contention, contention};
use crate::findings::{accounting, setting_losses};
use crate::graph::context::Context;
use crate::thresholds as t;

/// The losses that explain the delay.
#[derive(Clone, Debug)]
pub(crate) struct Loss<'a> {
    pub(crate) reason: LossReason,
    /// Where: the ingress port for damaged frames, else the egress port if the switch had chosen one.
    pub(crate) root: PortRef,
    /// The far end of the link by which damaged frames arrived.
    pub(crate) peer: Option<PortRef>,
    pub(crate) is_reverse: bool,
    pub(crate) records: Vec<&'a LossRecord>,
    pub(crate) packets: u64,
    pub(crate) when: Span,
    /// Factor of the confidence.
    pub(crate) factor: f64,
}

/// Returns the losses on the path that explain the delay best: the most probable ones, of those the most packets.
pub(crate) fn of<'a>(context: &Context<'_, 'a>) -> Option<Loss<'a>> {
    let (trigger, victim) = (context.trigger?, context.victim?);
    if context.is_reverse_path || context.view.losses().is_empty() {
        return None;
    }
    let links = victim_links(context.view, victim);
    let slow = slow_span(trigger);
    let mut found: Vec<Loss<'a>> = Vec::new();
    for loss in context.view.losses() {
        let Some((link, root)) = place(context, &links, loss) else { continue };
        if !may_delay(context, link.is_reverse) || has_arrived(context, link, loss) {
            continue;
        }
        let probability = given_silence(context, probability(loss, slow));
        if !context.view.is_of_class(loss.priority)
            || probability < context.settings.value(&t::LOSS_PROBABILITY)
        {
            continue;
        }
        let factor = probability * if link.certain { 1.0 } else { context.settings.value(&t::POSSIBLE_HOP) };
        let same = |known: &&mut Loss<'_>| known.root == root && known.reason == loss.reason;
        if let Some(known) = found.iter_mut().find(same) {
            known.records.push(loss);
            known.packets = known.packets.saturating_add(loss.packets);
            known.factor = known.factor.max(factor);
            continue;
        }
        let is_damage = loss.reason == LossReason::Corrupted;
        found.push(Loss {
            reason: loss.reason,
            peer: is_damage.then(|| context.view.index.topology().peer(&root).cloned()).flatten(),
            root,
            is_reverse: link.is_reverse,
            records: vec![loss],
            packets: loss.packets,
            when: span(loss).intersection(slow).unwrap_or(slow),
            factor,
        });
    }
    let best = |a: &Loss<'_>, b: &Loss<'_>| a.factor.total_cmp(&b.factor).then(a.packets.cmp(&b.packets));
    found.into_iter().rev().max_by(best)
}

/// Whether a loss on the path, or on that of the ACKs, can be why the measured packet was late. A round trip of data that were
/// sent once shows that the packet arrived, and if its ACK was lost, that of the next packet follows.
fn may_delay(context: &Context<'_, '_>, is_reverse: bool) -> bool {
    let is_measured = context.trigger.is_some_and(|trigger| trigger.reason == TriggerReason::SlowRtt);
    if !is_measured || !context.settings.applies("packet_loss.acknowledged") {
        return true;
    }
    let next_ack_ns = || gap_ns(context).unwrap_or(0.0) * context.settings.value(&t::NEXT_ACK);
    is_reverse && accounting::extra_ns(context) <= next_ack_ns()
}

/// Whether the link damaged frames of other flows only: the sequence numbers show that all packets of the victim arrived.
fn has_arrived(context: &Context<'_, '_>, link: &VictimLink, loss: &LossRecord) -> bool {
    loss.reason == LossReason::Corrupted
        && !link.is_reverse
        && context.settings.applies("packet_loss.arrived")
        && context.trigger.is_some_and(|trigger| arrived::all_arrived(context, link, slow_span(trigger)))
}

/// The mean time between two packets of the victim, in nanoseconds, by the port of its path with the most of them.
fn gap_ns(context: &Context<'_, '_>) -> Option<f64> {
    let (victim, slow) = (context.victim?, slow_span(context.trigger?));
    let at = |port: &PortIx| -> Option<(u64, Span)> {
        let records = context.view.records_of(*port, victim).into_iter();
        let seen = records.filter_map(|record| Some((record.packets, record.seen_ns?)));
        let seen = seen.map(|(packets, (from, to))| (packets, Span::new(from, to)));
        let seen = seen.filter(|(_, span)| span.overlaps(slow));
        seen.reduce(|(a, earlier), (b, later)| (a.saturating_add(b), earlier.hull(later)))
    };
    let (packets, span) = context.path.ports.iter().filter_map(at).max_by_key(|(packets, _)| *packets)?;
    (packets > 1).then(|| span.length_ns() / (packets - 1) as f64)
}

/// Whether one of these lost packets may be what the agent waited for: a packet of the victim's path and class, lost while the
/// slow packet was in flight. Without a measurement, any loss may be.
pub(crate) fn may_be_the_slow_packet(context: &Context<'_, '_>, loss: &LossRecord) -> bool {
    let (Some(trigger), Some(victim)) = (context.trigger, context.victim) else { return true };
    let links = victim_links(context.view, victim);
    let on_path = place(context, &links, loss)
        .filter(|(link, _)| may_delay(context, link.is_reverse) && !has_arrived(context, link, loss));
    let probability = given_silence(context, probability(loss, slow_span(trigger)));
    on_path.is_some() && probability >= context.settings.value(&t::LOSS_PROBABILITY)
}

pub(super) fn find(context: &Context<'_, '_>) -> Option<Finding> {
    let loss = of(context)?;
    if loss.reason == LossReason::Watchdog
        && let Some(found) = flushed::find(context, &loss)
    {
        return Some(found);
    }
    if loss.reason == LossReason::Ttl
        && let Some(found) = expired::find(context, &loss)
    {
        return Some(found);
    }
    let queue = if is_lack_of_buffer(loss.reason) { queue_of(context, &loss) } else { None };
    let findings = context.view.configuration();
    let is_setting = || {
        let explains = |record| findings.iter().any(|f| setting_losses::explains(context, f, record));
        loss.records.iter().any(|record| explains(record))
    };
    if is_lack_of_buffer(loss.reason) && queue.is_none() && !is_setting() {
        return None;
    }
    let mut caveats = vec![Caveat { factor: loss.factor, missing: None }];
    if queue.is_none() {
        caveats.extend(accounting::rival(context, &loss.root));
    }
    let queue = queue.filter(|queue| !queue.is_of_unknown_others());
    let is_own = queue.as_ref().is_some_and(|queue| queue.self_made);
    Some(Finding {
        anomaly: if is_own { Anomaly::SelfInflicted } else { Anomaly::PacketLoss },
        root: Some(loss.root.clone()),
        path: Vec::new(),
        pause_loop: Vec::new(),
        host: None,
        contention: queue,
        when: Some(loss.when),
        caveats,
    })
}

fn is_lack_of_buffer(reason: LossReason) -> bool {
    matches!(reason, LossReason::Headroom | LossReason::Lossy)
}

/// Returns the queue at the port whose packets were discarded, if it is attributed to flows and existed at that time.
fn queue_of(context: &Context<'_, '_>, loss: &Loss<'_>) -> Option<Contention> {
    let port = port_of(context, &loss.root)?;
    let scope = QueueScope {
        victim: context.victim,
        paused_upstream: &[],
        waiting_upstream: &[],
        near: Some(loss.when),
        ahead: None,
        bounds: Bounds::default(),
    };
    let found = contention(context.view, context.settings, port, scope)?;
    let existed =
        found.when.is_none_or(|when| when.widened(context.settings.event_gap_ns).overlaps(loss.when));
    let is_queue = found.depth >= context.settings.min_wait_packets;
    (found.is_attributed() && existed && is_queue).then_some(found)
}

/// Returns the port of a switch with telemetry.
pub(super) fn port_of(context: &Context<'_, '_>, port: &PortRef) -> Option<PortIx> {
    let switch = context.view.switch_at(context.view.index.node(&port.switch)?)?;
    context.view.find(switch, port.port)
}

/// Whether losses on the path are not the work of a queue, so that they explain the delay beside one.
pub(super) fn is_independent_of_queues(context: &Context<'_, '_>) -> bool {
    of(context).is_some_and(|loss| matches!(loss.reason, LossReason::Corrupted | LossReason::Ttl))
}

fn span(loss: &LossRecord) -> Span {
    Span::new(loss.lost_ns.0, loss.lost_ns.1)
}

/// The probability that a packet was lost in `slow`.
fn probability(loss: &LossRecord, slow: Span) -> f64 {
    let (first, last) = (loss.lost_ns.0, loss.lost_ns.1);
    let inside = |ns: u64| slow.from <= ns && ns <= slow.to;
    if inside(first) || inside(last) {
        return 1.0;
    }
    let span = span(loss);
    1.0 - (-(loss.packets as f64) * span.shared_ns(slow) / span.length_ns()).exp()
}

/// The probability of a loss, of which `probability` is how often it happens in such a time, given what the agent observed.
fn given_silence(context: &Context<'_, '_>, probability: f64) -> f64 {
    let is_silence = context.trigger.is_some_and(|trigger| trigger.reason == TriggerReason::Silence);
    let is_unexplained =
        || accounting::explained_share(context).is_some_and(|share| !accounting::is_enough(context, share));
    if !is_silence || !context.settings.applies("packet_loss.silence") || !is_unexplained() {
        return probability;
    }
    let host = (1.0 - probability) * context.settings.value(&t::SILENT_HOST);
    if probability > 0.0 { probability / (probability + host) } else { 0.0 }
}

/// The link of the victim at which packets were lost, and the port that the verdict names.
fn place<'l>(
    context: &Context<'_, '_>,
    links: &'l [VictimLink],
    loss: &LossRecord,
) -> Option<(&'l VictimLink, PortRef)> {
    let index = context.view.index;
    let is = |id, number: Option<u16>| {
        let port = index.port_ref(id);
        loss.switch == port.switch && number == Some(port.port)
    };
    let at = |number: u16| PortRef::new(&loss.switch, number);
    let arrived = || links.iter().find(|link| is(link.to, loss.ingress_port));
    let left = || links.iter().find(|link| is(link.from, loss.egress_port));
    match loss.reason {
        LossReason::Corrupted => Some((arrived()?, at(loss.ingress_port?))),
        LossReason::LinkDown => Some((left()?, at(loss.egress_port?))),
        // Without a route it is a black hole, see `path_change`.
        LossReason::NoRoute => None,
        // A discard for lack of buffer concerns the packets of one pair of ports: both must be the victim's.
        _ => {
            let (ingress, egress) = (arrived(), left());
            let link = match (loss.ingress_port, loss.egress_port) {
                (Some(_), Some(_)) => ingress.and(egress)?,
                _ => ingress.or(egress)?,
            };
            Some((link, at(loss.egress_port.or(loss.ingress_port)?)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_is_certain_if_its_first_or_last_one_is_in_time_and_else_follows_from_the_rate() {
        let loss = |from, to, packets| LossRecord {
            switch: "sw1".to_string(),
            ingress_port: Some(1),
            egress_port: None,
            priority: None,
            reason: LossReason::Corrupted,
            packets,
            lost_ns: (from, to),
        };
        let slow = Span::new(1_000, 2_000);
        assert_eq!(probability(&loss(1_500, 9_000, 2), slow), 1.0);
        assert_eq!(probability(&loss(10, 1_500, 2), slow), 1.0);
        assert_eq!(probability(&loss(10, 900, 50), slow), 0.0);
        // One loss a microsecond on average.
        assert!((probability(&loss(0, 10_000, 10), slow) - 0.632).abs() < 0.001);
        assert!(probability(&loss(0, 1_000_000, 10), slow) < 0.02);
    }
}
