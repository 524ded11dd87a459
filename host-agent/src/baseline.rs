//! The round trip of a path without load.

use model::{FlowKey, PortRef, Rate, Time, Topology};

/// What is known about a path's round trip without load, in nanoseconds.
///
/// Seeded from the topology, or learned as the smallest that was measured. A measurement below the seed corrects
/// it: the topology may state delays too generously.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathBase {
    seeded: bool,
    smallest_ns: Option<u64>,
    samples: u32,
}

impl PathBase {
    /// A base that is known beforehand.
    pub fn seeded(base_ns: u64) -> PathBase {
        PathBase { seeded: true, smallest_ns: Some(base_ns), samples: 0 }
    }

    /// Takes a measurement in.
    pub fn observe(&mut self, rtt_ns: u64) {
        self.smallest_ns = Some(self.smallest_ns.map_or(rtt_ns, |known| known.min(rtt_ns)));
        self.samples = self.samples.saturating_add(1);
    }

    /// The base, once it is known or `min_samples` measurements have been taken in.
    pub fn trusted_ns(&self, min_samples: u32) -> Option<u64> {
        self.smallest_ns.filter(|_| self.seeded || self.samples >= min_samples)
    }
}

/// Round trip of `flow` over an idle network whose switches store and forward: propagation both ways, and at
/// each link the serialisation of `data_bytes` forth and of `ack_bytes` back. Of equal-cost paths the one over the
/// lowest port numbers is taken. `None` when an end is unknown or no path exists.
pub fn base_rtt(topology: &Topology, flow: &FlowKey, data_bytes: u64, ack_bytes: u64) -> Option<Time> {
    let source = topology.host_of(flow.src)?;
    let destination = topology.host_of(flow.dst)?;
    let next_hops = topology.next_hops(&destination.name);
    // A host's NIC reaches the destination by the first of its ports whose switch does.
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
