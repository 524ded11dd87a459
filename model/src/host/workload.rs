//! The RDMA workload of a host: transports, queue pairs, work requests, messages, and how its connections perform.

use serde::{Deserialize, Serialize};

use super::descriptor::Workload;
use super::transport::{CnpPeer, ConnectionScaling, FlowRates, MacsecLink, Retransmission};

/// The RDMA workload of a host.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct HostWorkload {
    /// What applications do with each NIC.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub descriptors: Vec<Workload>,
    /// Throughput of each NIC with many and with few queue pairs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scaling: Vec<ConnectionScaling>,
    /// Losses and retransmissions of connections.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub retransmissions: Vec<Retransmission>,
    /// Rates of flows and the links that they use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rates: Option<FlowRates>,
    /// Peers with DCQCN, by generation of their NIC.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cnp_peers: Vec<CnpPeer>,
    /// Links with MACsec on the paths of the host's traffic.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub macsec_links: Vec<MacsecLink>,
}
