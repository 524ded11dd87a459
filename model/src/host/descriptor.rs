//! What an application does with its NIC, and how the NIC performs then.
//!
//! The dimensions are those of Collie (NSDI 2022), section 4: host topology, memory, transport and message pattern.

use serde::{Deserialize, Serialize};

/// The workload of one NIC. Counts are those of one direction; a bidirectional workload has as many in the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Workload {
    /// The device, for example `mlx5_0`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// The NIC's family.
    pub nic: NicFamily,
    /// Whether data flows in both directions.
    #[serde(default)]
    pub bidirectional: bool,
    /// Transport service of the queue pairs.
    pub transport: Transport,
    /// The operation.
    pub opcode: Opcode,
    /// RDMA path MTU, bytes of payload.
    pub mtu_bytes: u32,
    /// Work requests that are posted with one call; 1 is no batching.
    pub wqe_batch: u32,
    /// Scatter-gather elements of a work request.
    pub sge_per_wqe: u32,
    /// Work requests that a queue holds (`max_send_wr`, `max_recv_wr`).
    pub wq_depth: u32,
    /// Sizes of the elements or messages of the pattern that repeats.
    pub message_bytes: Vec<u64>,
    /// Memory regions that the sender has registered for its messages.
    pub memory_regions: u32,
    /// Queue pairs.
    pub queue_pairs: u32,
    /// Where the buffers are.
    #[serde(default)]
    pub memory: MemoryPlace,
    /// Whether the NIC carries loopback traffic while it receives from the network.
    #[serde(default)]
    pub loopback_with_receive: bool,
    /// What is known of the server.
    #[serde(default)]
    pub server: ServerTraits,
    /// Factors that the application cannot change; advice does not name them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fixed: Vec<Factor>,
    /// How the NIC performed under this workload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub performance: Option<NicPerformance>,
}

/// Families of NICs with published anomalies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum NicFamily {
    /// NVIDIA ConnectX-6, 200 Gb/s.
    Cx6,
    /// Broadcom P2100G, 100 Gb/s.
    P2100,
    /// Another one.
    Other,
}

/// Transport services of queue pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Transport {
    /// Reliable connection.
    Rc,
    /// Unreliable connection.
    Uc,
    /// Unreliable datagram.
    Ud,
}

/// Operations of work requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Opcode {
    /// SEND to a posted receive.
    Send,
    /// RDMA WRITE.
    Write,
    /// RDMA READ.
    Read,
}

/// Where the buffers of a workload are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum MemoryPlace {
    /// Memory of the socket that the NIC is attached to.
    #[default]
    Local,
    /// Memory of another socket.
    CrossSocket,
    /// Memory of a GPU.
    Gpu,
}

/// Properties of a server on which published anomalies depend. Absent values are unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ServerTraits {
    /// Vendor of the processors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<CpuVendor>,
    /// Whether PCIe relaxed ordering is forced for the NIC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relaxed_ordering_forced: Option<bool>,
    /// Whether PCIe access control services send peer-to-peer traffic through the root complex.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acs_redirects: Option<bool>,
    /// Whether the vendor's corrections (firmware or register settings) for this NIC are installed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vendor_fixes: Option<bool>,
}

/// Vendors of processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum CpuVendor {
    /// AMD.
    Amd,
    /// Intel.
    Intel,
    /// Another one.
    Other,
}

/// A factor of a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Factor {
    /// Depth of the work queues.
    WqDepth,
    /// Work requests that are posted with one call.
    WqeBatch,
    /// Scatter-gather elements of a work request.
    SgePerWqe,
    /// RDMA path MTU.
    Mtu,
    /// Size of the smallest message.
    SmallestMessage,
    /// Size of the largest message.
    LargestMessage,
    /// Number of queue pairs.
    QueuePairs,
    /// Number of memory regions.
    MemoryRegions,
    /// Transport service and operation.
    Transport,
    /// One or both directions.
    Direction,
    /// Where the buffers are.
    Memory,
    /// Loopback traffic next to received traffic.
    Loopback,
    /// A setting or the hardware of the server.
    Server,
}

/// How a NIC performed, as means of at least four samples of steady traffic (Collie, section 6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NicPerformance {
    /// Share of time in which the NIC paused its switch port, 0 to 1.
    pub pause_ratio: f64,
    /// Throughput, in bits a second.
    pub bits_per_s: f64,
    /// Packets a second.
    pub packets_per_s: f64,
    /// The NIC's specified throughput, in bits a second.
    pub specified_bits_per_s: f64,
    /// The NIC's specified packets a second.
    pub specified_packets_per_s: f64,
    /// Whether work requests were outstanding all the time. Low throughput shows nothing about a NIC that has nothing
    /// to send.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub always_backlogged: Option<bool>,
}
