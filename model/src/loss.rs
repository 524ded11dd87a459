//! Losses: packets that a switch dropped, as its counters show them.

use serde::{Deserialize, Serialize};

/// Why a switch lost packets of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum LossReason {
    /// The class is lossless here and its headroom was used up.
    Headroom,
    /// The class is lossy here: its priority group or queue had reached its threshold, or memory was full.
    Lossy,
    /// A PFC watchdog gave the queue up.
    Watchdog,
    /// Anything else.
    Other,
}

/// Packets of one class that a switch lost at one place for one reason, as its counters say at the end of the collection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LossRecord {
    /// The switch.
    pub switch: String,
    /// Where they had come in.
    pub ingress_port: u16,
    /// Where they were to leave.
    pub egress_port: u16,
    /// Their priority class at that switch; absent where its counters do not tell classes apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<u8>,
    /// Why.
    pub reason: LossReason,
    /// How many.
    pub packets: u64,
    /// When the first and the last one was lost, nanoseconds.
    pub lost_ns: (u64, u64),
}
