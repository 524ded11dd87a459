//! Which flows built a queue: the flows of one port, each a contributor or a bystander.
//!
//! Byte counts do not identify the culprit: during a burst, a long-running flow may send the most. A queue builds up
//! because something *changed*, so a flow counts only for its excess above its entitlement.
//!
//! 1. **Queue episode** ([`event_span`]): the time in which queueing at this port is densest, near the time under
//!    analysis. Two bursts in one epoch are two episodes.
//! 2. **Measurement** ([`measurement`]): each flow's packets before the episode and in it. Records without times are
//!    compared by epoch ([`epochs`]).
//! 3. **Entitlement** ([`entitlement`]): its previous rate, and the backlog that pauses held upstream; packets beyond
//!    it are excess.
//! 4. **Attribution** ([`attribution`]): flows with a substantial excess contribute; the victim alone may have built
//!    the queue.
//! 5. **Replay** ([`replay`]): for a contributor, the queueing of other flows that it caused; for every other flow,
//!    its own queueing because of the contributors, as a negative number.

mod attribution;
mod entitlement;
mod epochs;
mod measurement;
mod published;

use model::telemetry::FlowRecord;
use model::{FlowKey, Trigger, TriggerReason};

use self::attribution::{Attribution, Limits, Role, Suspect, attribute};
use self::entitlement::Activity;
use self::measurement::{Measured, Measurement};
use crate::facts::path::is_faster_than;
use crate::facts::queue_episode::{QueueScope, event_span};
use crate::facts::span::Span;
use crate::facts::view::{PortIx, View, flow_order};
use crate::findings::replay::{Arrivals, replay};
use crate::method::ReplayRule;
use crate::settings::Tuning;
use crate::thresholds as t;

/// The part of one flow in a queue.
#[derive(Clone, Debug)]
pub(crate) struct FlowPart {
    pub(crate) flow: FlowKey,
    /// Packets in the queue episode.
    pub(crate) packets: f64,
    /// Packets above its entitlement; all packets of a contributor if no rate changed.
    pub(crate) excess: f64,
    pub(crate) contributes: bool,
    /// Positive: queueing of other flows that it caused. Negative: its own queueing because of the contributors.
    pub(crate) weight: f64,
    /// Mean queue depth that its packets met.
    pub(crate) depth: f64,
}

/// A queue and the part of each flow in it.
#[derive(Clone, Debug)]
pub(crate) struct Contention {
    pub(crate) port: PortIx,
    pub(crate) when: Option<Span>,
    /// Mean queue depth in packets, over queued packets.
    pub(crate) depth: f64,
    /// In descending order of weight.
    pub(crate) flows: Vec<FlowPart>,
    /// Whether the epoch ring reaches far enough back to distinguish new flows from long-running ones.
    pub(crate) history: bool,
    /// Whether flows exceed their entitlement and are named for it. If not, the largest senders are named.
    pub(crate) changed: bool,
    /// Whether the excess accounts for the queue itself, if not for the packets that wait upstream.
    pub(crate) has_grown: bool,
    /// Whether the queue is attributed to the victim alone; then no flow contributes.
    pub(crate) self_made: bool,
    /// Whether the victim's packets can arrive faster than the port sends.
    pub(crate) may_be_own: bool,
    /// The share of the port's packets that no flow record accounts for, 0 to 1.
    pub(crate) unaccounted: f64,
}

impl Contention {
    pub(crate) fn contributors(&self) -> impl Iterator<Item = &FlowPart> {
        self.flows.iter().filter(|f| f.contributes)
    }

    /// Whether the queue is attributed to any flow.
    pub(crate) fn is_attributed(&self) -> bool {
        self.self_made || self.contributors().next().is_some()
    }

    /// Whether the queue is attributed to the victim alone, which cannot have made it: something else was sent meanwhile, or was
    /// there before, that no record shows.
    pub(crate) fn is_of_unknown_others(&self) -> bool {
        self.self_made && !self.may_be_own
    }

    /// Returns the share of the contributors in the excess of the queue, 0 to 1; the victim has the rest if it is none.
    pub(crate) fn share_of_contributors(&self, victim: FlowKey) -> f64 {
        let named: f64 = self.contributors().map(|part| part.excess).sum();
        let own = self.part(victim).filter(|part| !part.contributes).map_or(0.0, |part| part.excess);
        if named > 0.0 { named / (named + own) } else { 0.0 }
    }

    /// Returns the share of a flow in the packets of the episode, 0 to 1.
    pub(crate) fn share(&self, flow: FlowKey) -> f64 {
        let packets: f64 = self.flows.iter().map(|part| part.packets).sum();
        self.part(flow).map_or(0.0, |part| part.packets / packets.max(1.0))
    }

    pub(crate) fn part(&self, flow: FlowKey) -> Option<&FlowPart> {
        self.flows.iter().find(|f| f.flow == flow)
    }
}

/// Analyses the queue of `port`; `None` without a flow record of it.
pub(crate) fn contention(
    view: &View<'_>,
    settings: &Tuning,
    port: PortIx,
    scope: QueueScope<'_>,
) -> Option<Contention> {
    let latest_ns = latest_ns(view);
    let is_early = |f: &&FlowRecord| f.seen_ns.is_none_or(|(first, last)| first.min(last) <= latest_ns);
    let of_port = view.flows(port).iter().copied();
    let mut records: Vec<&FlowRecord> = of_port.filter(|f| f.packets > 0).filter(is_early).collect();
    records.sort_by_key(|f| flow_order(f));
    if records.is_empty() {
        return None;
    }
    if settings.method.replay == ReplayRule::WholeEpoch {
        return Some(published::whole_epoch(view, settings, port, scope, &records));
    }
    let when = event_span(&records, settings, scope);
    // No packet was queued in the time under analysis, so there is no contention to explain.
    if when.is_none() && records.iter().any(|r| r.queued_packets.is_some() || r.queued_ns.is_some()) {
        return None;
    }
    let episode = when;
    let when = match (when, scope.ahead) {
        (Some(when), Some(ahead)) => Some(when.intersection(ahead)?),
        _ => when,
    };
    let by_epoch = epochs::measure(view, settings, port, &records).filter(|_| when.is_none());
    let Queueing { when, flows, excess, history } = by_epoch.unwrap_or_else(|| {
        let found = by_time(view, settings, port, scope, when, &records);
        match reaching_back(&found, view.packet_ns(port), &records, settings) {
            Some(longer) => by_time(view, settings, port, scope, Some(longer), &records),
            None => found,
        }
    });
    let unaccounted = view.unaccounted(port, when);
    let is_complete = unaccounted <= settings.value(&t::UNACCOUNTED_SHARE);
    let ring_start = view.ring_start(view.switch_of(port)).filter(|_| is_complete);
    // While flow records are lost, a flow without records may have built the queue.
    let is_explained =
        is_complete && view.unaccounted_depth(port, when) <= settings.value(&t::UNACCOUNTED_SHARE);
    let counts_waiting = is_explained && settings.applies("attribution.waiting_upstream");
    let scope = if counts_waiting { scope } else { QueueScope { waiting_upstream: &[], ..scope } };
    let suspects = suspects(&flows, &excess, scope, (history, ring_start), settings);
    let waiting = scope.waiting_upstream.iter().map(|(_, packets)| packets).sum();
    let limits = Limits {
        settings,
        may_name_paused: !history && is_complete,
        is_complete,
        depth: depth_of_part(mean_depth(&flows), episode, when),
        waiting,
        may_be_own: !settings.applies("attribution.line_rate")
            || scope.victim.is_none_or(|victim| is_faster_than(view, victim, port)),
    };
    let mut found = attribute(&suspects, limits);
    found.self_made &= !settings.applies("attribution.complete") || is_explained;
    let (depth, parts) = weighed(&flows, &suspects, &found, when, settings);
    // A queue that is longer than what its flow enqueued since the records begin was there before.
    let is_victim = |m: &&Measured| scope.victim == Some(m.flow);
    let own: f64 = flows.iter().filter(is_victim).map(|m| m.before + m.inside).sum();
    let fits = own >= depth * settings.value(&t::OWN_SHARE);
    found.self_made &= fits || !settings.applies("attribution.older_queue");
    Some(Contention {
        port,
        when,
        depth,
        flows: parts,
        history,
        changed: found.changed,
        has_grown: found.has_grown,
        self_made: found.self_made,
        may_be_own: limits.may_be_own,
        unaccounted,
    })
}

/// Returns the time from which on packets cannot have delayed the measured one: that of the measurement, and a round trip
/// for the polling packet. A switch that was polled again after a freeze for another event has later records.
fn latest_ns(view: &View<'_>) -> u64 {
    // What follows a first poll of a silent flow covers its event up to the freeze.
    let is_open = |trigger: &&Trigger| trigger.reason == TriggerReason::Silence && trigger.follows.is_some();
    let trigger = view.trigger().filter(|trigger| !is_open(trigger));
    trigger.map_or(u64::MAX, |trigger| trigger.time_ns.saturating_add(trigger.base_rtt_ns))
}

/// The queueing under analysis.
struct Queueing {
    when: Option<Span>,
    flows: Vec<Measured>,
    /// By flow.
    excess: Vec<f64>,
    /// Whether the epoch ring covers the time before.
    history: bool,
}

/// Measures the queueing of an episode by the times of the records.
fn by_time(
    view: &View<'_>,
    settings: &Tuning,
    port: PortIx,
    scope: QueueScope<'_>,
    when: Option<Span>,
    records: &[&FlowRecord],
) -> Queueing {
    let mut measurement = Measurement::new(view, settings, port, scope, when);
    let flows = measurement.flows(records);
    let history = when
        .zip(view.ring_start(view.switch_of(port)))
        .is_some_and(|(when, ring_start)| when.from.saturating_sub(ring_start) >= settings.established_ns);
    let excess = flows.iter().map(|m| excess(m, &measurement, when, settings)).collect();
    Queueing { when, flows, excess, history }
}

/// Returns the time of the episode and of the arrival of what was queued at its end, if that is longer. In a queue that does not
/// shrink, the packets ahead of another one arrived within the time that it takes to send them, and after it began.
fn reaching_back(
    found: &Queueing,
    packet_ns: f64,
    records: &[&FlowRecord],
    settings: &Tuning,
) -> Option<Span> {
    let when = found.when.filter(|_| settings.applies("contention.reach_back"))?;
    let earliest = when.to.saturating_sub((mean_depth(&found.flows) * packet_ns) as u64);
    let reach = Span { from: earliest, to: when.to };
    let queued = records.iter().filter_map(|record| record.queued_ns);
    let queued = queued.map(|(from, to)| Span::new(from, to)).filter(|span| span.overlaps(reach));
    let from = queued.map(|span| span.from).min()?.max(earliest);
    (from < when.from).then_some(Span { from, to: when.to })
}

/// Returns the packets of a flow above its entitlement; all of them, if its times are not known.
fn excess(m: &Measured, measurement: &Measurement<'_, '_, '_>, when: Option<Span>, settings: &Tuning) -> f64 {
    let (Some(when), Some(first)) = (when, m.first_ns) else { return m.inside };
    let before = (first < when.from).then(|| Span::new(first, when.from));
    let held = |span: Span| m.held.iter().map(|pause| pause.shared_ns(span)).sum::<f64>();
    let activity = Activity {
        before: m.before,
        inside: m.inside,
        active_ns: before.map_or(0.0, |span| measurement.unpaused_ns(span)),
        episode_ns: measurement.unpaused_ns(when),
        held_ns: before.map_or(0.0, held),
        recorded: m.recorded,
        recorded_ns: m.recorded_span.map_or(0.0, |span| measurement.unpaused_ns(span)),
    };
    activity.excess(settings)
}

/// Returns the role and the excess of each flow.
fn suspects(
    flows: &[Measured],
    excess: &[f64],
    scope: QueueScope<'_>,
    (history, ring_start): (bool, Option<u64>),
    settings: &Tuning,
) -> Vec<Suspect> {
    let applies = settings.applies("attribution.paused_upstream");
    let is_paused = |m: &Measured| applies && scope.paused_upstream.binary_search(&m.flow).is_ok();
    let is_victim = |m: &Measured| scope.victim == Some(m.flow);
    let free = || flows.iter().filter(|m| !is_paused(m) && !is_victim(m));
    let mean = free().map(|m| m.inside).sum::<f64>() / free().count().max(1) as f64;
    let has_rested = |m: &Measured| settings.applies("contention.rest") && rested(m, ring_start, settings);
    let role = |m: &Measured| match () {
        () if is_victim(m) => Role::Victim,
        // The epoch ring covers neither the time before the event nor a rest of the flow, so no record
        // shows whether the flow is new.
        () if is_paused(m) => Role::PausedUpstream {
            only_spreads: !(history || has_rested(m))
                && free().count() > 0
                && m.inside < settings.value(&t::SPREADER_SIZE) * mean,
        },
        () => Role::Free,
    };
    let waiting = |m: &Measured| match scope.waiting_upstream.binary_search_by(|(flow, _)| flow.cmp(&m.flow))
    {
        Ok(at) => scope.waiting_upstream[at].1,
        Err(_) => 0.0,
    };
    let of_flow = |(m, excess): (&Measured, &f64)| Suspect {
        role: role(m),
        packets: m.inside + waiting(m),
        excess: *excess,
    };
    flows.iter().zip(excess).map(of_flow).collect()
}

/// Whether a flow is new: the epoch ring covers a time before its first packet in which a running flow would have sent.
/// Pauses that held it upstream do not count.
fn rested(m: &Measured, ring_start: Option<u64>, settings: &Tuning) -> bool {
    let before = ring_start.zip(m.first_ns).filter(|(start, first)| start < first);
    before.is_some_and(|(start, first)| {
        let span = Span::new(start, first);
        let held: f64 = m.held.iter().map(|pause| pause.shared_ns(span)).sum();
        span.length_ns() - held >= settings.ns(&t::REST) as f64
    })
}

/// Returns the mean depth that the queued packets of the episode met, in packets.
fn mean_depth(flows: &[Measured]) -> f64 {
    let (depth, waited) = flows.iter().fold((0.0, 0.0), |(d, w), m| (d + m.depth_sum, w + m.waited));
    if waited > 0.0 { depth / waited } else { 0.0 }
}

/// Returns the depth with which the packets of a part of an episode compare: depths are means over all of it.
fn depth_of_part(depth: f64, episode: Option<Span>, part: Option<Span>) -> f64 {
    let share = part.zip(episode).map_or(1.0, |(part, all)| part.length_ns() / all.length_ns().max(1.0));
    depth * share.min(1.0)
}

/// Replays the queue. Returns its mean depth and the part of each flow.
fn weighed(
    flows: &[Measured],
    suspects: &[Suspect],
    found: &Attribution,
    when: Option<Span>,
    settings: &Tuning,
) -> (f64, Vec<FlowPart>) {
    let mean = mean_depth(flows);
    // Without a change, all packets of the named flows count, and none of the others.
    let excess = |suspect: &Suspect, contributes: bool| match (found.changed, contributes) {
        (true, _) => suspect.excess,
        (false, true) => suspect.packets,
        (false, false) => 0.0,
    };
    let arrivals: Vec<Arrivals> = flows
        .iter()
        .zip(suspects.iter().zip(&found.contributes))
        .map(|(m, (suspect, contributes))| Arrivals {
            span: m.span,
            packets: m.inside,
            // Without times, depths are not comparable across flows (they may belong to different input queues).
            depth: if when.is_some() && m.waited > 0.0 { m.depth_sum / m.waited } else { mean },
            excess: if *contributes { (excess(suspect, true) / m.inside).min(1.0) } else { 0.0 },
        })
        .collect();
    let waits = replay(&arrivals, settings.replay_packets);
    let mut parts: Vec<FlowPart> = arrivals
        .iter()
        .zip(waits)
        .zip(flows.iter().zip(suspects.iter().zip(&found.contributes)))
        .map(|((arrivals, waits), (m, (suspect, contributes)))| FlowPart {
            flow: m.flow,
            packets: m.inside,
            excess: excess(suspect, *contributes),
            contributes: *contributes,
            weight: if *contributes { waits.caused } else { -waits.ahead },
            depth: arrivals.depth,
        })
        .collect();
    sort_parts(&mut parts);
    (mean, parts)
}

fn sort_parts(flows: &mut [FlowPart]) {
    flows.sort_by(|a, b| {
        let contributes = b.contributes.cmp(&a.contributes);
        contributes.then(b.weight.total_cmp(&a.weight)).then(a.flow.cmp(&b.flow))
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(flow: FlowKey) -> FlowRecord {
        FlowRecord {
            flow,
            epoch: 0,
            ingress_port: None,
            egress_port: 1,
            priority: None,
            packets: 10,
            bytes: None,
            queued_packets: None,
            depth_sum: 0,
            paused_packets: 0,
            psn_first: 0,
            psn_last: 0,
            seen_ns: None,
            queued_ns: None,
            evicted: false,
        }
    }

    /// Checks from when on packets of a queue of `depth` packets of 100 ns count whose episode began at `from_ns`, and that
    /// existed since 20 us.
    #[track_caller]
    fn check(depth: f64, from_ns: u64, without: &[&str], expected: Option<u64>) {
        let flow = FlowKey::udp([10, 0, 0, 1].into(), 1, [10, 0, 0, 2].into(), 4791);
        let measured = Measured {
            flow,
            inside: 10.0,
            before: 0.0,
            first_ns: None,
            span: None,
            depth_sum: 10.0 * depth,
            waited: 10.0,
            held: Vec::new(),
            recorded: 10.0,
            recorded_span: None,
        };
        let when = Some(Span { from: from_ns, to: 50_000 });
        let found = Queueing { when, flows: vec![measured], excess: vec![10.0], history: true };
        let settings = crate::Settings {
            without: without.iter().map(ToString::to_string).collect(),
            ..crate::Settings::default()
        };
        let tuning = Tuning::new(&settings, 10_000);
        let record = FlowRecord { queued_ns: Some((20_000, 50_000)), ..record(flow) };
        assert_eq!(
            reaching_back(&found, 100.0, &[&record], &tuning).map(|span| (span.from, span.to)),
            expected.map(|from| (from, 50_000))
        );
    }

    #[test]
    fn an_episode_reaches_back_for_as_long_as_its_queue_takes_to_send() {
        check(100.0, 46_000, &[], Some(40_000));
        check(100.0, 30_000, &[], None);
        check(1_000.0, 46_000, &[], Some(20_000));
        check(100.0, 46_000, &["contention.reach_back"], None);
    }
}
