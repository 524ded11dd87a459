//! The packets of each flow at a port, before the queue episode and in it.
//!
//! Records are sums over an epoch. They are split by the time and the depth at which their packets were queued.

use model::FlowKey;
use model::telemetry::FlowRecord;

use crate::facts::queue_episode::{QueueScope, is_scattered, pieces, waited_share, waits};
use crate::facts::span::{Span, clusters};
use crate::facts::view::{PortIx, View};
use crate::settings::Tuning;
use crate::thresholds as t;

/// The packets of one flow at the port.
#[derive(Debug)]
pub(super) struct Measured {
    pub(super) flow: FlowKey,
    /// Packets in the episode.
    pub(super) inside: f64,
    /// Packets before it.
    pub(super) before: f64,
    /// When the first recorded packet arrived.
    pub(super) first_ns: Option<u64>,
    /// When the packets of the episode arrived.
    pub(super) span: Option<Span>,
    /// Sum of the depths that its queued packets of the episode met, and their number.
    pub(super) depth_sum: f64,
    pub(super) waited: f64,
    /// When the flow was paused at an upstream port, ascending and disjoint.
    pub(super) held: Vec<Span>,
    /// Packets of the records that have packets in the episode, and the time that these cover.
    pub(super) recorded: f64,
    pub(super) recorded_span: Option<Span>,
}

/// Splits the records of one port.
pub(super) struct Measurement<'q, 'v, 'a> {
    view: &'v View<'a>,
    settings: &'v Tuning,
    port: PortIx,
    scope: QueueScope<'q>,
    when: Option<Span>,
    /// When the port was paused, ascending and disjoint.
    paused: Vec<Span>,
    /// When at least two flows were queued, ascending and disjoint.
    shared: Vec<Span>,
}

impl<'q, 'v, 'a> Measurement<'q, 'v, 'a> {
    pub(super) fn new(
        view: &'v View<'a>,
        settings: &'v Tuning,
        port: PortIx,
        scope: QueueScope<'q>,
        when: Option<Span>,
    ) -> Measurement<'q, 'v, 'a> {
        Measurement {
            view,
            settings,
            port,
            scope,
            when,
            paused: clusters(view.pause_spans(port).to_vec(), 0),
            shared: Vec::new(),
        }
    }

    /// Returns the flows with packets in the episode. `records` are ordered by flow.
    pub(super) fn flows(&mut self, records: &[&FlowRecord]) -> Vec<Measured> {
        let mut flows = Vec::new();
        let reference = self.reference_depth(records);
        let outside_episode = |r: &&FlowRecord| match (r.queued_ns, self.when) {
            (Some((a, b)), Some(when)) => !Span::new(a, b).overlaps(when),
            _ => false,
        };
        if records.iter().any(outside_episode) {
            let pieces = pieces(&waits(records, QueueScope::default(), None, self.settings));
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
                held: Vec::new(),
                recorded: 0.0,
                recorded_span: None,
            };
            for r in of_flow {
                self.add_record(&mut m, r, reference);
            }
            if m.inside > 0.0 {
                m.held = self.held(first.flow, of_flow);
                flows.push(m);
            }
        }
        flows
    }

    /// Returns the mean depth of the records whose queueing lies in the episode. It indicates how many of the queued
    /// packets of a longer record belong to the episode.
    fn reference_depth(&self, records: &[&FlowRecord]) -> f64 {
        let Some(when) = self.when else { return 0.0 };
        let (mut depth, mut packets) = (0.0, 0.0);
        for r in records {
            let Some((from, to)) = r.queued_ns else { continue };
            let span = Span::new(from, to);
            if when.shared_ns(span) >= self.settings.value(&t::IN_EPISODE) * span.length_ns()
                || when.overlaps(span) && span.from == span.to
            {
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
        let is_shallow = self.settings.applies("measurement.shallow")
            && own_depth
                < self.settings.min_wait_packets.min(reference * self.settings.value(&t::DEEP_SHARE));
        let inside_share = match r.queued_ns.map(|(a, b)| Span::new(a, b)) {
            Some(span) if !span.overlaps(when) || is_shallow => 0.0,
            Some(span) if span.from == span.to => 1.0,
            Some(span) => {
                let in_time = self.unpaused_share(span, when);
                let mut by_depth = self.share_by_depth(r, queued, when, reference);
                if self.settings.applies("measurement.scattered")
                    && is_scattered(r, self.settings)
                    && waited > 0.0
                {
                    // Most of its packets met no queue, so no record shows that it sent more during the queueing.
                    let usual = r.packets as f64 * (when.length_ns() / seen.length_ns()).min(1.0);
                    by_depth = by_depth.min(usual / waited);
                }
                // No flow enqueues more than its ingress link carries.
                if let Some(most) = self
                    .max_packets(r, when)
                    .filter(|_| waited > 0.0 && self.settings.applies("measurement.ingress_link"))
                {
                    by_depth = by_depth.min(most / waited);
                }
                in_time.max(by_depth)
            }
            None => f64::from(u8::from(seen.overlaps(when))),
        };
        let inside = waited * inside_share;
        // Recurring congestion (oscillating congestion control) is no previous rate: deep queueing in an earlier
        // episode belongs to the same event. Shallow queueing, and that of a flow alone, is normal traffic.
        let deep_earlier = self.settings.applies("measurement.deep_earlier")
            && inside == 0.0
            && own_depth >= reference * self.settings.value(&t::DEEP_SHARE)
            && self.queued_with_others(r);
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
        if within > 0.0 {
            m.recorded += r.packets as f64;
            m.recorded_span = Some(m.recorded_span.map_or(seen, |s| s.hull(seen)));
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
    pub(super) fn unpaused_ns(&self, span: Span) -> f64 {
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
        with_others.map(|s| s.shared_ns(span)).sum::<f64>()
            >= self.settings.value(&t::WITH_OTHERS) * (span.to - span.from) as f64
    }

    /// Estimates from queue depths which share of a record's queued packets belongs to the episode: a few of them may
    /// have been queued long before, in a shallow queue.
    fn share_by_depth(&self, r: &FlowRecord, queued: u64, when: Span, reference: f64) -> f64 {
        let own = r.depth_sum as f64 / queued.max(1) as f64;
        let ahead_ns = r.queued_ns.map_or(0, |(a, b)| when.from.saturating_sub(a.min(b)));
        // Nearly all packets were queued, and long before the episode: a standing queue, for which depths show nothing.
        let is_standing = ahead_ns >= self.settings.established_ns
            && queued as f64 >= r.packets as f64 * self.settings.value(&t::STANDING_SHARE);
        // Packets queued after the end of the episode may have met the same depth.
        let continues =
            r.queued_ns.is_some_and(|(a, b)| self.scope.bounds.until.is_some_and(|until| a.max(b) > until));
        // A queued packet met at least one other.
        if is_standing || continues || reference <= 1.0 || !self.settings.applies("measurement.by_depth") {
            0.0
        } else {
            ((own - 1.0) / (reference - 1.0)).clamp(0.0, 1.0)
        }
    }

    /// Returns when a flow was paused at an upstream port: at the previous hop, or further upstream.
    fn held(&self, flow: FlowKey, records: &[&FlowRecord]) -> Vec<Span> {
        // The port of a loop is analysed up to its own pause. All flows of the loop are paused somewhere in it then, and
        // none has been released.
        let is_paused = self.scope.paused_upstream.binary_search(&flow).is_ok();
        if self.scope.bounds.until.is_some() && !is_paused || !self.settings.applies("measurement.held") {
            return Vec::new();
        }
        let mut held = Vec::new();
        let mut visited = vec![self.port];
        let mut at = self.upstream(self.port, records.iter().copied());
        while let Some(port) = at.filter(|port| !visited.contains(port)) {
            visited.push(port);
            let records = self.view.records_of(port, flow);
            if records.iter().any(|r| r.paused_packets > 0) {
                held.extend_from_slice(self.view.pause_spans(port));
            }
            at = self.upstream(port, records.into_iter());
        }
        clusters(held, 0)
    }

    /// Returns the egress port from which packets of these records arrived at the switch of `port`.
    fn upstream<'r>(
        &self,
        port: PortIx,
        mut records: impl Iterator<Item = &'r FlowRecord>,
    ) -> Option<PortIx> {
        let node = self.view.switch_of(port).node?;
        let ingress = self.view.index.port(node, records.find_map(|r| r.ingress_port)?)?;
        let peer = self.view.index.peer(ingress)?;
        self.view.find(self.view.switch_at(peer.node)?, peer.number)
    }
}
