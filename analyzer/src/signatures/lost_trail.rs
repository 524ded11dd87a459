//! A pause path that ends without a root cause: a switch did not report, the topology lacks a link, the registers
//! no longer hold the queue, or the queue is the victim's own (its path crosses a slower link). The finding states
//! only what is certain: the victim was paused from there.

use std::collections::BTreeSet;

use model::snapshot::Source;
use model::telemetry::FlowRecord;
use model::{Anomaly, FlowKey, PortRef};

use super::{Doubt, Finding, trail_doubts};
use crate::causes::enumerate;
use crate::contention::{Bounds, Contention, Question, UNACCOUNTED_SHARE, contention};
use crate::graph::Vertex;
use crate::pause_paths::Trail;
use crate::scene::Scene;
use crate::span::Span;
use crate::topology_index::PortId;
use crate::view::PortIx;

pub(super) fn find(scene: &Scene<'_, '_>, trail: &Trail) -> Option<Finding> {
    let end = *trail.path.last()?;
    let mut doubts = trail_doubts(scene, trail);
    let path = scene.ports(&trail.path);
    let last = path.last().map(|p| scene.view.port_ref(*p));
    let mut root = last.clone();
    let own_queue = queue_of_the_victim(scene, trail);
    match scene.graph.vertices[end] {
        Vertex::Silent(ingress) => {
            let switch = scene.view.index.name(scene.view.index.info(ingress).node);
            let likely = likely_root(scene, trail, ingress);
            let pausing = last.map_or_else(|| "a port".to_string(), |p| p.to_string());
            doubts.push(Doubt::new(
                0.35,
                match &likely {
                    Some(port) => format!(
                        "switch {switch} gave no telemetry: it pauses {pausing}, and the paused flows leave it by {port}; the records do not show whether flows contend there or a host pauses that port"
                    ),
                    None => format!(
                        "switch {switch} gave no telemetry: it pauses {pausing}; the port and the reason are unknown"
                    ),
                },
            ));
            root = likely;
        }
        Vertex::Unlinked(port) => doubts.push(Doubt::new(
            0.3,
            format!("the topology has no link at {}, so the device that pauses it is unknown", scene.view.port_ref(port)),
        )),
        Vertex::Port(_) if own_queue.is_some() => doubts.push(Doubt { factor: 0.5, missing: None }),
        Vertex::Port(port) if scene.graph.edges(end).is_empty() && path.len() > 1 => {
            doubts.push(Doubt::new(0.35, untold(scene, port, scene.graph.when[end])));
        }
        Vertex::Port(port) => doubts.push(Doubt::new(
            0.3,
            format!(
                "the switch behind {} has no records of a queue at that time: they were evicted or overwritten, or the pause has another reason",
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
        contention: own_queue,
        when: scene.graph.when[end],
        doubts,
    })
}

/// The queue at the end of a trail, if its records are complete and show that nobody but the victim waited in it.
pub(super) fn queue_of_the_victim(scene: &Scene<'_, '_>, trail: &Trail) -> Option<Contention> {
    let end = *trail.path.last()?;
    let port = scene.graph.port(end)?;
    let victim = scene.victim?;
    let at_end = trail.path.len() > 1 && trail.pause_loop.is_empty() && scene.graph.edges(end).is_empty();
    if !at_end || scene.view.snapshot.source == Source::HawkeyeNs3 {
        return None;
    }
    // Most queues have others in them: no need to look closer.
    let when = scene.graph.when[end];
    let others = |f: &FlowRecord| {
        let waited = f.queued_packets != Some(0) && f.depth_sum > 0;
        let in_time = when.is_none_or(|w| f.queued_ns.is_some_and(|(a, b)| Span::new(a, b).overlaps(w)));
        f.flow != victim && waited && in_time
    };
    if scene.view.flows(port).iter().any(|f| others(f)) {
        return None;
    }
    let question = Question { victim: scene.victim, carriers: &[], near: when, bounds: Bounds::default() };
    let found = contention(scene.view, scene.settings, port, question)?;
    let alone = found.flows.iter().all(|part| part.flow == victim) && found.part(victim).is_some();
    (alone && !lost(scene, port, found.when)).then_some(found)
}

/// Whether records of those who waited at a port are lost.
fn lost(scene: &Scene<'_, '_>, port: PortIx, when: Option<Span>) -> bool {
    let packets = scene.view.unaccounted(port, when);
    packets.max(scene.view.unaccounted_depth(port, when)) > UNACCOUNTED_SHARE
}

/// What the records of a port say about its queue where they name nobody.
fn untold(scene: &Scene<'_, '_>, port: PortIx, when: Option<Span>) -> String {
    let name = scene.view.port_ref(port);
    let waited: BTreeSet<FlowKey> = scene
        .view
        .flows(port)
        .iter()
        .filter(|f| f.queued_packets != Some(0) && scene.view.flow_in(port, f, when))
        .map(|f| f.flow)
        .collect();
    if waited.is_empty() || lost(scene, port, when) {
        return format!(
            "no flow record shows which flows built the queue at {name}: records were evicted, overwritten or lost"
        );
    }
    let names: Vec<String> = waited.iter().map(ToString::to_string).collect();
    format!("{} queued at {name}, but the records do not show which flow built the queue", enumerate(&names))
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
