//! What a flow did in a second or a minute: the sum of its records.

use model::FlowKey;

use crate::rollup::Resolution;

/// The interval of a flow that a sum belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FlowRollupKey {
    /// The length of the interval.
    pub resolution: Resolution,
    /// The flow.
    pub flow: FlowKey,
    /// The start of the interval, in nanoseconds of the wall clock since 1970.
    pub wall_ns: u64,
}

/// The sum of a flow's records in one interval. Sums of parts of an interval are added with [`FlowRollup::add`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowRollup {
    /// Switch time of the latest epoch or round trip.
    pub time_ns: u64,
    /// Epochs in which a switch recorded the flow.
    pub epochs: u64,
    /// Switch time that these epochs cover.
    pub interval_ns: u64,
    /// Packets that a switch enqueued.
    pub packets: u64,
    /// Their bytes; absent if no source recorded them.
    pub bytes: Option<u64>,
    /// Packets that met a queue; absent if no source recorded them.
    pub queued_packets: Option<u64>,
    /// Packets that a switch enqueued while PFC paused their egress port.
    pub paused_packets: u64,
    /// Round trips that made an agent send a polling packet.
    pub round_trips: u64,
    /// Their sum.
    pub rtt_sum_ns: u64,
    /// The longest of them.
    pub rtt_max_ns: u64,
    /// The base round trip of the flow's path; 0 without a round trip.
    pub base_rtt_ns: u64,
}

impl FlowRollup {
    /// Adds the records of another part of the same interval.
    pub fn add(&mut self, other: &FlowRollup) {
        self.time_ns = self.time_ns.max(other.time_ns);
        self.epochs = self.epochs.saturating_add(other.epochs);
        self.interval_ns = self.interval_ns.saturating_add(other.interval_ns);
        self.packets = self.packets.saturating_add(other.packets);
        self.bytes = sum(self.bytes, other.bytes);
        self.queued_packets = sum(self.queued_packets, other.queued_packets);
        self.paused_packets = self.paused_packets.saturating_add(other.paused_packets);
        self.round_trips = self.round_trips.saturating_add(other.round_trips);
        self.rtt_sum_ns = self.rtt_sum_ns.saturating_add(other.rtt_sum_ns);
        self.rtt_max_ns = self.rtt_max_ns.max(other.rtt_max_ns);
        self.base_rtt_ns = self.base_rtt_ns.max(other.base_rtt_ns);
    }
}

/// Adds what is known of two counts.
fn sum(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.saturating_add(b)),
        (known, None) | (None, known) => known,
    }
}
