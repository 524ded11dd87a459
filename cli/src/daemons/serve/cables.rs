//! What daemons report about the network beside measurements: cables that controllers discover, interfaces of hosts. The
//! differences from the topology are findings, which diagnoses cite.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use controller::discovery::{CableFinding, Sighting};
use model::diagnosis::{Diagnosis, Evidence, Record};
use model::{ConfigFinding, PortRef, Rate, Setting, Snapshot, Topology};
use proto::convert;
use proto::limits::{NAME_BYTES, REPORTED, TEXT_BYTES};
use proto::v1;
use web::{DaemonState, HealthProblem, HostInterface, LldpNeighbour};

use super::senders::cut;

/// What a controller has discovered.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Cables {
    pub(crate) neighbours: Vec<LldpNeighbour>,
    /// The rate of ports with a neighbour, as far as their switches report it.
    pub(crate) rates: BTreeMap<PortRef, Rate>,
    pub(crate) findings: Vec<CableFinding>,
    pub(crate) failed: Vec<PortRef>,
}

impl Cables {
    /// Reads a report. Entries that are malformed or too many are left out.
    pub(crate) fn read(message: &v1::Cables) -> Cables {
        let neighbour = |neighbour: &v1::Neighbour| {
            Some(LldpNeighbour {
                port: convert::port(&neighbour.port).ok()?,
                announced: cut(&neighbour.announced, TEXT_BYTES),
                description: cut(&neighbour.description, TEXT_BYTES),
            })
        };
        let rate = |neighbour: &v1::Neighbour| {
            let port = convert::port(&neighbour.port).ok()?;
            (neighbour.rate_bps > 0).then_some((port, Rate(neighbour.rate_bps)))
        };
        Cables {
            rates: message.neighbours.iter().take(REPORTED).filter_map(rate).collect(),
            neighbours: message.neighbours.iter().take(REPORTED).filter_map(neighbour).collect(),
            findings: message.differences.iter().take(REPORTED).filter_map(finding).collect(),
            failed: message
                .failed
                .iter()
                .take(REPORTED)
                .filter_map(|port| convert::port(port).ok())
                .collect(),
        }
    }
}

impl Cables {
    /// What announces itself, with the rates of the ports.
    pub(crate) fn sightings(&self) -> impl Iterator<Item = Sighting> {
        self.neighbours.iter().map(|neighbour| Sighting {
            port: neighbour.port.clone(),
            announced: neighbour.announced.clone(),
            rate: self.rates.get(&neighbour.port).copied(),
        })
    }
}

fn finding(difference: &v1::CableDifference) -> Option<CableFinding> {
    let port = convert::port(&difference.port).ok()?;
    let found = cut(&difference.found, TEXT_BYTES);
    if difference.planned.is_empty() {
        return (!found.is_empty()).then_some(CableFinding::Unplanned { port, found });
    }
    let planned = convert::port(&difference.planned).ok()?;
    Some(match found.is_empty() {
        true => CableFinding::Silent { port, planned },
        false => CableFinding::Elsewhere { port, planned, found },
    })
}

/// Reads the interfaces of a host. What is malformed or too much is left out.
pub(crate) fn interfaces(message: &v1::Interfaces) -> Vec<HostInterface> {
    let interface = |interface: &v1::Interface| HostInterface {
        name: cut(&interface.name, NAME_BYTES),
        mac: match interface.mac.as_slice() {
            [a, b, c, d, e, f] => format!("{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{f:02x}"),
            _ => String::new(),
        },
        addresses: interface.addresses.iter().take(REPORTED).filter_map(|text| text.parse().ok()).collect(),
        mtu_bytes: interface.mtu_bytes,
        speed_mbps: interface.speed_mbps,
        is_up: interface.is_up,
    };
    message.interfaces.iter().take(REPORTED).map(interface).collect()
}

/// Returns the finding about a cable in the form of findings about a switch: it is about the egress ports for hosts, which
/// lead elsewhere.
pub(crate) fn config_finding(cable: &CableFinding) -> ConfigFinding {
    let port = cable.port();
    let fix = format!("connect {port} as planned, or correct the topology");
    ConfigFinding::new(&port.switch, Setting::Route, cable.to_string(), fix).by_rule("cable", Some(port.port))
}

/// Adds the cables that the event touches to a diagnosis: those of the victim's path, the pause path, the loop and the
/// root port.
pub(crate) fn cite(diagnosis: &mut Diagnosis, snapshot: &Snapshot, cables: &[CableFinding]) {
    let ports = ports_of(diagnosis, snapshot);
    let touched = cables.iter().filter(|cable| {
        ports.contains(cable.port()) || cable.planned().is_some_and(|planned| ports.contains(planned))
    });
    for cable in touched {
        let finding = config_finding(cable);
        if diagnosis.root_cause.config.contains(&finding.id) {
            continue;
        }
        diagnosis.advice.push(format!("{cable}: check the cable before other measures"));
        diagnosis.evidence.push(Evidence {
            claim: format!("a cable on the path differs from the plan: {cable}"),
            template: None,
            switch: Some(cable.port().switch.clone()),
            port: Some(cable.port().clone()),
            epoch: None,
            records: vec![Record::Configuration(finding)],
        });
    }
}

fn ports_of(diagnosis: &Diagnosis, snapshot: &Snapshot) -> BTreeSet<PortRef> {
    let mut ports: BTreeSet<PortRef> =
        diagnosis.pause_path.iter().chain(&diagnosis.pause_loop).cloned().collect();
    ports.extend(diagnosis.root_cause.port.clone());
    for telemetry in &snapshot.switches {
        if telemetry.on_victim_path {
            let polled = telemetry.polled_from.iter();
            ports.extend(polled.map(|number| PortRef::new(&telemetry.switch, *number)));
        }
        for flow in telemetry.flows.iter().filter(|flow| Some(flow.flow) == diagnosis.victim) {
            let numbers = [Some(flow.egress_port), flow.ingress_port].into_iter().flatten();
            ports.extend(numbers.map(|number| PortRef::new(&telemetry.switch, number)));
        }
    }
    ports
}

/// Returns what is wrong with the addresses of connected agents' hosts: addresses of the topology that no interface has.
pub(crate) fn address_problems(topology: &Topology, daemons: &[DaemonState]) -> Vec<HealthProblem> {
    let mut problems = Vec::new();
    for daemon in daemons.iter().filter(|daemon| daemon.kind == "agent" && !daemon.interfaces.is_empty()) {
        let Some(host) = topology.node(&daemon.name) else { continue };
        let own: BTreeSet<IpAddr> =
            daemon.interfaces.iter().flat_map(|interface| interface.addresses.iter().copied()).collect();
        let missing = host.addresses.iter().filter(|address| !own.contains(address));
        problems.extend(missing.map(|address| HealthProblem {
            subject: format!("agent {}", daemon.name),
            reason: format!("the topology gives {address} to this host, but none of its interfaces has it"),
        }));
    }
    problems
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn difference(port: &str, planned: &str, found: &str) -> v1::CableDifference {
        v1::CableDifference { port: port.into(), planned: planned.into(), found: found.into() }
    }

    #[test]
    fn reports_are_read_and_mistakes_left_out() {
        let message = v1::Cables {
            differences: vec![
                difference("leaf1:2", "spine:1", "spine:2"),
                difference("leaf1:3", "", "rogue:1"),
                difference("leaf2:2", "spine:2", ""),
                difference("nowhere", "spine:2", ""),
                difference("leaf2:9", "", ""),
            ],
            failed: vec!["leaf2:2".into(), "?".into()],
            ..v1::Cables::default()
        };
        let cables = Cables::read(&message);
        let texts: Vec<String> = cables.findings.iter().map(ToString::to_string).collect();
        assert_eq!(
            texts,
            [
                "leaf1:2 is cabled to spine:2; the plan says spine:1",
                "leaf1:3 is cabled to rogue:1; the plan has no cable there",
                "leaf2:2 has no LLDP neighbour; the plan says spine:2",
            ]
        );
        assert_eq!(cables.failed, ["leaf2:2".parse().unwrap()]);
        assert_eq!(config_finding(&cables.findings[0]).id, "leaf1:2/cable");
    }

    #[test]
    fn a_diagnosis_cites_the_cables_that_it_touches() {
        let victim = "10.0.0.1:10000>10.0.0.2:4791/udp";
        let snapshot: Snapshot = serde_json::from_value(json!({
            "format": 1, "event": 7, "source": "harrier", "victim": victim, "trigger": null, "epoch_ns": 1,
            "switches": [{
                "switch": "leaf1", "frozen_ns": 0, "polled_from": [1], "on_victim_path": true, "epochs": [],
                "flows": [], "ports": [], "meters": [], "pauses": [], "bytes": 0,
            }],
            "missing": [], "polls": 1,
        }))
        .unwrap();
        let diagnosis: Diagnosis = serde_json::from_value(json!({
            "id": "7", "time_ns": 0, "victim": victim, "anomaly": "flow_contention", "cause": "incast",
            "summary": "", "confidence": 1.0, "pause_path": ["leaf2:2"], "loop": [], "spreaders": [],
            "root_cause": {"port": null, "flows": [], "host": null, "config": []},
            "victims": [], "evidence": [], "missing": [], "advice": [],
            "collected": {"switches": 1, "bytes": 0, "polls": 1},
        }))
        .unwrap();
        let check = |port: &str, planned: &str, is_cited: bool| {
            let (port, planned) = (port.parse().unwrap(), planned.parse().unwrap());
            let cable = CableFinding::Elsewhere { port, planned, found: "spine:9".into() };
            let mut diagnosis = diagnosis.clone();
            cite(&mut diagnosis, &snapshot, std::slice::from_ref(&cable));
            let id = config_finding(&cable).id;
            let is_finding = |record: &Record| matches!(record, Record::Configuration(f) if f.id == id);
            let cited = diagnosis.evidence.iter().flat_map(|claim| &claim.records).any(is_finding);
            assert_eq!((cited, diagnosis.advice.len()), (is_cited, usize::from(is_cited)), "{cable}");
        };
        check("leaf1:1", "h1:1", true);
        check("leaf2:2", "spine:2", true);
        check("spine:2", "leaf2:2", true);
        check("leaf1:2", "spine:1", false);
    }

    #[test]
    fn a_host_without_its_address_is_a_problem() {
        let topology: Topology = serde_json::from_value(json!({
            "nodes": [{"name": "h1", "kind": "host", "addresses": ["10.0.0.1", "10.0.0.2"]}], "links": []
        }))
        .unwrap();
        let message = v1::Interfaces {
            interfaces: vec![v1::Interface {
                name: "eth0".into(),
                mac: vec![2, 0, 0, 0, 0, 1],
                addresses: vec!["10.0.0.1".into(), "?".into()],
                mtu_bytes: 9000,
                ..v1::Interface::default()
            }],
        };
        let interfaces = interfaces(&message);
        assert_eq!(interfaces[0].mac, "02:00:00:00:00:01");
        let daemon =
            DaemonState { kind: "agent".into(), name: "h1".into(), interfaces, ..DaemonState::default() };
        let problems = address_problems(&topology, &[daemon]);
        assert_eq!(problems.len(), 1);
        assert!(problems[0].reason.contains("10.0.0.2"), "{}", problems[0].reason);
    }
}
