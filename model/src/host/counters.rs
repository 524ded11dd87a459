//! Counters of the RNICs of a host over one interval: pauses, caches, PCIe, bytes on the wire.
//!
//! The names of vendors' counters differ; a reader of `ethtool -S` or sysfs maps them to these fields. A counter that
//! the hardware does not have is absent, not 0.

use serde::{Deserialize, Serialize};

use crate::PortRef;

/// The counters of a host.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RnicCounters {
    /// One entry for each RNIC.
    pub nics: Vec<NicCounters>,
}

/// The increase of the counters of one RNIC over the report's interval.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NicCounters {
    /// The device, for example `mlx5_0`.
    pub nic: String,
    /// Line rate in bits per second.
    pub line_rate_bps: u64,
    /// The switch port that the RNIC is connected to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub switch_port: Option<PortRef>,
    /// Pauses that the RNIC sent, by priority.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sent_pauses: Vec<PriorityPauses>,
    /// Pauses that the RNIC received, by priority.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub received_pauses: Vec<PriorityPauses>,
    /// Consecutive shorter samples of the pauses that the RNIC sent, in order of time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pause_samples: Vec<PauseSample>,
    /// The longest time without a packet passing the receive pipeline although packets were queued, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receive_stopped_ns: Option<u64>,
    /// Time for which the receive buffer was filled to where the RNIC pauses its switch, or had not drained since to
    /// where it resumes, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receive_full_ns: Option<u64>,
    /// Time for which the PCIe link took no write to the host although the RNIC had one, in nanoseconds. A number of
    /// seconds above some share is not that time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stalled_writes_ns: Option<u64>,
    /// Time for which the receive pipeline waited for what the RNIC reads from the host's memory, contexts and translations,
    /// in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waited_reads_ns: Option<u64>,
    /// Packets and bytes on the wire.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wire: Option<WireCounters>,
    /// Bytes on the PCIe link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pcie: Option<PcieCounters>,
    /// Traffic that the RNIC sent to itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loopback_bytes: Option<u64>,
    /// Misses of the RNIC's caches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caches: Option<CacheCounters>,
    /// The memory that is registered with the RNIC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<RegisteredMemory>,
    /// Receiver-not-ready NAKs that the RNIC sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rnr_naks: Option<u64>,
    /// Packets that the RNIC dropped, by priority.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drops: Vec<PriorityDrops>,
}

/// Pauses of one priority.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct PriorityPauses {
    /// The priority, 0 to 7.
    pub priority: u8,
    /// Pause frames.
    pub frames: u64,
    /// Time in the paused state, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused_ns: Option<u64>,
    /// The longest continuous time in the paused state, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longest_ns: Option<u64>,
}

/// One sample of the pauses that an RNIC sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct PauseSample {
    /// Start of the sample, in nanoseconds.
    pub start_ns: u64,
    /// Length of the sample, in nanoseconds.
    pub interval_ns: u64,
    /// The priority, 0 to 7.
    pub priority: u8,
    /// Pause frames.
    pub frames: u64,
    /// Time in the paused state, in nanoseconds.
    pub paused_ns: u64,
}

/// Packets and bytes on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct WireCounters {
    /// Bytes received.
    pub received_bytes: u64,
    /// Packets received.
    pub received_packets: u64,
    /// Bytes sent.
    pub sent_bytes: u64,
    /// Packets sent.
    pub sent_packets: u64,
}

/// Bytes on the PCIe link of an RNIC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct PcieCounters {
    /// Capacity of the link in each direction, in bits per second.
    pub capacity_bps: u64,
    /// Bytes from the host to the RNIC.
    pub to_nic_bytes: u64,
    /// Bytes from the RNIC to the host.
    pub to_host_bytes: u64,
}

/// Misses of the caches of an RNIC, each with what is usual for this host and workload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct CacheCounters {
    /// Connection contexts (queue pairs, completion queues).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icm: Option<Misses>,
    /// Memory translation table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mtt: Option<Misses>,
    /// Receive work requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receive_wqe: Option<Misses>,
}

/// Lookups in a cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Misses {
    /// Lookups that missed.
    pub misses: u64,
    /// All lookups, if the hardware counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lookups: Option<u64>,
    /// Misses in an interval of the same length at the same load without the problem.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usual_misses: Option<u64>,
}

/// The memory that is registered with an RNIC, and the part of its translation table on the chip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RegisteredMemory {
    /// Registered bytes.
    pub bytes: u64,
    /// Bytes a page: 4096, 2 MiB or 1 GiB.
    pub page_bytes: u64,
    /// Entries of the translation table on the chip.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mtt_entries: Option<u64>,
}

/// Packets of one priority that an RNIC dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct PriorityDrops {
    /// The priority, 0 to 7.
    pub priority: u8,
    /// Whether the priority is lossless (PFC).
    pub is_lossless: bool,
    /// Dropped packets.
    pub packets: u64,
}
