//! The fat-tree of k-port switches (Al-Fares, Loukissas, Vahdat, "A Scalable, Commodity Data Center Network
//! Architecture", SIGCOMM 2008): k pods of k/2 edge and k/2 aggregation switches, (k/2)^2 core switches, k^3/4 hosts,
//! and as much capacity up as down everywhere.

use super::{Builder, Cable, Network, Tier, TopologyError, check_size};

/// Largest k whose hosts have distinct addresses.
pub(super) const MAX_K: u32 = 64;

/// A fat-tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FatTree {
    /// Ports of each switch.
    pub k: u32,
    /// Links of hosts.
    pub host: Cable,
    /// Links between switches.
    pub fabric: Cable,
}

impl FatTree {
    /// Hosts `h1`..., edge switches `p1-edge1`..., aggregation switches `p1-agg1`..., core switches `core1`...
    /// Aggregation switch number i of every pod is linked to the cores of group i.
    ///
    /// # Errors
    /// An odd or too large `k`.
    pub fn build(&self) -> Result<Network, TopologyError> {
        let k = self.k;
        if k < 2 || !k.is_multiple_of(2) || k > MAX_K {
            return Err(TopologyError::OddK { k });
        }
        check_size(u64::from(k).pow(3) / 4, &[])?;
        let half = k / 2;
        let mut builder = Builder::default();
        for core in 1..=half * half {
            builder.switch(&format!("core{core}"), Tier::Core, None, core);
        }
        for pod in 1..=k {
            self.pod(&mut builder, pod, half);
        }
        for pod in 1..=k {
            for agg in 1..=half {
                for up in 1..=half {
                    let core = (agg - 1) * half + up;
                    builder.link(&format!("p{pod}-agg{agg}"), &format!("core{core}"), self.fabric);
                }
            }
        }
        Ok(builder.network)
    }

    fn pod(&self, builder: &mut Builder, pod: u32, half: u32) {
        for index in 1..=half {
            builder.switch(&format!("p{pod}-agg{index}"), Tier::Aggregation, Some(pod), index);
            builder.switch(&format!("p{pod}-edge{index}"), Tier::Edge, Some(pod), index);
        }
        for edge in 1..=half {
            let name = format!("p{pod}-edge{edge}");
            for slot in 1..=half {
                let index = (edge - 1) * half + slot;
                let host = format!("h{}", (pod - 1) * half * half + index);
                builder.host(&host, Some(pod), index);
                builder.link(&host, &name, self.host);
            }
            for agg in 1..=half {
                builder.link(&name, &format!("p{pod}-agg{agg}"), self.fabric);
            }
        }
    }
}
