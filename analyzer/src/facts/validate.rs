//! Checks that a snapshot and a topology belong together: finds records about switches and ports that the topology
//! lacks.
//!
//! Such records do not affect a verdict, which uses only records that can be placed. They show that snapshot and
//! topology do not match, or that the topology lacks a link, so a user should see them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use model::topology::NodeKind;
use model::units::counted;
use model::{PortRef, Snapshot, Topology};

/// A switch or port that records refer to and that the topology lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownPlace {
    /// The switch or port.
    pub place: Place,
    /// The number of records that refer to it, by kind (a noun in the singular).
    pub records: BTreeMap<&'static str, u64>,
}

/// A switch or port that the topology lacks.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// No switch has this name.
    Switch(String),
    /// The switch exists, but no link ends at this port.
    Port(PortRef),
}

impl fmt::Display for UnknownPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::Switch(name) => {
                write!(f, "snapshot refers to switch `{name}`, which is not in the topology")?;
            }
            Place::Port(port) => {
                write!(f, "snapshot refers to port `{port}`, which has no link in the topology")?
            }
        }
        let records: Vec<String> = self.records.iter().map(|(kind, count)| counted(*count, kind)).collect();
        write!(f, " ({})", records.join(", "))
    }
}

/// Returns the switches and ports that records of `snapshot` refer to and that `topology` lacks, each once, by name.
///
/// Telemetry of a switch that the topology lacks is an error instead, see [`Snapshot::problems`].
pub fn unknown_places(snapshot: &Snapshot, topology: &Topology) -> Vec<UnknownPlace> {
    let mut known: BTreeMap<&str, BTreeSet<u16>> = BTreeMap::new();
    for node in topology.nodes.iter().filter(|node| node.kind == NodeKind::Switch) {
        known.entry(&node.name).or_default();
    }
    for end in topology.links.iter().flat_map(|link| [&link.a, &link.b]) {
        if let Some(ports) = known.get_mut(end.switch.as_str()) {
            ports.insert(end.port);
        }
    }
    let mut found = Found { known, places: BTreeMap::new() };
    for telemetry in &snapshot.switches {
        if !found.known.contains_key(telemetry.switch.as_str()) {
            continue;
        }
        let mut add = |kind, ports: &[Option<u16>]| found.add(kind, &telemetry.switch, ports);
        for flow in &telemetry.flows {
            add("flow record", &[flow.ingress_port, Some(flow.egress_port)]);
        }
        for slot in &telemetry.ports {
            add("port record", &[Some(slot.port)]);
        }
        for meter in &telemetry.meters {
            add("meter record", &[Some(meter.ingress_port), Some(meter.egress_port)]);
        }
        for pause in &telemetry.pauses {
            add("pause", &[Some(pause.port)]);
        }
        for port in &telemetry.polled_from {
            add("polling packet", &[Some(*port)]);
        }
        add("reverse-path port", &[telemetry.back_port]);
    }
    // Losses and events of links can be those of a NIC.
    for loss in snapshot.losses.iter().filter(|loss| !topology.is_host(&loss.switch)) {
        found.add("loss record", &loss.switch, &[loss.ingress_port, loss.egress_port]);
    }
    for event in snapshot.events.iter().filter(|event| !topology.is_host(&event.switch)) {
        let port = event.link_port().map(|port| port.port);
        found.add("network event", &event.switch, &[port]);
    }
    for finding in &snapshot.configuration {
        found.add("configuration finding", &finding.switch, &[finding.port]);
    }
    found.places.into_iter().map(|(place, records)| UnknownPlace { place, records }).collect()
}

struct Found<'t> {
    /// The ports of each switch that have a link.
    known: BTreeMap<&'t str, BTreeSet<u16>>,
    places: BTreeMap<Place, BTreeMap<&'static str, u64>>,
}

impl Found<'_> {
    /// Counts a record about `ports` of `switch`, once for each port without a link.
    fn add(&mut self, kind: &'static str, switch: &str, ports: &[Option<u16>]) {
        let mut count = |place| {
            let records = self.places.entry(place).or_default();
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
    use model::snapshot::{SNAPSHOT_FORMAT, Source};
    use model::telemetry::{MeterRecord, PauseInterval, PortRecord};
    use model::topology::{Link, Node};
    use model::{ConfigFinding, LossReason, LossRecord, Rate, Setting, SwitchTelemetry, Time};

    use super::*;

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
            ingress_port: Some(ingress_port),
            egress_port: Some(egress_port),
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
                clock_error_ns: None,
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
            events: vec![],
            jobs: vec![],
        }
    }

    #[track_caller]
    fn check(change: impl FnOnce(&mut Snapshot), expected: &[&str]) {
        let mut snapshot = snapshot();
        change(&mut snapshot);
        let found: Vec<String> =
            unknown_places(&snapshot, &network()).iter().map(ToString::to_string).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn each_unknown_place_is_listed_once_with_its_records() {
        check(|_| {}, &[]);
        check(
            |s| {
                s.switches[0].meters.extend([meter(1, 7), meter(7, 7), meter(8, 1)]);
                let pause = PauseInterval { port: 7, priority: 3, start_ns: 1, end_ns: None, frames: 1 };
                s.switches[0].pauses.push(pause);
                s.switches[0].polled_from.push(8);
            },
            &[
                "snapshot refers to port `s1:7`, which has no link in the topology (2 meter records, 1 pause)",
                "snapshot refers to port `s1:8`, which has no link in the topology (1 meter record, 1 polling packet)",
            ],
        );
        check(
            |s| {
                s.losses.extend([loss("s9", 1, 2), loss("s2", 1, 3)]);
                s.configuration.push(ConfigFinding::new("s9", Setting::Alpha, "too small", "make it larger"));
            },
            &[
                "snapshot refers to switch `s9`, which is not in the topology (1 configuration finding, 1 loss record)",
                "snapshot refers to port `s2:3`, which has no link in the topology (1 loss record)",
            ],
        );
    }
}
