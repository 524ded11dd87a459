//! # PFC006 pause-stops-other-queue
//!
//! Severity: error (a warning where a port lacks the map that other ports have).
//!
//! A received pause of a priority stops a queue other than the one that carries its traffic class.
//!
//! ## Why it matters
//!
//! The pause stops unrelated traffic, and the traffic that it should stop continues to arrive at a full peer. On a port
//! without `pfc_to_queue_map`, the SAI's default decides which queue a pause stops.
//!
//! ## Example
//!
//! ```json
//! {"MAP_PFC_PRIORITY_TO_QUEUE": {"AZURE": {"3": "5", "4": "4"}}}
//! ```
//!
//! ## Fix
//!
//! Make MAP_PFC_PRIORITY_TO_QUEUE agree with TC_TO_QUEUE_MAP, or give the port the `pfc_to_queue_map` of the other ports.
//!
//! ## Source
//!
//! MAP_PFC_PRIORITY_TO_QUEUE in
//! [qos_config.j2](https://github.com/sonic-net/sonic-buildimage/blob/master/files/build_templates/qos_config.j2).

use super::super::context::{Context, Findings, hit, hit_as, priorities};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "PFC006",
    name: "pause-stops-other-queue",
    severity: Severity::Error,
    effect: effect::NOT_LOSSLESS,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.by_port(out, &META, |port| {
        let wrong =
            priorities(port.pfc_priorities).find(|t| port.pause_to_queue[*t] != port.tc_to_queue[*t])?;
        let (stops, carries) = (port.pause_to_queue[wrong], port.tc_to_queue[wrong]);
        let message =
            format!("a pause of priority {wrong} stops queue {stops}, but its traffic is in queue {carries}");
        hit("PORT_QOS_MAP", &port.name, "pfc_to_queue_map", message)
    });
    let has_map = |port: &str| cx.value("PORT_QOS_MAP", port, "pfc_to_queue_map").is_some();
    let others = cx.sw.ports.iter().filter(|p| p.pfc_priorities != 0 && has_map(&p.name)).count();
    if others == 0 {
        return;
    }
    cx.by_port_entry(out, &META, |port, _| {
        let is_joined = cx.db.row("PORT_QOS_MAP", &port.name).is_none();
        if port.pfc_priorities == 0 || is_joined || has_map(&port.name) {
            return None;
        }
        let message = "has no pfc_to_queue_map, unlike other ports".to_string();
        hit_as(Severity::Warning, "PORT_QOS_MAP", &port.name, "pfc_enable", message)
    });
}
