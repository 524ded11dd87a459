//! The provenance graph of a finding, in the model's form.

use std::collections::BTreeMap;

use model::FlowKey;
use model::provenance::{Edge, EdgeKind, Node, ProvenanceGraph};

use crate::graph::{Vertex, VertexIx};
use crate::round;
use crate::scene::Scene;
use crate::signatures::Finding;
use crate::view::PortIx;

/// The nodes and edges that a finding rests on: with a victim the whole graph that was followed from it, for a
/// snapshot without one the part that this finding crosses.
pub(crate) fn provenance(scene: &Scene<'_, '_>, finding: &Finding) -> ProvenanceGraph {
    let mut draft = Draft::default();
    for v in vertices(scene, finding) {
        let Some(from) = node(scene, v) else { continue };
        if let Vertex::Port(port) = scene.graph.vertices[v] {
            draft.nodes.entry(from.clone()).or_default();
            draft.add_paused(scene, port, v);
        }
        for e in scene.graph.edges(v) {
            if let Some(to) = node(scene, e.to) {
                let kind = match to {
                    Node::Host(_) => EdgeKind::PortWaitsForHost,
                    _ => EdgeKind::PortWaitsForPort,
                };
                draft.edge(from.clone(), to, kind, e.weight);
            }
        }
    }
    if let Some(contention) = &finding.contention {
        let root = Node::Port(scene.view.port_ref(contention.port));
        for part in &contention.flows {
            draft.edge(root.clone(), Node::Flow(part.flow), EdgeKind::PortWaitsForFlow, part.weight);
        }
    }
    draft.finish()
}

fn vertices(scene: &Scene<'_, '_>, finding: &Finding) -> Vec<VertexIx> {
    if scene.victim.is_some() {
        return (0..scene.graph.len()).collect();
    }
    finding.path.iter().chain(&finding.pause_loop).filter_map(|p| scene.vertex(*p)).collect()
}

fn node(scene: &Scene<'_, '_>, v: VertexIx) -> Option<Node> {
    match scene.graph.vertices[v] {
        Vertex::Port(port) => Some(Node::Port(scene.view.port_ref(port))),
        Vertex::Host(host) => Some(Node::Host(scene.view.index.name(host).to_string())),
        Vertex::Silent(_) | Vertex::Unlinked(_) => None,
    }
}

#[derive(Default)]
struct Draft {
    nodes: BTreeMap<Node, usize>,
    edges: Vec<(Node, Node, EdgeKind, f64)>,
}

impl Draft {
    fn edge(&mut self, from: Node, to: Node, kind: EdgeKind, weight: f64) {
        self.nodes.entry(from.clone()).or_default();
        self.nodes.entry(to.clone()).or_default();
        self.edges.push((from, to, kind, weight));
    }

    fn add_paused(&mut self, scene: &Scene<'_, '_>, port: PortIx, v: VertexIx) {
        let mut paused: BTreeMap<FlowKey, u64> = BTreeMap::new();
        for f in scene.view.flows(port) {
            if f.paused_packets > 0 && scene.view.flow_in(port, f, scene.graph.when[v]) {
                let sum = paused.entry(f.flow).or_default();
                *sum = sum.saturating_add(f.paused_packets);
            }
        }
        let to = Node::Port(scene.view.port_ref(port));
        for (flow, packets) in paused {
            self.edge(Node::Flow(flow), to.clone(), EdgeKind::FlowWaitsForPort, packets as f64);
        }
    }

    fn finish(mut self) -> ProvenanceGraph {
        for (at, number) in self.nodes.values_mut().enumerate() {
            *number = at;
        }
        let mut edges: Vec<Edge> = self
            .edges
            .iter()
            .map(|(from, to, kind, weight)| Edge {
                from: self.nodes[from],
                to: self.nodes[to],
                kind: *kind,
                weight: round(*weight),
            })
            .collect();
        edges.sort_by(|a, b| {
            (a.from, a.to, a.kind).cmp(&(b.from, b.to, b.kind)).then(a.weight.total_cmp(&b.weight))
        });
        edges.dedup();
        ProvenanceGraph { nodes: self.nodes.into_keys().collect(), edges }
    }
}
