//! Jobs on a host: class, placement, progress.

use serde::{Deserialize, Serialize};

/// The jobs of a host.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct HostJobs {}
