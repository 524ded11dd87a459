//! # PFC006 pause-stops-other-queue
//!
//! Severity: error. Rows: PFC-06.
//!
//! A received pause of a priority stops the queue that carries the priority's traffic class.
//!
//! ## Why it matters
//!
//! Otherwise the pause stops innocent traffic, and the culprit keeps sending into a full peer.
//!
//! ## Example
//!
//! ```json
//! {"MAP_PFC_PRIORITY_TO_QUEUE": {"AZURE": {"3": "5", "4": "4"}}}
//! ```
//!
//! ## Fix
//!
//! Make MAP_PFC_PRIORITY_TO_QUEUE agree with TC_TO_QUEUE_MAP.
//!
//! ## Source
//!
//! qos_config.j2.

use super::super::Meta;
use super::super::context::{Context, Findings, hit, priorities};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "PFC006", name: "pause-stops-other-queue", severity: Severity::Error, ids: &["PFC-06"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.by_port(out, &META, |port| {
        let wrong = priorities(port.pfc_priorities).find(|t| port.pause_to_queue[*t] != port.tc_to_queue[*t])?;
        let (stops, carries) = (port.pause_to_queue[wrong], port.tc_to_queue[wrong]);
        let message = format!("a pause of priority {wrong} stops queue {stops}, its traffic is in queue {carries}");
        hit("PORT_QOS_MAP", &port.name, "pfc_to_queue_map", message)
    });
}
