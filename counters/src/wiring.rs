//! Which port is connected to what: from the topology, and where it has no cable, from LLDP and DEVICE_NEIGHBOR.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use model::topology::NodeKind;
use model::{PortRef, Topology};

use crate::reading::{LocalNeighbour, PortReading, Reading};
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
    /// The switch's place in the order of names.
    switch_number: usize,
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
    /// Hops between switches, by their numbers: from each switch that has hosts, to each switch. Computed when the first
    /// pause is followed; `None` if the network is too large, or not all of it is known.
    distances: OnceCell<Option<Vec<Vec<Option<u32>>>>>,
}

impl Wiring {
    /// Connects the ports of all readings. Says in `problems` what it cannot connect.
    pub(crate) fn new(readings: &[&Reading], topology: &Topology, problems: &mut Vec<String>) -> Wiring {
        let mut wiring = Wiring::default();
        let mut latest: BTreeMap<&str, &Reading> = BTreeMap::new();
        for reading in readings {
            let known = latest.entry(&reading.switch).or_insert(reading);
            if known.time_ns < reading.time_ns {
                *known = reading;
            }
        }
        let mut read = Vec::new();
        for (number, reading) in latest.values().enumerate() {
            wiring.add_ports(number, reading, &mut read);
        }
        let short_names = latest.keys().map(|name| (short(name), *name)).collect();
        let ends = topology.links.iter().flat_map(|link| [(&link.a, &link.b), (&link.b, &link.a)]).collect();
        let named = |switch: &str| ports_by_name(wiring.ports_of(switch), &read);
        let ports_by_name = latest.keys().map(|switch| (*switch, named(switch))).collect();
        let seen = latest.iter().map(|(switch, reading)| (*switch, neighbours_by_port(reading))).collect();
        let finder = Finder {
            wiring: &wiring,
            latest: &latest,
            read: &read,
            ports_by_name,
            seen,
            short_names,
            ends,
            topology,
        };
        let neighbours: Vec<Neighbour> = (0..wiring.ports.len()).map(|port| finder.neighbour(port)).collect();
        for (port, neighbour) in wiring.ports.iter_mut().zip(neighbours) {
            port.neighbour = neighbour;
        }
        wiring.make_mutual();
        wiring.doubt_contradictions(problems);
        wiring.report(problems);
        wiring
    }

    /// Adds the ports of a switch, and what was read of each of them to `read`.
    fn add_ports<'r>(
        &mut self,
        switch_number: usize,
        reading: &'r Reading,
        read: &mut Vec<(&'r str, &'r PortReading)>,
    ) {
        if reading.ports.is_empty() {
            return;
        }
        let mut ports: Vec<(&String, &PortReading)> = reading.ports.iter().collect();
        // Numbers follow the natural order of names, and are quicker to compare.
        ports.sort_by(|(a, of_a), (b, of_b)| {
            let number = |port: &PortReading| port.number.unwrap_or(u16::MAX);
            number(of_a).cmp(&number(of_b)).then_with(|| compare_names(a, b))
        });
        // Ports without a number, as internal ones, get numbers that no other port has.
        let highest = reading.ports.values().filter_map(|port| port.number).max().unwrap_or(0);
        let mut free = highest.saturating_add(1)..=u16::MAX;
        let own = self.by_switch.entry(reading.switch.clone()).or_default();
        for (name, port) in ports {
            let Some(number) = port.number.or_else(|| free.next()) else { continue };
            own.push(self.ports.len());
            self.ports.push(PortInfo {
                switch: reading.switch.clone(),
                switch_number,
                name: name.clone(),
                at: PortRef::new(&reading.switch, number),
                neighbour: Neighbour::Unknown { others_are_known: false },
            });
            read.push((name, port));
        }
    }

    /// The ports of a switch.
    pub(crate) fn ports_of(&self, switch: &str) -> &[PortId] {
        self.by_switch.get(switch).map_or(&[], Vec::as_slice)
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
        let (Some(from), Some(distances)) = (from, self.distances()) else { return true };
        let Some(next) = self.peer(to) else { return true };
        let switch = |port: PortId| self.ports[port].switch_number;
        let (first, middle, last) = (switch(from), switch(to), switch(next));
        distances.iter().any(|hops| {
            let (Some(first), Some(middle), Some(last)) = (hops[first], hops[middle], hops[last]) else {
                return false;
            };
            first == middle + 1 && middle == last + 1
        })
    }

    fn distances(&self) -> Option<&Vec<Vec<Option<u32>>>> {
        self.distances.get_or_init(|| self.measure()).as_ref()
    }

    /// Whether the ways of packets are known.
    pub(crate) fn knows_ways(&self) -> bool {
        self.distances().is_some()
    }

    /// A cable that one end knows is known at the other end.
    fn make_mutual(&mut self) {
        for port in 0..self.ports.len() {
            // An end that names another host or switch contradicts it; other systems may be this switch by another name.
            let is_free = |port: PortId, peer: PortId| match &self.ports[peer].neighbour {
                Neighbour::Port(_) | Neighbour::Host(_) => false,
                Neighbour::Switch(switch) => *switch == self.ports[port].switch,
                Neighbour::Unread(_) | Neighbour::System(_) | Neighbour::Unknown { .. } => true,
            };
            if let Neighbour::Port(peer) = self.ports[port].neighbour
                && is_free(port, peer)
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

    /// Keeps of a cable whose other end has another neighbour only the switch, and says so in `problems`: pauses that were
    /// followed along it would lead to the wrong port.
    fn doubt_contradictions(&mut self, problems: &mut Vec<String>) {
        let is_contradicted = |id: &PortId| {
            self.peer(*id).is_some_and(|peer| self.ports[peer].neighbour != Neighbour::Port(*id))
        };
        let contradicted: Vec<PortId> = (0..self.ports.len()).filter(is_contradicted).collect();
        for id in contradicted {
            let port = &self.ports[id];
            let Neighbour::Port(peer) = port.neighbour else { continue };
            let peer = &self.ports[peer];
            problems.push(format!(
                "the neighbour of {} {} is {} {}, which has another neighbour: pauses are not followed along this \
                 cable; compare the cables with the topology",
                port.switch, port.name, peer.switch, peer.name
            ));
            self.ports[id].neighbour = Neighbour::Switch(peer.switch.clone());
        }
    }

    fn report(&self, problems: &mut Vec<String>) {
        let of_unread = |port: &PortInfo| match &port.neighbour {
            Neighbour::Unread(system) => Some(system.clone()),
            _ => None,
        };
        let unread: BTreeSet<String> = self.ports.iter().filter_map(of_unread).collect();
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
    fn measure(&self) -> Option<Vec<Vec<Option<u32>>>> {
        let is_whole =
            |port: &PortInfo| !matches!(port.neighbour, Neighbour::Unread(_) | Neighbour::Switch(_));
        let switches = self.ports.iter().map(|port| port.switch_number + 1).max().unwrap_or(0);
        if !self.ports.iter().all(is_whole) || switches.pow(2) > MOST_DISTANCES {
            return None;
        }
        let mut neighbours: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); switches];
        let mut ends = BTreeSet::new();
        for (id, port) in self.ports.iter().enumerate() {
            match self.peer(id) {
                Some(peer) => drop(neighbours[port.switch_number].insert(self.ports[peer].switch_number)),
                None => drop(ends.insert(port.switch_number)),
            }
        }
        Some(ends.into_iter().map(|end| hops_from(end, &neighbours)).collect())
    }
}

fn hops_from(start: usize, neighbours: &[BTreeSet<usize>]) -> Vec<Option<u32>> {
    let mut hops = vec![None; neighbours.len()];
    hops[start] = Some(0);
    let mut queue = VecDeque::from([(start, 0)]);
    while let Some((switch, distance)) = queue.pop_front() {
        for next in &neighbours[switch] {
            if hops[*next].is_none() {
                hops[*next] = Some(distance + 1);
                queue.push_back((*next, distance + 1));
            }
        }
    }
    hops
}

/// Finds the neighbours of ports.
struct Finder<'w> {
    wiring: &'w Wiring,
    latest: &'w BTreeMap<&'w str, &'w Reading>,
    /// What was read of each port, with its name.
    read: &'w [(&'w str, &'w PortReading)],
    /// The ports of a switch by their names and aliases.
    ports_by_name: BTreeMap<&'w str, BTreeMap<&'w str, PortId>>,
    /// What a switch sees at its ports, by the names or aliases that it uses for them.
    seen: BTreeMap<&'w str, BTreeMap<&'w str, &'w LocalNeighbour>>,
    /// Names without case and domain.
    short_names: BTreeMap<String, &'w str>,
    /// The other end of each planned cable.
    ends: BTreeMap<&'w PortRef, &'w PortRef>,
    topology: &'w Topology,
}

/// The ports of a switch by their names, and by those aliases that are no other port's name.
fn ports_by_name<'r>(ports: &[PortId], read: &[(&'r str, &'r PortReading)]) -> BTreeMap<&'r str, PortId> {
    let mut found: BTreeMap<&str, PortId> = ports.iter().map(|id| (read[*id].0, *id)).collect();
    for id in ports {
        if let Some(alias) = read[*id].1.alias.as_deref() {
            found.entry(alias).or_insert(*id);
        }
    }
    found
}

/// The first neighbour at each port.
fn neighbours_by_port(reading: &Reading) -> BTreeMap<&str, &LocalNeighbour> {
    let mut found = BTreeMap::new();
    for neighbour in &reading.neighbours {
        found.entry(neighbour.port.as_str()).or_insert(neighbour);
    }
    found
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
        let Some(seen) = self.seen.get(info.switch.as_str()) else {
            return Neighbour::Unknown { others_are_known: false };
        };
        let alias = || seen.get(self.read[port].1.alias.as_deref()?);
        match seen.get(info.name.as_str()).or_else(alias) {
            Some(found) => self.found(info, found),
            None => Neighbour::Unknown { others_are_known: false },
        }
    }

    /// The port of a switch with this name or alias.
    fn port_of(&self, switch: &str, name: &str) -> Option<PortId> {
        self.ports_by_name.get(switch)?.get(name).copied()
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
        let by_name = texts.into_iter().flatten().find_map(|text| self.port_of(switch, text));
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
        self.port_of(switch, &only.port)
    }

    /// The switch with readings that a system name refers to: names are compared without case and domain.
    fn switch_named(&self, system: &str) -> Option<&str> {
        let known = self.latest.get_key_value(system).map(|(name, _)| *name);
        known.or_else(|| self.short_names.get(&short(system)).copied())
    }
}
