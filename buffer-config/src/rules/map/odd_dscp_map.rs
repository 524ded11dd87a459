//! # MAP014 odd-dscp-map
//!
//! Severity: warning.
//!
//! On one port or a few, a DSCP is in another lossless class than on nearly all other ports of the switch.
//!
//! ## Why it matters
//!
//! Packets of one flow are lossless or not by the port that they arrive on. On the odd port they are dropped under
//! congestion, or lossy packets fill lossless queues that other ports keep free of them.
//!
//! ## Example
//!
//! ```json
//! {
//!   "PORT": {
//!     "Ethernet8": {"lanes": "9,10,11,12", "speed": "100000", "admin_status": "up"},
//!     "Ethernet12": {"lanes": "13,14,15,16", "speed": "100000", "admin_status": "up"}
//!   },
//!   "DSCP_TO_TC_MAP": {"OTHER": {"3": "3", "4": "4", "26": "3"}},
//!   "BUFFER_PG": {
//!     "Ethernet8|3-4": {"profile": "pg_lossless_100000_40m_profile"},
//!     "Ethernet12|3-4": {"profile": "pg_lossless_100000_40m_profile"}
//!   },
//!   "PORT_QOS_MAP": {
//!     "Ethernet8": {"dscp_to_tc_map": "AZURE", "tc_to_pg_map": "AZURE", "tc_to_queue_map": "AZURE",
//!       "pfc_to_queue_map": "AZURE", "pfc_enable": "3,4"},
//!     "Ethernet12": {"dscp_to_tc_map": "OTHER", "tc_to_pg_map": "AZURE", "tc_to_queue_map": "AZURE",
//!       "pfc_to_queue_map": "AZURE", "pfc_enable": "3,4"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Use the map of the other ports.
//!
//! ## Source
//!
//! RDMA over Commodity Ethernet at Scale 3: a packet keeps its DSCP, and so its class, on the whole path.

use super::super::context::{Context, Findings, hit};
use super::super::{Meta, effect, siblings};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "MAP014",
    name: "odd-dscp-map",
    severity: Severity::Warning,
    effect: effect::DSCP_NOT_AS_INTENDED,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let usual = siblings::usual_classes(cx);
    cx.by_port(out, &META, |port| {
        let usual = usual.get(&port.pfc_priorities).filter(|_| port.is_up)?;
        let own = siblings::lossless_classes(port);
        let (dscp, own, other) = (0..64)
            .find_map(|dscp| Some((dscp, *own.get(dscp)?, *usual.get(dscp)?)).filter(|(_, o, u)| o != u))?;
        let text = |class: u8| match class {
            siblings::LOSSY => "lossy".to_string(),
            class => format!("in lossless class {class}"),
        };
        let message = format!("DSCP {dscp} is {}, but {} on most ports", text(own), text(other));
        hit("PORT_QOS_MAP", &port.name, "dscp_to_tc_map", message)
    });
}
