//! Losses: packets that a switch dropped or received damaged, as its counters show them.

use serde::{Deserialize, Serialize};

/// Why packets were lost. Real switches count each reason apart: queue and headroom discards, route and TTL discards of
/// the pipeline, discards at a port that is down, and frames with a wrong checksum (FCS).
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
    /// The switch has no route to the destination.
    NoRoute,
    /// The time to live expired.
    Ttl,
    /// The link of the egress port was down.
    LinkDown,
    /// The frames arrived damaged: their checksum (FCS) was wrong.
    Corrupted,
    /// Any other reason.
    Other,
}

impl LossReason {
    /// All reasons.
    pub const ALL: [LossReason; 8] = [
        LossReason::Headroom,
        LossReason::Lossy,
        LossReason::Watchdog,
        LossReason::NoRoute,
        LossReason::Ttl,
        LossReason::LinkDown,
        LossReason::Corrupted,
        LossReason::Other,
    ];

    /// Returns the reason with this name, if there is one.
    pub fn of_name(name: &str) -> Option<LossReason> {
        LossReason::ALL.into_iter().find(|reason| reason.name() == name)
    }

    /// Whether the packets may have been lost because of queues and pauses.
    pub fn is_of_buffers(self) -> bool {
        match self {
            LossReason::Headroom | LossReason::Lossy | LossReason::Watchdog | LossReason::Other => true,
            LossReason::NoRoute | LossReason::Ttl | LossReason::LinkDown | LossReason::Corrupted => false,
        }
    }

    /// The name of the reason, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            LossReason::Headroom => "headroom",
            LossReason::Lossy => "lossy",
            LossReason::Watchdog => "watchdog",
            LossReason::NoRoute => "no_route",
            LossReason::Ttl => "ttl",
            LossReason::LinkDown => "link_down",
            LossReason::Corrupted => "corrupted",
            LossReason::Other => "other",
        }
    }
}

/// Packets that were lost at one place for one reason, as the counters show at the end of the collection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LossRecord {
    /// The switch; for damaged frames and a link that is down, it can be a host with its NIC's counters.
    pub switch: String,
    /// The ingress port of the packets; absent if the counter is one of the egress port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ingress_port: Option<u16>,
    /// The egress port of the packets; absent if they were lost before the switch chose one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub egress_port: Option<u16>,
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
