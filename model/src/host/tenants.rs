//! The tenants that share the RNICs of a host.

use serde::{Deserialize, Serialize};

/// The tenants of a host.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct HostTenants {}
