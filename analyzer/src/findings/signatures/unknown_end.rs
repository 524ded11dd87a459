//! A pause path that ends without a root cause: a switch did not report, the topology lacks a link, or the registers
//! no longer hold the queue. The finding states only what is certain: the victim was paused from there.

use std::collections::BTreeSet;

use model::{Anomaly, FlowKey, PortRef};

use super::{Caveat, Finding, common_caveats};
use crate::facts::gap::Gap;
use crate::facts::span::Span;
use crate::facts::topology_index::PortId;
use crate::facts::view::PortIx;
use crate::facts::wording::flow_names;
use crate::graph::context::Context;
use crate::graph::pause_paths::PausePath;
use crate::graph::port_graph::Vertex;
use crate::thresholds as t;

pub(super) fn find(context: &Context<'_, '_>, pause_path: &PausePath) -> Option<Finding> {
    let end = *pause_path.path.last()?;
    let mut caveats = common_caveats(context, pause_path);
    let path = context.ports(&pause_path.path);
    let last = path.last().map(|p| context.view.port_ref(*p));
    let mut root = last.clone();
    match context.graph.vertices[end] {
        Vertex::Silent(ingress) => {
            let switch = context.view.index.name(context.view.index.info(ingress).node);
            let likely = likely_root(context, pause_path, ingress);
            let pausing = last.map_or_else(|| "a port".to_string(), |p| p.to_string());
            let text = match &likely {
                Some(port) => format!(
                    "sent no telemetry: it pauses {pausing}, and the paused flows leave it by {port}; the records do not show whether flows contend there or a host pauses that port"
                ),
                None => format!("sent no telemetry: it pauses {pausing}; the port and the reason are unknown"),
            };
            caveats.push(Caveat::new(context.settings.value(&t::END_UNRECORDED), Gap::of_switch(switch, text)));
            root = likely;
        }
        Vertex::Unlinked(port) => caveats.push(Caveat::new(
            context.settings.value(&t::END_UNKNOWN),
            format!("the topology has no link at {}, so the device that pauses it is unknown", context.view.port_ref(port)),
        )),
        Vertex::Port(port) if context.graph.edges(end).is_empty() && path.len() > 1 => {
            caveats.push(Caveat::new(context.settings.value(&t::END_UNRECORDED), unidentified(context, port, context.graph.when[end])));
        }
        Vertex::Port(port) => caveats.push(Caveat::new(
            context.settings.value(&t::END_UNKNOWN),
            format!(
                "the switch behind {} has no records of a queue at that time: they were evicted or overwritten, or the pause has another reason",
                context.view.port_ref(port)
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
        when: context.graph.when[end],
        caveats,
    })
}

/// Whether flow records of a port are lost.
fn lost(context: &Context<'_, '_>, port: PortIx, when: Option<Span>) -> bool {
    let packets = context.view.unaccounted(port, when);
    packets.max(context.view.unaccounted_depth(port, when)) > context.settings.value(&t::UNACCOUNTED_SHARE)
}

/// Returns what the records of a port show about its queue when they identify no contributor.
fn unidentified(context: &Context<'_, '_>, port: PortIx, when: Option<Span>) -> String {
    let name = context.view.port_ref(port);
    let waited: BTreeSet<FlowKey> = context
        .view
        .flows(port)
        .iter()
        .filter(|f| f.queued_packets != Some(0) && context.view.flow_in(port, f, when))
        .map(|f| f.flow)
        .collect();
    if waited.is_empty() || lost(context, port, when) {
        return format!(
            "no flow record shows which flows built the queue at {name}: records were evicted, overwritten or lost"
        );
    }
    format!(
        "packets of {} were queued at {name}, but the records do not show which flow built the queue",
        flow_names(context.view.index, &waited)
    )
}

/// Returns the egress port of a switch without telemetry that all paused flows must use, if there is only one.
fn likely_root(context: &Context<'_, '_>, pause_path: &PausePath, ingress: PortId) -> Option<PortRef> {
    let index = context.view.index;
    let node = index.info(ingress).node;
    let before = *pause_path.path.iter().rev().nth(1)?;
    let port = context.graph.port(before)?;
    let paused = context.paused_flows(port, context.graph.when[before]);
    let destinations: BTreeSet<_> = paused.iter().filter_map(|f| index.host_of(f.dst)).collect();
    let exits: BTreeSet<Option<u16>> =
        destinations.into_iter().map(|host| index.sole_next_hop(node, host)).collect();
    match Vec::from_iter(exits).as_slice() {
        [Some(exit)] => Some(PortRef::new(index.name(node), *exit)),
        _ => None,
    }
}
