//! Three tiers of podsets under spine planes (Guo et al., "RDMA over Commodity Ethernet at Scale", SIGCOMM 2016,
//! section 5): the production network of 4 leaves, 24 ToRs and 576 servers a podset under 64 spines with 40 Gb/s
//! everywhere is the default. A ToR has 24 x 40G down and 4 x 40G up, which is 6:1; a leaf 24 x 40G down and 16 x 40G
//! up, which is 3:2; a podset 64 x 40G = 2.56 Tb/s up.

use model::{Rate, Time};

use super::{Builder, Cable, Network, Tier, TopologyError, at_least_one, check_size};

/// Podsets under spines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Podset {
    /// Podsets.
    pub podsets: u32,
    /// ToR switches of each podset.
    pub tors: u32,
    /// Leaf switches of each podset; every ToR has a link to each.
    pub leaves: u32,
    /// Servers of each ToR.
    pub servers_per_tor: u32,
    /// Spine switches; each leaf of a podset has links to its own plane of them.
    pub spines: u32,
    /// Links of servers.
    pub host: Cable,
    /// Links between ToRs and leaves.
    pub fabric: Cable,
    /// Links between leaves and spines.
    pub spine: Cable,
}

impl Default for Podset {
    /// The production network: one podset, 40 Gb/s, 2 m to the ToR, 20 m to the leaf, 200 m to the spine.
    fn default() -> Podset {
        let cable =
            |metres: u64| Cable { rate: Rate::from_gbps(40), delay: Time(metres * super::PS_PER_METRE) };
        Podset {
            podsets: 1,
            tors: 24,
            leaves: 4,
            servers_per_tor: 24,
            spines: 64,
            host: cable(2),
            fabric: cable(20),
            spine: cable(200),
        }
    }
}

impl Podset {
    /// Servers `p1-t1-h1`..., ToRs `p1-tor1`..., leaves `p1-leaf1`..., spines `spine1`... Leaf number i of every
    /// podset is linked to the spines of plane i.
    ///
    /// # Errors
    /// Counts of zero, spines that do not fall into one plane a leaf, and counts beyond ports or addresses.
    pub fn build(&self) -> Result<Network, TopologyError> {
        at_least_one(&[
            ("podsets", self.podsets),
            ("tors", self.tors),
            ("leaves", self.leaves),
            ("servers_per_tor", self.servers_per_tor),
            ("spines", self.spines),
        ])?;
        if !self.spines.is_multiple_of(self.leaves) {
            return Err(TopologyError::Uneven {
                what: "spines",
                count: self.spines,
                over: self.leaves,
                among: "leaves",
            });
        }
        let plane = self.spines / self.leaves;
        let wide = u64::from;
        check_size(
            wide(self.podsets).saturating_mul(wide(self.tors)).saturating_mul(wide(self.servers_per_tor)),
            &[
                ("p1-tor1".to_string(), wide(self.servers_per_tor) + wide(self.leaves)),
                ("p1-leaf1".to_string(), wide(self.tors) + wide(plane)),
                ("spine1".to_string(), wide(self.podsets)),
            ],
        )?;
        let mut builder = Builder::default();
        for spine in 1..=self.spines {
            builder.switch(&format!("spine{spine}"), Tier::Core, None, spine);
        }
        for pod in 1..=self.podsets {
            self.podset(&mut builder, pod, plane);
        }
        Ok(builder.network)
    }

    fn podset(&self, builder: &mut Builder, pod: u32, plane: u32) {
        for leaf in 1..=self.leaves {
            builder.switch(&format!("p{pod}-leaf{leaf}"), Tier::Aggregation, Some(pod), leaf);
        }
        for tor in 1..=self.tors {
            let name = format!("p{pod}-tor{tor}");
            builder.switch(&name, Tier::Edge, Some(pod), tor);
            for slot in 1..=self.servers_per_tor {
                let host = format!("p{pod}-t{tor}-h{slot}");
                builder.host(&host, Some(pod), (tor - 1) * self.servers_per_tor + slot);
                builder.link(&host, &name, self.host);
            }
            for leaf in 1..=self.leaves {
                builder.link(&name, &format!("p{pod}-leaf{leaf}"), self.fabric);
            }
        }
        for leaf in 1..=self.leaves {
            for up in 1..=plane {
                let spine = (leaf - 1) * plane + up;
                builder.link(&format!("p{pod}-leaf{leaf}"), &format!("spine{spine}"), self.spine);
            }
        }
    }
}
