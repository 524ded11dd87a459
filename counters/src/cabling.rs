//! The cables between the ports of all readings, which are kept from one diagnosis to the next.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use model::PortRef;

use crate::Network;
use crate::reading::Reading;
use crate::wiring::Wiring;

/// What is connected to what, by the topology and the neighbours in readings.
#[derive(Clone, Debug)]
pub struct Cabling {
    /// A hash of all that it follows from.
    basis: u64,
    pub(crate) wiring: Wiring,
    /// What cannot be connected, for people.
    pub(crate) problems: Vec<String>,
}

impl Cabling {
    /// The cables between the ports of these readings.
    pub fn new<R: Borrow<Reading>>(readings: &[R], network: &Network) -> Cabling {
        let readings: Vec<&Reading> = readings.iter().map(Borrow::borrow).collect();
        let mut problems = Vec::new();
        let wiring = Wiring::new(&readings, &network.topology, &mut problems);
        Cabling { basis: basis(&readings, network), wiring, problems }
    }

    /// The cables between the ports of these readings; `known` if names and neighbours are as they were then. Names are the
    /// same for minutes, and a monitor with a thousand switches diagnoses them every second.
    #[must_use]
    pub fn kept<R: Borrow<Reading>>(known: Option<Cabling>, readings: &[R], network: &Network) -> Cabling {
        let borrowed: Vec<&Reading> = readings.iter().map(Borrow::borrow).collect();
        match known {
            Some(known) if known.basis == basis(&borrowed, network) => known,
            _ => Cabling::new(readings, network),
        }
    }

    /// A number that changes with names, neighbours and the topology.
    pub fn revision(&self) -> u64 {
        self.basis
    }

    /// The ports of each switch, by SONiC's names, with the numbers by which verdicts name them.
    pub fn port_numbers(&self) -> BTreeMap<&str, BTreeMap<&str, u16>> {
        let mut numbers: BTreeMap<&str, BTreeMap<&str, u16>> = BTreeMap::new();
        for port in &self.wiring.ports {
            numbers.entry(&port.switch).or_default().insert(&port.name, port.at.port);
        }
        numbers
    }

    /// The cables between the ports of these readings, from each end to the other.
    pub fn peers(&self) -> impl Iterator<Item = (&PortRef, &PortRef)> {
        let ports = self.wiring.ports.iter().enumerate();
        ports.filter_map(|(id, port)| Some((&port.at, &self.wiring.ports[self.wiring.peer(id)?].at)))
    }
}

/// A hash of what [`Wiring::new`] uses: names, numbers, aliases and neighbours of the latest reading of each switch, and the
/// topology. Readings of one switch have the same names unless its settings change.
fn basis(readings: &[&Reading], network: &Network) -> u64 {
    let mut hasher = DefaultHasher::new();
    for reading in readings {
        reading.switch.hash(&mut hasher);
        for (name, port) in &reading.ports {
            (name, port.number, &port.alias).hash(&mut hasher);
        }
        reading.neighbours.hash(&mut hasher);
    }
    for node in &network.topology.nodes {
        (&node.name, node.kind).hash(&mut hasher);
    }
    for link in &network.topology.links {
        (&link.a, &link.b).hash(&mut hasher);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::{PortReading, Source};

    fn reading(alias: &str) -> Reading {
        let port = PortReading { number: Some(1), alias: Some(alias.into()), ..PortReading::default() };
        Reading {
            switch: "leaf1".into(),
            time_ns: 1,
            time_is_assumed: false,
            source: Source::SonicDatabase,
            lacks_watchdog: false,
            polled: Default::default(),
            ports: [("Ethernet0".to_string(), port)].into(),
            neighbours: Vec::new(),
            addresses: Vec::new(),
        }
    }

    #[test]
    fn ports_have_the_numbers_of_verdicts_and_the_cables_that_switches_see() {
        let mut leaf1 = reading("etp1");
        let extra = PortReading { number: Some(7), ..PortReading::default() };
        leaf1.ports.insert("Ethernet24".into(), extra);
        let neighbour = crate::LocalNeighbour {
            port: "Ethernet24".into(),
            system: "leaf2".into(),
            remote_port: Some("Ethernet0".into()),
            ..crate::LocalNeighbour::default()
        };
        leaf1.neighbours.push(neighbour);
        let leaf2 = Reading { switch: "leaf2".into(), ..reading("etp1") };
        let cabling = Cabling::new(&[leaf1, leaf2], &Network::default());
        let numbers = cabling.port_numbers();
        assert_eq!(numbers["leaf1"], [("Ethernet0", 1), ("Ethernet24", 7)].into());
        assert_eq!(numbers["leaf2"], [("Ethernet0", 1)].into());
        // `leaf2` does not see the cable itself.
        let peers: Vec<String> = cabling.peers().map(|(port, peer)| format!("{port} {peer}")).collect();
        assert_eq!(peers, ["leaf1:7 leaf2:1", "leaf2:1 leaf1:7"]);
    }

    #[test]
    fn cables_are_kept_until_a_name_or_the_topology_changes() {
        let network = Network::default();
        let first = Cabling::new(&[reading("etp1")], &network);
        let check = |readings: &[Reading], network: &Network, is_kept: bool| {
            let mut known = first.clone();
            known.problems = vec!["kept".into()];
            let now = Cabling::kept(Some(known), readings, network);
            assert_eq!(now.problems == ["kept"], is_kept);
        };
        let mut later = reading("etp1");
        later.time_ns = 2;
        later.ports.get_mut("Ethernet0").expect("a port").tx_bytes = Some(9);
        check(&[later], &network, true);
        check(&[reading("etp2")], &network, false);
        check(&[], &network, false);
        let link = model::topology::Link {
            a: "leaf1:1".parse().expect("a port"),
            b: "h1:1".parse().expect("a port"),
            rate: model::Rate::from_gbps(100),
            delay: model::Time::default(),
        };
        let planned = model::Topology { links: vec![link], ..Default::default() };
        check(&[reading("etp1")], &Network { topology: planned, ..Network::default() }, false);
    }
}
