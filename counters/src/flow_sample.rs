//! A sampled packet of a flow (sFlow, IPFIX).

use model::FlowKey;
use serde::{Deserialize, Serialize};

/// A packet that a switch sampled, or the packets that an exporter counted for a flow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowSample {
    /// The switch, by its name in the topology.
    pub switch: String,
    /// Wall-clock time at which it was sampled, or at which the counted packets ended, in nanoseconds since 1970.
    pub time_ns: u64,
    /// Time in which the counted packets were sent, before `time_ns`, in nanoseconds; 0 for a sampled packet.
    #[serde(default)]
    pub duration_ns: u64,
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

impl FlowSample {
    /// The part of the sample that belongs to an interval, 0 to 1: the packets of an exporter's count are taken as evenly
    /// distributed over the time of the flow.
    pub(crate) fn part_in(&self, from_ns: u64, to_ns: u64) -> f64 {
        let start_ns = self.time_ns.saturating_sub(self.duration_ns);
        let length_ns = self.time_ns - start_ns;
        if length_ns == 0 {
            return if (from_ns..=to_ns).contains(&self.time_ns) { 1.0 } else { 0.0 };
        }
        let common_ns = self.time_ns.min(to_ns).saturating_sub(start_ns.max(from_ns));
        common_ns as f64 / length_ns as f64
    }

    /// The packets that were sampled; for unsampled flows all packets.
    pub(crate) fn sampled_packets(&self) -> u64 {
        (self.packets / u64::from(self.sampling_rate.max(1))).max(1)
    }
}
