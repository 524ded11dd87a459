//! Puts the descriptions of all switches together.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use model::topology::{Link, Node, NodeKind};
use model::{PortRef, Rate, Time, Topology};

use super::{Cable, Described, End, Imported, PortName, Supplement, is_host, natural};

/// Propagation delay of a metre of cable: 5 ns, light in glass or copper at two thirds of its speed.
pub const PS_PER_METRE: u64 = 5_000;

/// Returns the topology, as far as the descriptions give it, and all problems.
pub fn merge(described: &[Described], supplement: &Supplement) -> Imported {
    let mut merge = Merge::default();
    merge.collect_devices(described);
    merge.collect_cables(described);
    merge.check_both_ends();
    let numbers = merge.numbers();
    let nodes = merge.nodes(supplement);
    let links = merge.links(&numbers, supplement);
    let topology = Topology { nodes, links };
    merge.problems.extend(topology.problems());
    let port_names = numbers
        .iter()
        .filter_map(|(end, number)| Some((PortRef::new(merge.name(&end.device)?, *number), end.port.clone())))
        .collect();
    Imported { topology, port_names, problems: merge.problems }
}

/// A device. Names differ only in letters' case between files, so devices are known by lower-case names.
#[derive(Default)]
struct Known {
    name: String,
    kind: Option<String>,
    addresses: BTreeSet<IpAddr>,
    place: String,
    /// Whether one of the files is its configuration.
    is_configured: bool,
    ports: Option<Vec<PortName>>,
}

/// Cables by their ends, in order; each with the descriptions of it.
type Cables = BTreeMap<(End, End), Vec<Cable>>;

#[derive(Default)]
struct Merge {
    devices: BTreeMap<String, Known>,
    cables: Cables,
    problems: Vec<String>,
}

impl Merge {
    fn collect_devices(&mut self, described: &[Described]) {
        let mut configured: BTreeMap<String, &str> = BTreeMap::new();
        for file in described.iter().filter(|file| !file.switch.is_empty()) {
            let key = file.switch.to_ascii_lowercase();
            let known = self.devices.entry(key.clone()).or_default();
            (known.name, known.is_configured) = (file.switch.clone(), true);
            known.place.clone_from(&file.file);
            match (&known.ports, &file.ports) {
                (Some(_), Some(_)) => self.problems.push(format!(
                    "{}: this is a second configuration of `{}`; the first is {}",
                    file.file,
                    file.switch,
                    configured.get(&key).unwrap_or(&"another file")
                )),
                (None, Some(ports)) => known.ports = Some(ports.clone()),
                _ => {}
            }
            configured.entry(key).or_insert(&file.file);
        }
        for device in described.iter().flat_map(|file| &file.devices) {
            let known = self.devices.entry(device.name.to_ascii_lowercase()).or_default();
            if known.name.is_empty() {
                (known.name, known.place) = (device.name.clone(), device.place.clone());
            }
            if let (Some(first), Some(kind)) = (&known.kind, &device.kind)
                && is_host(first) != is_host(kind)
            {
                let name = &device.name;
                self.problems
                    .push(format!("{}: `{name}` is a {kind} here and a {first} elsewhere", device.place));
            }
            known.kind = known.kind.take().or_else(|| device.kind.clone());
            known.addresses.extend(&device.addresses);
        }
    }

    fn collect_cables(&mut self, described: &[Described]) {
        for cable in described.iter().flat_map(|file| &file.cables) {
            for device in [&cable.near.device, &cable.far.device] {
                let known = self.devices.entry(device.to_ascii_lowercase()).or_default();
                if known.name.is_empty() {
                    (known.name, known.place) = (device.clone(), cable.place.clone());
                }
            }
            let (near, far) = match (self.end(&cable.near), self.end(&cable.far)) {
                (Ok(near), Ok(far)) => (near, far),
                (near, far) => {
                    let why = [near.err(), far.err()].into_iter().flatten();
                    self.problems.extend(why.map(|why| format!("{}: {why}", cable.place)));
                    continue;
                }
            };
            let ends = if near <= far { (near.clone(), far.clone()) } else { (far.clone(), near.clone()) };
            self.cables.entry(ends).or_default().push(Cable { near, far, ..cable.clone() });
        }
    }

    /// Returns an end with the device's key and the name of its port.
    fn end(&self, end: &End) -> Result<End, String> {
        let device = end.device.to_ascii_lowercase();
        let known = self.devices.get(&device);
        let Some(ports) = known.and_then(|known| known.ports.as_ref()) else {
            return Ok(End { device, port: end.port.clone() });
        };
        let is_it = |port: &&PortName| port.name == end.port || port.alias.as_ref() == Some(&end.port);
        match ports.iter().find(is_it) {
            Some(port) => Ok(End { device, port: port.name.clone() }),
            None => Err(format!("`{}` has no port `{}`", end.device, end.port)),
        }
    }

    /// Reports ports with two cables, and cables that only one of two configured switches knows.
    fn check_both_ends(&mut self) {
        let mut used: BTreeMap<&End, (&End, &str)> = BTreeMap::new();
        for ((a, b), descriptions) in &self.cables {
            let place = descriptions.first().map_or("", |cable| cable.place.as_str());
            for (own, far) in [(a, b), (b, a)] {
                if let Some((other, first)) = used.insert(own, (far, place)) {
                    self.problems.push(format!(
                        "{place}: {} is connected to {}, but {first} connects it to {}",
                        self.show(own),
                        self.show(far),
                        self.show(other)
                    ));
                }
                let is_configured = self.devices.get(&own.device).is_some_and(|known| known.is_configured);
                if is_configured && descriptions.iter().all(|cable| cable.near != *own) {
                    self.problems.push(format!(
                        "{place}: {} is connected to {}, but the configuration of `{}` does not have this cable",
                        self.show(far),
                        self.show(own),
                        self.name(&own.device).unwrap_or_default()
                    ));
                }
            }
        }
    }

    fn name(&self, device: &str) -> Option<&str> {
        self.devices.get(device).map(|known| known.name.as_str())
    }

    fn show(&self, end: &End) -> String {
        format!("{} {}", self.name(&end.device).unwrap_or(&end.device), end.port)
    }

    /// Returns the number of each port: its position among all ports of its device or, where these are unknown, among
    /// those with a cable.
    fn numbers(&self) -> BTreeMap<End, u16> {
        let mut names: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for end in self.cables.keys().flat_map(|(a, b)| [a, b]) {
            names.entry(&end.device).or_default().push(&end.port);
        }
        let mut numbers = BTreeMap::new();
        for (device, mut used) in names {
            match self.devices.get(device).and_then(|known| known.ports.as_ref()) {
                Some(ports) => used = ports.iter().map(|port| port.name.as_str()).collect(),
                None => {
                    used.sort_by(|a, b| natural::compare(a, b));
                    used.dedup();
                }
            }
            for (number, port) in (1..=u16::MAX).zip(used) {
                numbers.insert(End { device: device.to_owned(), port: port.to_owned() }, number);
            }
        }
        numbers
    }

    /// Returns the configured switches and all devices with a cable.
    fn nodes(&mut self, supplement: &Supplement) -> Vec<Node> {
        let cabled: BTreeSet<&str> =
            self.cables.keys().flat_map(|(a, b)| [a.device.as_str(), b.device.as_str()]).collect();
        let mut nodes = Vec::new();
        for (key, known) in &self.devices {
            if !known.is_configured && !cabled.contains(key.as_str()) {
                continue;
            }
            let given = supplement.addresses.get(&known.name).cloned();
            if known.kind.is_none() && !known.is_configured && given.is_none() {
                self.problems.push(format!(
                    "{}: the type of `{}` is unknown; expected an entry in DEVICE_NEIGHBOR_METADATA or in Devices, or, \
                     for a host, --host {}=ADDRESS",
                    known.place, known.name, known.name
                ));
            }
            // What has an address on the command line is a host, whatever the configurations say.
            let is_host =
                !known.is_configured && (given.is_some() || known.kind.as_deref().is_some_and(is_host));
            let addresses = given.unwrap_or_else(|| known.addresses.iter().copied().collect());
            if is_host && addresses.is_empty() {
                self.problems.push(format!(
                    "{}: the address of host `{}` is unknown; add --host {}=ADDRESS",
                    known.place, known.name, known.name
                ));
            }
            let kind = if is_host { NodeKind::Host } else { NodeKind::Switch };
            nodes.push(Node { name: known.name.clone(), kind, addresses });
        }
        nodes.sort_by(|a, b| natural::compare(&a.name, &b.name));
        let unknown = supplement.addresses.keys().filter(|name| nodes.iter().all(|node| node.name != **name));
        self.problems.extend(unknown.map(|name| format!("--host: there is no host `{name}`")));
        nodes
    }

    fn links(&mut self, numbers: &BTreeMap<End, u16>, supplement: &Supplement) -> Vec<Link> {
        let mut links = Vec::new();
        for ((a, b), descriptions) in &self.cables {
            let speeds: BTreeSet<u64> =
                descriptions.iter().filter_map(|cable| cable.speed_mbps).filter(|speed| *speed > 0).collect();
            let place = descriptions.first().map_or("", |cable| cable.place.as_str());
            let cable = format!("{} - {}", self.show(a), self.show(b));
            let speed_mbps = match speeds.iter().collect::<Vec<_>>().as_slice() {
                [] => {
                    self.problems.push(format!("{place}: the speed of the cable {cable} is unknown"));
                    continue;
                }
                [speed] => **speed,
                [slowest, .., fastest] => {
                    self.problems.push(format!(
                        "{place}: the ends of the cable {cable} have different speeds: {slowest} and {fastest} Mb/s"
                    ));
                    **slowest
                }
            };
            let length_m = descriptions.iter().filter_map(|cable| cable.length_m).max();
            let port = |end: &End| Some(PortRef::new(self.name(&end.device)?, *numbers.get(end)?));
            let (Some(port_a), Some(port_b)) = (port(a), port(b)) else { continue };
            links.push(Link {
                a: port_a,
                b: port_b,
                rate: Rate(speed_mbps.saturating_mul(1_000_000)),
                delay: Time(length_m.unwrap_or(supplement.cable_m).saturating_mul(PS_PER_METRE)),
            });
        }
        links
    }
}
