//! What a plan depends on besides the topology.

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
}

impl Default for PlanSettings {
    fn default() -> PlanSettings {
        PlanSettings {
            dscp_priorities: dscp_classes(),
            roce_ports: Vec::new(),
            pause_timer: true,
            ecmp_seed: 0,
        }
    }
}

/// The usual classes: the upper three bits of the DSCP (RFC 2474 section 4.2.2.2). RoCEv2's customary 26 is class
/// 3, congestion notifications' 48 is class 6.
pub fn dscp_classes() -> Vec<u8> {
    (0..64).map(|dscp| dscp >> 3).collect()
}
