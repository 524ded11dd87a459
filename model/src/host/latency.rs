//! Latencies of RDMA operations, split into the stages T1 to T6.
//!
//! The measurement points are those of RDMA Estats (Bai et al., NSDI 2023, section 5): two of the host and four of the
//! NIC, on clocks that the NIC's driver keeps synchronised.

use serde::{Deserialize, Serialize};

/// Latencies of the operations of a host.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct HostLatency {
    /// The connections.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub connections: Vec<RdmaConnection>,
    /// The operations, in the order of completion.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub operations: Vec<RdmaOperation>,
    /// Transfers that a processor or a GPU controls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub transfers: Vec<TimedTransfer>,
}

/// What is known of a connection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RdmaConnection {
    /// Its name, as in the operations.
    pub name: String,
    /// Round-trip time of its path without queueing, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_rtt_ns: Option<u64>,
    /// Rate of the slowest link of its path, in bits a second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bits_per_s: Option<f64>,
}

/// One operation with its timestamps, in nanoseconds. T1, T5 and T6 are mandatory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RdmaOperation {
    /// The connection.
    pub connection: String,
    /// The kind.
    pub kind: OperationKind,
    /// Whether it succeeded.
    #[serde(default = "yes")]
    pub success: bool,
    /// Its size, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// The host posts the work request.
    pub t1_ns: u64,
    /// The NIC receives the doorbell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub t2_ns: Option<u64>,
    /// The NIC has fetched the work request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub t3_ns: Option<u64>,
    /// The NIC transmits the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub t4_ns: Option<u64>,
    /// The NIC generates the completion.
    pub t5_ns: u64,
    /// The host polls the completion.
    pub t6_ns: u64,
}

fn yes() -> bool {
    true
}

/// Kinds of operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum OperationKind {
    /// SEND.
    Send,
    /// RDMA WRITE.
    Write,
    /// RDMA READ.
    Read,
    /// Fetch-and-add or compare-and-swap.
    Atomic,
    /// Fast registration of memory.
    Register,
}

/// A transfer between hosts or GPUs, as a framework measures it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct TimedTransfer {
    /// Its job or operation.
    pub name: String,
    /// What controls it.
    pub control: TransferControl,
    /// Its size, in bytes.
    pub bytes: u64,
    /// Its duration from readiness of the data to its use, in nanoseconds.
    pub duration_ns: u64,
    /// The part of it before the work request was posted, in nanoseconds, if it was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub posted_after_ns: Option<u64>,
    /// Rate of the slowest link, in bits a second.
    pub bits_per_s: f64,
    /// The rate without concurrent computation, in bits a second, if it was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alone_bits_per_s: Option<f64>,
    /// Whether GPUs of the transfer computed at the same time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overlaps_computation: Option<bool>,
}

/// What controls a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum TransferControl {
    /// A processor starts it and polls for its end.
    Cpu,
    /// Kernels on the GPU, e.g. of a collective communication library.
    GpuKernel,
    /// The GPU drives a DMA engine.
    GpuDma,
}
