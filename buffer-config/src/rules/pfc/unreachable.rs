//! # PFC008 unreachable-priority
//!
//! Severity: error.
//!
//! No DSCP (or 802.1p) value maps to a traffic class for which PFC is enabled, or the port has no map at all, or
//! only one of 802.1p priorities although its packets have no VLAN tag.
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
use crate::db::Entry;
use crate::finding::Severity;
use crate::resolved::ResolvedPort;

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
        if is_tunnel || is_joined {
            return None;
        }
        if of_port("dot1p_to_tc_map") {
            // Packets without a VLAN tag have no 802.1p priority.
            let message = format!(
                "dot1p_to_tc_map without dscp_to_tc_map, but its packets have no VLAN tag and PFC is on {}: all are in traffic class 0",
                list(port.pfc_priorities)
            );
            let is_blind = !of_port("dscp_to_tc_map") && !global && is_untagged(cx, port);
            return is_blind.then(|| hit("PORT_QOS_MAP", &port.name, "dot1p_to_tc_map", message)).flatten();
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

/// Whether a port, or the port channel that it belongs to, is routed or an untagged member of VLANs only.
fn is_untagged(cx: &Context<'_, '_>, port: &ResolvedPort) -> bool {
    let name: &str = if port.port_channel.is_empty() { &port.name } else { &port.port_channel };
    let members = cx.db.rows("VLAN_MEMBER").iter();
    let mut tags = members
        .filter(|entry| entry.key.rsplit('|').next() == Some(name))
        .map(|entry| cx.db.field(entry, "tagging_mode").is_some_and(|mode| mode.value == "tagged"))
        .peekable();
    let is_routed = ["INTERFACE", "PORTCHANNEL_INTERFACE"]
        .iter()
        .any(|table| cx.db.rows(table).iter().any(|entry| entry.key.split('|').next() == Some(name)));
    let is_subinterface = |entry: &Entry<'_>| entry.key.split('.').next() == Some(name);
    if tags.peek().is_some() {
        return tags.all(|is_tagged| !is_tagged);
    }
    is_routed && !cx.db.rows("VLAN_SUB_INTERFACE").iter().any(is_subinterface)
}
