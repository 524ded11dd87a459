//! # PFC015 unexpected-dscp
//!
//! Severity: warning.
//!
//! A DSCP of ordinary traffic maps to a lossless traffic class: 0 (best effort), 46 (expedited forwarding), 48 or 56
//! (network control, congestion notification packets of RoCE), or more than half of all DSCPs; or 802.1p priority 0
//! (best effort) does. On EOS and NX-OS also all packets that no class of a policy map matches, and those of an access
//! list that matches everything.
//!
//! ## Why it matters
//!
//! Traffic that is not RDMA then pauses senders, and fills the queues and the headroom of RDMA traffic. Congestion
//! notification packets are then delayed by the congestion that they report.
//!
//! ## Example
//!
//! ```json
//! {"DSCP_TO_TC_MAP": {"AZURE": {"0": "3", "3": "3", "4": "4"}}}
//! ```
//!
//! ## Fix
//!
//! Map the DSCP to a lossy class, unless hosts use it for RDMA.
//!
//! ## Source
//!
//! [RFC 4594](https://www.rfc-editor.org/rfc/rfc4594) section 2.3;
//! [qos_config.j2](https://github.com/sonic-net/sonic-buildimage/blob/master/files/build_templates/qos_config.j2)
//! maps DSCP 48 to traffic class 6; IEEE 802.1Q annex I: priority 0 is best effort.

use super::super::context::{Context, Findings, hit};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "PFC015",
    name: "unexpected-dscp",
    severity: Severity::Warning,
    effect: effect::DSCP_NOT_AS_INTENDED,
};

/// DSCPs of traffic that is not RDMA.
const ORDINARY: [(usize, &str); 4] =
    [(0, "best effort"), (46, "expedited forwarding"), (48, "network control"), (56, "network control")];

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.by_port(out, &META, |port| {
        let is_lossless = |tc: u8| cx.lossless_classes(port).any(|t| t == usize::from(tc));
        let map = &port.dscp_to_tc.0;
        let count = map.iter().filter(|tc| is_lossless(**tc)).count();
        let (dscp, what) = *ORDINARY
            .iter()
            .find(|(dscp, _)| map.get(*dscp).is_some_and(|tc| is_lossless(*tc)))
            .or((count > map.len() / 2).then_some(&(map.len(), "")))?;
        let message = match map.get(dscp) {
            Some(tc) => format!("DSCP {dscp} ({what}) maps to lossless traffic class {tc}"),
            None => format!("{count} of 64 DSCPs map to lossless traffic classes"),
        };
        hit("PORT_QOS_MAP", &port.name, "dscp_to_tc_map", message)
    });
    if cx.db.rows("DOT1P_TO_TC_MAP").is_empty() {
        return;
    }
    cx.by_port_entry(out, &META, |port, _| {
        let map = cx.value("PORT_QOS_MAP", &port.name, "dot1p_to_tc_map")?;
        let map = crate::schema::reference("DOT1P_TO_TC_MAP", map);
        let class = cx.value("DOT1P_TO_TC_MAP", map, "0")?.trim().parse::<usize>().ok()?;
        let is_lossless = cx.lossless_classes(port).any(|lossless| lossless == class);
        let message = format!("802.1p priority 0 (best effort) maps to lossless traffic class {class}");
        is_lossless.then(|| hit("PORT_QOS_MAP", &port.name, "dot1p_to_tc_map", message)).flatten()
    });
}
