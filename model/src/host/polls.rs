//! What a messaging library on RDMA reports about its threads and connections.
//!
//! The records follow X-RDMA (CLUSTER 2019), section VI: requests with timestamps of both ends, gaps between two polls
//! of a thread, slow code segments, and the windows of connections.

use serde::{Deserialize, Serialize};

/// Reports of the threads and connections of one host.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct HostPolls {
    /// Number of threads that poll and report, also those without long gaps; absent if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub polling_threads: Option<u32>,
    /// A gap between two polls is long beyond this time (`polling_warn_cycle`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub long_gap_ns: Option<u64>,
    /// Long gaps between two polls.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<PollGap>,
    /// Code segments that took longer than `slow_threshold`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub slow_segments: Vec<SlowSegment>,
    /// Requests with timestamps.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<RequestTrace>,
    /// Windows of connections.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub windows: Vec<MessageWindow>,
    /// Connections from whose peers nothing has arrived for a while.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub silent_connections: Vec<SilentConnection>,
}

/// A time in which a thread did not poll.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct PollGap {
    /// The thread.
    pub thread: String,
    /// End of the poll before, by the host's clock.
    pub start_ns: u64,
    /// Time until the next poll.
    pub duration_ns: u64,
}

/// A code segment that was slow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct SlowSegment {
    /// The thread.
    pub thread: String,
    /// The place in the code.
    pub location: String,
    /// Start, by the host's clock.
    pub start_ns: u64,
    /// Execution time.
    pub duration_ns: u64,
}

/// A request with a timestamp of each end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RequestTrace {
    /// The host that received it.
    pub receiver: String,
    /// T1: when it was sent, by the sender's clock.
    pub sent_ns: u64,
    /// T2: when it arrived, by the receiver's clock.
    pub received_ns: u64,
    /// The receiver's clock minus the sender's; absent if the clocks were not compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_offset_ns: Option<i64>,
}

/// A connection whose keepalive failed, or that has none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct SilentConnection {
    /// The connection.
    pub connection: String,
    /// Time since something last arrived from the peer.
    pub silent_ns: u64,
    /// The time without traffic after which it is probed; absent if it has no keepalive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keepalive_ns: Option<u64>,
    /// Whether its last probe was acknowledged; absent if none is complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_acknowledged: Option<bool>,
    /// Bytes of buffers that it holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_bytes: Option<u64>,
}

/// The windows of both directions of a connection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct MessageWindow {
    /// The connection.
    pub connection: String,
    /// The most messages in flight in each direction.
    pub depth: u32,
    /// Messages that this host sent and that are not acknowledged.
    pub sent: u32,
    /// Messages that this host received and has not acknowledged to its peer.
    pub received: u32,
    /// Time since a message or an acknowledgement was last sent or received.
    pub idle_ns: u64,
}
