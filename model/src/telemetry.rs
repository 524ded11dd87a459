//! The records that a switch keeps, one type for each register group of the switch program.
//!
//! Counts are per epoch unless a field says otherwise. A depth is the number of packets in the egress queue when a
//! packet is enqueued; a *paused* packet is a data packet that is enqueued while its egress port and priority is
//! paused by the peer (Hawkeye, section 2.1 of the SIGCOMM 2024 poster).

use serde::{Deserialize, Serialize};

use crate::flow::FlowKey;

/// An epoch of a switch's ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EpochInfo {
    /// Number of the epoch: time divided by the epoch's length.
    pub id: u64,
    /// When it started, in nanoseconds of switch time.
    pub start_ns: u64,
    /// When it ended, or when the bank was frozen.
    pub end_ns: u64,
}

/// One flow at one egress port in one epoch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FlowRecord {
    /// The flow.
    pub flow: FlowKey,
    /// The epoch's id.
    pub epoch: u64,
    /// The ingress port; absent if the source does not record it.
    pub ingress_port: Option<u16>,
    /// The egress port.
    pub egress_port: u16,
    /// Their priority; absent if the source does not record it.
    pub priority: Option<u8>,
    /// Packets enqueued.
    pub packets: u64,
    /// Bytes enqueued; absent if the source does not record them.
    pub bytes: Option<u64>,
    /// Packets that met a queue (depth above zero).
    pub queued_packets: Option<u64>,
    /// Sum of the depths that the packets met.
    pub depth_sum: u64,
    /// Packets enqueued while the egress port was paused for their priority.
    pub paused_packets: u64,
    /// First packet sequence number of the epoch (24 bits for RoCEv2; a wrap makes it larger than the last).
    pub psn_first: u32,
    /// Last packet sequence number of the epoch.
    pub psn_last: u32,
    /// Time of the first and the last packet.
    pub seen_ns: Option<(u64, u64)>,
    /// Time of the first and the last packet that met a queue.
    pub queued_ns: Option<(u64, u64)>,
    /// Whether this part of the count is an exported eviction rather than a slot.
    pub evicted: bool,
}

/// One egress port in one epoch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PortRecord {
    /// The egress port.
    pub port: u16,
    /// The epoch's id.
    pub epoch: u64,
    /// Data packets enqueued; absent if the source does not record them.
    pub packets: Option<u64>,
    /// Sum of the depths that they met.
    pub depth_sum: u64,
    /// Packets enqueued while paused.
    pub paused_packets: u64,
}

/// Traffic from one ingress port to one egress port in one epoch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MeterRecord {
    /// The ingress port.
    pub ingress_port: u16,
    /// The egress port.
    pub egress_port: u16,
    /// The epoch's id.
    pub epoch: u64,
    /// Packets, if the source counts them.
    pub packets: Option<u64>,
    /// Bytes on the wire.
    pub bytes: u64,
}

/// An interval in which the peer paused one priority of one port.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PauseInterval {
    /// The egress port that was paused.
    pub port: u16,
    /// The paused priority.
    pub priority: u8,
    /// When the first pause frame arrived.
    pub start_ns: u64,
    /// When the pause ended (a resume frame, or the timer expired); absent if it had not ended at the freeze.
    pub end_ns: Option<u64>,
    /// Pause frames received in the interval, refreshes included; switches may stop counting at 31.
    pub frames: u64,
}
