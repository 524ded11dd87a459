//! Results of probes to other hosts.

use serde::{Deserialize, Serialize};

/// The probes of a host.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct HostProbes {}
