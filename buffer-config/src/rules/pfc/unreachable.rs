//! # PFC008 unreachable-priority
//!
//! Severity: warning.
//!
//! No DSCP (or 802.1p) value maps to a traffic class for which PFC is enabled.
//!
//! ## Why it matters
//!
//! The lossless class is unused: RDMA traffic runs in a lossy class, which becomes visible only when packets are
//! dropped.
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

use super::super::context::{Context, Findings, hit, priorities};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "PFC008",
    name: "unreachable-priority",
    severity: Severity::Warning,
    effect: effect::DSCP_NOT_AS_INTENDED,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let dot1p = !cx.db.rows("DOT1P_TO_TC_MAP").is_empty();
    if dot1p {
        return;
    }
    cx.by_port_entry(out, &META, |port, _| {
        let dead = priorities(port.pfc_priorities).find(|t| !port.dscp_to_tc.0.contains(&(*t as u8)))?;
        cx.value("PORT_QOS_MAP", &port.name, "dscp_to_tc_map").or(cx.value(
            "PORT_QOS_MAP",
            "global",
            "dscp_to_tc_map",
        ))?;
        // With remapping of tunnelled traffic, the tunnel uses 2 and 6.
        if matches!(dead, 2 | 6) && !cx.db.rows("TUNNEL").is_empty() {
            return None;
        }
        hit(
            "PORT_QOS_MAP",
            &port.name,
            "dscp_to_tc_map",
            format!("no DSCP maps to traffic class {dead}, which has PFC"),
        )
    });
}
