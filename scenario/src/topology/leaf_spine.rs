//! Two tiers: every leaf is linked to every spine.

use super::{Builder, Cable, Network, Tier, TopologyError, at_least_one, check_size};

/// A leaf-spine network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeafSpine {
    /// Leaf switches.
    pub leaves: u32,
    /// Spine switches.
    pub spines: u32,
    /// Hosts of each leaf.
    pub hosts_per_leaf: u32,
    /// Parallel links between a leaf and a spine.
    pub links_per_pair: u32,
    /// Links of hosts.
    pub host: Cable,
    /// Links between switches.
    pub fabric: Cable,
}

impl LeafSpine {
    /// Hosts `h1`..., leaves `leaf1`... with the hosts on their first ports, spines `spine1`...
    ///
    /// # Errors
    /// Counts of zero, and counts beyond the ports of a switch or the addresses of hosts.
    pub fn build(&self) -> Result<Network, TopologyError> {
        at_least_one(&[
            ("leaves", self.leaves),
            ("spines", self.spines),
            ("hosts_per_leaf", self.hosts_per_leaf),
            ("links_per_pair", self.links_per_pair),
        ])?;
        let wide = u64::from;
        check_size(
            wide(self.leaves) * wide(self.hosts_per_leaf),
            &[
                (
                    "leaf1".to_string(),
                    wide(self.hosts_per_leaf) + wide(self.spines) * wide(self.links_per_pair),
                ),
                ("spine1".to_string(), wide(self.leaves) * wide(self.links_per_pair)),
            ],
        )?;
        let mut builder = Builder::default();
        for spine in 1..=self.spines {
            builder.switch(&format!("spine{spine}"), Tier::Core, None, spine);
        }
        for leaf in 1..=self.leaves {
            let name = format!("leaf{leaf}");
            builder.switch(&name, Tier::Edge, None, leaf);
            for slot in 1..=self.hosts_per_leaf {
                let number = (leaf - 1) * self.hosts_per_leaf + slot;
                let host = format!("h{number}");
                builder.host(&host, None, number);
                builder.link(&host, &name, self.host);
            }
            for spine in 1..=self.spines {
                for _ in 0..self.links_per_pair {
                    builder.link(&name, &format!("spine{spine}"), self.fabric);
                }
            }
        }
        Ok(builder.network)
    }
}
