//! Which switches should have reported, by what is known.
//!
//! Two rules, those of the polling packet itself: the victim's path goes on from every switch on it, and from a switch that
//! followed pauses the question goes on through every paused port that a port it came by feeds. What the switches
//! that did report say about both is enough to notice one that should have and did not.

use std::collections::{BTreeMap, BTreeSet};

use model::gap::Expected;
use model::{FlowKey, PortRef, SwitchTelemetry, Topology};

use super::event::{Event, Part};

/// A switch that should have reported, and why.
pub(super) type Missing = (String, Expected);

/// Switches that should have reported and did not; `telemetry` is what the others brought, by name.
pub(super) fn missing_switches(
    topology: &Topology,
    event: &Event,
    telemetry: &BTreeMap<String, SwitchTelemetry>,
) -> Vec<Missing> {
    let mut expected = Vec::new();
    if let Some(victim) = event.victim.or(event.trigger.as_ref().map(|t| t.flow)) {
        follow_victim(topology, event, &victim, &mut expected);
    }
    for (name, part) in &event.parts {
        if let Some(telemetry) = telemetry.get(name) {
            follow_pauses(topology, event, part, telemetry, &mut expected);
        }
    }
    expected.sort_by(|a, b| a.0.cmp(&b.0));
    expected.dedup_by(|a, b| a.0 == b.0);
    expected
}

/// Switches of the victim's path: from the source's switch on, each by the port that the one before it reported.
/// Where a switch is missing its successor is unknown if it has several equal ones; one that reported is taken then.
pub(super) fn victim_path(topology: &Topology, event: &Event, victim: &FlowKey) -> Vec<String> {
    let Some(source) = topology.host_of(victim.src) else { return Vec::new() };
    let next_hops =
        topology.host_of(victim.dst).map(|host| topology.next_hops(&host.name)).unwrap_or_default();
    let is_reported = |switch: &str| event.parts.get(switch).is_some_and(|p| !p.report_lost);
    let entries: Vec<&PortRef> = topology.ports_of(&source.name).into_iter().map(|(_, peer)| peer).collect();
    let pick = |candidates: Vec<&PortRef>| -> Option<String> {
        let switches: Vec<&str> = candidates
            .iter()
            .map(|peer| peer.switch.as_str())
            .filter(|switch| !topology.is_host(switch))
            .collect();
        let reported = switches.iter().find(|switch| is_reported(switch));
        match (reported, switches.as_slice()) {
            (Some(switch), _) => Some(switch.to_string()),
            (None, [only]) => Some(only.to_string()),
            (None, _) => None,
        }
    };

    let mut path = Vec::new();
    let mut visited = BTreeSet::new();
    let mut next = pick(entries);
    while let Some(switch) = next {
        if !visited.insert(switch.clone()) {
            break;
        }
        let known = event.parts.get(&switch).and_then(|part| part.victim_port);
        let ports = match known {
            Some(port) => vec![port],
            None => next_hops.get(switch.as_str()).cloned().unwrap_or_default(),
        };
        let peers = ports.iter().filter_map(|port| topology.peer(&PortRef::new(&switch, *port))).collect();
        path.push(switch);
        next = pick(peers);
    }
    path
}

fn follow_victim(topology: &Topology, event: &Event, victim: &FlowKey, expected: &mut Vec<Missing>) {
    for switch in victim_path(topology, event, victim) {
        if !event.parts.contains_key(&switch) {
            expected.push((switch, Expected::OnVictimPath));
        }
    }
}

fn follow_pauses(
    topology: &Topology,
    event: &Event,
    part: &Part,
    telemetry: &SwitchTelemetry,
    expected: &mut Vec<Missing>,
) {
    let paused: BTreeSet<u16> = telemetry
        .pauses
        .iter()
        .filter(|pause| part.priority.is_none_or(|priority| pause.priority == priority))
        .map(|pause| pause.port)
        .collect();
    for port in paused {
        let is_fed = telemetry.meters.iter().any(|meter| {
            meter.egress_port == port && part.traced_from.contains(&meter.ingress_port) && meter.bytes > 0
        });
        let Some(peer) = topology.peer(&PortRef::new(&telemetry.switch, port)) else { continue };
        if is_fed && !topology.is_host(&peer.switch) && !event.parts.contains_key(&peer.switch) {
            let why = Expected::Pauses(PortRef::new(&telemetry.switch, port));
            expected.push((peer.switch.clone(), why));
        }
    }
}
