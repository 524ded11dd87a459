//! # PFC020 vxlan-dscp
//!
//! Severity: warning.
//!
//! A VXLAN tunnel gives all its packets one DSCP (`qos-mode` pipe), which no port has in the lossless class of the
//! packets inside.
//!
//! ## Why it matters
//!
//! The switches between the ends of the tunnel see only the outer header. All traffic of the overlay, RDMA included,
//! shares the class of that DSCP there. If it is lossy, RDMA packets are dropped without a pause; if it is lossless,
//! TCP is paused with them.
//!
//! ## Example
//!
//! ```json
//! {"VXLAN_TUNNEL": {"vtep1": {"src_ip": "10.1.0.32", "qos-mode": "pipe", "dscp": "0"}}}
//! ```
//!
//! ## Fix
//!
//! Set `qos-mode` to uniform, so that the outer header has the DSCP of the packet.
//!
//! ## Source
//!
//! [RFC 2983](https://www.rfc-editor.org/rfc/rfc2983), pipe and uniform model of tunnels. The fields are those of SONiC
//! distributions with QoS for VXLAN; the YANG model of the community has no such field, and its tunnels copy the DSCP.

use super::super::context::{Context, Findings, field, list};
use super::super::{Meta, effect};
use crate::finding::Severity;
use crate::resolved::ResolvedPort;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "PFC020", name: "vxlan-dscp", severity: Severity::Warning, effect: effect::NOT_LOSSLESS };

const TABLE: &str = "VXLAN_TUNNEL";

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let lossless = cx
        .sw
        .ports
        .iter()
        .filter(|port| port.is_up)
        .fold(0u8, |mask, port| cx.lossless_classes(port).fold(mask, |mask, class| mask | 1 << class));
    if lossless == 0 {
        return;
    }
    for tunnel in cx.db.rows(TABLE) {
        let value = |name| cx.db.field(tunnel, name).map(|field| field.value.trim());
        if value("qos-mode") != Some("pipe") {
            continue;
        }
        let dscp = value("dscp").and_then(crate::resolve::number).unwrap_or(0);
        let class_of = |port: &ResolvedPort| port.dscp_to_tc.0.get(dscp as usize).copied();
        let class = cx.sw.ports.iter().find(|port| port.is_up && port.pfc_priorities != 0).and_then(class_of);
        let Some(class) = class else { continue };
        let is_lossless = lossless >> (class & 7) & 1 == 1;
        let message = match is_lossless {
            true => format!(
                "{}: all packets get DSCP {dscp}, also lossy ones: they are in lossless class {class}",
                tunnel.key
            ),
            false => format!(
                "{}: all packets get DSCP {dscp}, also lossless ones ({}): they are in lossy class {class}",
                tunnel.key,
                list(lossless)
            ),
        };
        cx.report(out, &META, field(TABLE, &tunnel.key, "qos-mode"), message);
    }
}
