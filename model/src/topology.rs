//! Nodes, ports and links of a network.
//!
//! Port numbers start at 1 and follow the order in which a node's links are listed, as in the HPCC/ns-3
//! files, unless a link names its ports.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use crate::port::PortRef;
use crate::units::{Rate, Time};

/// The kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum NodeKind {
    /// An end host with one or more NIC ports.
    Host,
    /// A switch.
    Switch,
}

/// A host or a switch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Node {
    /// Unique name.
    pub name: String,
    /// Host or switch.
    pub kind: NodeKind,
    /// Its addresses; a host has at least one.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<String>))]
    pub addresses: Vec<IpAddr>,
}

/// A full-duplex link between two ports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Link {
    /// One end.
    pub a: PortRef,
    /// The other end.
    pub b: PortRef,
    /// Rate of each direction in bits per second.
    pub rate: Rate,
    /// Propagation delay of each direction, in picoseconds.
    pub delay: Time,
}

/// A network. Nodes and links keep the order of their source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Topology {
    /// All nodes.
    pub nodes: Vec<Node>,
    /// All links.
    pub links: Vec<Link>,
}

impl Topology {
    /// Lists inconsistencies, one sentence each: for topologies that come from outside.
    pub fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        let mut names = BTreeSet::new();
        for node in &self.nodes {
            if !names.insert(node.name.as_str()) {
                problems.push(format!("two nodes are called `{}`", node.name));
            }
        }
        let mut ports = BTreeSet::new();
        for link in &self.links {
            for end in [&link.a, &link.b] {
                if !names.contains(end.switch.as_str()) {
                    problems.push(format!("link end `{end}` is at a node that does not exist"));
                }
                if !ports.insert(end) {
                    problems.push(format!("port `{end}` is used by two links"));
                }
            }
            if link.rate.0 == 0 {
                problems.push(format!("the link at `{}` has rate 0", link.a));
            }
        }
        problems
    }

    /// Returns the node with this name.
    pub fn node(&self, name: &str) -> Option<&Node> {
        self.nodes.iter().find(|n| n.name == name)
    }

    /// Whether `name` is a host.
    pub fn is_host(&self, name: &str) -> bool {
        self.node(name).is_some_and(|n| n.kind == NodeKind::Host)
    }

    /// Returns the host that owns `address`.
    pub fn host_of(&self, address: IpAddr) -> Option<&Node> {
        self.nodes.iter().find(|n| n.kind == NodeKind::Host && n.addresses.contains(&address))
    }

    /// Returns the port at the other end of `port`'s link.
    pub fn peer(&self, port: &PortRef) -> Option<&PortRef> {
        self.links.iter().find_map(|l| match port {
            p if *p == l.a => Some(&l.b),
            p if *p == l.b => Some(&l.a),
            _ => None,
        })
    }

    /// Returns the link of `port`.
    pub fn link_of(&self, port: &PortRef) -> Option<&Link> {
        self.links.iter().find(|l| l.a == *port || l.b == *port)
    }

    /// Returns the ports of `node`, ascending, each with its peer.
    pub fn ports_of<'t>(&'t self, node: &str) -> Vec<(u16, &'t PortRef)> {
        let mut ports: Vec<(u16, &PortRef)> = self
            .links
            .iter()
            .flat_map(|l| [(&l.a, &l.b), (&l.b, &l.a)])
            .filter(|(own, _)| own.switch == node)
            .map(|(own, peer)| (own.port, peer))
            .collect();
        ports.sort_unstable();
        ports
    }

    /// Returns, for every switch, the egress ports on a shortest path (in hops) to `host`, ascending. Hosts do not
    /// forward. Switches that cannot reach the host are absent. For many hosts, use one [`ShortestPaths`].
    pub fn next_hops(&self, host: &str) -> BTreeMap<&str, Vec<u16>> {
        ShortestPaths::new(self, &self.links).next_hops(host)
    }
}

/// Shortest paths, in hops, over some of a network's links.
#[derive(Clone, Debug)]
pub struct ShortestPaths<'t> {
    /// The neighbours of every node, with the port at their end and whether they are hosts.
    adjacency: BTreeMap<&'t str, Vec<(&'t PortRef, bool)>>,
}

impl<'t> ShortestPaths<'t> {
    /// Creates the paths through `topology` that use `links` only.
    pub fn new(topology: &'t Topology, links: impl IntoIterator<Item = &'t Link>) -> ShortestPaths<'t> {
        let hosts: BTreeSet<&str> =
            topology.nodes.iter().filter(|n| n.kind == NodeKind::Host).map(|n| n.name.as_str()).collect();
        let mut adjacency: BTreeMap<&str, Vec<(&PortRef, bool)>> = BTreeMap::new();
        for link in links {
            for (own, peer) in [(&link.a, &link.b), (&link.b, &link.a)] {
                let is_host = hosts.contains(peer.switch.as_str());
                adjacency.entry(&own.switch).or_default().push((peer, is_host));
            }
        }
        ShortestPaths { adjacency }
    }

    /// As [`Topology::next_hops`].
    pub fn next_hops(&self, host: &str) -> BTreeMap<&'t str, Vec<u16>> {
        let Some((host, _)) = self.adjacency.get_key_value(host) else {
            return BTreeMap::new();
        };
        let mut hops: BTreeMap<&str, usize> = BTreeMap::from([(*host, 0)]);
        let mut queue: VecDeque<&str> = VecDeque::from([*host]);
        let mut next: BTreeMap<&'t str, BTreeSet<u16>> = BTreeMap::new();
        while let Some(node) = queue.pop_front() {
            let distance = hops[node];
            for (peer, is_host) in self.adjacency.get(node).into_iter().flatten() {
                if *is_host {
                    continue;
                }
                let known = *hops.entry(&peer.switch).or_insert_with(|| {
                    queue.push_back(&peer.switch);
                    distance + 1
                });
                if known == distance + 1 {
                    next.entry(&peer.switch).or_default().insert(peer.port);
                }
            }
        }
        next.into_iter().map(|(node, ports)| (node, ports.into_iter().collect())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(a: &str, b: &str) -> Link {
        Link {
            a: a.parse().unwrap(),
            b: b.parse().unwrap(),
            rate: Rate::from_gbps(100),
            delay: Time::from_us(1),
        }
    }

    fn node(name: &str, kind: NodeKind) -> Node {
        Node { name: name.into(), kind, addresses: vec![] }
    }

    #[test]
    fn all_inconsistencies_are_reported_at_once() {
        let mut topology = Topology {
            nodes: vec![node("s1", NodeKind::Switch), node("s1", NodeKind::Switch)],
            links: vec![link("s1:1", "s2:1"), link("s1:1", "s2:2")],
        };
        topology.links[1].rate = Rate(0);
        let problems = topology.problems();
        assert_eq!(problems.len(), 5, "{problems:?}");
    }

    #[test]
    fn equal_cost_ports_are_all_listed() {
        let topology = Topology {
            nodes: vec![
                node("h1", NodeKind::Host),
                node("h2", NodeKind::Host),
                node("s1", NodeKind::Switch),
                node("s2", NodeKind::Switch),
                node("s3", NodeKind::Switch),
                node("s4", NodeKind::Switch),
            ],
            links: vec![
                link("h1:1", "s1:1"),
                link("s1:2", "s2:1"),
                link("s1:3", "s3:1"),
                link("s2:2", "s4:1"),
                link("s3:2", "s4:2"),
                link("s4:3", "h2:1"),
            ],
        };
        let next = topology.next_hops("h2");
        assert_eq!(next["s1"], vec![2, 3]);
        assert_eq!(next["s4"], vec![3]);
        assert!(!next.contains_key("h1"));
    }
}
