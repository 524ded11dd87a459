//! # BUF049 no-buffers
//!
//! Severity: warning.
//!
//! The switch enables PFC but has no buffer pools or profiles.
//!
//! ## Why it matters
//!
//! The chip's defaults apply: there is no headroom, and lossless traffic is dropped.
//!
//! ## Example
//!
//! ```json
//! {
//!   "PORT": {"Ethernet0": {"lanes": "1", "speed": "100000", "admin_status": "up"}},
//!   "PORT_QOS_MAP": {
//!     "Ethernet0": {"dscp_to_tc_map": "AZURE", "tc_to_pg_map": "AZURE", "tc_to_queue_map": "AZURE",
//!       "pfc_to_queue_map": "AZURE", "pfc_enable": "3,4", "pfcwd_sw_enable": "3,4"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Add the platform's buffer templates for this role.
//!
//! ## Source
//!
//! thirty SKUs ship none; buffers_config.j2.

use super::super::context::{Context, Findings, field};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "BUF049", name: "no-buffers", severity: Severity::Warning, effect: effect::NOT_LOSSLESS };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let uses_pfc = cx.sw.ports.iter().find(|p| p.pfc_priorities != 0);
    if let (Some(port), true) = (uses_pfc, cx.db.rows("BUFFER_POOL").is_empty()) {
        let message = "ports enable PFC, but the file has no buffer pools".to_string();
        cx.report(out, &META, field("PORT_QOS_MAP", &port.name, "pfc_enable"), message);
    }
}
