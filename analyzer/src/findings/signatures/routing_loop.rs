//! `routing_loop`: packets of one flow return to a switch they have left.
//!
//! A switch keeps a flow's records by ingress *and* egress port. Each record is a hop; a hop that leaves over a link leads
//! to the hops that arrived over it at the far end, if both saw the flow at the same time. A cycle of hops is a forwarding
//! loop: a flow that was merely rerouted leaves hops that never form a cycle.
//!
//! The root port is the port of the loop that is on no shortest path to the destination: there packets are misrouted. If
//! all are on shortest paths, it is the first by name.

use std::collections::BTreeSet;

use model::{Anomaly, FlowKey};

use super::{Caveat, Finding};
use crate::facts::span::Span;
use crate::facts::topology_index::PortId;
use crate::facts::view::PortIx;
use crate::graph::adjacency::Adjacency;
use crate::graph::context::Context;
use crate::graph::graph_search::{components, shortest_cycle};
use crate::thresholds as t;

/// A flow's path through one switch.
struct Hop {
    flow: FlowKey,
    /// The ingress link end.
    ingress: PortId,
    /// The egress port.
    egress: PortIx,
    seen: Span,
}

pub(super) fn find(context: &Context<'_, '_>) -> Option<Finding> {
    let hops = hops(context);
    let ring = hops.chunk_by(|a, b| a.flow == b.flow).find_map(|of_flow| ring(context, of_flow))?;
    let flow = ring.first()?.flow;
    let seen = ring.iter().map(|hop| hop.seen).reduce(Span::hull);
    let mut ports: Vec<PortIx> = ring.iter().map(|hop| hop.egress).collect();
    let wrong = wrong_turn(context, flow, &ports);
    let first = wrong.or_else(|| {
        let named = |at: &usize| context.view.port_ref(ports[*at]);
        (0..ports.len()).min_by_key(named)
    })?;
    ports.rotate_left(first);
    let mut caveats = Vec::new();
    if wrong.is_none() {
        caveats.push(Caveat::new(
            context.settings.value(&t::LOOP_WITHOUT_VICTIM),
            "every port of the loop lies on a shortest path, so the wrong route is unknown",
        ));
    }
    Some(Finding {
        anomaly: Anomaly::RoutingLoop,
        root: ports.first().map(|port| context.view.port_ref(*port)),
        path: Vec::new(),
        pause_loop: ports,
        host: None,
        contention: None,
        when: seen,
        caveats,
    })
}

/// Returns the hops of the victim; without a victim, of every flow, grouped by flow.
fn hops(context: &Context<'_, '_>) -> Vec<Hop> {
    let view = context.view;
    let mut hops: Vec<Hop> = Vec::new();
    for port in view.ports() {
        let Some(node) = view.switch_of(port).node else { continue };
        for record in view.flows(port).iter().filter(|f| f.packets > 0) {
            if context.victim.is_some_and(|victim| victim != record.flow) {
                continue;
            }
            let ingress = record.ingress_port.and_then(|number| view.index.port(node, number));
            if let (Some(ingress), Some(seen)) = (ingress, record.seen_ns) {
                let seen = Span::new(seen.0, seen.1);
                // Packets that return later, or returned earlier, did not delay the slow one.
                let is_of_time = context.analysed.is_none_or(|analysed| seen.overlaps(analysed));
                if is_of_time {
                    hops.push(Hop { flow: record.flow, ingress, egress: port, seen });
                }
            }
        }
    }
    hops.sort_by_key(|hop| hop.flow);
    hops
}

/// Returns the shortest cycle of hops, in order.
fn ring<'h>(context: &Context<'_, '_>, hops: &'h [Hop]) -> Option<Vec<&'h Hop>> {
    let view = context.view;
    let mut by_ingress: Vec<(PortId, usize)> =
        hops.iter().enumerate().map(|(at, hop)| (hop.ingress, at)).collect();
    by_ingress.sort_unstable();
    let next = |at: usize| {
        let hop = &hops[at];
        let far = view.topo(hop.egress).map(|port| view.index.info(port).peer);
        let from = far.map_or(by_ingress.len(), |far| by_ingress.partition_point(|(port, _)| *port < far));
        let after = by_ingress[from..].iter().take_while(move |(port, _)| Some(*port) == far);
        after
            .map(|(_, to)| *to)
            .filter(|to| hops[*to].seen.widened(context.settings.ns(&t::LOOP_SLACK)).overlaps(hop.seen))
    };
    let edges: Vec<(usize, usize)> =
        (0..hops.len()).flat_map(|at| next(at).map(move |to| (at, to))).collect();
    if edges.is_empty() {
        return None;
    }
    // Only hops of a strongly connected component form cycles; searching from every hop would take quadratic time.
    let graph = Adjacency::new(hops.len(), edges.iter().copied());
    let loops = components(&graph);
    let is_own_loop: BTreeSet<usize> = edges.iter().filter(|(at, to)| at == to).map(|(at, _)| *at).collect();
    let in_loop = |at: &usize| loops.members[loops.of[*at]].len() > 1 || is_own_loop.contains(at);
    let cycles = (0..hops.len())
        .filter(in_loop)
        .filter_map(|start| shortest_cycle(&graph, start, |at| loops.of[at] == loops.of[start]));
    // Of equally short cycles, the first.
    let best = cycles.min_by_key(Vec::len);
    Some(best?.into_iter().map(|at| &hops[at]).collect())
}

/// The position in `ports` of the one that lies on no shortest path to the flow's destination.
fn wrong_turn(context: &Context<'_, '_>, flow: FlowKey, ports: &[PortIx]) -> Option<usize> {
    let index = context.view.index;
    let host = index.host_of(flow.dst)?;
    let is_wrong = |port: &PortIx| {
        !index.next_hops(context.view.switch_of(*port).name, host).contains(&context.view.number(*port))
    };
    ports.iter().position(is_wrong)
}
