//! What an endpoint reports, as JSON lines.

use std::net::IpAddr;

use fabric::RttStats;
use serde::Serialize;

use crate::endpoint::Counters;

/// A report.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Report {
    /// A flow has started.
    Started {
        /// Its number.
        id: u64,
        /// Its name.
        label: String,
        /// Addresses and ports.
        flow: String,
        /// Its queue pair.
        queue_pair: u32,
    },
    /// All data of a flow has been acknowledged, or the flow was stopped.
    Completed {
        /// Its number.
        id: u64,
        /// Its name.
        label: String,
        /// Addresses and ports.
        flow: String,
        /// Bytes acknowledged.
        bytes: u64,
        /// Whether that is all of it.
        whole: bool,
        /// Duration in ns.
        duration_ns: u64,
        /// Packets sent, retransmissions included.
        sent_packets: u64,
        /// Packets retransmitted.
        retransmitted_packets: u64,
        /// Its round trips.
        round_trips: RoundTrips,
    },
    /// The last packet of a message has arrived.
    Received {
        /// Sender of the flow.
        from: IpAddr,
        /// Its queue pair.
        queue_pair: u32,
        /// Payload bytes of the flow so far.
        bytes: u64,
    },
    /// The state of the endpoint.
    Status {
        /// Its counters.
        counters: Counters,
        /// Flows that send.
        flows: Vec<FlowStatus>,
        /// Priorities that its switch has paused.
        paused_priorities: Vec<u8>,
    },
}

/// The state of a flow.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FlowStatus {
    /// Its number.
    pub id: u64,
    /// Its name.
    pub label: String,
    /// Addresses and ports.
    pub flow: String,
    /// Its queue pair.
    pub queue_pair: u32,
    /// Bytes acknowledged.
    pub acknowledged_bytes: u64,
    /// Bytes of the flow.
    pub bytes: u64,
    /// Its present rate in bits per second.
    pub rate_bps: u64,
    /// Its round trips.
    pub round_trips: RoundTrips,
}

/// Round-trip times of a flow, in ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RoundTrips {
    /// Samples.
    pub count: u64,
    /// The shortest.
    pub min_ns: u64,
    /// The mean.
    pub mean_ns: u64,
    /// The longest.
    pub max_ns: u64,
}

impl From<RttStats> for RoundTrips {
    fn from(stats: RttStats) -> RoundTrips {
        let mean_ns = stats.sum.as_ns().checked_div(stats.count).unwrap_or(0);
        RoundTrips { count: stats.count, min_ns: stats.min.as_ns(), mean_ns, max_ns: stats.max.as_ns() }
    }
}
