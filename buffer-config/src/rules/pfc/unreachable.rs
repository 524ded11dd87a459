//! # PFC008 unreachable-priority
//!
//! Severity: warning. Rows: PFC-08.
//!
//! Some DSCP (or 802.1p value) maps to each traffic class that may pause.
//!
//! ## Why it matters
//!
//! The lossless class is never used: RDMA runs in a lossy class and nobody notices until it drops.
//!
//! ## Example
//!
//! ```json
//! {"DSCP_TO_TC_MAP": {"AZURE": {"0": "0", "3": "3"}}}
//! ```
//!
//! ## Fix
//!
//! Map the RDMA DSCP to the class.
//!
//! ## Source
//!
//! qos_config.j2 maps 3 and 4.

use super::super::Meta;
use super::super::context::{Context, Findings, hit, priorities};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "PFC008", name: "unreachable-priority", severity: Severity::Warning, ids: &["PFC-08"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let dot1p = !cx.db.rows("DOT1P_TO_TC_MAP").is_empty();
    if dot1p {
        return;
    }
    cx.by_port_entry(out, &META, |port, _| {
        let dead = priorities(port.pfc_priorities).find(|t| !port.dscp_to_tc.0.contains(&(*t as u8)))?;
        cx.value("PORT_QOS_MAP", &port.name, "dscp_to_tc_map").or(cx.value("PORT_QOS_MAP", "global", "dscp_to_tc_map"))?;
        // With a remap of tunnelled traffic, 2 and 6 are filled by the tunnel.
        if matches!(dead, 2 | 6) && !cx.db.rows("TUNNEL").is_empty() {
            return None;
        }
        hit("PORT_QOS_MAP", &port.name, "dscp_to_tc_map", format!("no DSCP maps to traffic class {dead}, which may pause"))
    });
}
