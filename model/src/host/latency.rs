//! Latencies of RDMA operations, split into the stages T1 to T6.

use serde::{Deserialize, Serialize};

/// Latencies of the operations of a host.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct HostLatency {}
