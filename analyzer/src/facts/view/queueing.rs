//! Queueing at a port: its depth, its duration, and the share that no flow record accounts for.

use model::snapshot::Source;
use model::telemetry::FlowRecord;

use super::{EpochSum, NOMINAL_PACKET_BYTES, PortIx, View, ratio, saturating};
use crate::facts::span::Span;
use crate::thresholds as t;

impl View<'_> {
    /// Returns the mean number of packets ahead of a packet of `port`, over packets that were queued.
    pub(crate) fn waiting_depth(&self, port: PortIx, when: Option<Span>) -> f64 {
        match (self.ports[port].queued, when) {
            (Some(q), Some(when)) if !when.overlaps(q.span) => return 0.0,
            (Some(q), Some(when)) if when.from <= q.span.from && q.span.to <= when.to => {
                return ratio(q.depth, q.packets);
            }
            (Some(q), None) => return ratio(q.depth, q.packets),
            _ => {}
        }
        let (mut depth, mut packets) = (0_u64, 0_u64);
        for flow in self.flows(port) {
            let relevant = match (when, flow.queued_ns) {
                (Some(when), Some((from, to))) => when.overlaps(Span::new(from, to)),
                _ => self.flow_in(port, flow, when),
            };
            if relevant {
                depth = depth.saturating_add(flow.depth_sum);
                packets = packets.saturating_add(flow.queued_packets.unwrap_or(flow.packets));
            }
        }
        if packets == 0 {
            depth = saturating(self.sums_in(port, when).map(|s| s.slot_depth));
            packets = saturating(self.sums_in(port, when).map(|s| s.slot_packets));
        }
        ratio(depth, packets)
    }

    /// Returns how much of the traffic from `ingress` was queued at `port` in `when`: the sum of the depths that its
    /// packets met. The part without flow records is taken from the port's slots, by the share of `ingress` in its
    /// traffic.
    pub(crate) fn queued_from(&self, port: PortIx, ingress: u16, when: Span) -> f64 {
        let of_ingress = |f: &&&FlowRecord| f.ingress_port.is_none_or(|own| own == ingress);
        let known: f64 = self
            .flows(port)
            .iter()
            .filter(of_ingress)
            .map(|f| {
                let share = match f.queued_ns.map(|(a, b)| Span::new(a, b)) {
                    Some(span) if span.from == span.to => f64::from(u8::from(span.overlaps(when))),
                    Some(span) => when.shared_ns(span) / span.length_ns(),
                    None => f64::from(u8::from(self.flow_in(port, f, Some(when)))),
                };
                f.depth_sum as f64 * share
            })
            .sum();
        let sums = || self.sums_in(port, Some(when));
        let of_flows = saturating(sums().map(|s| s.flow_depth));
        let lost = saturating(sums().map(|s| s.slot_depth)).saturating_sub(of_flows);
        if lost == 0 || self.ports[port].mixed {
            return known;
        }
        let rows = self.meters_between(self.switch_of(port), ingress, self.number(port)).iter();
        let own = rows.filter(|m| self.epoch_in(port, m.epoch, Some(when))).filter_map(|m| m.packets);
        let all = saturating(sums().map(|s| s.slot_packets));
        known + lost as f64 * ratio(saturating(own), all).min(1.0)
    }

    /// Returns the total queueing time of the packets from `ingress` at `port` in `when`, in nanoseconds: behind
    /// other packets, and because of pauses.
    pub(crate) fn waited_ns(&self, port: PortIx, ingress: u16, when: Span) -> f64 {
        let for_others = self.queued_from(port, ingress, when) * self.packet_ns(port).max(1.0);
        let of_ingress = |f: &&&FlowRecord| f.ingress_port.is_none_or(|own| own == ingress);
        let paused = self.flows(port).iter().filter(of_ingress).filter(|f| f.paused_packets > 0);
        let for_pauses = paused.map(|f| {
            let seen = self.seen_span(port, f);
            let pauses = self.pause_spans(port).iter();
            let met = pauses.filter(|p| p.overlaps(when) && seen.is_none_or(|seen| seen.overlaps(**p)));
            // More of the packets that a pause holds arrive at its start, and more of them meet a long pause than a
            // short one.
            let (squares, sum) = met.fold((0.0, 0.0), |(squares, sum), p| {
                let length = p.length_ns();
                (squares + length * length, sum + length)
            });
            if sum > 0.0 { f.paused_packets as f64 * squares / sum } else { 0.0 }
        });
        for_others + for_pauses.sum::<f64>()
    }

    /// Returns the mean transmission time of a packet of `port`; of a nominal size where no record has one.
    pub(crate) fn packet_ns(&self, port: PortIx) -> f64 {
        self.ports[port].packet_ns
    }

    pub(super) fn mean_packet_ns(&self, port: PortIx) -> f64 {
        let counted = || self.flows(port).iter().filter_map(|f| Some((f.bytes?, f.packets)));
        let (bytes, packets) = (saturating(counted().map(|c| c.0)), saturating(counted().map(|c| c.1)));
        let size = if packets > 0 { bytes as f64 / packets as f64 } else { NOMINAL_PACKET_BYTES };
        let rate_bps = self.topo(port).map_or(0, |p| self.index.info(p).rate.0);
        if rate_bps == 0 { 0.0 } else { size * 8e9 / rate_bps as f64 }
    }

    /// Whether traffic from `ingress` may be queued at `port` because the port is paused, in `when`: some of it
    /// arrived during the pause, or was queued when the pause began. If records are lost or incomplete, it may.
    pub(crate) fn may_hold(&self, port: PortIx, ingress: u16, when: Option<Span>) -> bool {
        if self.snapshot.source == Source::HawkeyeNs3 || self.flows(port).is_empty() {
            return true;
        }
        let waits = |f: &&&FlowRecord| {
            let waited = f.queued_ns.is_none_or(|(a, b)| when.is_none_or(|w| w.overlaps(Span::new(a, b))));
            f.queued_packets != Some(0) && waited
        };
        let of_ingress = |f: &&&FlowRecord| f.ingress_port.is_none_or(|own| own == ingress);
        let held = |f: &&FlowRecord| f.paused_packets > 0 || waits(&f);
        let mut here = self.flows(port).iter().filter(of_ingress).filter(|f| self.flow_in(port, f, when));
        here.any(held) || self.unaccounted(port, when) > self.settings.value(&t::UNACCOUNTED_SHARE)
    }

    /// Returns the packets of `port` in the epochs of `when`. Where the port's own count includes other priorities,
    /// flow records count.
    pub(crate) fn packets(&self, port: PortIx, when: Option<Span>) -> u64 {
        let known = saturating(self.sums_in(port, when).map(|s| s.flow_packets));
        if self.ports[port].mixed {
            return known;
        }
        known.max(saturating(self.sums_in(port, when).map(|s| s.slot_packets)))
    }

    /// Returns the share of the packets of `port`, over all epochs in `when`, that no flow record accounts for; zero
    /// where the source has no packet count for ports, or where it includes other priorities.
    pub(crate) fn unaccounted(&self, port: PortIx, when: Option<Span>) -> f64 {
        if self.ports[port].mixed {
            return 0.0;
        }
        let counted = saturating(self.sums_in(port, when).map(|s| s.slot_packets));
        let known = saturating(self.sums_in(port, when).map(|s| s.flow_packets));
        ratio(counted.saturating_sub(known), counted)
    }

    /// As above, for the depth that packets of `port` met: a burst has few packets and much of the depth.
    pub(crate) fn unaccounted_depth(&self, port: PortIx, when: Option<Span>) -> f64 {
        if self.ports[port].mixed {
            return 0.0;
        }
        let counted = saturating(self.sums_in(port, when).map(|s| s.slot_depth));
        let known = saturating(self.sums_in(port, when).map(|s| s.flow_depth));
        ratio(counted.saturating_sub(known), counted)
    }

    /// Returns the published queue depth of a port: the sum of depths over the packets, of all epochs in `when`.
    pub(crate) fn published_depth(&self, port: PortIx, when: Option<Span>) -> f64 {
        let mut sum = EpochSum::default();
        for s in self.sums_in(port, when) {
            sum.flow_packets = sum.flow_packets.saturating_add(s.flow_packets);
            sum.flow_depth = sum.flow_depth.saturating_add(s.flow_depth);
            sum.slot_packets = sum.slot_packets.saturating_add(s.slot_packets);
            sum.slot_depth = sum.slot_depth.saturating_add(s.slot_depth);
        }
        let packets = if sum.slot_packets > 0 { sum.slot_packets } else { sum.flow_packets };
        let depth = if sum.slot_depth > 0 { sum.slot_depth } else { sum.flow_depth };
        ratio(depth, packets)
    }
}
