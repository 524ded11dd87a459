//! The base round-trip time of a path.

use model::{FlowKey, PortRef, Rate, Time, Topology};

/// The base round-trip time of a path, in nanoseconds.
///
/// Seeded from the topology, or learned as the minimum of all measurements. A measurement below the seed corrects it:
/// the topology may overstate delays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathBase {
    seeded: bool,
    smallest_ns: Option<u64>,
    samples: u32,
}

impl PathBase {
    /// Creates a base that is known in advance.
    pub fn seeded(base_ns: u64) -> PathBase {
        PathBase { seeded: true, smallest_ns: Some(base_ns), samples: 0 }
    }

    /// Adds a measurement.
    pub fn observe(&mut self, rtt_ns: u64) {
        self.smallest_ns = Some(self.smallest_ns.map_or(rtt_ns, |known| known.min(rtt_ns)));
        self.samples = self.samples.saturating_add(1);
    }

    /// Returns the base, if it is known in advance or from `min_samples` measurements on.
    pub fn trusted_ns(&self, min_samples: u32) -> Option<u64> {
        self.smallest_ns.filter(|_| self.seeded || self.samples >= min_samples)
    }
}

/// Returns the round trip of `flow` over an idle network of store-and-forward switches: propagation in both
/// directions and, at each link, the serialisation of `data_bytes` forward and of `ack_bytes` back. Of equal-cost
/// paths, the one over the lowest port numbers is used. `None` if an end is unknown or no path exists.
pub fn base_rtt(topology: &Topology, flow: &FlowKey, data_bytes: u64, ack_bytes: u64) -> Option<Time> {
    let source = topology.host_of(flow.src)?;
    let destination = topology.host_of(flow.dst)?;
    let next_hops = topology.next_hops(&destination.name);
    // A host's NIC uses the first of its ports whose switch reaches the destination.
    let mut port = topology
        .ports_of(&source.name)
        .into_iter()
        .find(|(_, peer)| peer.switch == destination.name || next_hops.contains_key(peer.switch.as_str()))
        .map(|(port, _)| PortRef::new(&source.name, port))?;

    let mut total = Time::ZERO;
    for _ in 0..=topology.nodes.len() {
        let link = topology.link_of(&port)?;
        let peer = topology.peer(&port)?;
        if link.rate == Rate(0) {
            return None;
        }
        total += link.delay + link.delay;
        total += link.rate.serialisation(data_bytes) + link.rate.serialisation(ack_bytes);
        if peer.switch == destination.name {
            return Some(total);
        }
        port = PortRef::new(&peer.switch, *next_hops.get(peer.switch.as_str())?.first()?);
    }
    None
}
