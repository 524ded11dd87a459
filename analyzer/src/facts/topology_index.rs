//! A topology with numbered ports: peers, rates, addresses and next hops are looked up without a search through all
//! links.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::OnceLock;

use model::topology::NodeKind;
use model::{PortRef, Rate, Topology};

/// A node's number: its position in [`Topology::nodes`]; names that occur only in links follow.
pub type NodeId = u32;
/// A port's number in the order of (node, port).
pub type PortId = u32;

/// The properties of a port.
#[derive(Clone, Copy, Debug)]
pub struct PortInfo {
    /// The node it belongs to.
    pub node: NodeId,
    /// Its number on that node.
    pub number: u16,
    /// The other end of its link.
    pub peer: PortId,
    /// The link's rate.
    pub rate: Rate,
}

/// An index over a [`Topology`]: built in O(n log n), queried in O(log n).
#[derive(Clone, Debug)]
pub struct TopologyIndex<'t> {
    topology: &'t Topology,
    names: Vec<&'t str>,
    is_host: Vec<bool>,
    by_name: Vec<(&'t str, NodeId)>,
    by_address: Vec<(IpAddr, NodeId)>,
    ports: Vec<PortInfo>,
    first_port: Vec<PortId>,
    /// Next hops towards each node, by switch; computed by one search when the node is first a destination.
    next_hops: Vec<OnceLock<BTreeMap<NodeId, Vec<u16>>>>,
}

impl<'t> TopologyIndex<'t> {
    /// Indexes `topology`. Of nodes with the same name, and of links at the same port, the first one counts.
    pub fn new(topology: &'t Topology) -> TopologyIndex<'t> {
        let (names, by_name, is_host) = number_nodes(topology);
        let mut by_address: Vec<(IpAddr, NodeId)> = topology
            .nodes
            .iter()
            .enumerate()
            .filter(|(_, node)| node.kind == NodeKind::Host)
            .flat_map(|(id, node)| node.addresses.iter().map(move |a| (*a, id as NodeId)))
            .collect();
        by_address.sort_unstable();
        let mut index = TopologyIndex {
            topology,
            names,
            is_host,
            by_name,
            by_address,
            ports: Vec::new(),
            first_port: Vec::new(),
            next_hops: Vec::new(),
        };
        index.next_hops.resize_with(index.names.len(), OnceLock::new);
        index.number_ports();
        index
    }

    fn number_ports(&mut self) {
        // (node, number, position of the link, which end): sorting numbers the ports and keeps the first link of a
        // port that is listed twice.
        let mut ends: Vec<(NodeId, u16, u32, bool)> = Vec::with_capacity(self.topology.links.len() * 2);
        for (position, link) in self.topology.links.iter().enumerate() {
            for (end, second) in [(&link.a, false), (&link.b, true)] {
                if let Some(node) = self.node(&end.switch) {
                    ends.push((node, end.port, position as u32, second));
                }
            }
        }
        ends.sort_unstable();
        ends.dedup_by_key(|end| (end.0, end.1));
        let mut port_of_end = vec![[None; 2]; self.topology.links.len()];
        for (id, (_, _, link, second)) in ends.iter().enumerate() {
            port_of_end[*link as usize][usize::from(*second)] = Some(id as PortId);
        }
        self.ports = ends
            .iter()
            .enumerate()
            .map(|(id, &(node, number, link, second))| PortInfo {
                node,
                number,
                // If an earlier link uses the other end, the port is its own peer: the link is ignored.
                peer: port_of_end[link as usize][usize::from(!second)].unwrap_or(id as PortId),
                rate: self.topology.links[link as usize].rate,
            })
            .collect();
        let nodes = self.names.len() as NodeId;
        self.first_port = (0..=nodes).map(|n| self.ports.partition_point(|p| p.node < n) as PortId).collect();
    }

    /// The topology behind the index.
    pub fn topology(&self) -> &'t Topology {
        self.topology
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.names.len()
    }

    /// The node called `name`.
    pub fn node(&self, name: &str) -> Option<NodeId> {
        let at = self.by_name.binary_search_by(|(n, _)| (*n).cmp(name)).ok()?;
        Some(self.by_name[at].1)
    }

    /// The name of a node.
    pub fn name(&self, node: NodeId) -> &'t str {
        self.names[node as usize]
    }

    /// Whether a node is a host.
    pub fn is_host(&self, node: NodeId) -> bool {
        self.is_host[node as usize]
    }

    /// The host that owns `address`.
    pub fn host_of(&self, address: IpAddr) -> Option<NodeId> {
        let at = self.by_address.partition_point(|(a, _)| *a < address);
        self.by_address.get(at).filter(|(a, _)| *a == address).map(|(_, node)| *node)
    }

    /// The ports of `node`, ascending.
    pub fn ports_of(&self, node: NodeId) -> &[PortInfo] {
        let range = self.first_port[node as usize] as usize..self.first_port[node as usize + 1] as usize;
        &self.ports[range]
    }

    /// The port `number` of `node`.
    pub fn port(&self, node: NodeId, number: u16) -> Option<PortId> {
        let at = self.ports_of(node).binary_search_by_key(&number, |p| p.number).ok()?;
        Some(self.first_port[node as usize] + at as PortId)
    }

    /// The properties of a port.
    pub fn info(&self, port: PortId) -> &PortInfo {
        &self.ports[port as usize]
    }

    /// The port at the other end of `port`'s link.
    pub fn peer(&self, port: PortId) -> Option<&PortInfo> {
        let peer = self.info(port).peer;
        (peer != port).then(|| self.info(peer))
    }

    /// Returns a port by name.
    pub fn port_ref(&self, port: PortId) -> PortRef {
        let info = self.info(port);
        PortRef::new(self.name(info.node), info.number)
    }

    /// Returns the egress ports of the switch called `switch` on shortest paths (in hops) to `host`, ascending; empty
    /// where the switch does not reach it. The first call for a host searches the network, later ones look it up.
    pub fn next_hops(&self, switch: &str, host: NodeId) -> &[u16] {
        let search = || {
            let next = self.topology.next_hops(self.name(host));
            next.into_iter().filter_map(|(name, ports)| Some((self.node(name)?, ports))).collect()
        };
        let known = self.next_hops[host as usize].get_or_init(search);
        self.node(switch).and_then(|switch| known.get(&switch)).map_or(&[], Vec::as_slice)
    }

    /// Returns the egress port of `switch` on the shortest path to `host`, if there is exactly one.
    pub fn sole_next_hop(&self, switch: NodeId, host: NodeId) -> Option<u16> {
        match self.next_hops(self.name(switch), host) {
            [port] => Some(*port),
            _ => None,
        }
    }
}

type NumberedNodes<'t> = (Vec<&'t str>, Vec<(&'t str, NodeId)>, Vec<bool>);

fn number_nodes(topology: &Topology) -> NumberedNodes<'_> {
    let mut names: Vec<&str> = topology.nodes.iter().map(|n| n.name.as_str()).collect();
    let mut is_host: Vec<bool> = topology.nodes.iter().map(|n| n.kind == NodeKind::Host).collect();
    let numbered = |names: &[&'_ str]| -> Vec<(usize, NodeId)> {
        names.iter().enumerate().map(|(at, _)| (at, at as NodeId)).collect()
    };
    let mut by_name: Vec<(&str, NodeId)> =
        numbered(&names).into_iter().map(|(at, id)| (names[at], id)).collect();
    by_name.sort_unstable();
    by_name.dedup_by_key(|(name, _)| *name);
    let mut unlisted: Vec<&str> = topology
        .links
        .iter()
        .flat_map(|l| [l.a.switch.as_str(), l.b.switch.as_str()])
        .filter(|name| by_name.binary_search_by(|(n, _)| (*n).cmp(name)).is_err())
        .collect();
    unlisted.sort_unstable();
    unlisted.dedup();
    for name in unlisted {
        by_name.push((name, names.len() as NodeId));
        names.push(name);
        is_host.push(false);
    }
    by_name.sort_unstable();
    (names, by_name, is_host)
}

#[cfg(test)]
mod tests {
    use model::Time;
    use model::topology::{Link, Node};

    use super::*;

    /// Two leaves with two spines between them, and a host at each leaf.
    fn network() -> Topology {
        let node = |name: &str, kind| Node { name: name.into(), kind, addresses: vec![] };
        let link = |a: &str, b: &str| Link {
            a: a.parse().unwrap(),
            b: b.parse().unwrap(),
            rate: Rate::from_gbps(100),
            delay: Time::from_us(1),
        };
        let mut nodes = vec![node("h1", NodeKind::Host), node("h2", NodeKind::Host)];
        nodes.extend(["l1", "l2", "s1", "s2"].map(|name| node(name, NodeKind::Switch)));
        let links = vec![
            link("h1:1", "l1:1"),
            link("h2:1", "l2:1"),
            link("l1:2", "s1:1"),
            link("l1:3", "s2:1"),
            link("l2:2", "s1:2"),
            link("l2:3", "s2:2"),
        ];
        Topology { nodes, links }
    }

    #[test]
    fn next_hops_equal_those_of_the_topology_and_each_host_is_searched_once() {
        let topology = network();
        let index = TopologyIndex::new(&topology);
        let searched = || index.next_hops.iter().filter(|known| known.get().is_some()).count();
        for (at, host) in ["h1", "h2"].into_iter().enumerate() {
            let expected = topology.next_hops(host);
            let host = index.node(host).unwrap();
            for switch in ["l1", "l2", "s1", "s2"] {
                assert_eq!(index.next_hops(switch, host), expected[switch].as_slice());
                // The same slice: it is looked up, not computed again.
                assert!(std::ptr::eq(index.next_hops(switch, host), index.next_hops(switch, host)));
            }
            assert_eq!(searched(), at + 1);
        }
        let (l1, h1, h2) = (index.node("l1").unwrap(), index.node("h1").unwrap(), index.node("h2").unwrap());
        assert_eq!((index.sole_next_hop(l1, h1), index.sole_next_hop(l1, h2)), (Some(1), None));
        assert_eq!(index.next_hops("nowhere", h1), &[] as &[u16]);
    }
}
