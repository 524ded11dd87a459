//! The inspection of a host: PCIe links, NIC settings, kernel settings, NUMA nodes.

use serde::{Deserialize, Serialize};

/// The inspection of a host.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct HostInspection {}
