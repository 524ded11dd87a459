//! The base round-trip time of a path.

use model::{FlowKey, PortRef, Rate, Time, Topology};

/// How long the minimum of a learned base lasts at least: the minimum-RTT filter of BBR, 10 s (draft-ietf-ccwg-bbr,
/// `MinRTTFilterLen`). A path that has become longer is learned anew after at most twice this time.
const WINDOW_NS: u64 = 10_000_000_000;

/// The base round-trip time of a path, in nanoseconds.
///
/// A base from the topology is what propagation and serialisation require, so no measurement changes it: a shorter
/// round trip is that of a shorter packet or a measurement error. Without it, the base is the minimum of the
/// measurements of the last 10 to 20 s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathBase {
    seeded_ns: Option<u64>,
    window_start_ns: u64,
    /// The minimum since `window_start_ns`, and that of the window before.
    smallest_ns: Option<u64>,
    smallest_before_ns: Option<u64>,
    samples: u32,
}

impl PathBase {
    /// Creates a base that the topology determines.
    pub fn seeded(base_ns: u64) -> PathBase {
        PathBase { seeded_ns: Some(base_ns), ..PathBase::default() }
    }

    /// Adds a valid measurement, none of retransmitted data.
    pub fn observe(&mut self, now_ns: u64, rtt_ns: u64) {
        if self.seeded_ns.is_some() {
            return;
        }
        if now_ns.saturating_sub(self.window_start_ns) >= WINDOW_NS {
            self.window_start_ns = now_ns;
            self.smallest_before_ns = self.smallest_ns.take();
        }
        self.smallest_ns = Some(self.smallest_ns.map_or(rtt_ns, |known| known.min(rtt_ns)));
        self.samples = self.samples.saturating_add(1);
    }

    /// Returns the base, if the topology determines it or from `min_samples` measurements on.
    pub fn trusted_ns(&self, min_samples: u32) -> Option<u64> {
        let learned_ns = || [self.smallest_ns, self.smallest_before_ns].into_iter().flatten().min();
        self.seeded_ns.or_else(|| learned_ns().filter(|_| self.samples >= min_samples))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_measurement_changes_a_base_from_the_topology() {
        let mut base = PathBase::seeded(44_758);
        base.observe(1, 13);
        assert_eq!(base.trusted_ns(16), Some(44_758));
    }

    #[test]
    fn a_learned_base_is_the_minimum_of_a_window() {
        let mut base = PathBase::default();
        base.observe(0, 9_000);
        assert_eq!(base.trusted_ns(2), None);
        base.observe(1, 20_000);
        assert_eq!(base.trusted_ns(2), Some(9_000));
        // The path has become longer: the old minimum ends with the next window.
        base.observe(WINDOW_NS, 30_000);
        assert_eq!(base.trusted_ns(2), Some(9_000));
        base.observe(2 * WINDOW_NS, 31_000);
        assert_eq!(base.trusted_ns(2), Some(30_000));
    }
}
