//! # MAP009 port-without-map
//!
//! Severity: warning.
//!
//! A port with PFC has no `tc_to_queue_map`, although other ports have one.
//!
//! ## Why it matters
//!
//! Without a map, the SAI's default decides which queue a traffic class uses. If it is not the one of the other
//! ports, lossless traffic shares a queue with lossy traffic on this port only.
//!
//! ## Example
//!
//! ```json
//! {
//!   "PORT_QOS_MAP": {
//!     "Ethernet0": {"dscp_to_tc_map": "AZURE", "tc_to_pg_map": "AZURE", "pfc_to_queue_map": "AZURE",
//!       "pfc_enable": "3,4", "pfcwd_sw_enable": "3,4"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Give the port the map of the other ports.
//!
//! ## Source
//!
//! `SAI_PORT_ATTR_QOS_TC_TO_QUEUE_MAP` in
//! [saiport.h](https://github.com/opencomputeproject/SAI/blob/master/inc/saiport.h).

use super::super::context::{Context, Findings, hit};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "MAP009",
    name: "port-without-map",
    severity: Severity::Warning,
    effect: effect::MIXED_CLASSES,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let has_map = |port: &str| cx.value("PORT_QOS_MAP", port, "tc_to_queue_map").is_some();
    if !cx.sw.ports.iter().any(|port| port.pfc_priorities != 0 && has_map(&port.name)) {
        return;
    }
    cx.by_port_entry(out, &META, |port, _| {
        let is_own = cx.db.row("PORT_QOS_MAP", &port.name).is_some();
        let is_bare = is_own && port.pfc_priorities != 0 && !has_map(&port.name);
        let message = "has no tc_to_queue_map, unlike other ports".to_string();
        is_bare.then(|| hit("PORT_QOS_MAP", &port.name, "pfc_enable", message)).flatten()
    });
}
