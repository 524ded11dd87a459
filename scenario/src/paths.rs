//! The first of the shortest paths between two hosts, cached by destination.

use std::collections::BTreeMap;

use model::Topology;
use model::topology::Link;

/// Paths through one topology. Next hops are computed once for each destination.
#[derive(Debug)]
pub struct Paths<'t> {
    topology: &'t Topology,
    /// Per node and port: the link, and the node at its other end.
    ports: BTreeMap<&'t str, BTreeMap<u16, (usize, &'t str)>>,
    /// Per destination, per switch: the first port towards it.
    next: BTreeMap<String, BTreeMap<&'t str, u16>>,
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
        let topology = self.topology;
        if !self.next.contains_key(dst) {
            let first = |(switch, ports): (&'t str, Vec<u16>)| Some((switch, *ports.first()?));
            let next = topology.next_hops(topology.node(dst)?.name.as_str());
            self.next.insert(dst.to_string(), next.into_iter().filter_map(first).collect());
        }
        let next = self.next.get(dst)?;
        let (mut link, mut node) = *self.ports.get(src)?.values().next()?;
        let mut links = vec![&topology.links[link]];
        while node != dst {
            if links.len() > topology.nodes.len() {
                return None;
            }
            (link, node) = *self.ports.get(node)?.get(next.get(node)?)?;
            links.push(&topology.links[link]);
        }
        Some(links)
    }
}
