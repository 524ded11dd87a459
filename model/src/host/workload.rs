//! The RDMA workload of a host: transports, queue pairs, work requests, messages.

use serde::{Deserialize, Serialize};

/// The RDMA workload of a host.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct HostWorkload {}
