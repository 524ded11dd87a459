//! How connections perform: many queue pairs, losses, rates of flows, DCQCN between NIC generations, MACsec.

use serde::{Deserialize, Serialize};

use crate::flow::FlowKey;
use crate::telemetry::FlowRecord;

/// The throughput of a NIC with its queue pairs, and what it was with few. Counters of caches and PCIe are in the section
/// `counters`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ConnectionScaling {
    /// The device, as in `counters`.
    pub nic: String,
    /// Queue pairs in use.
    pub queue_pairs: u32,
    /// Size of the messages, in bytes; large requests hide cache misses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_bytes: Option<u64>,
    /// Throughput now, in bits a second.
    pub bits_per_s: f64,
    /// Throughput with the same messages over few queue pairs, in bits a second.
    pub usual_bits_per_s: f64,
    /// PCIe throughput towards the NIC above its network throughput, with few queue pairs, in bits a second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usual_extra_pcie_bits_per_s: Option<f64>,
}

/// Losses and retransmissions of one connection or NIC.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Retransmission {
    /// The flow of the connection.
    pub flow: FlowKey,
    /// Throughput on the wire without headers, in bits a second.
    pub raw_bits_per_s: f64,
    /// Payload that reaches the application, in bits a second.
    pub goodput_bits_per_s: f64,
    /// Share of packets that are lost, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss_ratio: Option<f64>,
    /// How the sender recovers losses.
    pub recovery: LossRecovery,
    /// Whether PFC protects the traffic class from losses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_lossless: Option<bool>,
    /// Records of the flow at one egress port of a switch, in the order of epochs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub records: Vec<FlowRecord>,
}

/// How a sender recovers losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum LossRecovery {
    /// Everything from the lost packet on is retransmitted.
    GoBackN,
    /// Only lost packets are retransmitted.
    SelectiveRepeat,
}

/// Rates of flows and the links that they use.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct FlowRates {
    /// The links.
    pub links: Vec<LinkRate>,
    /// The flows, of all senders that use these links.
    pub flows: Vec<FlowRate>,
}

/// A link and its rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct LinkRate {
    /// Its name.
    pub name: String,
    /// Its rate, in bits a second.
    pub bits_per_s: f64,
}

/// A flow and its measured rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct FlowRate {
    /// The flow.
    pub flow: FlowKey,
    /// The host and device that send it, for example `h1/mlx5_0`.
    pub sender: String,
    /// The links that it uses, by name.
    pub links: Vec<String>,
    /// Its measured rate, in bits a second.
    pub bits_per_s: f64,
    /// The rate above which its application, its congestion control or its window does not let it send, in bits a second; absent if
    /// only the links limit it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub demand_bits_per_s: Option<f64>,
}

/// DCQCN between this host and a peer, and its settings on both sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct CnpPeer {
    /// The sender.
    pub sender: CnpSettings,
    /// The receiver.
    pub receiver: CnpSettings,
    /// Packets with an ECN mark that the receiver got.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marked_packets: Option<u64>,
    /// CNPs that it sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cnps: Option<u64>,
    /// Cache misses of the receiver.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receiver_misses: Option<u64>,
    /// Cache misses of the receiver at the same load from a sender of its own generation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usual_receiver_misses: Option<u64>,
}

/// DCQCN settings of a NIC. Absent values are unknown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct CnpSettings {
    /// The host.
    pub host: String,
    /// Generation of the NIC, 1 to 3: the first implements DCQCN in firmware.
    pub generation: u8,
    /// Minimum interval between two CNPs of a queue pair that the NIC sends as notification point, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cnp_interval_ns: Option<u64>,
    /// Window in which the NIC as reaction point reduces a rate at most once, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduction_window_ns: Option<u64>,
    /// The unit of its rate limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<RateLimitUnit>,
}

/// The unit of a NIC's rate limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum RateLimitUnit {
    /// Single packets.
    Packet,
    /// Bursts of packets.
    Burst,
}

/// A link with MACsec. Absent values are unknown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct MacsecLink {
    /// Its name, for example `t2-1:5 - rh-1:9`.
    pub name: String,
    /// Whether PFC is on.
    pub pfc: bool,
    /// Whether each end encrypts the PFC frames that it sends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encrypts_pfc: Option<[bool; 2]>,
    /// Whether each end expects encrypted PFC frames.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expects_encrypted_pfc: Option<[bool; 2]>,
    /// Packets that an end counted as corrupted in an interval before PFC was enabled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrupted_before_pfc: Option<u64>,
    /// Packets that an end counted as corrupted in an interval of the same length with PFC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrupted_with_pfc: Option<u64>,
}
