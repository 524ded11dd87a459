//! # PFC008 unreachable-priority
//!
//! Severity: error.
//!
//! No DSCP (or 802.1p) value maps to a traffic class for which PFC is enabled, or the port has no map at all.
//!
//! ## Why it matters
//!
//! The lossless class is unused: RDMA traffic runs in a lossy class, which becomes visible only when packets are
//! dropped. Without a map, all packets are in traffic class 0.
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
//! [qos_config.j2](https://github.com/sonic-net/sonic-buildimage/blob/master/files/build_templates/qos_config.j2) maps
//! DSCP 3 and 4; `SAI_PORT_ATTR_QOS_DSCP_TO_TC_MAP` in
//! [saiport.h](https://github.com/opencomputeproject/SAI/blob/master/inc/saiport.h) is empty by default.

use super::super::context::{Context, Findings, hit, list, priorities};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "PFC008",
    name: "unreachable-priority",
    severity: Severity::Error,
    effect: effect::DSCP_NOT_AS_INTENDED,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let global = cx.value("PORT_QOS_MAP", "global", "dscp_to_tc_map").is_some();
    cx.by_port_entry(out, &META, |port, _| {
        let of_port = |field: &str| cx.value("PORT_QOS_MAP", &port.name, field).is_some();
        let mut lossless = priorities(port.pfc_priorities).filter(|t| !cx.is_without_headroom(port, *t));
        let dead = lossless.find(|t| !port.dscp_to_tc.0.contains(&(*t as u8)))?;
        // With remapping of tunnelled traffic, the tunnel uses 2 and 6.
        let is_tunnel = matches!(dead, 2 | 6) && !cx.db.rows("TUNNEL").is_empty();
        let is_joined = cx.db.row("PORT_QOS_MAP", &port.name).is_none();
        if is_tunnel || is_joined || of_port("dot1p_to_tc_map") {
            return None;
        }
        let message = match of_port("dscp_to_tc_map") || global {
            true => format!("no DSCP maps to traffic class {dead}, which has PFC"),
            false => format!(
                "no dscp_to_tc_map, but PFC on {}: all packets are in traffic class 0",
                list(port.pfc_priorities)
            ),
        };
        hit("PORT_QOS_MAP", &port.name, "dscp_to_tc_map", message)
    });
}
