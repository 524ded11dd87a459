//! The method of a network whose leaves are P4 switches and whose other switches have counters only.
//!
//! The leaves record flows, as in the method `harrier`, and give the state of their devices to the monitor that polls the
//! others (`harrier watch`). A polling packet passes an ordinary switch as any packet does on its way to the receiver, so that
//! leaves on the victim's path are collected; one that follows pauses ends at it.

use std::collections::{BTreeMap, BTreeSet};

use analyzer::incident::{settle, without_ordinary};
use analyzer::{Settings, TopologyIndex, analyze_indexed};
use counters::continue_by_counters;
use model::missing_data::Expected;
use model::{Diagnosis, MissingData, PortRef, Snapshot, Time, Topology};

use super::observe::Diagnosed;
use super::{Contestant, Instance, counter_reading};

/// Diagnoses a run as a mixed network.
pub(super) fn diagnose(method: Contestant, settings: &Settings, instance: &Instance) -> Diagnosed {
    let topology = &instance.topology;
    let p4 = p4_switches(topology);
    let index = TopologyIndex::new(topology);
    let snapshots: Vec<(Time, Snapshot)> = instance
        .snapshots
        .iter()
        .map(|(at, snapshot)| (*at, restricted(snapshot.clone(), &p4, topology)))
        .collect();
    let mut found_in: Vec<(&Snapshot, Vec<Diagnosis>)> = Vec::new();
    let mut times: Vec<(Time, Diagnosis)> = Vec::new();
    let mut features = BTreeMap::new();
    for (at, snapshot) in &snapshots {
        let analyses = analyze_indexed(snapshot, &index, settings);
        features.extend(analyses.iter().map(|of| (of.diagnosis.id.clone(), of.features)));
        let found: Vec<Diagnosis> = analyses.into_iter().map(|analysis| analysis.diagnosis).collect();
        times.extend(found.iter().map(|diagnosis| (*at, diagnosis.clone())));
        found_in.push((snapshot, found));
    }
    let mut verdicts = settle(found_in);
    let counted =
        method.counter_source().map(|source| counter_reading::of_mixed_network(source, &p4, instance));
    let counted = counted.unwrap_or_default();
    // What is ordinary by the telemetry of the leaves may not be by the counters.
    continue_by_counters(&mut verdicts, &counted, topology);
    let (mut verdicts, _) = without_ordinary(verdicts);
    verdicts.extend(counted);
    Diagnosed::new(method.name(), snapshots, times, verdicts, features)
}

/// The P4 switches: those with hosts. If all have hosts, as in a ring, every second one.
fn p4_switches(topology: &Topology) -> BTreeSet<String> {
    let all = || topology.nodes.iter().map(|node| &node.name).filter(|name| !topology.is_host(name));
    let has_host = |name: &&String| {
        let ends = topology.links.iter().flat_map(|link| [(&link.a, &link.b), (&link.b, &link.a)]);
        ends.into_iter().any(|(own, peer)| own.switch == **name && topology.is_host(&peer.switch))
    };
    let leaves: BTreeSet<String> = all().filter(has_host).cloned().collect();
    match leaves.len() == all().count() {
        true => leaves.into_iter().step_by(2).collect(),
        false => leaves,
    }
}

/// The part of a snapshot that a mixed network collects.
fn restricted(mut snapshot: Snapshot, p4: &BTreeSet<String>, topology: &Topology) -> Snapshot {
    let peer = |switch: &str, port: u16| {
        let own = PortRef::new(switch, port);
        topology.links.iter().find_map(|link| match (link.a == own, link.b == own) {
            (true, _) => Some(link.b.clone()),
            (_, true) => Some(link.a.clone()),
            _ => None,
        })
    };
    let mut kept: BTreeSet<String> = BTreeSet::new();
    loop {
        let reached = snapshot.switches.iter().filter(|telemetry| {
            let from = telemetry.polled_from.iter().filter_map(|port| peer(&telemetry.switch, *port));
            telemetry.on_victim_path || from.into_iter().any(|from| kept.contains(&from.switch))
        });
        let reached = reached.map(|telemetry| telemetry.switch.clone()).filter(|name| p4.contains(name));
        let reached: BTreeSet<String> = reached.collect();
        if reached == kept {
            break;
        }
        kept = reached;
    }
    let (seen, unseen): (Vec<_>, Vec<_>) =
        snapshot.switches.drain(..).partition(|telemetry| kept.contains(&telemetry.switch));
    snapshot.switches = seen;
    for telemetry in unseen.iter().filter(|telemetry| !p4.contains(&telemetry.switch)) {
        let switch = &telemetry.switch;
        let mut missing = |why| snapshot.missing.push(MissingData::NoProgram { switch: switch.clone(), why });
        if telemetry.on_victim_path {
            missing(Expected::OnVictimPath);
        }
        for port in telemetry.polled_from.iter().filter_map(|port| peer(switch, *port)) {
            if kept.contains(&port.switch) {
                missing(Expected::Pauses(port));
            }
        }
    }
    // What switches without telemetry would have said about losses and links is unknown, too.
    let is_known = |node: &String| p4.contains(node) || topology.is_host(node);
    snapshot.losses.retain(|loss| is_known(&loss.switch));
    snapshot.events.retain(|event| is_known(&event.switch));
    snapshot.missing.sort();
    snapshot.missing.dedup();
    snapshot
}
