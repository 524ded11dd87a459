//! What a host reports about itself, so that a verdict that ends at a host can name the part of the host.
//!
//! One file for each kind of evidence. Every section is optional: an agent reports what its hardware has, and a
//! detector that needs more states what is missing.

pub mod counters;
pub mod descriptor;
pub mod finding;
pub mod inspection;
pub mod jobs;
pub mod latency;
pub mod loopback;
pub mod polls;
pub mod probes;
pub mod tenants;
pub mod transport;
pub mod workload;

use serde::{Deserialize, Serialize};

pub use counters::RnicCounters;
pub use finding::{HostCheck, HostCheckResult, HostClaim, HostDiagnosis, HostFinding, HostPart};
pub use inspection::HostInspection;
pub use jobs::HostJobs;
pub use latency::HostLatency;
pub use loopback::HostLoopback;
pub use polls::HostPolls;
pub use probes::HostProbes;
pub use tenants::HostTenants;
pub use workload::HostWorkload;

/// Version of the report format that this build reads and writes.
pub const HOST_REPORT_VERSION: u32 = 1;

/// The report of one host about one interval.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct HostReport {
    /// Format version, [`HOST_REPORT_VERSION`].
    pub version: u32,
    /// The name of the host, as in the topology.
    pub host: String,
    /// Length of the interval that counters and rates describe, in nanoseconds.
    pub interval_ns: u64,
    /// Counters of the RNICs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counters: Option<RnicCounters>,
    /// Loopback tests between RNICs, GPUs and memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loopback: Option<HostLoopback>,
    /// The tenants that share an RNIC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenants: Option<HostTenants>,
    /// The RDMA workload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workload: Option<HostWorkload>,
    /// Latencies of RDMA operations by stage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency: Option<HostLatency>,
    /// Gaps between polls of completion queues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub polls: Option<HostPolls>,
    /// Probes to other hosts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probes: Option<HostProbes>,
    /// Jobs and their placement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jobs: Option<HostJobs>,
    /// Settings and links, as inspected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inspection: Option<HostInspection>,
}

impl HostReport {
    /// A report without evidence.
    pub fn new(host: impl Into<String>, interval_ns: u64) -> HostReport {
        HostReport { version: HOST_REPORT_VERSION, host: host.into(), interval_ns, ..HostReport::default() }
    }
}
