//! Which hosts a host probes.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use model::Topology;
use model::topology::{Node, NodeKind};

/// Maximum peers of a host below its own ToR switch. Each host probes its successors in a ring, so up to 33 hosts below
/// one switch every pair is probed from at least one side.
const TOR_PEERS: usize = 16;
/// Maximum peers of a host in its pod, and in other pods.
const REMOTE_PEERS: usize = 16;

/// How far away a peer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// Below the same ToR switch.
    Tor,
    /// In the same pod: below another ToR switch that is one switch away from that of the host.
    Pod,
    /// In another pod.
    Fabric,
    /// Named by the configuration.
    Configured,
}

impl Scope {
    /// Returns its name in configurations and metrics.
    pub fn name(self) -> &'static str {
        match self {
            Scope::Tor => "tor",
            Scope::Pod => "pod",
            Scope::Fabric => "fabric",
            Scope::Configured => "configured",
        }
    }
}

/// A host to probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Peer {
    /// Its address.
    pub address: IpAddr,
    /// How far away it is.
    pub scope: Scope,
}

/// The hosts that a host probes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Peers {
    /// The peers, without duplicates.
    pub peers: Vec<Peer>,
    /// Peers beyond the limits of 16 below the own ToR switch, 16 in the pod and 16 in other pods; they are not probed
    /// by this host.
    pub left_out: usize,
}

/// Returns the peers of a host in the given scopes.
///
/// The ToR switch of a host is the one at its first port. ToR switches that are adjacent, or adjacent to the same switch,
/// are in one pod; so a network of leaves and spines is a single pod. All hosts derive the mesh from the same topology:
/// for each ordered pair of ToR switches one host of the first probes one host of the second, and the pairs of a switch
/// are dealt out to its hosts in turn.
pub fn peers(topology: &Topology, host: &str, scopes: &[Scope]) -> Peers {
    let racks = racks(topology);
    let mut found = Peers::default();
    let own = racks.iter().enumerate().find_map(|(at, rack)| {
        rack.hosts.iter().position(|known| known.name == host).map(|index| (at, index))
    });
    let Some((own, index)) = own else { return found };
    let rack = &racks[own];
    if scopes.contains(&Scope::Tor) {
        let successors = (1..rack.hosts.len()).map(|step| (index + step) % rack.hosts.len());
        found.add(Scope::Tor, successors.map(|at| rack.hosts[at]), TOR_PEERS);
    }
    let pods = pods(topology, &racks);
    for scope in [Scope::Pod, Scope::Fabric].into_iter().filter(|scope| scopes.contains(scope)) {
        let others = (1..racks.len()).map(|step| (own + step) % racks.len());
        let in_scope = others.filter(|other| (pods[*other] == pods[own]) == (scope == Scope::Pod));
        let mine = in_scope.skip(index).step_by(rack.hosts.len());
        found.add(
            scope,
            mine.map(|other| racks[other].hosts[index % racks[other].hosts.len()]),
            REMOTE_PEERS,
        );
    }
    found
}

impl Peers {
    fn add<'t>(&mut self, scope: Scope, hosts: impl Iterator<Item = &'t Node>, limit: usize) {
        let mut addresses = hosts.filter_map(|host| host.addresses.first().copied());
        self.peers.extend(addresses.by_ref().take(limit).map(|address| Peer { address, scope }));
        self.left_out += addresses.count();
    }
}

/// The hosts below a ToR switch.
struct Rack<'t> {
    tor: &'t str,
    hosts: Vec<&'t Node>,
}

/// Returns the ToR switches by name with their hosts by name; hosts without a switch are absent.
fn racks(topology: &Topology) -> Vec<Rack<'_>> {
    let mut racks: BTreeMap<&str, Vec<&Node>> = BTreeMap::new();
    for host in topology.nodes.iter().filter(|node| node.kind == NodeKind::Host) {
        let ports = topology.ports_of(&host.name);
        let switch = ports.iter().map(|(_, peer)| peer.switch.as_str()).find(|name| !topology.is_host(name));
        if let Some(switch) = switch.filter(|_| !host.addresses.is_empty()) {
            racks.entry(switch).or_default().push(host);
        }
    }
    racks
        .into_iter()
        .map(|(tor, mut hosts)| {
            hosts.sort_by(|a, b| a.name.cmp(&b.name));
            Rack { tor, hosts }
        })
        .collect()
}

/// Returns the number of the pod of each ToR switch.
fn pods(topology: &Topology, racks: &[Rack<'_>]) -> Vec<usize> {
    let number: BTreeMap<&str, usize> = racks.iter().enumerate().map(|(at, rack)| (rack.tor, at)).collect();
    // The ToR switches at each switch, itself included.
    let mut at_switch: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for link in &topology.links {
        for (tor, other) in [(&link.a, &link.b), (&link.b, &link.a)] {
            if let Some(tor) = number.get(tor.switch.as_str())
                && !topology.is_host(&other.switch)
            {
                at_switch.entry(&other.switch).or_default().insert(*tor);
            }
        }
    }
    for (switch, tors) in &mut at_switch {
        tors.extend(number.get(switch));
    }
    let mut pods: Vec<usize> = (0..racks.len()).collect();
    for tors in at_switch.values() {
        let Some(lowest) = tors.iter().map(|tor| pods[*tor]).min() else { continue };
        let joined: BTreeSet<usize> = tors.iter().map(|tor| pods[*tor]).collect();
        for pod in &mut pods {
            if joined.contains(pod) {
                *pod = lowest;
            }
        }
    }
    pods
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::topology::Link;
    use model::{Rate, Time};

    /// `pods` pods of two ToR switches with `hosts` hosts each and one aggregation switch, below one core switch.
    fn fat_tree(pods: usize, hosts: usize) -> Topology {
        let node = |name: &str, address: Option<IpAddr>| Node {
            name: name.into(),
            kind: if address.is_some() { NodeKind::Host } else { NodeKind::Switch },
            addresses: address.into_iter().collect(),
        };
        let mut topology = Topology { nodes: vec![node("core", None)], links: Vec::new() };
        let mut ports: BTreeMap<String, u16> = BTreeMap::new();
        let mut join = |topology: &mut Topology, a: &str, b: &str| {
            let mut port = |name: &str| {
                let next = ports.entry(name.into()).or_insert(0);
                *next += 1;
                format!("{name}:{next}").parse().unwrap()
            };
            let (a, b) = (port(a), port(b));
            topology.links.push(Link { a, b, rate: Rate::from_gbps(100), delay: Time::from_us(1) });
        };
        for pod in 0..pods {
            let agg = format!("agg{pod}");
            topology.nodes.push(node(&agg, None));
            join(&mut topology, &agg, "core");
            for tor in 0..2 {
                let name = format!("tor{pod}-{tor}");
                topology.nodes.push(node(&name, None));
                join(&mut topology, &name, &agg);
                for host in 0..hosts {
                    let address = IpAddr::from([10, pod as u8, tor as u8, host as u8]);
                    let host = format!("h{pod}-{tor}-{host:02}");
                    topology.nodes.push(node(&host, Some(address)));
                    join(&mut topology, &host, &name);
                }
            }
        }
        topology
    }

    const ALL: [Scope; 3] = [Scope::Tor, Scope::Pod, Scope::Fabric];

    fn names(topology: &Topology, host: &str) -> Vec<(String, &'static str)> {
        let name = |peer: &Peer| (topology.host_of(peer.address).unwrap().name.clone(), peer.scope.name());
        peers(topology, host, &ALL).peers.iter().map(name).collect()
    }

    #[test]
    fn the_mesh_of_two_pods_has_all_scopes() {
        let topology = fat_tree(2, 2);
        let expected = [("h0-0-01", "tor"), ("h0-1-00", "pod"), ("h1-0-00", "fabric")];
        assert_eq!(names(&topology, "h0-0-00"), expected.map(|(name, scope)| (name.to_string(), scope)));
        // The second host of the rack has the second rack of the other pod.
        let expected = [("h0-0-00", "tor"), ("h1-1-01", "fabric")];
        assert_eq!(names(&topology, "h0-0-01"), expected.map(|(name, scope)| (name.to_string(), scope)));
    }

    #[test]
    fn every_ordered_pair_of_tor_switches_is_probed_once() {
        let topology = fat_tree(4, 3);
        let rack = |address: IpAddr| topology.host_of(address).unwrap().name[..4].to_string();
        let mut pairs = Vec::new();
        for host in topology.nodes.iter().filter(|node| node.kind == NodeKind::Host) {
            let found = peers(&topology, &host.name, &[Scope::Pod, Scope::Fabric]);
            assert_eq!(found.left_out, 0);
            pairs.extend(found.peers.iter().map(|peer| (host.name[..4].to_string(), rack(peer.address))));
        }
        pairs.sort();
        let all = pairs.len();
        pairs.dedup();
        assert_eq!((all, pairs.len()), (8 * 7, 8 * 7));
    }

    #[test]
    fn the_number_of_peers_is_bounded() {
        let topology = fat_tree(20, 40);
        let found = peers(&topology, "h3-1-07", &ALL);
        assert_eq!(found.peers.iter().filter(|peer| peer.scope == Scope::Tor).count(), TOR_PEERS);
        assert_eq!(found.left_out, 39 - TOR_PEERS);
        let lonely = fat_tree(60, 1);
        let found = peers(&lonely, "h0-0-00", &ALL);
        assert_eq!((found.peers.len(), found.left_out), (1 + REMOTE_PEERS, 118 - REMOTE_PEERS));
    }

    #[test]
    fn leaves_below_the_same_spines_are_one_pod() {
        let mut topology = fat_tree(3, 1);
        for pod in 0..3 {
            for link in &mut topology.links {
                if link.b.switch == format!("agg{pod}") {
                    link.b = format!("core:{}", 10 + 10 * pod + link.b.port as usize).parse().unwrap();
                }
            }
        }
        let found = peers(&topology, "h0-0-00", &ALL);
        assert!(found.peers.iter().all(|peer| peer.scope == Scope::Pod), "{found:?}");
        assert_eq!(found.peers.len(), 5);
    }

    #[test]
    fn a_host_that_the_topology_lacks_has_no_peers() {
        assert_eq!(peers(&fat_tree(1, 2), "h9", &ALL), Peers::default());
    }
}
