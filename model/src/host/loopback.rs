//! Loopback tests between RNICs, GPUs and memory of one host.

use serde::{Deserialize, Serialize};

/// The loopback tests of a host.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct HostLoopback {}
