//! # SCHED004 unscheduled-queue
//!
//! Severity: warning.
//!
//! A lossless queue has no scheduler, although other queues of the switch have one.
//!
//! ## Why it matters
//!
//! Without a weight, the queue's share of the link depends on the chip's default.
//!
//! ## Example
//!
//! ```json
//! {"QUEUE": {"Ethernet0|3": {"wred_profile": "W"}}}
//! ```
//!
//! ## Fix
//!
//! Attach a scheduler.
//!
//! ## Source
//!
//! qos_config.j2.

use super::super::context::{Context, Findings, hit, priorities};
use super::super::{Meta, effect};
use crate::asic::Vendor;
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "SCHED004",
    name: "unscheduled-queue",
    severity: Severity::Warning,
    effect: effect::SCHEDULING,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    if cx.db.rows("SCHEDULER").is_empty() {
        return;
    }
    cx.by_port(out, &META, |port| {
        let bare = priorities(port.pfc_priorities).find(|t| {
            port.queue_schedule.get(usize::from(port.tc_to_queue[*t])).copied().flatten().is_none()
        })?;
        if !port.is_up || cx.is(Vendor::BroadcomDnx) {
            return None;
        }
        hit(
            "PORT_QOS_MAP",
            &port.name,
            "tc_to_queue_map",
            format!("the queue of lossless priority {bare} has no scheduler"),
        )
    });
}
