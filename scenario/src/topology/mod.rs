//! Generated networks: the Clos families of data centres, and networks from files. One module each.
//!
//! Nodes are named by tier, pod and number (`p2-tor5`, `spine3`). [`NodePosition`] holds the same as data, so that
//! names need not be parsed. Ports are numbered from 1, first the downlinks, then the uplinks, as in cabling plans.

mod fat_tree;
mod json;
mod leaf_spine;
mod podset;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};

use model::topology::{Link, Node, NodeKind};
use model::{PortRef, Rate, Time, Topology};

pub use fat_tree::FatTree;
pub use json::parse_json;
pub use leaf_spine::LeafSpine;
pub use podset::Podset;

/// Most hosts that have distinct addresses.
pub const MAX_HOSTS: usize = 65_535;
/// Most ports of a switch; the next number is the controller's.
pub const MAX_PORTS: u16 = CPU_PORT - 1;
/// Port number of the controller at every switch.
pub const CPU_PORT: u16 = 510;
/// Propagation in glass and copper, in picoseconds a metre: two thirds of the speed of light.
pub const PS_PER_METRE: u64 = 5_000;

/// Layer of a node, from the hosts up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// A host.
    Host,
    /// Top of rack: where hosts are attached.
    Edge,
    /// Above the edge within a pod.
    Aggregation,
    /// Between pods, or between edge switches where there are no pods.
    Core,
}

impl Tier {
    /// The tier with this name, as scenarios write it.
    pub fn parse(text: &str) -> Option<Tier> {
        match text {
            "host" => Some(Tier::Host),
            "edge" => Some(Tier::Edge),
            "aggregation" => Some(Tier::Aggregation),
            "core" => Some(Tier::Core),
            _ => None,
        }
    }
}

/// Tier, pod and number of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodePosition {
    /// Its layer.
    pub tier: Tier,
    /// Its pod from 1; absent for nodes outside pods.
    pub pod: Option<u32>,
    /// Its number from 1 among those of the same tier and pod.
    pub index: u32,
}

/// A network with the positions of its nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Network {
    /// Nodes and links.
    pub topology: Topology,
    /// Position of every node; empty for networks that were not generated.
    pub places: BTreeMap<String, NodePosition>,
}

/// Rate and delay of a kind of link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cable {
    /// Bits a second in each direction.
    pub rate: Rate,
    /// Propagation delay.
    pub delay: Time,
}

/// Why a network cannot be generated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TopologyError {
    /// A fat-tree needs an even number of ports.
    #[error("a fat-tree's `k` must be even and from 2 to {max}, not {k}", max = fat_tree::MAX_K)]
    OddK {
        /// Ports of each switch.
        k: u32,
    },
    /// A count of zero.
    #[error("`{0}` must be at least 1")]
    Nothing(&'static str),
    /// Uplinks cannot be distributed evenly.
    #[error("{what} {count} cannot be distributed evenly over {over} {among}")]
    Uneven {
        /// What is distributed.
        what: &'static str,
        /// How many.
        count: u32,
        /// Over how many.
        over: u32,
        /// Of what.
        among: &'static str,
    },
    /// A switch would need more ports than it can have.
    #[error("switch `{switch}` would need {ports} ports; at most {max} are possible", max = MAX_PORTS)]
    Ports {
        /// The switch.
        switch: String,
        /// What it needs.
        ports: u64,
    },
    /// More hosts than addresses.
    #[error("{0} hosts; at most {max} have distinct addresses", max = MAX_HOSTS)]
    Hosts(u64),
}

/// The address of host number `index` from 0: `10.x.y.1` with x, y the bytes of its number from 1.
pub fn host_address(index: usize) -> IpAddr {
    let number = (index as u32).wrapping_add(1) & 0xffff;
    IpAddr::V4(Ipv4Addr::from(0x0a00_0001 | number << 8))
}

/// Builds a network; ports are numbered in the order of links.
#[derive(Default)]
struct Builder {
    network: Network,
    hosts: usize,
    ports: BTreeMap<String, u16>,
}

impl Builder {
    fn switch(&mut self, name: &str, tier: Tier, pod: Option<u32>, index: u32) {
        let node = Node { name: name.to_string(), kind: NodeKind::Switch, addresses: Vec::new() };
        self.network.topology.nodes.push(node);
        self.network.places.insert(name.to_string(), NodePosition { tier, pod, index });
    }

    fn host(&mut self, name: &str, pod: Option<u32>, index: u32) {
        let addresses = vec![host_address(self.hosts)];
        self.hosts += 1;
        let node = Node { name: name.to_string(), kind: NodeKind::Host, addresses };
        self.network.topology.nodes.push(node);
        self.network.places.insert(name.to_string(), NodePosition { tier: Tier::Host, pod, index });
    }

    fn link(&mut self, a: &str, b: &str, cable: Cable) {
        let mut end = |name: &str| {
            let port = self.ports.entry(name.to_string()).or_insert(0);
            *port += 1;
            PortRef::new(name, *port)
        };
        let (a, b) = (end(a), end(b));
        self.network.topology.links.push(Link { a, b, rate: cable.rate, delay: cable.delay });
    }
}

/// Checks the limits of all families before the network is built.
fn check_size(hosts: u64, switches: &[(String, u64)]) -> Result<(), TopologyError> {
    if hosts > MAX_HOSTS as u64 {
        return Err(TopologyError::Hosts(hosts));
    }
    match switches.iter().find(|(_, ports)| *ports > u64::from(MAX_PORTS)) {
        Some((switch, ports)) => Err(TopologyError::Ports { switch: switch.clone(), ports: *ports }),
        None => Ok(()),
    }
}

fn at_least_one(counts: &[(&'static str, u32)]) -> Result<(), TopologyError> {
    match counts.iter().find(|(_, count)| *count == 0) {
        Some((what, _)) => Err(TopologyError::Nothing(what)),
        None => Ok(()),
    }
}
