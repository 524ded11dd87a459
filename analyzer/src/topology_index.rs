//! A topology with its ports numbered, so that peers, rates and addresses are found without a search through
//! all links.

use std::net::IpAddr;

use model::topology::NodeKind;
use model::{PortRef, Rate, Topology};

/// A node's number: its position in [`Topology::nodes`], names that only links mention after them.
pub type NodeId = u32;
/// A port's number in the order of (node, port).
pub type PortId = u32;

/// What is known of a port.
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

/// An index over a [`Topology`]: built once in n log n, asked in log n.
#[derive(Clone, Debug)]
pub struct TopologyIndex<'t> {
    topology: &'t Topology,
    names: Vec<&'t str>,
    is_host: Vec<bool>,
    by_name: Vec<(&'t str, NodeId)>,
    by_address: Vec<(IpAddr, NodeId)>,
    ports: Vec<PortInfo>,
    first_port: Vec<PortId>,
}

impl<'t> TopologyIndex<'t> {
    /// Indexes `topology`. Of nodes that share a name, and of links that share a port, the first one counts.
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
        };
        index.number_ports();
        index
    }

    fn number_ports(&mut self) {
        // (node, number, position of the link, which end): sorting gives ports their numbers and keeps the
        // first link of a port that is listed twice.
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
                // A link whose other end is taken by an earlier link leads nowhere: it is its own peer.
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

    /// How many nodes there are.
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

    /// What is known of a port.
    pub fn info(&self, port: PortId) -> &PortInfo {
        &self.ports[port as usize]
    }

    /// The port at the other end of `port`'s link.
    pub fn peer(&self, port: PortId) -> Option<&PortInfo> {
        let peer = self.info(port).peer;
        (peer != port).then(|| self.info(peer))
    }

    /// A port's written form.
    pub fn port_ref(&self, port: PortId) -> PortRef {
        let info = self.info(port);
        PortRef::new(self.name(info.node), info.number)
    }

    /// The only egress port of `switch` that lies on a shortest path to `host`, if there is only one.
    pub fn sole_next_hop(&self, switch: NodeId, host: NodeId) -> Option<u16> {
        let next = self.topology.next_hops(self.name(host));
        match next.get(self.name(switch))?.as_slice() {
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
