//! The topology of a network without a plan, while the network changes.
//!
//! What was seen once stays: a link that fails is still a link, and the verdict about it names its ports. It is replaced
//! when one of its switch ports has another neighbour, or when its host appears at another port. Nodes keep their order,
//! because the numbers of hosts in event ids follow from it; new ones come last.

use std::collections::BTreeSet;

use model::topology::{Link, NodeKind};
use model::{PortRef, Rate, Time, Topology};

use super::learn::{HostPort, Sighting, learn};

/// Maximum links that are learned; further ones are ignored and are a problem.
pub const MAX_LINKS: usize = 65_536;

/// The topology so far.
#[derive(Clone, Debug, Default)]
pub struct Learned {
    topology: Topology,
    problems: Vec<String>,
}

impl Learned {
    /// Continues with the topology of an earlier start.
    pub fn continued(topology: Topology) -> Learned {
        Learned { topology, problems: Vec::new() }
    }

    /// Adds everything that is seen now; returns whether the topology has changed. Hosts without an address and links without
    /// a rate are left out until they have one, and are problems.
    pub fn observe(
        &mut self,
        seen: &[Sighting],
        interfaces: &[HostPort],
        rate: Option<Rate>,
        delay: Time,
    ) -> bool {
        let (now, problems) = learn(seen, interfaces, rate, delay);
        self.problems = problems;
        let before = self.topology.clone();
        let is_usable = |name: &str| {
            now.node(name).is_some_and(|n| n.kind == NodeKind::Switch || !n.addresses.is_empty())
        };
        for node in now.nodes.iter().filter(|node| is_usable(&node.name)) {
            // An address belongs to the host that was seen with it last.
            for other in self.topology.nodes.iter_mut().filter(|other| other.name != node.name) {
                other.addresses.retain(|address| !node.addresses.contains(address));
            }
            match self.topology.nodes.iter_mut().find(|known| known.name == node.name) {
                Some(known) => known.clone_from(node),
                None => self.topology.nodes.push(node.clone()),
            }
        }
        let links = now.links.iter().filter(|link| is_usable(&link.a.switch) && is_usable(&link.b.switch));
        let seen_ports: BTreeSet<&PortRef> = links.clone().map(|link| &link.a).collect();
        for link in links {
            self.add(link, &seen_ports);
        }
        self.remove_hosts_without_address();
        self.topology != before
    }

    /// Adds a link. Its end `a` is at a switch; the end `b` at a host gets the lowest port number that is free there.
    fn add(&mut self, link: &Link, seen: &BTreeSet<&PortRef>) {
        let is_host = self.topology.is_host(&link.b.switch);
        let is_same = |known: &Link| match is_host {
            true => known.a == link.a && known.b.switch == link.b.switch,
            false => (&known.a, &known.b) == (&link.a, &link.b),
        };
        if let Some(known) = self.topology.links.iter_mut().find(|known| is_same(known)) {
            known.rate = link.rate;
            return;
        }
        let ends = if is_host { vec![&link.a] } else { vec![&link.a, &link.b] };
        self.topology.links.retain(|known| {
            let is_replaced = ends.iter().any(|end| **end == known.a || **end == known.b);
            let has_moved = is_host && known.b.switch == link.b.switch && !seen.contains(&known.a);
            !is_replaced && !has_moved
        });
        if self.topology.links.len() >= MAX_LINKS {
            self.problems
                .push(format!("the link {} - {} is one too many: {MAX_LINKS} are known", link.a, link.b));
            return;
        }
        let mut link = link.clone();
        if is_host {
            let used: BTreeSet<u16> =
                self.topology.ports_of(&link.b.switch).into_iter().map(|(port, _)| port).collect();
            link.b.port = (1..=u16::MAX).find(|port| !used.contains(port)).unwrap_or(u16::MAX);
        }
        self.topology.links.push(link);
    }

    fn remove_hosts_without_address(&mut self) {
        let topology = &mut self.topology;
        let is_empty =
            |node: &model::topology::Node| node.kind == NodeKind::Host && node.addresses.is_empty();
        let gone: BTreeSet<String> =
            topology.nodes.iter().filter(|node| is_empty(node)).map(|node| node.name.clone()).collect();
        topology.nodes.retain(|node| !gone.contains(&node.name));
        topology.links.retain(|link| !gone.contains(&link.a.switch) && !gone.contains(&link.b.switch));
    }

    /// Returns the topology.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// What is missing or contradictory in what was seen last.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Option<Rate> = Some(Rate(1_000_000_000));

    fn sightings(seen: &[(&str, &str)]) -> Vec<Sighting> {
        let sighting = |(port, announced): &(&str, &str)| Sighting {
            port: port.parse().unwrap(),
            announced: (*announced).into(),
            rate: None,
        };
        seen.iter().map(sighting).collect()
    }

    fn interface(host: &str, mac: &str, address: &str) -> HostPort {
        let addresses = vec![address.parse().unwrap()];
        HostPort { host: host.into(), mac: mac.into(), addresses, rate: None }
    }

    /// Observes these sightings; returns whether something changed, and the links.
    fn observe(learned: &mut Learned, seen: &[(&str, &str)], hosts: &[HostPort]) -> (bool, Vec<String>) {
        let changed = learned.observe(&sightings(seen), hosts, RATE, Time::ZERO);
        let links = learned.topology().links.iter().map(|link| format!("{} {}", link.a, link.b));
        assert_eq!(learned.topology().problems(), Vec::<String>::new());
        (changed, links.collect())
    }

    #[test]
    fn what_was_seen_stays_until_it_is_replaced() {
        let mut learned = Learned::default();
        let hosts = [interface("h1", "02:00:00:00:00:01", "10.0.0.1")];
        let h1 = ("s1:1", "h1:02:00:00:00:00:01");
        let all = [h1, ("s1:2", "s2:2"), ("s2:2", "s1:2")];
        let links = vec!["s1:1 h1:1".to_string(), "s1:2 s2:2".to_string()];
        assert_eq!(observe(&mut learned, &all, &hosts), (true, links.clone()));
        // The trunk fails, then the host is silent.
        assert_eq!(observe(&mut learned, &[h1, ("s2:3", "?")], &hosts).1, links);
        assert_eq!(observe(&mut learned, &[], &[]), (false, links.clone()));
        // The trunk is at another port of s2; the host at another port of s1.
        let moved = [("s1:5", h1.1), ("s1:2", "s2:7"), ("s2:7", "s1:2")];
        let links = vec!["s1:2 s2:7".to_string(), "s1:5 h1:1".to_string()];
        let (changed, mut found) = observe(&mut learned, &moved, &hosts);
        found.sort();
        assert_eq!((changed, found), (true, links));
        let nodes: Vec<&str> = learned.topology().nodes.iter().map(|node| node.name.as_str()).collect();
        assert_eq!(nodes, ["s1", "s2", "h1"]);
    }

    #[test]
    fn a_host_without_an_address_waits_for_its_agent() {
        let mut learned = Learned::default();
        let h1 = [("s1:1", "h1:02:00:00:00:00:01")];
        assert_eq!(observe(&mut learned, &h1, &[]).1, Vec::<String>::new());
        assert!(learned.problems()[0].contains("`h1` has no address"), "{:?}", learned.problems());
        let hosts = [interface("h1", "02:00:00:00:00:01", "10.0.0.1")];
        assert_eq!(observe(&mut learned, &h1, &hosts).1, ["s1:1 h1:1"]);
        // Its address is seen at another host: the first one has none left.
        let hosts = [interface("h2", "02:00:00:00:00:02", "10.0.0.1")];
        assert_eq!(observe(&mut learned, &[("s1:2", "h2:02:00:00:00:00:02")], &hosts).1, ["s1:2 h2:1"]);
    }

    #[test]
    fn a_host_with_two_links_has_two_ports() {
        let mut learned = Learned::default();
        let hosts = [
            interface("h1", "02:00:00:00:00:01", "10.0.0.1"),
            interface("h1", "02:00:00:00:00:02", "10.0.0.2"),
        ];
        let both = [("s1:1", "h1:02:00:00:00:00:01"), ("s2:1", "h1:02:00:00:00:00:02")];
        let links = ["s1:1 h1:1", "s2:1 h1:2"].map(String::from).to_vec();
        assert_eq!(observe(&mut learned, &both, &hosts).1, links);
        assert_eq!(observe(&mut learned, &both, &hosts), (false, links));
    }
}
