//! The tenants that share an RNIC: what each gets, what it was promised, and what it does to the RNIC's caches,
//! processing units and PCIe link (Husky, NSDI 2023).

use serde::{Deserialize, Serialize};

/// The tenants of a host.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct HostTenants {
    /// One entry for each shared RNIC.
    pub nics: Vec<SharedNic>,
}

/// An RNIC that tenants share.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct SharedNic {
    /// The device, as in the section `counters`.
    pub nic: String,
    /// Specified bandwidth in bits per second.
    pub bandwidth_limit_bps: u64,
    /// Specified requests per second.
    pub request_limit: f64,
    /// The tenants.
    pub tenants: Vec<Tenant>,
}

/// A tenant of an RNIC.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Tenant {
    /// Its name.
    pub name: String,
    /// Bandwidth now, in bits per second.
    pub bandwidth_bps: u64,
    /// Requests per second now.
    pub requests: f64,
    /// Bandwidth when it has the RNIC for itself, in bits per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alone_bandwidth_bps: Option<u64>,
    /// Guaranteed bandwidth in bits per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guaranteed_bandwidth_bps: Option<u64>,
    /// Data verbs, each with rate and size.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verbs: Vec<VerbRate>,
    /// Queue pairs that the tenant uses in turn.
    #[serde(default)]
    pub queue_pairs: u64,
    /// Completion queues that the tenant uses in turn.
    #[serde(default)]
    pub completion_queues: u64,
    /// Memory regions that the tenant uses in turn.
    #[serde(default)]
    pub memory_regions: u64,
    /// Memory regions that it registers per second.
    #[serde(default)]
    pub registrations: f64,
    /// Memory regions that it deregisters per second.
    #[serde(default)]
    pub deregistrations: f64,
    /// Receiver-not-ready errors per second of its queue pairs, in either direction.
    #[serde(default)]
    pub rnr_errors: f64,
    /// Measured PCIe bandwidth in bits per second; without it, it is computed from the verbs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pcie_bps: Option<u64>,
}

/// The rate of a data verb.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct VerbRate {
    /// The verb.
    pub verb: DataVerb,
    /// The transport.
    pub transport: RdmaTransport,
    /// Requests per second.
    pub requests: f64,
    /// Payload bytes of a request.
    pub bytes: u64,
}

/// A verb that moves data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum DataVerb {
    /// SEND, matched by a receive request.
    Send,
    /// WRITE.
    Write,
    /// READ.
    Read,
    /// Compare-and-swap.
    CompareSwap,
    /// Fetch-and-add.
    FetchAdd,
}

/// The transport of a queue pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum RdmaTransport {
    /// Reliable connection.
    Rc,
    /// Unreliable connection.
    Uc,
    /// Unreliable datagram.
    Ud,
}
