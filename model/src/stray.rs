//! Records of a snapshot that speak of what its topology does not have.
//!
//! They do no harm to a verdict, which goes by the records that have a place. But they are a sign that snapshot and topology
//! do not belong together, or that a link is not in the topology, so whoever asks for a verdict should know.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::port::PortRef;
use crate::snapshot::Snapshot;
use crate::topology::{NodeKind, Topology};

/// A place that the topology does not have, and what speaks of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stray {
    /// The place.
    pub place: Place,
    /// The kinds of records and how many there are of each, by name.
    pub records: BTreeMap<&'static str, u64>,
}

/// A place that the topology does not have.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// No switch has this name.
    Switch(String),
    /// The switch is there; no link ends at this port of it.
    Port(PortRef),
}

impl fmt::Display for Stray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::Switch(name) => write!(f, "the topology has no switch `{name}`, of which speak")?,
            Place::Port(port) => write!(f, "the topology has no link at `{port}`, of which speak")?,
        }
        for (at, (kind, count)) in self.records.iter().enumerate() {
            write!(f, "{} {kind}: {count}", if at == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

/// The places that records of `snapshot` speak of and that `topology` does not have, each once, by name. Telemetry of a switch
/// that is not there is among [`Snapshot::problems`].
pub fn strays(snapshot: &Snapshot, topology: &Topology) -> Vec<Stray> {
    let mut known: BTreeMap<&str, BTreeSet<u16>> = BTreeMap::new();
    for node in topology.nodes.iter().filter(|node| node.kind == NodeKind::Switch) {
        known.entry(&node.name).or_default();
    }
    for end in topology.links.iter().flat_map(|link| [&link.a, &link.b]) {
        if let Some(ports) = known.get_mut(end.switch.as_str()) {
            ports.insert(end.port);
        }
    }
    let mut found = Found { known, strays: BTreeMap::new() };
    for telemetry in &snapshot.switches {
        if !found.known.contains_key(telemetry.switch.as_str()) {
            continue;
        }
        let mut add = |kind, ports: &[Option<u16>]| found.add(kind, &telemetry.switch, ports);
        for flow in &telemetry.flows {
            add("flow records", &[flow.ingress_port, Some(flow.egress_port)]);
        }
        for slot in &telemetry.ports {
            add("port records", &[Some(slot.port)]);
        }
        for meter in &telemetry.meters {
            add("meter records", &[Some(meter.ingress_port), Some(meter.egress_port)]);
        }
        for pause in &telemetry.pauses {
            add("pauses", &[Some(pause.port)]);
        }
        for port in &telemetry.polled_from {
            add("polling packets", &[Some(*port)]);
        }
        add("ways back", &[telemetry.back_port]);
    }
    for loss in &snapshot.losses {
        found.add("losses", &loss.switch, &[Some(loss.ingress_port), Some(loss.egress_port)]);
    }
    for finding in &snapshot.configuration {
        found.add("configuration findings", &finding.switch, &[finding.port]);
    }
    found.strays.into_iter().map(|(place, records)| Stray { place, records }).collect()
}

struct Found<'t> {
    /// The ports of each switch that have a link.
    known: BTreeMap<&'t str, BTreeSet<u16>>,
    strays: BTreeMap<Place, BTreeMap<&'static str, u64>>,
}

impl Found<'_> {
    /// Counts a record about `ports` of `switch`, once at each of them that is not there.
    fn add(&mut self, kind: &'static str, switch: &str, ports: &[Option<u16>]) {
        let mut count = |place| {
            let records = self.strays.entry(place).or_default();
            *records.entry(kind).or_default() += 1;
        };
        let Some(known) = self.known.get(switch) else {
            count(Place::Switch(switch.to_string()));
            return;
        };
        let mut counted = None;
        for port in ports.iter().flatten().filter(|port| !known.contains(port)) {
            if counted != Some(port) {
                count(Place::Port(PortRef::new(switch, *port)));
            }
            counted = Some(port);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circumstances::{ConfigFinding, LossReason, LossRecord, Setting};
    use crate::snapshot::{SNAPSHOT_FORMAT, Source, SwitchTelemetry};
    use crate::telemetry::{MeterRecord, PauseInterval, PortRecord};
    use crate::topology::{Link, Node};
    use crate::units::{Rate, Time};

    /// Two switches with a link between their first ports.
    fn network() -> Topology {
        let node = |name: &str| Node { name: name.into(), kind: NodeKind::Switch, addresses: vec![] };
        let (a, b) = (PortRef::new("s1", 1), PortRef::new("s2", 1));
        Topology {
            nodes: vec![node("s1"), node("s2")],
            links: vec![Link { a, b, rate: Rate::from_gbps(100), delay: Time::from_us(1) }],
        }
    }

    fn meter(ingress_port: u16, egress_port: u16) -> MeterRecord {
        MeterRecord { ingress_port, egress_port, epoch: 1, packets: None, bytes: 9 }
    }

    fn loss(switch: &str, ingress_port: u16, egress_port: u16) -> LossRecord {
        LossRecord {
            switch: switch.into(),
            ingress_port,
            egress_port,
            priority: None,
            reason: LossReason::Headroom,
            packets: 1,
            lost_ns: (1, 1),
        }
    }

    fn snapshot() -> Snapshot {
        Snapshot {
            format: SNAPSHOT_FORMAT,
            event: 1,
            source: Source::Harrier,
            victim: None,
            trigger: None,
            epoch_ns: 1,
            switches: vec![SwitchTelemetry {
                switch: "s1".into(),
                frozen_ns: 9,
                polled_from: vec![1],
                on_victim_path: true,
                back_port: None,
                epochs: vec![],
                flows: vec![],
                ports: vec![PortRecord { port: 1, epoch: 1, packets: None, depth_sum: 0, paused_packets: 0 }],
                meters: vec![meter(1, 1)],
                pauses: vec![],
                bytes: 1,
            }],
            missing: vec![],
            polls: 1,
            configuration: vec![],
            losses: vec![loss("s2", 1, 1)],
            jobs: vec![],
        }
    }

    #[track_caller]
    fn check(change: impl FnOnce(&mut Snapshot), expected: &[&str]) {
        let mut snapshot = snapshot();
        change(&mut snapshot);
        let said: Vec<String> = strays(&snapshot, &network()).iter().map(ToString::to_string).collect();
        assert_eq!(said, expected);
    }

    #[test]
    fn every_place_that_is_not_there_is_named_once_with_what_speaks_of_it() {
        check(|_| {}, &[]);
        check(
            |s| {
                s.switches[0].meters.extend([meter(1, 7), meter(7, 7), meter(8, 1)]);
                let pause = PauseInterval { port: 7, priority: 3, start_ns: 1, end_ns: None, frames: 1 };
                s.switches[0].pauses.push(pause);
                s.switches[0].polled_from.push(8);
            },
            &[
                "the topology has no link at `s1:7`, of which speak meter records: 2, pauses: 1",
                "the topology has no link at `s1:8`, of which speak meter records: 1, polling packets: 1",
            ],
        );
        check(
            |s| {
                s.losses.extend([loss("s9", 1, 2), loss("s2", 1, 3)]);
                s.configuration.push(ConfigFinding::new("s9", Setting::Alpha, "too small", "make it larger"));
            },
            &[
                "the topology has no switch `s9`, of which speak configuration findings: 1, losses: 1",
                "the topology has no link at `s2:3`, of which speak losses: 1",
            ],
        );
    }
}
