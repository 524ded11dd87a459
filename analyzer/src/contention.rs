//! Which flows built a queue: the flows of one port, each a contributor or a bystander.
//!
//! Byte counts do not identify the culprit: during a burst, a long-running flow may send the most. A queue builds up
//! because something *changed*, so a flow counts only for its excess above its previous rate.
//!
//! 1. The queue episode is the time in which queueing at this port is densest ([`event_span`]), near the time under
//!    analysis. Two bursts in one epoch are two episodes.
//! 2. Each flow's packets are split into those before and those in the episode.
//! 3. The previous rate of a flow that was active long enough before the episode is its rate without a deep queue; only
//!    packets above it are excess.
//! 4. Contributors have a substantial excess. The victim and spreaders are not contributors.
//! 5. The replay gives each flow its weight: for a contributor, the queueing of other flows that it caused; for every
//!    other flow, its own queueing because of the contributors, as a negative number.

use model::FlowKey;
use model::telemetry::FlowRecord;

use crate::method::ReplayRule;
use crate::queue_episode::{DEEP_SHARE, event_span, is_scattered, pieces, waited_share, waits};
use crate::replay::{Arrivals, replay};
use crate::settings::Settings;
use crate::span::{Span, clusters};
use crate::view::{PortIx, View, flow_order};

/// Minimum share of a flow's packets that counts as excess; less is jitter of its previous rate.
const GROWN_SHARE: f64 = 1.0 / 3.0;
/// A flow meets a standing queue if at least this share of its packets is queued.
const STANDING_SHARE: f64 = 0.9;
/// If all contributors together enqueued less than this share of the packets, no rate changed.
const CHANGED_SHARE: f64 = 0.1;
/// Flow records and port slots count the same packets; if more than this share is missing, flow records are lost.
pub(crate) const UNACCOUNTED_SHARE: f64 = 0.1;

/// What is known about the queue to analyse.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct QueueScope<'q> {
    /// The victim; it is never a contributor.
    pub(crate) victim: Option<FlowKey>,
    /// Flows that were paused further upstream, and so may only spread the congestion; ascending.
    pub(crate) paused_upstream: &'q [FlowKey],
    /// The approximate time of the queueing.
    pub(crate) near: Option<Span>,
    /// The limits of that time.
    pub(crate) bounds: Bounds,
}

/// The limits within which queueing counts, in nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bounds {
    /// Queueing before this time belongs to an earlier event.
    pub(crate) since: Option<u64>,
    /// The port itself was paused from this time on.
    pub(crate) until: Option<u64>,
}

impl Bounds {
    /// Returns the part of a span within the limits.
    pub(crate) fn of(self, span: Span) -> Option<Span> {
        let (from, to) =
            (span.from.max(self.since.unwrap_or(0)), span.to.min(self.until.unwrap_or(u64::MAX)));
        let inside = self.until.is_none_or(|until| span.from < until)
            && self.since.is_none_or(|since| since < span.to);
        inside.then_some(Span { from, to })
    }
}

/// The part of one flow in a queue.
#[derive(Clone, Debug)]
pub(crate) struct FlowPart {
    pub(crate) flow: FlowKey,
    /// Packets in the queue episode.
    pub(crate) packets: f64,
    /// Packets above its previous rate.
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
    /// Whether any flow exceeds its previous rate. If not, the largest senders are named.
    pub(crate) changed: bool,
    /// The share of the port's packets that no flow record accounts for, 0 to 1.
    pub(crate) unaccounted: f64,
}

impl Contention {
    pub(crate) fn contributors(&self) -> impl Iterator<Item = &FlowPart> {
        self.flows.iter().filter(|f| f.contributes)
    }

    pub(crate) fn part(&self, flow: FlowKey) -> Option<&FlowPart> {
        self.flows.iter().find(|f| f.flow == flow)
    }
}

/// Analyses the queue of `port`; `None` without a flow record of it.
pub(crate) fn contention(
    view: &View<'_>,
    settings: &Settings,
    port: PortIx,
    scope: QueueScope<'_>,
) -> Option<Contention> {
    let mut records: Vec<&FlowRecord> = view.flows(port).iter().copied().filter(|f| f.packets > 0).collect();
    records.sort_by_key(|f| flow_order(f));
    if records.is_empty() {
        return None;
    }
    if settings.method.replay == ReplayRule::WholeEpoch {
        return Some(whole_epoch(view, settings, port, scope, &records));
    }
    let when = event_span(&records, settings, scope);
    // No packet was queued in the time under analysis, so there is no contention to explain.
    if when.is_none() && records.iter().any(|r| r.queued_packets.is_some() || r.queued_ns.is_some()) {
        return None;
    }
    let mut analysis = QueueAnalysis::new(view, settings, port, scope, when);
    analysis.measure(&records);
    let changed = analysis.find_contributors();
    Some(analysis.finish(changed))
}

/// Intermediate results for one flow.
#[derive(Debug)]
struct Measured {
    flow: FlowKey,
    inside: f64,
    before: f64,
    first_ns: Option<u64>,
    span: Option<Span>,
    depth_sum: f64,
    waited: f64,
    excess: f64,
    contributes: bool,
}

struct QueueAnalysis<'q, 'v, 'a> {
    view: &'v View<'a>,
    settings: &'v Settings,
    port: PortIx,
    scope: QueueScope<'q>,
    when: Option<Span>,
    history: bool,
    unaccounted: f64,
    /// When the port was paused, ascending and disjoint.
    paused: Vec<Span>,
    /// When at least two flows were queued, ascending and disjoint.
    shared: Vec<Span>,
    flows: Vec<Measured>,
}

impl<'q, 'v, 'a> QueueAnalysis<'q, 'v, 'a> {
    fn new(
        view: &'v View<'a>,
        settings: &'v Settings,
        port: PortIx,
        scope: QueueScope<'q>,
        when: Option<Span>,
    ) -> QueueAnalysis<'q, 'v, 'a> {
        let ring_start = view.ring_start(view.switch_of(port));
        let history = match (when, ring_start) {
            (Some(when), Some(start)) => when.from.saturating_sub(start) >= settings.established_ns,
            _ => false,
        };
        QueueAnalysis {
            view,
            settings,
            port,
            scope,
            when,
            history,
            unaccounted: view.unaccounted(port, when),
            paused: clusters(view.pause_spans(port).to_vec(), 0),
            shared: Vec::new(),
            flows: Vec::new(),
        }
    }

    fn measure(&mut self, records: &[&FlowRecord]) {
        let reference = self.reference_depth(records);
        let outside_episode = |r: &&FlowRecord| match (r.queued_ns, self.when) {
            (Some((a, b)), Some(when)) => !Span::new(a, b).overlaps(when),
            _ => false,
        };
        if records.iter().any(outside_episode) {
            let pieces = pieces(&waits(records, QueueScope::default(), None, self.settings.event_gap_ns));
            let shared = pieces.iter().filter(|p| p.flows > 1).map(|p| p.span);
            self.shared = clusters(shared.collect(), 0);
        }
        for of_flow in records.chunk_by(|a, b| a.flow == b.flow) {
            let Some(first) = of_flow.first() else { continue };
            let mut m = Measured {
                flow: first.flow,
                inside: 0.0,
                before: 0.0,
                first_ns: of_flow.iter().filter_map(|r| r.seen_ns).map(|(a, b)| a.min(b)).min(),
                span: None,
                depth_sum: 0.0,
                waited: 0.0,
                excess: 0.0,
                contributes: false,
            };
            for r in of_flow {
                self.add_record(&mut m, r, reference);
            }
            if m.inside > 0.0 {
                self.flows.push(m);
            }
        }
    }

    /// Returns the mean depth of the records whose queueing lies in the episode. It indicates how many of the queued
    /// packets of a longer record belong to the episode.
    fn reference_depth(&self, records: &[&FlowRecord]) -> f64 {
        let Some(when) = self.when else { return 0.0 };
        let (mut depth, mut packets) = (0.0, 0.0);
        for r in records {
            let Some((from, to)) = r.queued_ns else { continue };
            let span = Span::new(from, to);
            if when.shared_ns(span) >= 0.8 * span.length_ns() || when.overlaps(span) && span.from == span.to {
                depth += r.depth_sum as f64;
                packets += r.queued_packets.unwrap_or(r.packets) as f64;
            }
        }
        if packets > 0.0 { depth / packets } else { 0.0 }
    }

    fn add_record(&self, m: &mut Measured, r: &FlowRecord, reference: f64) {
        let queued = r.queued_packets.unwrap_or(r.packets).min(r.packets);
        let waited = queued as f64 * waited_share(r);
        let Some(when) = self.when else {
            // No times: the whole epoch counts, without packets that were queued because of a pause.
            m.inside += waited;
            m.waited += waited;
            m.depth_sum += r.depth_sum as f64 * waited_share(r);
            return;
        };
        let unqueued = (r.packets - queued) as f64;
        let seen = r.seen_ns.or(r.queued_ns).map_or(when, |(a, b)| Span::new(a, b));
        let ahead_ns = when.from.min(seen.to).saturating_sub(seen.from) as f64;
        let after_ns = seen.to.saturating_sub(when.to.max(seen.from)) as f64;
        let outside_ns = ahead_ns + after_ns;

        // Packets that met almost no queue arrived before it formed or after it drained.
        let own_depth = r.depth_sum as f64 / queued.max(1) as f64;
        let is_shallow = own_depth < self.settings.min_wait_packets.min(reference * DEEP_SHARE);
        let inside_share = match r.queued_ns.map(|(a, b)| Span::new(a, b)) {
            Some(span) if !span.overlaps(when) || is_shallow => 0.0,
            Some(span) if span.from == span.to => 1.0,
            Some(span) => {
                let in_time = self.unpaused_share(span, when);
                let mut by_depth = self.share_by_depth(r, queued, when, reference);
                if is_scattered(r, self.settings.event_gap_ns) && waited > 0.0 {
                    // Most of its packets met no queue, so no record shows that it sent more during the queueing.
                    let usual = r.packets as f64 * (when.length_ns() / seen.length_ns()).min(1.0);
                    by_depth = by_depth.min(usual / waited);
                }
                // No flow enqueues more than its ingress link carries.
                if let Some(most) = self.max_packets(r, when).filter(|_| waited > 0.0) {
                    by_depth = by_depth.min(most / waited);
                }
                in_time.max(by_depth)
            }
            None => f64::from(u8::from(seen.overlaps(when))),
        };
        let inside = waited * inside_share;
        // Recurring congestion (oscillating congestion control) is no previous rate: deep queueing in an earlier
        // episode belongs to the same event. Shallow queueing, and that of a flow alone, is normal traffic.
        let deep_earlier = inside == 0.0 && own_depth >= reference * DEEP_SHARE && self.queued_with_others(r);
        let rest = if deep_earlier { unqueued } else { waited - inside + unqueued };
        // A packet that met no queue did not arrive during the episode.
        let (before, within) = match outside_ns {
            ns if ns > 0.0 => (rest * ahead_ns / ns, inside),
            _ if seen.overlaps(when) && !is_shallow => (0.0, inside + rest),
            _ => (0.0, inside),
        };
        m.before += before;
        m.inside += within;
        m.waited += inside;
        if queued > 0 {
            m.depth_sum += r.depth_sum as f64 / queued as f64 * inside;
        }
        if let Some(span) = seen.intersection(when) {
            m.span = Some(m.span.map_or(span, |s| s.hull(span)));
        }
    }

    /// Returns the share of `span` in `when`, over the time in which the port was not paused: packets queued behind
    /// others arrived then.
    fn unpaused_share(&self, span: Span, when: Span) -> f64 {
        let whole = self.unpaused_ns(span);
        if whole < 1.0 {
            return when.shared_ns(span) / span.length_ns();
        }
        span.intersection(when).map_or(0.0, |inside| (self.unpaused_ns(inside) / whole).clamp(0.0, 1.0))
    }

    /// Returns for how much of `span` the port could send, in nanoseconds.
    fn unpaused_ns(&self, span: Span) -> f64 {
        let from = self.paused.partition_point(|pause| pause.to < span.from);
        let within = self.paused[from..].iter().take_while(|pause| pause.from <= span.to);
        (span.to - span.from) as f64 - within.map(|pause| pause.shared_ns(span)).sum::<f64>()
    }

    /// Returns how many packets of a flow its ingress link can carry in `when`; `None` if the link is not known.
    fn max_packets(&self, r: &FlowRecord, when: Span) -> Option<f64> {
        let switch = self.view.switch_of(self.port).node?;
        let link = self.view.index.port(switch, r.ingress_port?)?;
        let packet_bits = 8.0 * r.bytes? as f64 / r.packets.max(1) as f64;
        let bits = when.length_ns() * self.view.index.info(link).rate.0 as f64 / 1e9;
        Some(bits / packet_bits.max(1.0) + 1.0)
    }

    /// Whether other flows were queued for most of the time in which a record's packets were.
    fn queued_with_others(&self, r: &FlowRecord) -> bool {
        let Some(span) = r.queued_ns.map(|(a, b)| Span::new(a, b)) else { return true };
        let from = self.shared.partition_point(|s| s.to < span.from);
        let with_others = self.shared[from..].iter().take_while(|s| s.from <= span.to);
        with_others.map(|s| s.shared_ns(span)).sum::<f64>() >= 0.5 * (span.to - span.from) as f64
    }

    /// Estimates from queue depths which share of a record's queued packets belongs to the episode: a few of them may
    /// have been queued long before, in a shallow queue.
    fn share_by_depth(&self, r: &FlowRecord, queued: u64, when: Span, reference: f64) -> f64 {
        let own = r.depth_sum as f64 / queued.max(1) as f64;
        let ahead_ns = r.queued_ns.map_or(0, |(a, b)| when.from.saturating_sub(a.min(b)));
        // Nearly all packets were queued, and long before the episode: a standing queue, for which depths show nothing.
        let is_standing =
            ahead_ns >= self.settings.established_ns && queued as f64 >= r.packets as f64 * STANDING_SHARE;
        // Packets queued after the end of the episode may have met the same depth.
        let continues =
            r.queued_ns.is_some_and(|(a, b)| self.scope.bounds.until.is_some_and(|until| a.max(b) > until));
        // A queued packet met at least one other.
        if is_standing || continues || reference <= 1.0 {
            0.0
        } else {
            ((own - 1.0) / (reference - 1.0)).clamp(0.0, 1.0)
        }
    }

    /// Decides which flows contribute. Returns whether any flow exceeds its previous rate.
    fn find_contributors(&mut self) -> bool {
        for at in 0..self.flows.len() {
            let excess = self.excess(&self.flows[at]);
            self.flows[at].excess = excess;
        }
        let total: f64 = self.flows.iter().map(|m| m.inside).sum();
        let largest = self.largest(|m| m.excess);
        let mut total_excess = 0.0;
        for at in 0..self.flows.len() {
            let m = &self.flows[at];
            let contributes = !self.is_victim(m)
                && m.excess > 0.0
                && m.excess >= largest * self.settings.contributor_share
                && !self.only_spreads(m);
            self.flows[at].contributes = contributes;
            if contributes {
                total_excess += self.flows[at].excess;
            }
        }
        if total_excess > 0.0 && total_excess >= total * CHANGED_SHARE {
            return true;
        }
        self.name_largest();
        false
    }

    /// No flow (or only the victim) exceeded its previous rate: the largest senders are named.
    ///
    /// Flows that were paused upstream are named only if there is no other flow. They are not named if the epoch ring
    /// shows that they are long-running, or if flow records are lost: then an unrecorded flow may have built this
    /// queue.
    fn name_largest(&mut self) {
        let may_name_spreaders = !self.history && self.unaccounted <= UNACCOUNTED_SHARE;
        let rounds = if may_name_spreaders { &[false, true][..] } else { &[false][..] };
        for spreaders_too in rounds.iter().copied() {
            let eligible = |e: &QueueAnalysis<'_, '_, '_>, m: &Measured| {
                !e.is_victim(m) && (spreaders_too || !e.is_paused_upstream(m.flow))
            };
            let largest =
                self.flows.iter().filter(|m| eligible(self, m)).map(|m| m.inside).fold(0.0, f64::max);
            for at in 0..self.flows.len() {
                let m = &self.flows[at];
                let contributes = eligible(self, m)
                    && m.inside > 0.0
                    && m.inside >= largest * self.settings.contributor_share;
                let whole = m.inside;
                self.flows[at].contributes = contributes;
                self.flows[at].excess = if contributes { whole } else { 0.0 };
            }
            if largest > 0.0 {
                return;
            }
        }
    }

    fn is_victim(&self, m: &Measured) -> bool {
        self.scope.victim == Some(m.flow)
    }

    fn is_paused_upstream(&self, flow: FlowKey) -> bool {
        self.scope.paused_upstream.binary_search(&flow).is_ok()
    }

    fn largest(&self, of: impl Fn(&Measured) -> f64) -> f64 {
        self.flows.iter().filter(|m| !self.is_victim(m)).map(of).fold(0.0, f64::max)
    }

    /// Returns the packets of a flow above its previous rate; all of them, if it has none.
    fn excess(&self, m: &Measured) -> f64 {
        let (Some(when), Some(first)) = (self.when, m.first_ns) else { return m.inside };
        // Only time in which the port could send counts towards a rate.
        let active_ns =
            if first < when.from { self.unpaused_ns(Span { from: first, to: when.from }) } else { 0.0 };
        if active_ns < self.settings.established_ns.max(1) as f64 {
            return m.inside;
        }
        let expected = m.before / active_ns * self.unpaused_ns(when).max(1.0);
        let excess = m.inside - expected;
        if excess > m.inside * GROWN_SHARE { excess } else { 0.0 }
    }

    /// Whether a flow that was paused upstream is only a spreader: the epoch ring does not cover the time before the
    /// event, so no record shows whether the flow is new, and other flows explain the queue.
    fn only_spreads(&self, m: &Measured) -> bool {
        if self.history || !self.is_paused_upstream(m.flow) {
            return false;
        }
        let others = || self.flows.iter().filter(|o| !self.is_paused_upstream(o.flow) && !self.is_victim(o));
        let count = others().count();
        let mean = others().map(|o| o.inside).sum::<f64>() / count.max(1) as f64;
        count > 0 && m.inside < 2.0 * mean
    }

    fn finish(self, changed: bool) -> Contention {
        let (depth, waited) = self.flows.iter().fold((0.0, 0.0), |(d, w), m| (d + m.depth_sum, w + m.waited));
        let mean = if waited > 0.0 { depth / waited } else { 0.0 };
        let arrivals: Vec<Arrivals> = self
            .flows
            .iter()
            .map(|m| Arrivals {
                span: m.span,
                packets: m.inside,
                // Without times, depths are not comparable across flows (they may belong to different input queues).
                depth: if self.when.is_some() && m.waited > 0.0 { m.depth_sum / m.waited } else { mean },
                excess: if m.contributes && m.inside > 0.0 { (m.excess / m.inside).min(1.0) } else { 0.0 },
            })
            .collect();
        let waits = replay(&arrivals, self.settings.replay_packets);
        let mut flows: Vec<FlowPart> = self
            .flows
            .iter()
            .zip(arrivals.iter().zip(waits))
            .map(|(m, (a, w))| FlowPart {
                flow: m.flow,
                packets: m.inside,
                excess: m.excess,
                contributes: m.contributes,
                weight: if m.contributes { w.caused } else { -w.ahead },
                depth: a.depth,
            })
            .collect();
        sort_parts(&mut flows);
        Contention {
            port: self.port,
            when: self.when,
            depth: mean,
            flows,
            history: self.history,
            changed,
            unaccounted: self.unaccounted,
        }
    }
}

fn sort_parts(flows: &mut [FlowPart]) {
    flows.sort_by(|a, b| {
        let contributes = b.contributes.cmp(&a.contributes);
        contributes.then(b.weight.total_cmp(&a.weight)).then(a.flow.cmp(&b.flow))
    });
}

/// The published replay: all packets of the epochs, spread evenly over them.
fn whole_epoch(
    view: &View<'_>,
    settings: &Settings,
    port: PortIx,
    scope: QueueScope<'_>,
    records: &[&FlowRecord],
) -> Contention {
    let mut flows = Vec::new();
    let mut arrivals = Vec::new();
    for of_flow in records.chunk_by(|a, b| a.flow == b.flow) {
        let Some(first) = of_flow.first() else { continue };
        let packets: f64 = of_flow.iter().map(|r| r.packets.saturating_sub(r.paused_packets) as f64).sum();
        let all: f64 = of_flow.iter().map(|r| r.packets as f64).sum();
        let depth = of_flow.iter().map(|r| r.depth_sum as f64).sum::<f64>() / all;
        flows.push(first.flow);
        arrivals.push(Arrivals { span: None, packets, depth, excess: 1.0 });
    }
    let waits = replay(&arrivals, settings.replay_packets);
    let mut parts: Vec<FlowPart> = flows
        .iter()
        .zip(arrivals.iter().zip(waits))
        .map(|(flow, (a, w))| FlowPart {
            flow: *flow,
            packets: a.packets,
            excess: a.packets,
            contributes: w.caused > w.ahead && scope.victim != Some(*flow),
            weight: w.caused - w.ahead,
            depth: a.depth,
        })
        .collect();
    sort_parts(&mut parts);
    let depth = view.published_depth(port, None);
    Contention { port, when: None, depth, flows: parts, history: false, changed: true, unaccounted: 0.0 }
}
