//! Gaps between polls of completion queues, and slow segments of code.

use serde::{Deserialize, Serialize};

/// The polls of the threads of a host.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct HostPolls {}
