//! The links of a path inside a host.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use model::host::loopback::{HostNodeKind, HostTopology, LoopbackPath};

use super::ABNORMAL_SHARE;

/// What a link inside a host is, from the nodes at its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LinkKind {
    /// The PCIe link of an RNIC.
    NicPcie,
    /// The PCIe link of a GPU.
    GpuPcie,
    /// A memory channel.
    MemoryChannel,
    /// A link between sockets (UPI, Infinity Fabric).
    InterSocket,
    /// A root port, or a link between PCIe switches.
    RootPort,
}

/// The graph of a host.
#[derive(Debug)]
pub struct Routes<'a> {
    topology: &'a HostTopology,
    kinds: BTreeMap<&'a str, HostNodeKind>,
    neighbours: BTreeMap<&'a str, Vec<(&'a str, &'a str)>>,
}

impl<'a> Routes<'a> {
    /// Reads a topology. Links whose ends are not nodes are left out.
    pub fn new(topology: &'a HostTopology) -> Routes<'a> {
        let kinds: BTreeMap<&str, HostNodeKind> =
            topology.nodes.iter().map(|node| (node.name.as_str(), node.kind)).collect();
        let mut neighbours: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
        for link in &topology.links {
            let [a, b] = [link.between[0].as_str(), link.between[1].as_str()];
            if kinds.contains_key(a) && kinds.contains_key(b) {
                neighbours.entry(a).or_default().push((link.name.as_str(), b));
                neighbours.entry(b).or_default().push((link.name.as_str(), a));
            }
        }
        Routes { topology, kinds, neighbours }
    }

    /// The kind of a node.
    pub fn kind_of(&self, node: &str) -> Option<HostNodeKind> {
        self.kinds.get(node).copied()
    }

    /// The kind of a link.
    pub fn link_kind(&self, name: &str) -> Option<LinkKind> {
        let link = self.topology.links.iter().find(|link| link.name == name)?;
        let ends = [self.kind_of(&link.between[0])?, self.kind_of(&link.between[1])?];
        let is = |kind| ends.contains(&kind);
        Some(if is(HostNodeKind::Nic) {
            LinkKind::NicPcie
        } else if is(HostNodeKind::Gpu) {
            LinkKind::GpuPcie
        } else if is(HostNodeKind::Memory) {
            LinkKind::MemoryChannel
        } else if ends == [HostNodeKind::Socket; 2] {
            LinkKind::InterSocket
        } else {
            LinkKind::RootPort
        })
    }

    /// Returns the links from `from` to `to` and whether the path crosses a socket; `None` without a path. Of several
    /// shortest paths it is the one whose links come first in the topology.
    pub fn path(&self, from: &str, to: &str) -> Option<(Vec<&'a str>, bool)> {
        let (start, _) = self.kinds.get_key_value(from)?;
        let mut came_by: BTreeMap<&str, (&str, &str)> = BTreeMap::new();
        let mut seen = BTreeSet::from([*start]);
        let mut queue = VecDeque::from([*start]);
        while let Some(node) = queue.pop_front() {
            if node == to {
                break;
            }
            for (link, next) in self.neighbours.get(node).into_iter().flatten().copied() {
                if seen.insert(next) {
                    came_by.insert(next, (node, link));
                    queue.push_back(next);
                }
            }
        }
        let mut links = Vec::new();
        let mut crosses_socket = false;
        let mut at = to;
        while at != from {
            let (before, link) = came_by.get(at)?;
            links.push(*link);
            crosses_socket |= self.kind_of(before) == Some(HostNodeKind::Socket);
            at = before;
        }
        links.reverse();
        Some((links, crosses_socket))
    }

    /// Whether the RNIC reaches its line rate at the endpoint of this path when nothing is wrong: memory whose baseline
    /// is not below the RNIC's best one, and GPUs below the RNIC's root port (section 4.3). Only such a path proves
    /// that its links are fine.
    pub fn is_affinitive(&self, path: &LoopbackPath, paths: &[LoopbackPath]) -> bool {
        let of_nic = paths.iter().filter(|other| other.nic == path.nic);
        let best = of_nic.map(|other| other.baseline_bandwidth_bps).max().unwrap_or(0);
        let is_fast = path.baseline_bandwidth_bps as f64 >= (1.0 - ABNORMAL_SHARE) * best as f64;
        let Some((_, crosses_socket)) = self.path(&path.nic, &path.endpoint) else { return false };
        match self.kind_of(&path.endpoint) {
            Some(HostNodeKind::Memory) => is_fast,
            Some(HostNodeKind::Gpu) => !crosses_socket,
            _ => false,
        }
    }
}
