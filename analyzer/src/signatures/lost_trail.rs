//! The trail goes cold: a switch did not answer, a link is not in the topology, or the registers no longer hold
//! the queue. What is certain is that the victim was paused from there, and that is what the finding says.

use std::collections::BTreeSet;

use model::{Anomaly, PortRef};

use super::{Doubt, Finding, trail_doubts};
use crate::graph::Vertex;
use crate::scene::Scene;
use crate::topology_index::PortId;
use crate::walk::Trail;

pub(super) fn find(scene: &Scene<'_, '_>, trail: &Trail) -> Option<Finding> {
    let end = *trail.path.last()?;
    let mut doubts = trail_doubts(scene, trail);
    let path = scene.ports(&trail.path);
    let last = path.last().map(|p| scene.view.port_ref(*p));
    let mut root = last.clone();
    match scene.graph.vertices[end] {
        Vertex::Silent(ingress) => {
            let switch = scene.view.index.name(scene.view.index.info(ingress).node);
            let likely = likely_root(scene, trail, ingress);
            let pausing = last.map_or_else(|| "a port".to_string(), |p| p.to_string());
            doubts.push(Doubt::new(
                0.35,
                match &likely {
                    Some(port) => format!(
                        "switch {switch} gave no telemetry: it pauses {pausing}, and the paused flows leave it by {port}; whether flows contend there or a host pauses it is not recorded"
                    ),
                    None => format!(
                        "switch {switch} gave no telemetry: it pauses {pausing}; where and why is not recorded"
                    ),
                },
            ));
            root = likely;
        }
        Vertex::Unlinked(port) => doubts.push(Doubt::new(
            0.3,
            format!("the topology has no link at {}: who pauses it is not known", scene.view.port_ref(port)),
        )),
        Vertex::Port(port) if scene.graph.edges(end).is_empty() && path.len() > 1 => {
            let name = scene.view.port_ref(port);
            doubts.push(Doubt::new(
                0.35,
                format!("no flow record tells who made the queue of {name}: evicted, overwritten or lost"),
            ));
        }
        Vertex::Port(port) => doubts.push(Doubt::new(
            0.3,
            format!(
                "the switch behind {} holds no queue of that time: evicted, overwritten, or its pause has another reason",
                scene.view.port_ref(port)
            ),
        )),
        Vertex::Host(_) => return None,
    }
    Some(Finding {
        anomaly: Anomaly::PfcBackpressureFlowContention,
        root,
        path,
        pause_loop: Vec::new(),
        host: None,
        contention: None,
        when: scene.graph.when[end],
        doubts,
    })
}

/// The egress port of a silent switch that all paused flows must take, if the topology leaves one.
fn likely_root(scene: &Scene<'_, '_>, trail: &Trail, ingress: PortId) -> Option<PortRef> {
    let index = scene.view.index;
    let node = index.info(ingress).node;
    let before = *trail.path.iter().rev().nth(1)?;
    let port = scene.graph.port(before)?;
    let paused = scene.paused_flows(port, scene.graph.when[before]);
    let destinations: BTreeSet<_> = paused.iter().filter_map(|f| index.host_of(f.dst)).collect();
    let exits: BTreeSet<Option<u16>> =
        destinations.into_iter().map(|host| index.sole_next_hop(node, host)).collect();
    match Vec::from_iter(exits).as_slice() {
        [Some(exit)] => Some(PortRef::new(index.name(node), *exit)),
        _ => None,
    }
}
