//! Settings of a plan.

use std::collections::{BTreeMap, BTreeSet};

use model::topology::ShortestPaths;
use model::{PortRef, Topology};
use serde::{Deserialize, Serialize};

/// Settings of all switches of a network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PlanSettings {
    /// Priority of each of the 64 DSCPs.
    pub dscp_priorities: Vec<u8>,
    /// UDP destination ports that carry RoCEv2, in addition to 4791.
    pub roce_ports: Vec<u16>,
    /// Whether a pause ends when its time expires (IEEE 802.1Qbb). If false, only a resume frame ends it, as in the
    /// HPCC/ns-3 simulator.
    pub pause_timer: bool,
    /// Seed of the ECMP hash. Each switch derives its own seed from this one and its name.
    pub ecmp_seed: u32,
    /// Whether all switches use `ecmp_seed` unchanged. This causes hash polarisation, which leaves links of the upper
    /// tiers unused.
    pub ecmp_alike: bool,
    /// DSCP tables of switches that do not use `dscp_priorities`.
    pub switch_priorities: BTreeMap<String, Vec<u8>>,
    /// Links that routes do not use, each identified by the port at one end.
    pub unused_links: Vec<PortRef>,
    /// Static routes; they take precedence over shortest paths.
    pub static_routes: Vec<StaticRoute>,
}

/// A static route of a switch to a host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StaticRoute {
    /// The switch.
    pub switch: String,
    /// The host.
    pub host: String,
    /// The equal-cost egress ports; empty: the switch has no route to the host.
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
    /// Returns the routes of a network with these settings.
    pub fn router<'t>(&'t self, topology: &'t Topology) -> Router<'t> {
        let unused: BTreeSet<&PortRef> = self.unused_links.iter().collect();
        let used =
            topology.links.iter().filter(|link| !unused.contains(&link.a) && !unused.contains(&link.b));
        let mut static_routes: BTreeMap<&str, Vec<&StaticRoute>> = BTreeMap::new();
        for route in &self.static_routes {
            static_routes.entry(&route.host).or_default().push(route);
        }
        Router { paths: ShortestPaths::new(topology, used), static_routes }
    }

    /// Returns the ECMP seed of a switch.
    pub fn ecmp_seed_of(&self, switch: &str) -> u32 {
        if self.ecmp_alike {
            return self.ecmp_seed;
        }
        // 32-bit FNV-1a of the seed and the switch's name.
        let bytes = self.ecmp_seed.to_be_bytes().into_iter().chain(switch.bytes());
        bytes.fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
    }
}

/// The routes of a network: shortest paths over the links in use, and static routes.
#[derive(Clone, Debug)]
pub struct Router<'t> {
    paths: ShortestPaths<'t>,
    static_routes: BTreeMap<&'t str, Vec<&'t StaticRoute>>,
}

impl<'t> Router<'t> {
    /// Returns the egress ports towards `host` of every switch that has a route.
    pub fn next_hops(&self, host: &str) -> BTreeMap<&'t str, Vec<u16>> {
        let mut next = self.paths.next_hops(host);
        for route in self.static_routes.get(host).into_iter().flatten() {
            match route.ports.as_slice() {
                [] => next.remove(route.switch.as_str()),
                ports => next.insert(&route.switch, ports.to_vec()),
            };
        }
        next
    }
}

/// The default priorities: the upper three bits of the DSCP (RFC 2474 section 4.2.2.2). DSCP 26, common for RoCEv2, has
/// priority 3; DSCP 48, common for CNPs, has priority 6.
pub fn dscp_classes() -> Vec<u8> {
    (0..64).map(|dscp| dscp >> 3).collect()
}
