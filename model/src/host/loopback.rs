//! Loopback tests between RNICs, GPUs and memory of one host: an RNIC reads messages from an endpoint and writes them
//! back, so that bandwidth and latency of every path inside the host are known (Hostping, NSDI 2023).

use serde::{Deserialize, Serialize};

/// The loopback tests of a host.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct HostLoopback {
    /// What the host consists of.
    pub topology: HostTopology,
    /// The tests, in order of time; the last one is judged, earlier ones show links that come and go.
    pub tests: Vec<LoopbackTest>,
}

/// Sockets, root ports, PCIe switches, RNICs, GPUs and memory of a host, and the links between them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct HostTopology {
    /// The nodes. Names are unique.
    pub nodes: Vec<HostNode>,
    /// The links. Names are unique; a route is the path of the fewest links.
    pub links: Vec<HostLink>,
}

/// A node inside a host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct HostNode {
    /// Its name, for example `mlx5_0`, `gpu3` or `socket1`.
    pub name: String,
    /// What it is.
    pub kind: HostNodeKind,
}

/// What a node inside a host is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum HostNodeKind {
    /// A CPU socket with its root complex.
    Socket,
    /// A PCIe switch, or the root port that devices share.
    PcieSwitch,
    /// An RNIC.
    Nic,
    /// A GPU.
    Gpu,
    /// The memory of a NUMA node.
    Memory,
}

/// A link inside a host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct HostLink {
    /// Its name, for example `upi` or `rp1`.
    pub name: String,
    /// The two nodes that it connects.
    pub between: [String; 2],
}

/// One round of loopback tests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct LoopbackTest {
    /// When, in nanoseconds.
    pub time_ns: u64,
    /// RNICs with service traffic: their bandwidths cannot be compared with the baseline.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub busy: Vec<String>,
    /// Service traffic of busy RNICs during the test, as far as it was measured. Together with the test it is what their
    /// PCIe links carry, which can be compared with the baseline.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub service: Vec<ServiceTraffic>,
    /// The measured paths.
    pub paths: Vec<LoopbackPath>,
    /// Utilisation of links during the test, as far as the hardware counts it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub utilisation: Vec<LinkUtilisation>,
}

/// The measurement between an RNIC and an endpoint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct LoopbackPath {
    /// The RNIC.
    pub nic: String,
    /// The GPU or memory.
    pub endpoint: String,
    /// Measured bandwidth in bits per second.
    pub bandwidth_bps: u64,
    /// Bandwidth of the same path on idle, healthy hosts of the same type.
    pub baseline_bandwidth_bps: u64,
    /// Measured latency in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ns: Option<u64>,
    /// Latency of the same path on idle, healthy hosts of the same type, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline_latency_ns: Option<u64>,
    /// The share of the test in which the PCIe link took no write of the RNIC although it had one, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stalled_share: Option<f64>,
}

/// Traffic of services on the PCIe link of an RNIC during a test.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ServiceTraffic {
    /// The RNIC.
    pub nic: String,
    /// From the RNIC to the host, in bits per second.
    pub bits_per_s: u64,
}

/// The utilisation of a link.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct LinkUtilisation {
    /// The link.
    pub link: String,
    /// The share of its capacity that is used, 0 to 1.
    pub share: f64,
}
