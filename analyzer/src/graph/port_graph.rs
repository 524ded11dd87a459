//! The port graph: wait-for edges between ports.
//!
//! A paused egress port waits for the egress ports of the next switch that hold its traffic. The weight of such an
//! edge is the published one (Hawkeye, SIGCOMM 2025, section 4, "provenance graph"): `paused[Pi] * meter[Pi][Pj] /
//! sum_k meter[Pi][Pk] * qdepth[Pj]`.
//!
//! The published rule draws an edge to every port with traffic and a depth. That includes ports that hold nothing: a
//! port with most of the traffic and a trace of a queue outweighs the port that holds the traffic. A switch pauses an
//! ingress port because packets of *that* port stay in its buffer, and they can only stay at an egress port that is
//! paused itself, or that is queued because it receives more than it can send. [`EdgeRule::Holding`] keeps only those
//! ports.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use model::snapshot::Source;
use petgraph::visit::{GraphBase, IntoNeighbors, NodeCompactIndexable, NodeCount, NodeIndexable};

use crate::facts::span::Span;
use crate::facts::topology_index::{NodeId, PortId};
use crate::facts::view::{PortIx, SwitchView, View};
use crate::method::EdgeRule;
use crate::settings::Tuning;
use crate::thresholds as t;

/// Assumed packet size where a source has packet counts but no bytes; only shares depend on it.
const NOMINAL_PACKET_BYTES: u64 = 1_000;
/// Maximum number of excluded edges that are kept for the explanation.
const MAX_EXCLUDED: usize = 256;

/// The index of a vertex in a [`PortGraph`].
pub(crate) type VertexIx = usize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Vertex {
    /// An egress port with telemetry.
    Port(PortIx),
    /// A host whose NIC pauses its port.
    Host(NodeId),
    /// The ingress port of a switch that sent no telemetry.
    Silent(PortId),
    /// A paused port whose link is not in the topology.
    Unlinked(PortIx),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct PortEdge {
    pub(crate) to: VertexIx,
    pub(crate) weight: f64,
    /// The weight that divides a pause among edges: the total queueing time, in the event, of the paused link's
    /// packets at the port. The published weight counts whole epochs, in which a long-running flow outweighs a burst
    /// of microseconds.
    pub(crate) split: f64,
    /// The target is the most likely one: no record shows that it held the traffic.
    pub(crate) weak: bool,
}

/// A port that the published rule includes, and why it is excluded here.
#[derive(Clone, Debug)]
pub(crate) struct Excluded {
    pub(crate) from: PortIx,
    pub(crate) to: PortIx,
    pub(crate) weight: f64,
    pub(crate) reason: Reason,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// Not paused, and the links that feed it are no faster than its own.
    CannotQueue,
    /// Not paused, and without a queue in the event.
    NoQueue,
    /// Paused, but no traffic of the waiting port can be queued at it.
    HoldsNothing,
}

#[derive(Default)]
pub(crate) struct PortGraph {
    pub(crate) vertices: Vec<Vertex>,
    /// The time of the event at each vertex.
    pub(crate) when: Vec<Option<Span>>,
    first_edge: Vec<usize>,
    edges: Vec<PortEdge>,
    pub(crate) excluded: Vec<Excluded>,
}

impl PortGraph {
    pub(crate) fn edges(&self, v: VertexIx) -> &[PortEdge] {
        &self.edges[self.first_edge[v]..self.first_edge[v + 1]]
    }

    /// All edges, from the vertex that is waited for to the waiting one.
    pub(crate) fn reversed(&self) -> impl Iterator<Item = (VertexIx, VertexIx)> + Clone {
        (0..self.len()).flat_map(|v| self.edges(v).iter().map(move |e| (e.to, v)))
    }

    pub(crate) fn len(&self) -> usize {
        self.vertices.len()
    }

    /// Returns the port of a vertex, if it is one.
    pub(crate) fn port(&self, v: VertexIx) -> Option<PortIx> {
        match self.vertices[v] {
            Vertex::Port(port) => Some(port),
            _ => None,
        }
    }
}

impl GraphBase for PortGraph {
    type NodeId = VertexIx;
    type EdgeId = usize;
}

impl NodeCount for PortGraph {
    fn node_count(&self) -> usize {
        self.len()
    }
}

impl NodeIndexable for PortGraph {
    fn node_bound(&self) -> usize {
        self.len()
    }

    fn to_index(&self, vertex: VertexIx) -> usize {
        vertex
    }

    fn from_index(&self, index: usize) -> VertexIx {
        index
    }
}

impl NodeCompactIndexable for PortGraph {}

impl<'g> IntoNeighbors for &'g PortGraph {
    type Neighbors = std::iter::Map<std::slice::Iter<'g, PortEdge>, fn(&PortEdge) -> VertexIx>;

    fn neighbors(self, vertex: VertexIx) -> Self::Neighbors {
        self.edges(vertex).iter().map(|edge| edge.to)
    }
}

/// Builds the graph from `starts`: paused ports, each with the time of its event. Pauses and queues outside `reach` have
/// another cause.
pub(crate) fn build(
    view: &View<'_>,
    settings: &Tuning,
    starts: &[(PortIx, Option<Span>)],
    reach: Option<Span>,
) -> PortGraph {
    let mut builder = Builder {
        view,
        settings,
        reach,
        graph: PortGraph::default(),
        of_port: vec![None; view.ports().len()],
        others: BTreeMap::new(),
        queue: VecDeque::new(),
        congested: BTreeSet::new(),
    };
    for (port, when) in starts {
        builder.port_vertex(*port, *when);
    }
    while let Some(v) = builder.queue.pop_front() {
        builder.graph.first_edge.push(builder.graph.edges.len());
        builder.expand(v);
    }
    let mut graph = builder.graph;
    graph.first_edge.push(graph.edges.len());
    graph
}

struct Builder<'v, 'a> {
    view: &'v View<'a>,
    settings: &'v Tuning,
    reach: Option<Span>,
    graph: PortGraph,
    of_port: Vec<Option<VertexIx>>,
    others: BTreeMap<Vertex, VertexIx>,
    queue: VecDeque<VertexIx>,
    /// Ports whose own pauses are too brief to matter: the pause path ends there.
    congested: BTreeSet<PortIx>,
}

struct Candidate {
    port: PortIx,
    weight: f64,
    split: f64,
    when: Option<Span>,
    waiting: f64,
    paused: bool,
    /// Whether it is paused and traffic of the paused link may be queued there.
    holds: bool,
    /// Whether its own pauses are too brief to cause that of the link.
    brief: bool,
}

impl Builder<'_, '_> {
    fn add(&mut self, vertex: Vertex, when: Option<Span>) -> VertexIx {
        let v = self.graph.vertices.len();
        self.graph.vertices.push(vertex);
        self.graph.when.push(when);
        self.queue.push_back(v);
        v
    }

    fn port_vertex(&mut self, port: PortIx, when: Option<Span>) -> VertexIx {
        if let Some(v) = self.of_port[port] {
            return v;
        }
        let v = self.add(Vertex::Port(port), when);
        self.of_port[port] = Some(v);
        v
    }

    fn other_vertex(&mut self, vertex: Vertex, when: Option<Span>) -> VertexIx {
        if let Some(v) = self.others.get(&vertex) {
            return *v;
        }
        let v = self.add(vertex, when);
        self.others.insert(vertex, v);
        v
    }

    fn expand(&mut self, v: VertexIx) {
        let Vertex::Port(port) = self.graph.vertices[v] else { return };
        let when = self.graph.when[v];
        if !self.view.is_paused(port, when) || self.congested.contains(&port) {
            return;
        }
        let paused = self.view.paused_packets(port, when).max(1) as f64;
        let index = self.view.index;
        let peer = self.view.topo(port).and_then(|p| Some((index.info(p).peer, index.peer(p)?)));
        let Some((peer_id, peer)) = peer else {
            let to = self.other_vertex(Vertex::Unlinked(port), when);
            self.graph.edges.push(PortEdge { to, weight: paused, split: paused, weak: false });
            return;
        };
        if index.is_host(peer.node) {
            let to = self.other_vertex(Vertex::Host(peer.node), when);
            self.graph.edges.push(PortEdge { to, weight: paused, split: paused, weak: false });
            return;
        }
        match self.view.switch_at(peer.node) {
            Some(switch) => self.wait_for(port, paused, when, switch, peer.number),
            None => {
                let to = self.other_vertex(Vertex::Silent(peer_id), when);
                self.graph.edges.push(PortEdge { to, weight: paused, split: paused, weak: false });
            }
        }
    }

    /// Adds the edges from a paused port to the ports of the switch that pauses it.
    fn wait_for(
        &mut self,
        from: PortIx,
        paused: f64,
        when: Option<Span>,
        switch: &SwitchView<'_>,
        ingress: u16,
    ) {
        let traffic = traffic_from(self.view, switch, (ingress, from), |port| self.filling(port, when));
        let total: f64 = traffic.iter().map(|(_, bytes)| *bytes as f64).sum();
        let mut candidates: Vec<Candidate> = traffic
            .iter()
            .map(|&(port, bytes)| self.candidate(port, paused * bytes as f64 / total, (ingress, from), when))
            .collect();
        if self.settings.method.edges == EdgeRule::Published {
            for c in candidates.iter().filter(|c| c.weight > 0.0) {
                let to = self.port_vertex(c.port, c.when);
                self.graph.edges.push(PortEdge { to, weight: c.weight, split: c.split, weak: false });
            }
            return;
        }
        let deepest = candidates.iter().map(|c| c.waiting).fold(0.0, f64::max);
        self.end_at_congested(&mut candidates, (from, when), deepest);
        let mut kept = 0;
        for c in &candidates {
            let reason = self.refusal(c, deepest, switch, ingress, from);
            let Some(reason) = reason else {
                kept += 1;
                let to = self.port_vertex(c.port, c.when);
                self.graph.edges.push(PortEdge { to, weight: c.weight, split: c.split, weak: false });
                continue;
            };
            if c.weight > 0.0 && self.graph.excluded.len() < MAX_EXCLUDED {
                self.graph.excluded.push(Excluded { from, to: c.port, weight: c.weight, reason });
            }
        }
        if kept == 0 {
            self.likeliest(&candidates, switch, ingress, from);
        }
    }

    /// A pause of the far port may have ended shortly before the near one began, because the backlog drains first. It did
    /// not begin after the end of the near one.
    fn near(&self, when: Option<Span>) -> Option<Span> {
        let slack_ns = self.settings.event_gap_ns / 4;
        when.map(|when| Span { from: when.from.saturating_sub(slack_ns), ..when })
    }

    /// Returns when the far port was paused, of the pauses that overlap the near one.
    fn own_pause(&self, port: PortIx, near: Option<Span>) -> Option<Span> {
        let events = self.view.pause_events(port).iter().copied();
        near.and_then(|near| events.filter(|event| event.overlaps(near)).reduce(Span::hull))
    }

    /// Returns when the traffic arrived that a port holds during the near pause: also before that pause, from the beginning
    /// of its own one on.
    fn filling(&self, port: PortIx, when: Option<Span>) -> Option<Span> {
        if self.settings.method.edges == EdgeRule::Published {
            return when;
        }
        let near = self.near(when);
        near.map(|near| self.own_pause(port, Some(near)).map_or(near, |own| near.hull(own)))
    }

    fn candidate(
        &self,
        port: PortIx,
        share: f64,
        (ingress, from): (u16, PortIx),
        when: Option<Span>,
    ) -> Candidate {
        let near = self.near(when);
        let paused = self.view.is_paused(port, near);
        let own = self.own_pause(port, near);
        let held_since = own.map(|own| near.map_or(own, |near| near.hull(own)));
        let within = |own: Span| self.reach.and_then(|reach| own.intersection(reach)).unwrap_or(own);
        let holds = paused && self.view.may_hold(port, ingress, held_since.or(near));
        let depth = self.view.published_depth(port, when);
        // A paused port without counted packets still spreads the pause: its depth counts as one.
        let published =
            self.settings.method.edges == EdgeRule::Published || self.view.source() == Source::HawkeyeNs3;
        let split = match near {
            Some(near) if !published => self.view.waited_ns(port, ingress, near).max(1.0),
            _ => share * depth.max(1.0),
        };
        Candidate {
            port,
            weight: share * depth,
            split,
            when: if paused { own.map(within).or(when) } else { when },
            waiting: self.view.waiting_depth(port, near),
            paused,
            holds,
            brief: self.is_brief(port, from, (near, when)),
        }
    }

    /// Returns why a candidate does not hold the paused traffic; `None` if it does.
    fn refusal(
        &self,
        c: &Candidate,
        deepest: f64,
        switch: &SwitchView<'_>,
        ingress: u16,
        from: PortIx,
    ) -> Option<Reason> {
        if c.paused {
            return (!c.holds && self.settings.applies("port_graph.holding")).then_some(Reason::HoldsNothing);
        }
        // Where depths are those of the ingress queue, a port shows a depth because *another* egress port of the same
        // input is blocked. The depth then shows nothing; only the links that feed the port show whether it can have
        // a queue.
        if self.view.source() == Source::HawkeyeNs3 {
            let able = can_queue(self.view, switch, c.port, ingress, from);
            return (!able).then_some(Reason::CannotQueue);
        }
        (c.waiting < self.least_queue(deepest)).then_some(Reason::NoQueue)
    }

    /// Returns the mean depth from which on an unpaused port holds paused traffic, in packets.
    fn least_queue(&self, deepest: f64) -> f64 {
        self.settings.min_wait_packets.max(deepest * self.settings.value(&t::HOLDING_SHARE))
    }

    /// Ends the pause path at ports that are congested themselves. The packets that gather in a pause drain when it ends, at
    /// the rate of the port: they keep the link upstream paused for many times as long only if many times that rate arrives.
    fn end_at_congested(
        &mut self,
        candidates: &mut [Candidate],
        (from, when): (PortIx, Option<Span>),
        deepest: f64,
    ) {
        if self.view.source() != Source::Harrier || !self.settings.applies("port_graph.brief") {
            return;
        }
        for c in candidates.iter_mut().filter(|c| c.port != from) {
            if c.brief && c.waiting >= self.least_queue(deepest) && self.of_port[c.port].is_none() {
                (c.paused, c.when) = (false, when);
                self.congested.insert(c.port);
            }
        }
    }

    /// Whether the far port was paused, and for too short a time to cause the pause of the near one.
    fn is_brief(&self, port: PortIx, from: PortIx, (near, when): (Option<Span>, Option<Span>)) -> bool {
        let (Some(near), Some(when)) = (near, when) else { return false };
        // What a host does to its port is a question of its own: see `signatures::storm`.
        let peer = self.view.topo(port).and_then(|port| self.view.index.peer(port));
        if peer.is_some_and(|peer| self.view.index.is_host(peer.node)) {
            return false;
        }
        let paused_ns = |port: PortIx, time: Span| -> f64 {
            self.view.pause_spans(port).iter().map(|pause| pause.shared_ns(time)).sum()
        };
        let own_ns = paused_ns(port, near);
        own_ns > 0.0 && own_ns < self.settings.value(&t::BRIEF_SHARE) * paused_ns(from, when)
    }

    /// No record shows which port held the traffic (its queue is no longer in the registers): adds the heaviest edge
    /// that is physically possible, marked as weak.
    fn likeliest(&mut self, candidates: &[Candidate], switch: &SwitchView<'_>, ingress: u16, from: PortIx) {
        let possible = candidates.iter().filter(|c| {
            c.weight > 0.0
                && c.waiting >= 1.0
                && (self.view.source() == Source::Harrier
                    || can_queue(self.view, switch, c.port, ingress, from))
        });
        let best = possible.max_by(|a, b| a.weight.total_cmp(&b.weight).then(b.port.cmp(&a.port)));
        if let Some(best) = best.filter(|_| self.settings.applies("port_graph.likeliest")) {
            let (port, when, weight, split) = (best.port, best.when, best.weight, best.split);
            let to = self.port_vertex(port, when);
            self.graph.edges.push(PortEdge { to, weight, split, weak: true });
        }
    }
}

/// Returns the bytes from `ingress`, the port at `upstream`, to each egress port of `switch`, by port; those of the time
/// that `filling` returns for the port.
fn traffic_from(
    view: &View<'_>,
    switch: &SwitchView<'_>,
    (ingress, upstream): (u16, PortIx),
    filling: impl Fn(PortIx) -> Option<Span>,
) -> Vec<(PortIx, u64)> {
    let mut traffic: Vec<(PortIx, u64)> = Vec::new();
    let mut has_rows = false;
    for (egress, rows) in view.traffic_of(switch, ingress) {
        has_rows = true;
        let Some(port) = view.find(switch, egress) else { continue };
        let when = filling(port);
        let bytes = rows
            .iter()
            .filter(|m| view.epoch_in(port, m.epoch, when))
            .fold(0_u64, |sum, m| sum.saturating_add(m.bytes.max(u64::from(m.packets.unwrap_or(0) > 0))));
        if bytes > 0 {
            traffic.push((port, bytes));
        }
    }
    // The poster's prototype dumps the meters of some pairs only, so a missing row is unknown. Our switches omit rows
    // of zeros, so a missing row is zero. The paper's prototype dumps all pairs of an input port, or none.
    let unknown = match view.source() {
        Source::HawkeyeNs3 => true,
        Source::HawkeyeNs3Egress => !has_rows,
        Source::Harrier => view.meters(switch).is_empty(),
    };
    if unknown {
        for port in view.ports_of(switch) {
            if traffic.iter().any(|(p, _)| *p == port) {
                continue;
            }
            let bytes = flow_bytes_from(view, port, ingress, upstream, filling(port));
            if bytes > 0 {
                traffic.push((port, bytes));
            }
        }
        traffic.sort_unstable();
    }
    traffic
}

/// Returns the bytes that flow records attribute to `ingress`: by their ingress port, else because the upstream port
/// of that link also has a record of the flow.
fn flow_bytes_from(view: &View<'_>, port: PortIx, ingress: u16, upstream: PortIx, when: Option<Span>) -> u64 {
    view.flows(port)
        .iter()
        .filter(|f| view.flow_in(port, f, when))
        .filter(|f| match f.ingress_port {
            Some(own) => own == ingress,
            None => view.flows(upstream).iter().any(|u| u.flow == f.flow),
        })
        .fold(0, |sum: u64, f| {
            sum.saturating_add(f.bytes.unwrap_or(f.packets.saturating_mul(NOMINAL_PACKET_BYTES)))
        })
}

/// Whether `port` can have a queue without being paused: only if the links that feed it are together faster than its
/// own. If a link is not known, it can.
fn can_queue(view: &View<'_>, switch: &SwitchView<'_>, port: PortIx, ingress: u16, upstream: PortIx) -> bool {
    let (Some(node), Some(own)) = (switch.node, view.topo(port)) else { return true };
    let index = view.index;
    let mut feeds: Vec<u16> = view
        .meters(switch)
        .iter()
        .filter(|m| m.egress_port == view.number(port) && m.bytes > 0)
        .map(|m| m.ingress_port)
        .collect();
    for flow in view.flows(port) {
        let attached = || {
            let host = index.host_of(flow.flow.src)?;
            let nic = index.ports_of(host).iter().find_map(|p| {
                let peer = index.info(p.peer);
                (peer.node == node).then_some(peer.number)
            });
            nic.or_else(|| view.flows(upstream).iter().any(|u| u.flow == flow.flow).then_some(ingress))
        };
        match flow.ingress_port.or_else(attached) {
            Some(feed) => feeds.push(feed),
            None => return true,
        }
    }
    feeds.sort_unstable();
    feeds.dedup();
    let mut feeding_bps = 0_u128;
    for feed in feeds {
        let Some(id) = index.port(node, feed) else { return true };
        feeding_bps += u128::from(index.info(id).rate.0);
    }
    feeding_bps > u128::from(index.info(own).rate.0)
}
