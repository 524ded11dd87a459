//! # PFC013 many-lossless-priorities
//!
//! Severity: warning.
//!
//! More than two priorities are lossless (four with the remapping of tunnelled traffic on a dual ToR).
//!
//! ## Why it matters
//!
//! The required headroom grows with the number of lossless priorities, and the oversubscription of the shared
//! headroom doubles.
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
//! Use two lossless priorities.
//!
//! ## Source
//!
//! qos_config.j2; SONiC PR 950.

use super::super::context::{Context, Findings, hit, list};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "PFC013",
    name: "many-lossless-priorities",
    severity: Severity::Warning,
    effect: effect::INFORMATIONAL,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let remap = cx.value("DEVICE_METADATA", "localhost", "subtype") == Some("DualToR")
        || !cx.db.rows("TUNNEL").is_empty();
    cx.by_port(out, &META, |port| {
        let count = port.pfc_priorities.count_ones();
        if count <= 2
            || (port.pfc_priorities == 0b0101_1100
                && (remap || cx.value("DEVICE_METADATA", "localhost", "type") == Some("LeafRouter")))
        {
            return None;
        }
        hit(
            "PORT_QOS_MAP",
            &port.name,
            "pfc_enable",
            format!("{count} priorities have PFC: {}", list(port.pfc_priorities)),
        )
    });
}
