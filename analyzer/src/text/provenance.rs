//! The provenance graph of a finding, in the model's form.

use std::collections::BTreeMap;

use model::FlowKey;
use model::provenance::{Edge, EdgeKind, Node, ProvenanceGraph};

use crate::facts::view::PortIx;
use crate::findings::signatures::Finding;
use crate::graph::context::Context;
use crate::graph::port_graph::{Vertex, VertexIx};
use crate::round;

/// The nodes and edges that a finding rests on. With a victim, all that carry a share of its pause worth showing
/// ([`crate::Settings::graph_share`]); for a snapshot without one, the part that this finding crosses.
pub(crate) fn provenance(context: &Context<'_, '_>, finding: &Finding) -> ProvenanceGraph {
    let vertices = vertices(context, finding);
    let mut draft = Draft::default();
    for v in &vertices {
        let Vertex::Port(port) = context.graph.vertices[*v] else { continue };
        draft.ends.push(End::Vertex(*v));
        draft.waiting_flows(context, port, *v);
        for e in context.graph.edges(*v) {
            let kind = match context.graph.vertices[e.to] {
                Vertex::Port(_) => EdgeKind::PortWaitsForPort,
                Vertex::Host(_) => EdgeKind::PortWaitsForHost,
                Vertex::Silent(_) | Vertex::Unlinked(_) => continue,
            };
            if kind == EdgeKind::PortWaitsForHost || vertices.binary_search(&e.to).is_ok() {
                draft.edges.push((End::Vertex(*v), End::Vertex(e.to), kind, e.weight));
            }
        }
    }
    if let Some(contention) = &finding.contention {
        let root = context.vertex(contention.port).map_or(End::Port(contention.port), End::Vertex);
        for part in &contention.flows {
            draft.edges.push((root, End::Flow(part.flow), EdgeKind::PortWaitsForFlow, part.weight));
        }
    }
    draft.finish(context)
}

/// The vertices to show, ascending.
fn vertices(context: &Context<'_, '_>, finding: &Finding) -> Vec<VertexIx> {
    let mut vertices: Vec<VertexIx> =
        finding.path.iter().chain(&finding.pause_loop).filter_map(|p| context.vertex(*p)).collect();
    if context.victim.is_some() {
        let share = context.settings.graph_share;
        vertices.extend((0..context.graph.len()).filter(|v| context.shares[*v] >= share));
    }
    vertices.sort_unstable();
    vertices.dedup();
    vertices
}

/// An end of an edge, before nodes are numbered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    Vertex(VertexIx),
    Port(PortIx),
    Flow(FlowKey),
}

#[derive(Default)]
struct Draft {
    ends: Vec<End>,
    edges: Vec<(End, End, EdgeKind, f64)>,
}

impl Draft {
    fn waiting_flows(&mut self, context: &Context<'_, '_>, port: PortIx, v: VertexIx) {
        let when = context.graph.when[v];
        let mut waiting: Vec<(FlowKey, u64)> = context
            .view
            .flows(port)
            .iter()
            .filter(|f| f.paused_packets > 0 && context.view.flow_in(port, f, when))
            .map(|f| (f.flow, f.paused_packets))
            .collect();
        waiting.sort_unstable();
        for of_flow in waiting.chunk_by(|a, b| a.0 == b.0) {
            let Some((flow, _)) = of_flow.first() else { continue };
            let packets = of_flow.iter().fold(0_u64, |sum, (_, packets)| sum.saturating_add(*packets));
            self.edges.push((End::Flow(*flow), End::Vertex(v), EdgeKind::FlowWaitsForPort, packets as f64));
        }
    }

    /// Numbers the nodes in the order of the model and writes the edges in theirs.
    fn finish(mut self, context: &Context<'_, '_>) -> ProvenanceGraph {
        self.ends.extend(self.edges.iter().flat_map(|(from, to, ..)| [*from, *to]));
        self.ends.sort_unstable();
        self.ends.dedup();
        let mut nodes: Vec<(Node, End)> = self.ends.iter().map(|e| (node(context, *e), *e)).collect();
        nodes.sort_unstable();
        let numbers: BTreeMap<End, usize> =
            nodes.iter().enumerate().map(|(number, (_, end))| (*end, number)).collect();
        let mut edges: Vec<Edge> = self
            .edges
            .iter()
            .filter_map(|(from, to, kind, weight)| {
                let (from, to) = (*numbers.get(from)?, *numbers.get(to)?);
                Some(Edge { from, to, kind: *kind, weight: round(*weight) })
            })
            .collect();
        edges.sort_by(|a, b| {
            (a.from, a.to, a.kind).cmp(&(b.from, b.to, b.kind)).then(a.weight.total_cmp(&b.weight))
        });
        ProvenanceGraph { nodes: nodes.into_iter().map(|(node, _)| node).collect(), edges }
    }
}

fn node(context: &Context<'_, '_>, end: End) -> Node {
    let port = |port: PortIx| Node::Port(context.view.port_ref(port));
    match end {
        End::Flow(flow) => Node::Flow(flow),
        End::Port(p) => port(p),
        End::Vertex(v) => match context.graph.vertices[v] {
            Vertex::Port(p) | Vertex::Unlinked(p) => port(p),
            Vertex::Silent(ingress) => Node::Port(context.view.index.port_ref(ingress)),
            Vertex::Host(host) => Node::Host(context.view.index.name(host).to_string()),
        },
    }
}
