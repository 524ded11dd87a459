//! A sampled packet of a flow (sFlow, IPFIX).

use model::FlowKey;
use serde::{Deserialize, Serialize};

/// A packet that a switch sampled, or the packets that an exporter counted for a flow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowSample {
    /// The switch, by its name in the topology.
    pub switch: String,
    /// Wall-clock time at which it was sampled, in nanoseconds since 1970.
    pub time_ns: u64,
    /// The flow.
    pub flow: FlowKey,
    /// The port by which it came in: SONiC's name of the port.
    pub ingress: Option<String>,
    /// The port by which it left: SONiC's name of the port.
    pub egress: Option<String>,
    /// The DSCP of the packet, 0 to 63.
    pub dscp: Option<u8>,
    /// Bytes that the sample stands for on the wire: packet length times sampling rate, or the exporter's count.
    pub bytes: u64,
    /// Packets that it stands for.
    pub packets: u64,
    /// One of how many packets is sampled; 1 for unsampled flows.
    pub sampling_rate: u32,
}
