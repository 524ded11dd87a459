//! Which port is connected to what: from the topology, and where it has no cable, from LLDP and DEVICE_NEIGHBOR.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use model::topology::NodeKind;
use model::{PortRef, Topology};

use crate::reading::{LocalNeighbour, Reading};
use crate::sonic::compare_names;
use crate::thresholds::MOST_DISTANCES;

/// Number of a port in [`Wiring::ports`].
pub(crate) type PortId = usize;

/// What is at the other end of a port's cable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Neighbour {
    /// A port of a switch with readings.
    Port(PortId),
    /// A switch with readings; its port is unknown.
    Switch(String),
    /// A host.
    Host(String),
    /// A switch without readings.
    Unread(String),
    /// A system that is a host or a switch.
    System(String),
    /// Unknown. SONiC's switches send LLDP: if its other ports have neighbours, this one is likely a host.
    Unknown {
        /// Whether the switch has a neighbour at another port.
        others_are_known: bool,
    },
}

/// A port of a switch with readings.
#[derive(Clone, Debug)]
pub(crate) struct PortInfo {
    pub(crate) switch: String,
    /// SONiC's name, `Ethernet0`.
    pub(crate) name: String,
    pub(crate) at: PortRef,
    pub(crate) neighbour: Neighbour,
}

/// All ports and their cables.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wiring {
    pub(crate) ports: Vec<PortInfo>,
    by_switch: BTreeMap<String, Vec<PortId>>,
    /// Hops between switches: from each switch that has hosts, to each switch. `None` if the network is too large, or
    /// not all of it is known.
    distances: Option<BTreeMap<String, BTreeMap<String, u32>>>,
}

impl Wiring {
    /// Connects the ports of all readings. Says in `problems` what it cannot connect.
    pub(crate) fn new(readings: &[Reading], topology: &Topology, problems: &mut Vec<String>) -> Wiring {
        let mut wiring = Wiring::default();
        let mut latest: BTreeMap<&str, &Reading> = BTreeMap::new();
        for reading in readings {
            let known = latest.entry(&reading.switch).or_insert(reading);
            if known.time_ns < reading.time_ns {
                *known = reading;
            }
        }
        for reading in latest.values() {
            wiring.add_ports(reading);
        }
        let aliases: BTreeMap<(&str, &str), PortId> = wiring
            .ports
            .iter()
            .enumerate()
            .filter_map(|(id, port)| {
                let alias = latest.get(port.switch.as_str())?.ports.get(&port.name)?.alias.as_deref()?;
                Some(((*latest.get_key_value(port.switch.as_str())?.0, alias), id))
            })
            .collect();
        let short_names = latest.keys().map(|name| (short(name), *name)).collect();
        let ends = topology.links.iter().flat_map(|link| [(&link.a, &link.b), (&link.b, &link.a)]).collect();
        let finder =
            Finder { wiring: &wiring, latest: &latest, aliases: &aliases, short_names, ends, topology };
        let neighbours: Vec<Neighbour> = (0..wiring.ports.len()).map(|port| finder.neighbour(port)).collect();
        for (port, neighbour) in wiring.ports.iter_mut().zip(neighbours) {
            port.neighbour = neighbour;
        }
        wiring.make_mutual();
        wiring.report(problems);
        wiring.distances = wiring.measure();
        wiring
    }

    fn add_ports(&mut self, reading: &Reading) {
        let mut names: Vec<&String> = reading.ports.keys().collect();
        names.sort_by(|a, b| compare_names(a, b));
        for (name, position) in names.into_iter().zip(1..=u16::MAX) {
            let number = reading.ports[name].number.unwrap_or(position);
            self.by_switch.entry(reading.switch.clone()).or_default().push(self.ports.len());
            self.ports.push(PortInfo {
                switch: reading.switch.clone(),
                name: name.clone(),
                at: PortRef::new(&reading.switch, number),
                neighbour: Neighbour::Unknown { others_are_known: false },
            });
        }
    }

    /// The ports of a switch.
    pub(crate) fn ports_of(&self, switch: &str) -> &[PortId] {
        self.by_switch.get(switch).map_or(&[], Vec::as_slice)
    }

    /// The port of a switch with SONiC's name.
    pub(crate) fn named(&self, switch: &str, name: &str) -> Option<PortId> {
        self.ports_of(switch).iter().copied().find(|port| self.ports[*port].name == name)
    }

    /// The port at the other end, if it has readings.
    pub(crate) fn peer(&self, port: PortId) -> Option<PortId> {
        match self.ports[port].neighbour {
            Neighbour::Port(peer) => Some(peer),
            _ => None,
        }
    }

    /// Whether the neighbour is a host, or is not known to be a switch.
    pub(crate) fn is_at_edge(&self, port: PortId) -> bool {
        !matches!(
            self.ports[port].neighbour,
            Neighbour::Port(_) | Neighbour::Switch(_) | Neighbour::Unread(_)
        )
    }

    /// Whether packets that left a switch by `from`, or came from the host there, can leave the next switch by `to` on
    /// a shortest path to a host. True if the ways are unknown.
    pub(crate) fn is_way(&self, from: Option<PortId>, to: PortId) -> bool {
        let (Some(from), Some(distances)) = (from, &self.distances) else { return true };
        let Some(next) = self.peer(to) else { return true };
        let (first, middle, last) =
            (&self.ports[from].switch, &self.ports[to].switch, &self.ports[next].switch);
        distances.values().any(|hops| {
            let hops_of = |switch: &String| hops.get(switch).copied();
            let (Some(first), Some(middle), Some(last)) = (hops_of(first), hops_of(middle), hops_of(last))
            else {
                return false;
            };
            first == middle + 1 && middle == last + 1
        })
    }

    /// Whether the ways of packets are known.
    pub(crate) fn knows_ways(&self) -> bool {
        self.distances.is_some()
    }

    /// A cable that one end knows is known at the other end.
    fn make_mutual(&mut self) {
        for port in 0..self.ports.len() {
            if let Neighbour::Port(peer) = self.ports[port].neighbour
                && !matches!(self.ports[peer].neighbour, Neighbour::Port(_))
            {
                self.ports[peer].neighbour = Neighbour::Port(port);
            }
        }
        for ports in self.by_switch.values() {
            let is_unknown = |port: &PortInfo| matches!(port.neighbour, Neighbour::Unknown { .. });
            let others_are_known = ports.iter().any(|port| !is_unknown(&self.ports[*port]));
            for port in ports {
                if is_unknown(&self.ports[*port]) {
                    self.ports[*port].neighbour = Neighbour::Unknown { others_are_known };
                }
            }
        }
    }

    fn report(&self, problems: &mut Vec<String>) {
        let mut unread: BTreeSet<&str> = BTreeSet::new();
        for (id, port) in self.ports.iter().enumerate() {
            match &port.neighbour {
                Neighbour::Unread(system) => drop(unread.insert(system)),
                Neighbour::Port(peer) if self.ports[*peer].neighbour != Neighbour::Port(id) => {
                    let peer = &self.ports[*peer];
                    problems.push(format!(
                        "the neighbour of {} {} is {} {}, which has another neighbour: compare the cables with the \
                         topology",
                        port.switch, port.name, peer.switch, peer.name
                    ));
                }
                _ => {}
            }
        }
        if !unread.is_empty() {
            let names = unread.into_iter().collect::<Vec<_>>().join(", ");
            problems.push(format!("no counters of {names}: pauses from there cannot be followed further"));
        }
        let blind = self.by_switch.iter().filter(|(_, ports)| {
            let unknown = Neighbour::Unknown { others_are_known: false };
            ports.iter().all(|port| self.ports[*port].neighbour == unknown)
        });
        let blind: Vec<&str> = blind.map(|(switch, _)| switch.as_str()).collect();
        if !blind.is_empty() {
            problems.push(format!(
                "{}: no neighbours are known, so pauses are not followed to other switches; add `show lldp table`, a \
                 dump of APPL_DB or CONFIG_DB, or a topology",
                blind.join(", ")
            ));
        }
    }

    /// Hops from every switch that has a neighbour at its edge, by breadth-first search.
    fn measure(&self) -> Option<BTreeMap<String, BTreeMap<String, u32>>> {
        let is_whole =
            |port: &PortInfo| !matches!(port.neighbour, Neighbour::Unread(_) | Neighbour::Switch(_));
        if !self.ports.iter().all(is_whole) || self.by_switch.len().pow(2) > MOST_DISTANCES {
            return None;
        }
        let mut neighbours: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (id, port) in self.ports.iter().enumerate() {
            if let Some(peer) = self.peer(id) {
                neighbours.entry(&port.switch).or_default().insert(&self.ports[peer].switch);
            }
        }
        let has_host = |ports: &Vec<PortId>| ports.iter().any(|port| self.is_at_edge(*port));
        let ends =
            self.by_switch.iter().filter(|(_, ports)| has_host(ports)).map(|(switch, _)| switch.as_str());
        Some(ends.map(|end| (end.to_string(), hops_from(end, &neighbours))).collect())
    }
}

fn hops_from(start: &str, neighbours: &BTreeMap<&str, BTreeSet<&str>>) -> BTreeMap<String, u32> {
    let mut hops: BTreeMap<String, u32> = BTreeMap::from([(start.to_string(), 0)]);
    let mut queue = VecDeque::from([start]);
    while let Some(switch) = queue.pop_front() {
        let distance = hops[switch];
        for next in neighbours.get(switch).into_iter().flatten() {
            if !hops.contains_key(*next) {
                hops.insert(next.to_string(), distance + 1);
                queue.push_back(next);
            }
        }
    }
    hops
}

/// Finds the neighbours of ports.
struct Finder<'w> {
    wiring: &'w Wiring,
    latest: &'w BTreeMap<&'w str, &'w Reading>,
    aliases: &'w BTreeMap<(&'w str, &'w str), PortId>,
    /// Names without case and domain.
    short_names: BTreeMap<String, &'w str>,
    /// The other end of each planned cable.
    ends: BTreeMap<&'w PortRef, &'w PortRef>,
    topology: &'w Topology,
}

/// A system's name without case and domain.
fn short(name: &str) -> String {
    name.split('.').next().unwrap_or(name).to_ascii_lowercase()
}

impl Finder<'_> {
    fn neighbour(&self, port: PortId) -> Neighbour {
        let info = &self.wiring.ports[port];
        if let Some(peer) = self.ends.get(&info.at) {
            return self.planned(peer);
        }
        let Some(reading) = self.latest.get(info.switch.as_str()) else {
            return Neighbour::Unknown { others_are_known: false };
        };
        let alias = reading.ports.get(&info.name).and_then(|port| port.alias.as_deref());
        let is_here = |found: &&LocalNeighbour| found.port == info.name || Some(found.port.as_str()) == alias;
        match reading.neighbours.iter().find(is_here) {
            Some(found) => self.found(info, found),
            None => Neighbour::Unknown { others_are_known: false },
        }
    }

    fn planned(&self, peer: &PortRef) -> Neighbour {
        let at = self.wiring.ports_of(&peer.switch).iter().find(|port| self.wiring.ports[**port].at == *peer);
        match at {
            Some(port) => Neighbour::Port(*port),
            None if self.topology.is_host(&peer.switch) => Neighbour::Host(peer.switch.clone()),
            None if self.latest.contains_key(peer.switch.as_str()) => Neighbour::Switch(peer.switch.clone()),
            None => Neighbour::Unread(peer.switch.clone()),
        }
    }

    fn found(&self, info: &PortInfo, found: &LocalNeighbour) -> Neighbour {
        let Some(switch) = self.switch_named(&found.system) else {
            let node = self.topology.node(&found.system).map(|node| node.kind);
            let system = found.system.clone();
            return match (node, found.is_host) {
                (Some(NodeKind::Host), _) | (None, Some(true)) => Neighbour::Host(system),
                (Some(NodeKind::Switch), _) | (None, Some(false)) => Neighbour::Unread(system),
                (None, None) => Neighbour::System(system),
            };
        };
        let texts = [found.remote_port.as_deref(), found.remote_description.as_deref()];
        let by_name = texts.into_iter().flatten().find_map(|text| {
            self.wiring.named(switch, text).or_else(|| self.aliases.get(&(switch, text)).copied())
        });
        // A neighbour that announces a MAC address is found by what it sees itself, if that is unambiguous.
        by_name
            .or_else(|| self.seen_from(switch, info))
            .map_or_else(|| Neighbour::Switch(switch.to_string()), Neighbour::Port)
    }

    /// The only port of `switch` that has `info`'s switch as its neighbour.
    fn seen_from(&self, switch: &str, info: &PortInfo) -> Option<PortId> {
        let neighbours = &self.latest.get(switch)?.neighbours;
        let mut back =
            neighbours.iter().filter(|found| self.switch_named(&found.system) == Some(info.switch.as_str()));
        let only = back.next()?;
        if back.next().is_some() {
            return None;
        }
        self.wiring
            .named(switch, &only.port)
            .or_else(|| self.aliases.get(&(switch, only.port.as_str())).copied())
    }

    /// The switch with readings that a system name refers to: names are compared without case and domain.
    fn switch_named(&self, system: &str) -> Option<&str> {
        let known = self.latest.get_key_value(system).map(|(name, _)| *name);
        known.or_else(|| self.short_names.get(&short(system)).copied())
    }
}
