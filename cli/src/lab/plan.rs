//! What a lab consists of, as data: namespaces, cables, addresses. Derived from a scenario's topology; nothing is
//! created here.

use std::net::{IpAddr, Ipv4Addr};

use anyhow::bail;
use model::topology::NodeKind;
use model::{PortRef, Topology};

use super::names::{LabNumber, MANAGEMENT_PREFIX, MAX_NODES};

/// Name of a host's interface to its switch.
pub(super) const HOST_INTERFACE: &str = "eth0";
/// Name of a node's interface to the management network.
pub(super) const MANAGEMENT_INTERFACE: &str = "mgmt0";
/// Name of the bridge of the management network.
pub(super) const BRIDGE: &str = "br0";
/// Largest IP packet of a link: RoCEv2's largest path MTU of 4096 bytes with all headers, as jumbo frames.
pub(super) const DATA_MTU: u32 = 9000;
/// Largest IP packet of the management network.
pub(super) const MANAGEMENT_MTU: u32 = 1500;

/// The namespaces and cables of a lab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LabPlan {
    /// One namespace for each node, in the order of the topology.
    pub(super) nodes: Vec<NodePlan>,
    /// The links of the topology.
    pub(super) links: Vec<(CableEnd, CableEnd)>,
}

/// The namespace of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NodePlan {
    /// The node.
    pub(super) name: String,
    /// Host or switch.
    pub(super) kind: NodeKind,
    /// Its namespace.
    pub(super) namespace: String,
    /// Its address in the management network.
    pub(super) management: Ipv4Addr,
    /// MAC address of the node: that of a host's NIC, the base of a switch's.
    pub(super) mac: [u8; 6],
    /// Addresses of [`HOST_INTERFACE`]; empty at switches.
    pub(super) addresses: Vec<IpAddr>,
    /// The other hosts: address and MAC address.
    pub(super) neighbours: Vec<(IpAddr, [u8; 6])>,
    /// Its interfaces to other nodes: port number and name.
    pub(super) ports: Vec<(u16, String)>,
}

/// One end of a cable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CableEnd {
    /// The namespace.
    pub(super) namespace: String,
    /// The interface.
    pub(super) interface: String,
    /// Its MAC address.
    pub(super) mac: [u8; 6],
}

impl LabPlan {
    /// The plan of lab `number` for a topology.
    ///
    /// # Errors
    /// The topology is too large or inconsistent.
    pub(super) fn new(number: LabNumber, topology: &Topology) -> anyhow::Result<LabPlan> {
        if topology.nodes.len() > MAX_NODES {
            bail!("the topology has {} nodes; a lab has at most {MAX_NODES}", topology.nodes.len());
        }
        if let Some(problem) = topology.problems().first() {
            bail!("the topology cannot be built: {problem}");
        }
        let nodes = topology.nodes.iter().enumerate().map(|(position, node)| NodePlan {
            name: node.name.clone(),
            kind: node.kind,
            namespace: number.namespace(&node.name),
            management: number.node_address(position),
            mac: port_mac(
                topology,
                &PortRef::new(&node.name, if node.kind == NodeKind::Host { 1 } else { 0 }),
            ),
            addresses: if node.kind == NodeKind::Host { node.addresses.clone() } else { Vec::new() },
            neighbours: neighbours(topology, &node.name, node.kind),
            ports: ports(topology, &node.name),
        });
        let end = |port: &PortRef| CableEnd {
            namespace: number.namespace(&port.switch),
            interface: interface(topology, port),
            mac: port_mac(topology, port),
        };
        let links = topology.links.iter().map(|link| (end(&link.a), end(&link.b)));
        Ok(LabPlan { nodes: nodes.collect(), links: links.collect() })
    }

    /// The node with this name.
    pub(super) fn node(&self, name: &str) -> Option<&NodePlan> {
        self.nodes.iter().find(|node| node.name == name)
    }

    /// The nodes of a kind.
    pub(super) fn of_kind(&self, kind: NodeKind) -> impl Iterator<Item = &NodePlan> {
        self.nodes.iter().filter(move |node| node.kind == kind)
    }
}

impl NodePlan {
    /// Its management address with the prefix length.
    pub(super) fn management_network(&self) -> (Ipv4Addr, u8) {
        (self.management, MANAGEMENT_PREFIX)
    }
}

/// The interface of a port: `p1` at switches, `eth0` at hosts.
fn interface(topology: &Topology, port: &PortRef) -> String {
    match topology.is_host(&port.switch) {
        true => HOST_INTERFACE.to_string(),
        false => format!("p{}", port.port),
    }
}

fn ports(topology: &Topology, node: &str) -> Vec<(u16, String)> {
    let ports = topology.ports_of(node).into_iter();
    ports.map(|(port, _)| (port, interface(topology, &PortRef::new(node, port)))).collect()
}

/// The MAC address of a port. Hosts have those of the simulated NICs (`fabric::nic::packet::mac` of their position);
/// those of switch ports have another third byte.
pub(super) fn port_mac(topology: &Topology, port: &PortRef) -> [u8; 6] {
    let position = topology.nodes.iter().position(|node| node.name == port.switch).unwrap_or(0) as u32;
    if topology.is_host(&port.switch) {
        return fabric::nic::packet::mac(position);
    }
    fabric::nic::packet::mac(0x8000_0000 | position << 12 | u32::from(port.port))
}

/// Every other host's addresses, with the MAC address of its NIC. Switches forward by IP address and leave MAC addresses
/// as they are.
fn neighbours(topology: &Topology, node: &str, kind: NodeKind) -> Vec<(IpAddr, [u8; 6])> {
    if kind == NodeKind::Switch {
        return Vec::new();
    }
    let others = topology.nodes.iter().filter(|other| other.kind == NodeKind::Host && other.name != node);
    others
        .flat_map(|other| {
            let mac = port_mac(topology, &PortRef::new(&other.name, 1));
            other.addresses.iter().map(move |address| (*address, mac))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_link_has_two_distinct_interfaces() {
        for name in crate::lab::LABS {
            let scenario = scenario::builtin(name).unwrap();
            let plan = LabPlan::new(LabNumber(3), &scenario.topology).unwrap();
            let ends = plan.links.iter().flat_map(|(a, b)| [a, b]);
            let mut names: Vec<_> = ends.clone().map(|end| (&end.namespace, &end.interface)).collect();
            let mut macs: Vec<_> = ends.map(|end| end.mac).collect();
            let count = names.len();
            names.sort();
            names.dedup();
            macs.sort_unstable();
            macs.dedup();
            assert_eq!((names.len(), macs.len()), (count, count), "{name}");
            assert!(names.iter().all(|(_, interface)| interface.len() <= 15));
        }
    }

    #[test]
    fn hosts_know_all_other_hosts() {
        let scenario = scenario::builtin("poster-fig1").unwrap();
        let plan = LabPlan::new(LabNumber(0), &scenario.topology).unwrap();
        let h1 = plan.node("h1").unwrap();
        assert_eq!(h1.neighbours.len(), 7);
        assert_eq!(h1.ports, [(1, "eth0".to_string())]);
        assert_eq!(plan.node("sw4").unwrap().ports.len(), 6);
    }
}
