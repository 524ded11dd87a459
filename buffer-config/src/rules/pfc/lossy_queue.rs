//! # PFC005 pfc-on-lossy-queue
//!
//! Severity: error (lower where it is the ASIC vendor's convention).
//!
//! PFC is enabled for a priority whose queue has a lossy profile, or no BUFFER_QUEUE entry.
//!
//! ## Why it matters
//!
//! Packets are admitted at ingress and dropped at egress. A queue without an entry has the limit that the chip starts
//! with, which is that of a lossy queue.
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
//! Empowering Azure Storage with RDMA, 6.2; [sonic-mgmt issue
//! 17149](https://github.com/sonic-net/sonic-mgmt/issues/17149);
//! [buffers_config.j2](https://github.com/sonic-net/sonic-buildimage/blob/master/files/build_templates/buffers_config.j2).

use super::super::context::{Context, Findings, hit, hit_as, priorities};
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
        let mut lossless = priorities(port.pfc_priorities).filter(|t| !cx.is_without_headroom(port, *t));
        let lossy = lossless.find(|t| {
            let queue = usize::from(port.tc_to_queue[*t]);
            let profile = cx.profile(port.queues.get(queue).copied().flatten());
            profile.is_some_and(|p| p.name.contains("lossy"))
        })?;
        let queue = port.tc_to_queue[lossy];
        let profile = cx.profile(port.queues.get(usize::from(queue)).copied().flatten())?;
        let headroom = cx.gets_groups(port)
            || port.priority_groups.iter().any(|g| cx.profile(*g).is_some_and(|p| p.is_lossless()));
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
    // Without any buffer table, the file is not loaded yet.
    if cx.db.rows("BUFFER_QUEUE").is_empty() && cx.db.rows("BUFFER_PG").is_empty() {
        return;
    }
    cx.by_port(out, &META, |port| {
        let mut bare = cx.lossless_classes(port).filter(|priority| {
            let queue = usize::from(port.tc_to_queue[*priority]);
            // A profile that does not exist has its own rule.
            cx.queue_profile(port, queue).is_none()
                && cx.group_key("BUFFER_QUEUE", &port.name, queue).is_empty()
        });
        let priority = bare.next().filter(|_| port.is_up)?;
        let queue = port.tc_to_queue[priority];
        let message = format!("queue {queue} of lossless priority {priority} has no BUFFER_QUEUE entry");
        hit("PORT_QOS_MAP", &port.name, "pfc_enable", message)
    });
}
