//! What a plan depends on besides the topology.

use std::collections::{BTreeMap, BTreeSet};

use model::topology::ShortestPaths;
use model::{PortRef, Topology};
use serde::{Deserialize, Serialize};

/// Settings of all switches of a network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PlanSettings {
    /// Priority class of each DSCP, 64 of them.
    pub dscp_priorities: Vec<u8>,
    /// UDP destination ports that carry RoCEv2, besides 4791.
    pub roce_ports: Vec<u16>,
    /// Whether a pause ends by itself when its time has run out, as IEEE 802.1Qbb says. Off: only a resume frame ends
    /// it, as in the HPCC/ns-3 simulator.
    pub pause_timer: bool,
    /// Makes the switches' ECMP choices differ between runs; each switch's own seed follows from this and its name.
    pub ecmp_seed: u32,
    /// Every switch uses `ecmp_seed` itself, so that all of them choose alike: hash polarisation, which leaves links
    /// of the upper tiers unused.
    pub ecmp_alike: bool,
    /// Switches with another DSCP table than `dscp_priorities`.
    pub switch_priorities: BTreeMap<String, Vec<u8>>,
    /// Links that routes do not use, each by the port at one of its ends.
    pub unused_links: Vec<PortRef>,
    /// Routes set by hand; they come before the shortest paths.
    pub static_routes: Vec<StaticRoute>,
}

/// A route set by hand: what a switch does with everything for a host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StaticRoute {
    /// The switch.
    pub switch: String,
    /// The host.
    pub host: String,
    /// The egress ports, equal in cost; none: the switch has no route to the host.
    pub ports: Vec<u16>,
}

impl Default for PlanSettings {
    fn default() -> PlanSettings {
        PlanSettings {
            dscp_priorities: dscp_classes(),
            roce_ports: Vec::new(),
            pause_timer: true,
            ecmp_seed: 0,
            ecmp_alike: false,
            switch_priorities: BTreeMap::new(),
            unused_links: Vec::new(),
            static_routes: Vec::new(),
        }
    }
}

impl PlanSettings {
    /// What routes packets in a network with these settings.
    pub fn router<'t>(&'t self, topology: &'t Topology) -> Router<'t> {
        let unused: BTreeSet<&PortRef> = self.unused_links.iter().collect();
        let used =
            topology.links.iter().filter(|link| !unused.contains(&link.a) && !unused.contains(&link.b));
        let mut by_hand: BTreeMap<&str, Vec<&StaticRoute>> = BTreeMap::new();
        for route in &self.static_routes {
            by_hand.entry(&route.host).or_default().push(route);
        }
        Router { paths: ShortestPaths::new(topology, used), by_hand }
    }

    /// The ECMP seed of a switch.
    pub fn ecmp_seed_of(&self, switch: &str) -> u32 {
        if self.ecmp_alike {
            return self.ecmp_seed;
        }
        // FNV-1a over the seed and the switch's name.
        let bytes = self.ecmp_seed.to_be_bytes().into_iter().chain(switch.bytes());
        bytes.fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
    }
}

/// The routes of a network: shortest paths over the links in use, and routes set by hand.
#[derive(Clone, Debug)]
pub struct Router<'t> {
    paths: ShortestPaths<'t>,
    by_hand: BTreeMap<&'t str, Vec<&'t StaticRoute>>,
}

impl<'t> Router<'t> {
    /// The egress ports towards `host` of every switch that has a route.
    pub fn next_hops(&self, host: &str) -> BTreeMap<&'t str, Vec<u16>> {
        let mut next = self.paths.next_hops(host);
        for route in self.by_hand.get(host).into_iter().flatten() {
            match route.ports.as_slice() {
                [] => next.remove(route.switch.as_str()),
                ports => next.insert(&route.switch, ports.to_vec()),
            };
        }
        next
    }
}

/// The usual classes: the upper three bits of the DSCP (RFC 2474 section 4.2.2.2). RoCEv2's customary 26 is class
/// 3, congestion notifications' 48 is class 6.
pub fn dscp_classes() -> Vec<u8> {
    (0..64).map(|dscp| dscp >> 3).collect()
}
