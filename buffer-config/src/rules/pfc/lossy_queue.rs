//! # PFC005 pfc-on-lossy-queue
//!
//! Severity: error (less where the ASIC makes it an idiom). Rows: PFC-05.
//!
//! A priority that may pause leaves through a queue with a lossless profile.
//!
//! ## Why it matters
//!
//! The packets survive ingress and are dropped at egress.
//!
//! ## Example
//!
//! ```json
//! {"BUFFER_QUEUE": {"Ethernet0|3-4": {"profile": "egress_lossy_profile"}}}
//! ```
//!
//! ## Fix
//!
//! Give the queue the lossless egress profile.
//!
//! ## Source
//!
//! Azure 6.2; sonic-mgmt issue 17149.

use super::super::Meta;
use super::super::context::{Context, Findings, hit_as, priorities};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "PFC005", name: "pfc-on-lossy-queue", severity: Severity::Error, ids: &["PFC-05"] };

/// Runs the rule.
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
        hit_as(severity, "BUFFER_QUEUE", key, "profile", format!("PFC priority {lossy} leaves through queue {queue} with lossy profile {}", profile.name))
    });
}
