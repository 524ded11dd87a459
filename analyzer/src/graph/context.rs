//! The input of all signatures: the view, the trigger, the victim's path, the port graph and its pause paths.

use std::collections::{BTreeMap, BTreeSet};

use model::telemetry::FlowRecord;
use model::{FlowKey, Trigger, TriggerReason};

use crate::facts::path::{VictimPath, reverse_path, victim_path};
use crate::facts::span::{Span, aligned};
use crate::facts::view::{PortIx, View};
use crate::graph::adjacency::Adjacency;
use crate::graph::pause_paths::{PausePath, pause_paths};
use crate::graph::port_graph::{PortGraph, VertexIx, build};
use crate::settings::Tuning;
use crate::thresholds as t;

pub(crate) struct Context<'s, 'a> {
    pub(crate) view: &'s View<'a>,
    pub(crate) settings: &'s Tuning,
    pub(crate) victim: Option<FlowKey>,
    pub(crate) trigger: Option<&'a Trigger>,
    pub(crate) path: VictimPath,
    /// Whether the path is that of the victim's ACKs.
    pub(crate) is_reverse_path: bool,
    /// The time under analysis: when the slow packet was in flight, if that is known.
    pub(crate) analysed: Option<Span>,
    pub(crate) graph: PortGraph,
    pub(crate) pause_paths: Vec<PausePath>,
    /// Whether the pauses that were found overlap the time under analysis.
    pub(crate) aligned: bool,
    /// The share of the pause that originates at each vertex, 0 to 1.
    pub(crate) shares: Vec<f64>,
    /// The vertices that wait for each vertex, ascending.
    waiting_for: Adjacency,
    of_port: Vec<Option<VertexIx>>,
}

impl<'s, 'a> Context<'s, 'a> {
    pub(crate) fn new(view: &'s View<'a>, settings: &'s Tuning) -> Context<'s, 'a> {
        let path = view.victim().map(|victim| victim_path(view, victim)).unwrap_or_default();
        Context::along(view, settings, path, false)
    }

    /// Creates the context of the reverse path; `None` if no switch was polled for it.
    pub(crate) fn of_reverse_path(view: &'s View<'a>, settings: &'s Tuning) -> Option<Context<'s, 'a>> {
        let path = reverse_path(view, view.victim()?)?;
        Some(Context::along(view, settings, path, true))
    }

    /// Creates the context of the other classes, along the same path.
    pub(crate) fn of_other_classes(view: &'s View<'a>, of_victim: &Context<'s, '_>) -> Context<'s, 'a> {
        let translated = |port: &PortIx| {
            let switch = view.switch_at(of_victim.view.switch_of(*port).node?)?;
            view.find(switch, of_victim.view.number(*port))
        };
        let ports = of_victim.path.ports.iter().filter_map(translated).collect();
        let path = VictimPath { ports, ..of_victim.path.clone() };
        Context::along(view, of_victim.settings, path, of_victim.is_reverse_path)
    }

    fn along(
        view: &'s View<'a>,
        settings: &'s Tuning,
        path: VictimPath,
        is_reverse_path: bool,
    ) -> Context<'s, 'a> {
        let victim = view.victim();
        let trigger = view.trigger();
        let analysed = trigger.map(|trigger| analysed_span(view, trigger, settings));
        let extra_ns = trigger.map_or(0, |t| t.excess_ns());
        let least_ns = extra_ns as f64 * settings.explained_share;
        let reach_ns = (settings.event_gap_ns as f64 * settings.value(&t::EVENT_REACH)) as u64;
        let reach = analysed.map(|analysed| reach(analysed, trigger, reach_ns));
        let (starts, aligned) = match victim {
            Some(_) => starts_on_path(view, settings, &path, (analysed, reach), least_ns),
            None => (all_starts(view), true),
        };
        let graph = build(view, settings, &starts, reach);
        // The builder numbers the starts first, in their order.
        let (pause_paths, shares) = pause_paths(&graph, &weights(view, settings, &starts));
        let waiting_for = Adjacency::new(graph.len(), graph.reversed());
        let mut of_port = vec![None; view.ports().len()];
        for v in 0..graph.len() {
            if let Some(port) = graph.port(v) {
                of_port[port] = Some(v);
            }
        }
        Context {
            view,
            settings,
            victim,
            trigger,
            path,
            is_reverse_path,
            analysed,
            graph,
            pause_paths,
            aligned,
            shares,
            waiting_for,
            of_port,
        }
    }

    /// Whether an operation was slow although round trips were normal: nothing on the path delayed its packets.
    pub(crate) fn is_about_operation(&self) -> bool {
        self.trigger.is_some_and(|trigger| trigger.reason.is_about_operation())
    }

    /// Returns the vertex of a port, if the graph contains it.
    pub(crate) fn vertex(&self, port: PortIx) -> Option<VertexIx> {
        self.of_port[port]
    }

    /// Returns the time of the event at a port.
    pub(crate) fn when(&self, port: PortIx) -> Option<Span> {
        self.vertex(port).and_then(|v| self.graph.when[v])
    }

    /// Returns the ports among some vertices, without hosts and switches without telemetry.
    pub(crate) fn ports(&self, vertices: &[VertexIx]) -> Vec<PortIx> {
        vertices.iter().filter_map(|v| self.graph.port(*v)).collect()
    }

    /// Returns the flows that were paused upstream of `end`: at a port of `path` before it, or at any port that waits
    /// for it. Ascending.
    pub(crate) fn paused_upstream_of(&self, path: &[VertexIx], end: VertexIx) -> Vec<FlowKey> {
        let mut found = BTreeSet::new();
        let before = path.iter().filter(|v| **v != end).chain(self.waiting_for.targets(end));
        for v in before {
            let Some(port) = self.graph.port(*v) else { continue };
            found.extend(self.paused_flows(port, self.graph.when[*v]));
        }
        found.into_iter().collect()
    }

    /// Returns the packets that wait one hop upstream for `end` to send, by flow, ascending: of the queue of each port that
    /// waits for it, those whose flow continues to `end`, by the share of its pause that originates there.
    pub(crate) fn waiting_upstream_of(&self, end: VertexIx) -> Vec<(FlowKey, f64)> {
        let Some(end_port) = self.graph.port(end) else { return Vec::new() };
        let through: BTreeSet<FlowKey> = self.view.flows(end_port).iter().map(|f| f.flow).collect();
        let mut waiting: BTreeMap<FlowKey, f64> = BTreeMap::new();
        for v in self.waiting_for.targets(end) {
            let Some(port) = self.graph.port(*v) else { continue };
            let when = self.graph.when[*v];
            let depth = self.view.waiting_depth(port, when) * self.share_of_edge(*v, end);
            let records = self.view.flows(port).iter().filter(|f| self.view.flow_in(port, f, when));
            let queued = |f: &FlowRecord| f.queued_packets.unwrap_or(f.packets) as f64;
            let all: f64 = records.clone().map(|f| queued(f)).sum();
            for record in records.filter(|f| through.contains(&f.flow) || self.ends_behind(end_port, f.flow))
            {
                *waiting.entry(record.flow).or_default() += depth * queued(record) / all.max(1.0);
            }
        }
        waiting.into_iter().collect()
    }

    /// Returns the share of the pause of `from` that originates at `to`, 0 to 1.
    fn share_of_edge(&self, from: VertexIx, to: VertexIx) -> f64 {
        let edges = self.graph.edges(from);
        let all: f64 = edges.iter().map(|edge| edge.split).sum();
        let there: f64 = edges.iter().filter(|edge| edge.to == to).map(|edge| edge.split).sum();
        if all > 0.0 { there / all } else { 0.0 }
    }

    /// Whether the receiver of a flow is the host behind a port.
    fn ends_behind(&self, port: PortIx, flow: FlowKey) -> bool {
        let index = self.view.index;
        let peer = self.view.topo(port).and_then(|port| index.peer(port));
        peer.is_some_and(|peer| index.is_host(peer.node) && index.host_of(flow.dst) == Some(peer.node))
    }

    /// Returns the flows with packets that were enqueued at `port` while it was paused.
    pub(crate) fn paused_flows(&self, port: PortIx, when: Option<Span>) -> BTreeSet<FlowKey> {
        self.view
            .flows(port)
            .iter()
            .filter(|f| f.paused_packets > 0 && self.view.flow_in(port, f, when))
            .map(|f| f.flow)
            .collect()
    }

    /// Whether `flow` has packets at `port` in `when`.
    pub(crate) fn passes(&self, port: PortIx, flow: FlowKey, when: Option<Span>) -> bool {
        self.view
            .flows(port)
            .iter()
            .any(|f| f.flow == flow && f.packets > 0 && self.view.flow_in(port, f, when))
    }
}

/// Returns the time under analysis. The slow packet was in flight for its round trip before the trigger. A follow-up
/// poll covers the whole event, from the first poll on; if no packet has returned, to the freeze.
pub(crate) fn analysed_span(view: &View<'_>, trigger: &Trigger, settings: &Tuning) -> Span {
    let rtt_ns = trigger.rtt_ns.max(trigger.base_rtt_ns);
    let slack_ns = settings.event_gap_ns / 4;
    let Some(first) = trigger.follows else {
        let from = trigger.time_ns.saturating_sub(rtt_ns);
        return Span { from: from.saturating_sub(slack_ns), to: trigger.time_ns };
    };
    let began = first.since_ns.min(trigger.time_ns.saturating_sub(rtt_ns));
    let frozen = view.switches.iter().map(|switch| switch.frozen_ns).max().unwrap_or(0);
    let from = began.saturating_sub(trigger.base_rtt_ns).saturating_sub(slack_ns);
    match trigger.reason {
        TriggerReason::SlowRtt | TriggerReason::SlowOperation | TriggerReason::SlowJob => {
            Span::new(from, trigger.time_ns)
        }
        TriggerReason::Silence => Span::new(from, trigger.time_ns.max(frozen)),
    }
}

/// Returns the time to which causes of the delay can belong: `reach_ns` more than the time under analysis. What begins
/// after a slow packet was acknowledged did not delay it; a silent one may still wait.
fn reach(analysed: Span, trigger: Option<&Trigger>, reach_ns: u64) -> Span {
    let wide = analysed.widened(reach_ns);
    let has_returned =
        trigger.is_some_and(|trigger| trigger.reason != TriggerReason::Silence && trigger.follows.is_none());
    if has_returned { Span { to: analysed.to, ..wide } } else { wide }
}

/// Returns the share of each start in the pause: ports that were paused for about as long as any other count alike; a
/// short pause counts by its duration.
fn weights(view: &View<'_>, settings: &Tuning, starts: &[(PortIx, Option<Span>)]) -> Vec<(VertexIx, f64)> {
    let times: Vec<f64> = starts.iter().map(|(port, when)| paused_ns(view, *port, *when).max(1.0)).collect();
    let enough = settings.branch_share * times.iter().copied().fold(1.0, f64::max);
    times.iter().map(|ns| (ns / enough).min(1.0)).enumerate().collect()
}

/// Returns for how long a port was paused in an event; without intervals, one nanosecond for each paused packet.
fn paused_ns(view: &View<'_>, port: PortIx, when: Option<Span>) -> f64 {
    let pauses = view.pause_spans(port);
    if pauses.is_empty() {
        return view.paused_packets(port, when) as f64;
    }
    pauses.iter().map(|span| when.map_or(span.length_ns(), |when| span.shared_ns(when))).sum()
}

/// Returns the paused ports of the victim's path with the event under analysis. If a port was paused at that time,
/// ports whose pauses are at other times belong to another event.
fn starts_on_path(
    view: &View<'_>,
    settings: &Tuning,
    path: &VictimPath,
    (analysed, reach): (Option<Span>, Option<Span>),
    least_ns: f64,
) -> (Vec<(PortIx, Option<Span>)>, bool) {
    let mut starts: Vec<(PortIx, Option<Span>, bool)> = Vec::new();
    for port in &path.ports {
        if !view.is_paused(*port, None) {
            continue;
        }
        let near =
            |event: Span| analysed.map_or(event, |analysed| event.intersection(analysed).unwrap_or(event));
        let length = |event: &Span| paused_ns(view, *port, Some(near(*event)));
        match aligned(view.pause_events(*port), analysed, settings.event_gap_ns, length) {
            // This pause explains almost none of the delay.
            Some((event, true)) if !view.pauses(*port).is_empty() && length(&event) < least_ns => {}
            Some((event, touches)) => {
                // Pauses can follow each other for much longer than one delay, with one cause after the other.
                let inside = reach.map_or(Some(event), |reach| event.intersection(reach));
                starts.extend(inside.map(|inside| (*port, Some(inside), touches)));
            }
            None if view.pause_events(*port).is_empty() => starts.push((*port, None, true)),
            None => {}
        }
    }
    let touching = starts.iter().any(|s| s.2);
    let kept = starts.into_iter().filter(|s| s.2 == touching);
    (kept.map(|(port, when, _)| (port, when)).collect(), touching)
}

/// Returns every paused port with its last event.
fn all_starts(view: &View<'_>) -> Vec<(PortIx, Option<Span>)> {
    view.ports()
        .filter(|p| view.is_paused(*p, None))
        .map(|p| (p, view.pause_events(p).last().copied()))
        .collect()
}
