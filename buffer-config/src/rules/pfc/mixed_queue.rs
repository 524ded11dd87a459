//! # PFC014 lossy-in-lossless-queue
//!
//! Severity: error.
//!
//! A traffic class without PFC uses the queue of a lossless priority, two lossless priorities share a queue, or a
//! queue of lossy classes has the buffer profile of the lossless queues.
//!
//! ## Why it matters
//!
//! A received pause of one priority also stops the other class of the queue. Lossy packets in the queue are
//! admitted without an egress limit, and fill the memory that lossless traffic needs.
//!
//! ## Example
//!
//! ```json
//! {"TC_TO_QUEUE_MAP": {"AZURE": {"0": "3", "3": "3", "4": "4"}}}
//! ```
//!
//! ## Fix
//!
//! Give each lossless priority a queue of its own in TC_TO_QUEUE_MAP, and lossy queues a lossy profile in
//! BUFFER_QUEUE.
//!
//! ## Source
//!
//! RDMA over Commodity Ethernet at Scale 2; [sonic-buildimage issue
//! 28832](https://github.com/sonic-net/sonic-buildimage/issues/28832).

use super::super::context::{Context, Findings, hit, priorities};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "PFC014",
    name: "lossy-in-lossless-queue",
    severity: Severity::Error,
    effect: effect::MIXED_CLASSES,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.by_port(out, &META, |port| {
        let queue_of = |tc: usize| port.tc_to_queue.get(tc).copied();
        let is_lossless = |tc: usize| tc < 8 && port.pfc_priorities >> tc & 1 == 1;
        let has_packets = |tc: usize| port.dscp_to_tc.0.iter().any(|class| usize::from(*class) == tc);
        let (lossless, other) = cx.lossless_classes(port).find_map(|lossless| {
            let other = (0..port.tc_to_queue.len()).find(|other| {
                *other != lossless && has_packets(*other) && queue_of(*other) == queue_of(lossless)
            })?;
            Some((lossless, other))
        })?;
        let queue = queue_of(lossless)?;
        let message = match is_lossless(other) {
            true => format!("priorities {lossless} and {other} have PFC, but share queue {queue}"),
            false => {
                format!("lossy traffic class {other} uses queue {queue} of lossless priority {lossless}")
            }
        };
        hit("PORT_QOS_MAP", &port.name, "tc_to_queue_map", message)
    });
    cx.by_port(out, &META, |port| {
        let lossless: Vec<usize> =
            priorities(port.pfc_priorities).map(|t| usize::from(port.tc_to_queue[t])).collect();
        let profile = cx
            .lossless_classes(port)
            .find_map(|class| port.queues.get(usize::from(port.tc_to_queue[class])).copied().flatten())?;
        // A profile for both kinds of queues has its own rule.
        let name =
            cx.profile(Some(profile)).map(|p| p.name.as_str()).filter(|name| !name.contains("lossy"))?;
        let lossy = port.dscp_to_tc.0.iter().map(|tc| usize::from(port.tc_to_queue[usize::from(*tc & 15)]));
        let wrong = lossy
            .filter(|queue| !lossless.contains(queue))
            .find(|queue| port.queues.get(*queue).copied().flatten() == Some(profile))?;
        let key = cx.group_key("BUFFER_QUEUE", &port.name, wrong);
        hit(
            "BUFFER_QUEUE",
            key,
            "profile",
            format!("queue {wrong} of lossy traffic has lossless profile {name}"),
        )
    });
}
