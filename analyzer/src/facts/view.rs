//! A snapshot indexed for analysis: ports are numbered, each with its flows, slots, meters and pauses.
//!
//! A view covers one priority, because pauses and queues are per priority. It leaves out unreliable records: the
//! poster's prototype dumps a ring slot without its epoch id, so only the slot marked as current is used.

mod meters;
mod overwritten;
mod queueing;
mod records;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use model::snapshot::Source;
use model::telemetry::{EpochInfo, FlowRecord, MeterRecord, PauseInterval, PortRecord};
use model::{FlowKey, PortRef, Snapshot, SwitchTelemetry};

use self::meters::Input;
pub(crate) use self::records::classes;
use crate::facts::span::{Span, clusters, pause_span};
use crate::facts::topology_index::{NodeId, PortId, TopologyIndex};
use crate::settings::Tuning;

/// Assumed packet size where no record of the port has one, to convert a depth into a delay.
const NOMINAL_PACKET_BYTES: f64 = 1_000.0;

/// The index of a port in a [`View`].
pub(crate) type PortIx = usize;

/// The priorities that a view covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Classes(u8);

impl Classes {
    /// All priorities.
    pub(crate) const ALL: Classes = Classes(u8::MAX);

    /// Returns the other priorities; `None` if there are none.
    pub(crate) fn others(self) -> Option<Classes> {
        (self != Classes::ALL).then_some(Classes(!self.0))
    }

    fn contains(self, class: u8) -> bool {
        self == Classes::ALL || class < 8 && self.0 >> class & 1 == 1
    }
}

impl FromIterator<u8> for Classes {
    fn from_iter<I: IntoIterator<Item = u8>>(classes: I) -> Classes {
        Classes(classes.into_iter().filter(|class| *class < 8).fold(0, |set, class| set | 1 << class))
    }
}

pub(crate) struct View<'a> {
    pub(in crate::facts) snapshot: &'a Snapshot,
    pub(in crate::facts) settings: &'a Tuning,
    pub(crate) index: &'a TopologyIndex<'a>,
    pub(crate) switches: Vec<SwitchView<'a>>,
    ports: Vec<PortView>,
    flows: Vec<&'a FlowRecord>,
    slots: Vec<&'a PortRecord>,
    meters: Vec<&'a MeterRecord>,
    inputs: Vec<Input>,
    /// The egress port of each meter row.
    egress_ports: Vec<u16>,
    pauses: Vec<&'a PauseInterval>,
    /// The interval of each pause.
    pause_spans: Vec<Span>,
    sums: Vec<EpochSum>,
    events: Vec<Span>,
    by_node: Vec<Option<u32>>,
    classes: Classes,
}

pub(crate) struct SwitchView<'a> {
    pub(crate) name: &'a str,
    pub(crate) node: Option<NodeId>,
    pub(crate) frozen_ns: u64,
    epochs: Vec<EpochInfo>,
    ports: Range<usize>,
    inputs: Range<usize>,
}

struct PortView {
    switch: usize,
    number: u16,
    topo: Option<PortId>,
    flows: Range<usize>,
    slots: Range<usize>,
    pauses: Range<usize>,
    sums: Range<usize>,
    events: Range<usize>,
    /// When packets were queued behind others, and how many; absent if a record has no times.
    queued: Option<Queued>,
    /// Mean transmission time of a packet at the port, in nanoseconds.
    packet_ns: f64,
    /// Records of other priorities were left out, so the port's own slot counts too much.
    mixed: bool,
}

/// The sums over all records of one epoch of a port, kept because every edge needs them.
#[derive(Clone, Copy, Default)]
struct EpochSum {
    epoch: u64,
    span: Option<Span>,
    flow_packets: u64,
    flow_depth: u64,
    flow_paused: u64,
    slot_packets: u64,
    slot_depth: u64,
    slot_paused: u64,
}

#[derive(Clone, Copy)]
struct Queued {
    span: Span,
    depth: u64,
    packets: u64,
}

impl<'a> View<'a> {
    /// Builds a view of some priorities.
    pub(crate) fn new(
        snapshot: &'a Snapshot,
        index: &'a TopologyIndex<'a>,
        classes: Classes,
        settings: &'a Tuning,
    ) -> View<'a> {
        let mut view = View {
            snapshot,
            settings,
            index,
            switches: Vec::with_capacity(snapshot.switches.len()),
            ports: Vec::new(),
            flows: Vec::new(),
            slots: Vec::new(),
            meters: Vec::new(),
            inputs: Vec::new(),
            egress_ports: Vec::new(),
            pauses: Vec::new(),
            pause_spans: Vec::new(),
            sums: Vec::new(),
            events: Vec::new(),
            by_node: vec![None; index.nodes()],
            classes,
        };
        let mut order: Vec<&SwitchTelemetry> = snapshot.switches.iter().collect();
        order.sort_by(|a, b| a.switch.cmp(&b.switch));
        for same in order.chunk_by(|a, b| a.switch == b.switch) {
            view.add_switch(same, classes);
        }
        for port in view.ports() {
            view.sum_up(port, settings.event_gap_ns);
        }
        view
    }

    /// Adds a switch; several readings of one switch are merged.
    fn add_switch(&mut self, readings: &[&'a SwitchTelemetry], classes: Classes) {
        let Some(first) = readings.first() else { return };
        let mut epochs: Vec<EpochInfo> = readings.iter().flat_map(|r| r.epochs.iter().copied()).collect();
        epochs.sort_unstable_by_key(|e| (e.id, e.start_ns, e.end_ns));
        epochs.dedup_by_key(|e| e.id);
        let stale_before = match self.snapshot.source {
            Source::Harrier | Source::HawkeyeNs3Egress => 0,
            Source::HawkeyeNs3 => epochs.last().map_or(0, |e| e.id),
        };
        let current = |epoch: u64| epoch >= stale_before;
        let of_class = |p: Option<u8>| p.is_none_or(|p| classes.contains(p));

        let (flows, slots, pauses) = (self.flows.len(), self.slots.len(), self.pauses.len());
        let mut others: Vec<u16> = Vec::new();
        for reading in readings {
            for flow in reading.flows.iter().filter(|f| current(f.epoch)) {
                if of_class(flow.priority) { self.flows.push(flow) } else { others.push(flow.egress_port) }
            }
            for pause in &reading.pauses {
                if of_class(Some(pause.priority)) { self.pauses.push(pause) } else { others.push(pause.port) }
            }
            self.slots.extend(reading.ports.iter().filter(|s| current(s.epoch)));
        }
        self.flows[flows..].sort_by_key(|f| f.egress_port);
        self.slots[slots..].sort_by_key(|s| (s.port, s.epoch, s.packets, s.depth_sum, s.paused_packets));
        self.pauses[pauses..].sort_by_key(|p| (p.port, p.start_ns, p.end_ns, p.priority, p.frames));
        others.sort_unstable();

        let rows = readings.iter().flat_map(|r| r.meters.iter());
        let inputs = self.add_meters(rows.filter(|m| current(m.epoch)));
        let frozen_ns = readings.iter().map(|r| r.frozen_ns).max().unwrap_or(0);
        self.pause_spans.extend(self.pauses[pauses..].iter().map(|p| pause_span(p, frozen_ns)));

        let node = self.index.node(&first.switch);
        let switch = self.switches.len();
        let ports = self.ports.len();
        self.add_ports(switch, node, (flows, slots, pauses), &others);
        if let Some(node) = node {
            self.by_node[node as usize] = Some(switch as u32);
        }
        self.switches.push(SwitchView {
            name: &first.switch,
            node,
            frozen_ns,
            epochs,
            ports: ports..self.ports.len(),
            inputs,
        });
    }

    fn add_ports(
        &mut self,
        switch: usize,
        node: Option<NodeId>,
        from: (usize, usize, usize),
        others: &[u16],
    ) {
        let (mut flow, mut slot, mut pause) = from;
        loop {
            let next = [
                self.flows.get(flow).map(|f| f.egress_port),
                self.slots.get(slot).map(|s| s.port),
                self.pauses.get(pause).map(|p| p.port),
            ];
            let Some(number) = next.into_iter().flatten().min() else { return };
            let run = |start: usize, length: usize| start..start + length;
            let flows = run(flow, self.flows[flow..].iter().take_while(|f| f.egress_port == number).count());
            let slots = run(slot, self.slots[slot..].iter().take_while(|s| s.port == number).count());
            let pauses = run(pause, self.pauses[pause..].iter().take_while(|p| p.port == number).count());
            (flow, slot, pause) = (flows.end, slots.end, pauses.end);
            let topo = node.and_then(|n| self.index.port(n, number));
            let mixed = others.binary_search(&number).is_ok();
            self.ports.push(PortView {
                switch,
                number,
                topo,
                flows,
                slots,
                pauses,
                sums: 0..0,
                events: 0..0,
                queued: None,
                packet_ns: 0.0,
                mixed,
            });
        }
    }

    /// The victim.
    pub(crate) fn victim(&self) -> Option<FlowKey> {
        self.snapshot.victim.or_else(|| self.snapshot.trigger.as_ref().map(|t| t.flow))
    }

    /// Whether records of this priority are in the view; a record without a priority is.
    pub(crate) fn is_of_class(&self, class: Option<u8>) -> bool {
        class.is_none_or(|class| self.classes.contains(class))
    }

    /// All ports that have records.
    pub(crate) fn ports(&self) -> Range<PortIx> {
        0..self.ports.len()
    }

    pub(crate) fn port_ref(&self, port: PortIx) -> PortRef {
        let p = &self.ports[port];
        PortRef::new(self.switches[p.switch].name, p.number)
    }

    pub(crate) fn number(&self, port: PortIx) -> u16 {
        self.ports[port].number
    }

    pub(crate) fn topo(&self, port: PortIx) -> Option<PortId> {
        self.ports[port].topo
    }

    pub(crate) fn switch_of(&self, port: PortIx) -> &SwitchView<'a> {
        &self.switches[self.ports[port].switch]
    }

    /// Returns the telemetry of a node of the topology, if it sent any.
    pub(crate) fn switch_at(&self, node: NodeId) -> Option<&SwitchView<'a>> {
        self.by_node[node as usize].map(|s| &self.switches[s as usize])
    }

    /// The ports of a switch that have records.
    pub(crate) fn ports_of(&self, switch: &SwitchView<'_>) -> Range<PortIx> {
        switch.ports.clone()
    }

    pub(crate) fn find(&self, switch: &SwitchView<'_>, number: u16) -> Option<PortIx> {
        let ports = &self.ports[switch.ports.clone()];
        // Most switches have records of all their ports, so try the direct position first.
        let likely = usize::from(number.checked_sub(ports.first()?.number)?);
        if ports.get(likely).is_some_and(|p| p.number == number) {
            return Some(switch.ports.start + likely);
        }
        ports.binary_search_by_key(&number, |p| p.number).ok().map(|at| switch.ports.start + at)
    }

    pub(crate) fn flows(&self, port: PortIx) -> &[&'a FlowRecord] {
        &self.flows[self.ports[port].flows.clone()]
    }

    pub(crate) fn slots(&self, port: PortIx) -> &[&'a PortRecord] {
        &self.slots[self.ports[port].slots.clone()]
    }

    pub(crate) fn pauses(&self, port: PortIx) -> &[&'a PauseInterval] {
        &self.pauses[self.ports[port].pauses.clone()]
    }

    /// The interval of each of the port's pauses, in their order.
    pub(crate) fn pause_spans(&self, port: PortIx) -> &[Span] {
        &self.pause_spans[self.ports[port].pauses.clone()]
    }

    /// Returns the time of an epoch of a switch, if the source has it.
    pub(crate) fn epoch_span(&self, switch: &SwitchView<'_>, epoch: u64) -> Option<Span> {
        if self.snapshot.source == Source::HawkeyeNs3 {
            return None;
        }
        let at = switch.epochs.binary_search_by_key(&epoch, |e| e.id).ok()?;
        let info = &switch.epochs[at];
        Some(Span::new(info.start_ns, info.end_ns))
    }

    /// Returns the start of the switch's epoch ring.
    pub(crate) fn ring_start(&self, switch: &SwitchView<'_>) -> Option<u64> {
        if self.snapshot.source == Source::HawkeyeNs3 {
            return None;
        }
        switch.epochs.iter().map(|e| e.start_ns).min()
    }

    /// Returns when the packets of a flow record arrived, as exactly as the source has it.
    pub(crate) fn seen_span(&self, port: PortIx, flow: &FlowRecord) -> Option<Span> {
        match flow.seen_ns {
            Some((from, to)) => Some(Span::new(from, to)),
            None => self.epoch_span(self.switch_of(port), flow.epoch),
        }
    }

    /// Whether a flow record can describe `when`; without times it always can.
    pub(crate) fn flow_in(&self, port: PortIx, flow: &FlowRecord, when: Option<Span>) -> bool {
        match (when, self.seen_span(port, flow)) {
            (Some(when), Some(seen)) => when.overlaps(seen),
            _ => true,
        }
    }

    pub(crate) fn epoch_in(&self, port: PortIx, epoch: u64, when: Option<Span>) -> bool {
        match (when, self.epoch_span(self.switch_of(port), epoch)) {
            (Some(when), Some(span)) => when.overlaps(span),
            _ => true,
        }
    }

    fn sum_up(&mut self, port: PortIx, event_gap_ns: u64) {
        let mut sums: Vec<EpochSum> = Vec::new();
        for f in self.flows(port) {
            let sum = sum_of(&mut sums, f.epoch);
            sum.flow_packets = sum.flow_packets.saturating_add(f.packets);
            sum.flow_depth = sum.flow_depth.saturating_add(f.depth_sum);
            sum.flow_paused = sum.flow_paused.saturating_add(f.paused_packets);
        }
        for s in self.slots(port) {
            let sum = sum_of(&mut sums, s.epoch);
            sum.slot_packets = sum.slot_packets.saturating_add(s.packets.unwrap_or(0));
            sum.slot_depth = sum.slot_depth.saturating_add(s.depth_sum);
            sum.slot_paused = sum.slot_paused.saturating_add(s.paused_packets);
        }
        for sum in &mut sums {
            sum.span = self.epoch_span(self.switch_of(port), sum.epoch);
        }
        let events = self.find_pause_events(port, event_gap_ns);
        let queued = self.sum_queued(port);
        let packet_ns = self.mean_packet_ns(port);
        let (first_sum, first_event) = (self.sums.len(), self.events.len());
        self.sums.extend(sums);
        self.events.extend(events);
        let (sums, events) = (first_sum..self.sums.len(), first_event..self.events.len());
        let view = &mut self.ports[port];
        (view.sums, view.events, view.queued, view.packet_ns) = (sums, events, queued, packet_ns);
    }

    fn find_pause_events(&self, port: PortIx, gap_ns: u64) -> Vec<Span> {
        let pauses = self.pause_spans(port);
        let spans = if pauses.is_empty() {
            self.flows(port)
                .iter()
                .filter(|f| f.paused_packets > 0)
                .filter_map(|f| match f.queued_ns {
                    Some((from, to)) => Some(Span::new(from, to)),
                    None => self.seen_span(port, f),
                })
                .collect()
        } else {
            pauses.to_vec()
        };
        clusters(spans, gap_ns)
    }

    fn sum_queued(&self, port: PortIx) -> Option<Queued> {
        let mut sum: Option<Queued> = None;
        for f in self.flows(port).iter().filter(|f| f.queued_packets != Some(0)) {
            let (from, to) = f.queued_ns?;
            let own = Queued { span: Span::new(from, to), depth: f.depth_sum, packets: f.queued_packets? };
            sum = Some(sum.map_or(own, |s| Queued {
                span: s.span.hull(own.span),
                depth: s.depth.saturating_add(own.depth),
                packets: s.packets.saturating_add(own.packets),
            }));
        }
        sum
    }

    fn sums_in(&self, port: PortIx, when: Option<Span>) -> impl Iterator<Item = &EpochSum> {
        self.sums[self.ports[port].sums.clone()].iter().filter(move |s| match (when, s.span) {
            (Some(when), Some(span)) => when.overlaps(span),
            _ => true,
        })
    }

    /// Returns the events in which `port` was paused, ascending. Without pause intervals, they follow from the times
    /// of paused packets; without any times there are none.
    pub(crate) fn pause_events(&self, port: PortIx) -> &[Span] {
        &self.events[self.ports[port].events.clone()]
    }

    /// Returns the number of packets that were enqueued at `port` while it was paused, in the epochs of `when`. The
    /// port's slot also counts flows whose own slot was lost, while flow slots know their priority: the larger number
    /// lacks less.
    pub(crate) fn paused_packets(&self, port: PortIx, when: Option<Span>) -> u64 {
        let of_flows = saturating(self.sums_in(port, when).map(|s| s.flow_paused));
        if self.ports[port].mixed {
            return of_flows;
        }
        of_flows.max(saturating(self.sums_in(port, when).map(|s| s.slot_paused)))
    }

    /// Whether the peer paused `port` in `when`.
    pub(crate) fn is_paused(&self, port: PortIx, when: Option<Span>) -> bool {
        let pauses = self.pause_spans(port);
        match when {
            // Intervals are exact and take precedence; counts span whole epochs.
            Some(when) if !pauses.is_empty() => {
                self.pause_events(port).iter().any(|e| e.overlaps(when))
                    && pauses.iter().any(|p| p.overlaps(when))
            }
            _ => !pauses.is_empty() || self.paused_packets(port, when) > 0,
        }
    }

    /// Whether the packets at `port` in `when` may arrive faster than it sends: not if the links that carry them, or those of
    /// the hosts that send them, are together no faster. Such packets have no queue, unless the port is paused or sends
    /// others as well. If a link is not known, they may.
    pub(crate) fn can_overfill(&self, port: PortIx, when: Option<Span>) -> bool {
        let (Some(node), Some(own)) = (self.switch_of(port).node, self.topo(port)) else { return true };
        let mut feeds: BTreeMap<u16, BTreeSet<Option<NodeId>>> = BTreeMap::new();
        for record in self.flows(port).iter().filter(|f| f.packets > 0 && self.flow_in(port, f, when)) {
            let Some(ingress) = record.ingress_port else { return true };
            feeds.entry(ingress).or_default().insert(self.index.host_of(record.flow.src));
        }
        let rate = |port: PortId| u128::from(self.index.info(port).rate.0);
        let of_host =
            |host: NodeId| self.index.ports_of(host).iter().map(|port| u128::from(port.rate.0)).sum::<u128>();
        let arriving = |(ingress, hosts): (u16, BTreeSet<Option<NodeId>>)| {
            let link = rate(self.index.port(node, ingress)?);
            let sent: Option<u128> = hosts.into_iter().map(|host| host.map(of_host)).sum();
            Some(sent.map_or(link, |sent| sent.min(link)))
        };
        let feeding_bps: Option<u128> = feeds.into_iter().map(arriving).sum();
        feeding_bps.is_none_or(|feeding_bps| feeding_bps > rate(own))
    }

    /// Returns the records of `flow` at `port`, by epoch.
    pub(crate) fn records_of(&self, port: PortIx, flow: FlowKey) -> Vec<&'a FlowRecord> {
        let mut found: Vec<&FlowRecord> =
            self.flows(port).iter().copied().filter(|f| f.flow == flow).collect();
        found.sort_by_key(|f| flow_order(f));
        found
    }
}

/// A total order of flow records, so that results do not depend on the order of the input.
pub(crate) fn flow_order(f: &FlowRecord) -> impl Ord + use<> {
    let counts = (f.packets, f.queued_packets, f.depth_sum, f.paused_packets, f.bytes);
    let place = (f.ingress_port, f.egress_port, f.priority, f.psn_first, f.psn_last);
    (f.flow, f.epoch, f.evicted, f.seen_ns, f.queued_ns, counts, place)
}

fn sum_of(sums: &mut Vec<EpochSum>, epoch: u64) -> &mut EpochSum {
    let at = sums.partition_point(|s| s.epoch < epoch);
    if sums.get(at).is_none_or(|s| s.epoch != epoch) {
        sums.insert(at, EpochSum { epoch, ..EpochSum::default() });
    }
    &mut sums[at]
}

/// A saturating sum: the counts come from outside.
pub(crate) fn saturating(counts: impl Iterator<Item = u64>) -> u64 {
    counts.fold(0, u64::saturating_add)
}

fn ratio(sum: u64, count: u64) -> f64 {
    if count == 0 { 0.0 } else { sum as f64 / count as f64 }
}
