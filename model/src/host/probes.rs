//! Results of RDMA probes between hosts: XR-Ping (X-RDMA, CLUSTER 2019, section VI-B) and RDMA Pingmesh (RDMA over
//! Commodity Ethernet at Scale, SIGCOMM 2016, section 5.3).

use serde::{Deserialize, Serialize};

/// The probes of an interval.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct HostProbes {
    /// The probes.
    pub results: Vec<ProbeResult>,
}

/// One probe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ProbeResult {
    /// The host that sent it.
    pub from: String,
    /// The host that it was sent to.
    pub to: String,
    /// How far the hosts are apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<ProbeScope>,
    /// Round-trip time; absent if there was no reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rtt_ns: Option<u64>,
    /// The error of a probe without a reply, e.g. `retry exceeded`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// How far apart two hosts are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ProbeScope {
    /// Below the same ToR switch.
    Tor,
    /// In the same podset.
    Podset,
    /// In different podsets.
    Fabric,
}

impl ProbeScope {
    /// Returns its name in files and texts.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tor => "ToR",
            Self::Podset => "podset",
            Self::Fabric => "fabric",
        }
    }
}
