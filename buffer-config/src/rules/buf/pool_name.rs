//! # BUF037 lossless-pool-name
//!
//! Severity: warning.
//!
//! The switch uses PFC, but its lossless pool is not named ingress_lossless_pool.
//!
//! ## Why it matters
//!
//! buffermgrd uses that fixed name. With any other name it creates no lossless profiles, and PFC runs without
//! headroom.
//!
//! ## Example
//!
//! ```json
//! {
//!   "PORT": {"Ethernet0": {"lanes": "1", "speed": "100000", "admin_status": "up"}},
//!   "BUFFER_POOL": {"ingress_pool": {"type": "ingress", "mode": "dynamic", "size": "10000000"}},
//!   "PORT_QOS_MAP": {
//!     "Ethernet0": {"dscp_to_tc_map": "AZURE", "tc_to_pg_map": "AZURE", "tc_to_queue_map": "AZURE",
//!       "pfc_to_queue_map": "AZURE", "pfc_enable": "3,4", "pfcwd_sw_enable": "3,4"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Rename the pool.
//!
//! ## Source
//!
//! buffermgr.cpp, INGRESS_LOSSLESS_PG_POOL_NAME.

use super::super::context::{Context, Findings, row};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "BUF037",
    name: "lossless-pool-name",
    severity: Severity::Warning,
    effect: effect::NOT_PORT_SPECIFIC,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let uses_pfc = cx.sw.ports.iter().any(|p| p.pfc_priorities != 0);
    if uses_pfc && !cx.sw.pools.is_empty() && cx.pool(crate::LOSSLESS_POOL).is_none() {
        let name = cx.sw.pools.first().map_or("", |p| p.name.as_str());
        let message = "ports enable PFC, but no pool is named ingress_lossless_pool: buffermgrd creates no lossless profiles".to_string();
        cx.report(out, &META, row("BUFFER_POOL", name), message);
    }
}
