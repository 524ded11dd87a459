//! Losses: packets that a switch dropped, as its counters show them.

use serde::{Deserialize, Serialize};

/// Why a switch dropped packets of a priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum LossReason {
    /// The priority is lossless here and its headroom was exhausted.
    Headroom,
    /// The priority is lossy here: its priority group or queue reached its threshold, or the buffer was full.
    Lossy,
    /// The PFC watchdog flushed the queue.
    Watchdog,
    /// Any other reason.
    Other,
}

/// Packets of one priority that a switch dropped at one place for one reason, as its counters show at the end of the
/// collection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LossRecord {
    /// The switch.
    pub switch: String,
    /// The ingress port of the packets.
    pub ingress_port: u16,
    /// The egress port of the packets.
    pub egress_port: u16,
    /// Their priority at that switch; absent if its counters do not distinguish priorities.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<u8>,
    /// The reason.
    pub reason: LossReason,
    /// Number of packets.
    pub packets: u64,
    /// When the first and the last one was dropped, in nanoseconds.
    pub lost_ns: (u64, u64),
}
