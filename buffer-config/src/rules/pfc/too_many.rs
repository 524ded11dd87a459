//! # PFC013 many-lossless-priorities
//!
//! Severity: warning. Rows: PFC-14, PFC-16.
//!
//! At most two priorities are lossless; four only with the remap of tunnelled traffic on a dual ToR.
//!
//! ## Why it matters
//!
//! Headroom grows with their number, and shared headroom is promised twice as often.
//!
//! ## Example
//!
//! ```json
//! {
//!   "PORT_QOS_MAP": {
//!     "Ethernet0": {"dscp_to_tc_map": "AZURE", "tc_to_pg_map": "AZURE", "tc_to_queue_map": "AZURE",
//!       "pfc_to_queue_map": "AZURE", "pfc_enable": "2,3,4,5", "pfcwd_sw_enable": "3,4"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Use two.
//!
//! ## Source
//!
//! qos_config.j2; SONiC PR 950.

use super::super::Meta;
use super::super::context::{Context, Findings, hit, list};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "PFC013", name: "many-lossless-priorities", severity: Severity::Warning, ids: &["PFC-14", "PFC-16"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let remap = cx.value("DEVICE_METADATA", "localhost", "subtype") == Some("DualToR") || !cx.db.rows("TUNNEL").is_empty();
    cx.by_port(out, &META, |port| {
        let count = port.pfc_priorities.count_ones();
        if count <= 2 || (port.pfc_priorities == 0b0101_1100 && (remap || cx.value("DEVICE_METADATA", "localhost", "type") == Some("LeafRouter"))) {
            return None;
        }
        hit("PORT_QOS_MAP", &port.name, "pfc_enable", format!("{count} priorities may pause: {}", list(port.pfc_priorities)))
    });
}
