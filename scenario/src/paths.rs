//! The shortest paths between two hosts: the first one, and the one that the hash of a flow selects.

use std::collections::BTreeMap;

use model::topology::Link;
use model::{FlowKey, Topology};

use crate::ecmp::member;

/// Paths through one topology. Next hops are computed once for each destination.
#[derive(Debug)]
pub struct Paths<'t> {
    topology: &'t Topology,
    /// Per node and port: the link, and the node at its other end.
    ports: BTreeMap<&'t str, BTreeMap<u16, (usize, &'t str)>>,
    /// Per destination, per switch: the ports towards it, ascending.
    next: BTreeMap<String, BTreeMap<&'t str, Vec<u16>>>,
}

impl<'t> Paths<'t> {
    /// Paths through `topology`.
    pub fn new(topology: &'t Topology) -> Paths<'t> {
        let mut ports: BTreeMap<&str, BTreeMap<u16, (usize, &str)>> = BTreeMap::new();
        for (index, link) in topology.links.iter().enumerate() {
            for (own, peer) in [(&link.a, &link.b), (&link.b, &link.a)] {
                ports.entry(&own.switch).or_default().insert(own.port, (index, &peer.switch));
            }
        }
        Paths { topology, ports, next: BTreeMap::new() }
    }

    /// The links from one host to another along the first of the shortest paths; `None` when there is none.
    pub fn links(&mut self, src: &str, dst: &str) -> Option<Vec<&'t Link>> {
        self.walk(src, dst, |_, ports| ports.first())
    }

    /// As [`Paths::links`], along the shortest path that packets with this 5-tuple take while all links are up and no
    /// static route applies. `seed_of` returns the ECMP seed of a switch.
    pub fn links_of(
        &mut self,
        key: &FlowKey,
        src: &str,
        dst: &str,
        seed_of: impl Fn(&str) -> u32,
    ) -> Option<Vec<&'t Link>> {
        self.walk(src, dst, |switch, ports| match ports {
            [_] => ports.first(),
            _ => ports.get(member(seed_of(switch), key, ports.len())),
        })
    }

    fn walk(
        &mut self,
        src: &str,
        dst: &str,
        choose: impl for<'p> Fn(&str, &'p [u16]) -> Option<&'p u16>,
    ) -> Option<Vec<&'t Link>> {
        let topology = self.topology;
        if !self.next.contains_key(dst) {
            let next = topology.next_hops(topology.node(dst)?.name.as_str());
            self.next.insert(dst.to_string(), next);
        }
        let next = self.next.get(dst)?;
        let (mut link, mut node) = *self.ports.get(src)?.values().next()?;
        let mut links = vec![&topology.links[link]];
        while node != dst {
            if links.len() > topology.nodes.len() {
                return None;
            }
            (link, node) = *self.ports.get(node)?.get(choose(node, next.get(node)?)?)?;
            links.push(&topology.links[link]);
        }
        Some(links)
    }
}

#[cfg(test)]
mod tests {
    use controller::plan::PlanSettings;
    use model::topology::{Node, NodeKind};
    use model::{PortRef, Rate, Time};

    use super::*;
    use crate::ecmp::Tracer;

    /// h1 - a, two paths a - b - c and a - d - c, c - h2.
    fn square() -> Topology {
        let node = |name: &str, kind, address: Option<[u8; 4]>| Node {
            name: name.into(),
            kind,
            addresses: address.map(Into::into).into_iter().collect(),
        };
        let link = |a: &str, b: &str| Link {
            a: a.parse().expect("a port"),
            b: b.parse().expect("a port"),
            rate: Rate::from_gbps(100),
            delay: Time::from_us(1),
        };
        let switches = ["a", "b", "c", "d"].map(|name| node(name, NodeKind::Switch, None));
        let hosts = [("h1", [10, 0, 0, 1]), ("h2", [10, 0, 0, 2])];
        let hosts = hosts.map(|(name, address)| node(name, NodeKind::Host, Some(address)));
        let cables = [
            ("h1:1", "a:1"),
            ("a:2", "b:1"),
            ("a:3", "d:1"),
            ("b:2", "c:2"),
            ("d:2", "c:3"),
            ("c:1", "h2:1"),
        ];
        Topology {
            nodes: switches.into_iter().chain(hosts).collect(),
            links: cables.map(|(a, b)| link(a, b)).into(),
        }
    }

    #[test]
    fn the_hash_of_a_flow_selects_the_path_that_its_packets_take() {
        let topology = square();
        let plan = PlanSettings { ecmp_seed: 7, ..PlanSettings::default() };
        let (mut paths, mut tracer) = (Paths::new(&topology), Tracer::new(&topology, &plan));
        let mut taken = std::collections::BTreeSet::new();
        for sport in 10_000..10_020 {
            let key = FlowKey::udp([10, 0, 0, 1].into(), sport, [10, 0, 0, 2].into(), 4791);
            let links = paths.links_of(&key, "h1", "h2", |switch| plan.ecmp_seed_of(switch)).expect("a path");
            let egress: Vec<PortRef> = links[1..].iter().map(|link| link.a.clone()).collect();
            assert_eq!(egress, tracer.path(&key), "{key}");
            taken.insert(egress);
        }
        assert_eq!(taken.len(), 2, "both paths are used");
    }
}
