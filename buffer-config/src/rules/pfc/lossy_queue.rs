//! # PFC005 pfc-on-lossy-queue
//!
//! Severity: error (lower where it is the ASIC vendor's convention).
//!
//! PFC is enabled for a priority whose queue has no lossless profile.
//!
//! ## Why it matters
//!
//! Packets are admitted at ingress and dropped at egress.
//!
//! ## Example
//!
//! ```json
//! {"BUFFER_QUEUE": {"Ethernet0|3-4": {"profile": "egress_lossy_profile"}}}
//! ```
//!
//! ## Fix
//!
//! Use the lossless egress profile for the queue.
//!
//! ## Source
//!
//! Azure 6.2; sonic-mgmt issue 17149.

use super::super::context::{Context, Findings, hit_as, priorities};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "PFC005",
    name: "pfc-on-lossy-queue",
    severity: Severity::Error,
    effect: effect::NOT_LOSSLESS,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let exists = cx.profile_named("egress_lossless_profile").is_some();
    cx.by_port(out, &META, |port| {
        let lossy = priorities(port.pfc_priorities).find(|t| {
            let queue = usize::from(port.tc_to_queue[*t]);
            let profile = cx.profile(port.queues.get(queue).copied().flatten());
            profile.is_some_and(|p| p.name.contains("lossy"))
        })?;
        let queue = port.tc_to_queue[lossy];
        let profile = cx.profile(port.queues.get(usize::from(queue)).copied().flatten())?;
        let headroom = port.priority_groups.iter().any(|g| cx.profile(*g).is_some_and(|p| p.is_lossless()));
        let severity = if exists && headroom { Severity::Error } else { Severity::Warning };
        let key = cx.group_key("BUFFER_QUEUE", &port.name, usize::from(queue));
        hit_as(
            severity,
            "BUFFER_QUEUE",
            key,
            "profile",
            format!("PFC priority {lossy} uses queue {queue} with lossy profile {}", profile.name),
        )
    });
}
