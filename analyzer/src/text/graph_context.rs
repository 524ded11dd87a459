//! Configuration findings and losses as nodes of the provenance graph: like a flow or a host, they are ends of
//! wait-for chains.

use std::collections::{BTreeMap, BTreeSet};

use model::provenance::{Edge, EdgeKind, Node, ProvenanceGraph};
use model::{ConfigFinding, LossRecord, PortRef};

use crate::findings::setting_losses;
use crate::verdict::causes::{Case, misconfiguration};

/// Adds the losses at the switches of the event, and the findings of the root cause.
pub(crate) fn add(graph: ProvenanceGraph, case: &Case<'_, '_, '_>, attributed: &[String]) -> ProvenanceGraph {
    let findings: Vec<&ConfigFinding> =
        case.context.view.configuration().iter().filter(|finding| attributed.contains(&finding.id)).collect();
    let mut more: Vec<(Node, Node, EdgeKind, f64)> = Vec::new();
    let mut losses: BTreeMap<(PortRef, &str), Vec<&LossRecord>> = BTreeMap::new();
    for loss in misconfiguration::losses(case) {
        let Some(number) = loss.egress_port.or(loss.ingress_port) else { continue };
        losses.entry((PortRef::new(&loss.switch, number), loss.reason.name())).or_default().push(loss);
    }
    for ((port, reason), losses) in losses {
        let node = Node::Loss(format!("{port} {reason}"));
        let packets = losses.iter().fold(0_u64, |sum, loss| sum.saturating_add(loss.packets)) as f64;
        more.push((Node::Port(port), node.clone(), EdgeKind::PortLosesPackets, packets));
        for finding in findings
            .iter()
            .filter(|finding| losses.iter().any(|loss| setting_losses::explains(case.context, finding, loss)))
        {
            more.push((node.clone(), Node::Finding(finding.id.clone()), EdgeKind::LossSetByFinding, packets));
        }
    }
    // A finding that shows in no loss is attached to the root port.
    for finding in findings {
        let id = Node::Finding(finding.id.clone());
        let at = finding.port.map(|port| PortRef::new(&finding.switch, port));
        let root = case.finding.root.clone().filter(|root| root.switch == finding.switch);
        if let Some(port) = root.or(at)
            && more.iter().all(|(_, to, ..)| *to != id)
        {
            more.push((Node::Port(port), id, EdgeKind::PortSetByFinding, 1.0));
        }
    }
    if more.is_empty() { graph } else { with(graph, more) }
}

/// Returns the graph with additional edges and their ends, in the graph's order.
fn with(graph: ProvenanceGraph, more: Vec<(Node, Node, EdgeKind, f64)>) -> ProvenanceGraph {
    let ends = more.iter().flat_map(|(from, to, ..)| [from.clone(), to.clone()]);
    let nodes: BTreeSet<Node> = graph.nodes.iter().cloned().chain(ends).collect();
    let numbers: BTreeMap<&Node, usize> =
        nodes.iter().enumerate().map(|(number, node)| (node, number)).collect();
    let known = graph.edges.iter().filter_map(|edge| {
        let (from, to) = (graph.nodes.get(edge.from)?, graph.nodes.get(edge.to)?);
        Some(Edge { from: numbers[from], to: numbers[to], ..edge.clone() })
    });
    let new = more.iter().map(|(from, to, kind, weight)| Edge {
        from: numbers[from],
        to: numbers[to],
        kind: *kind,
        weight: *weight,
    });
    let mut edges: Vec<Edge> = known.chain(new).collect();
    edges.sort_by(|a, b| {
        (a.from, a.to, a.kind).cmp(&(b.from, b.to, b.kind)).then(a.weight.total_cmp(&b.weight))
    });
    drop(numbers);
    ProvenanceGraph { nodes: nodes.into_iter().collect(), edges }
}
