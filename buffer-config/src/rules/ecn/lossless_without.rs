//! # ECN007 lossless-without-ecn
//!
//! Severity: error (lower where it is the ASIC vendor's convention).
//!
//! The queue of a lossless priority has no WRED profile that marks packets: no profile, `ecn_none`, or the colour of
//! ordinary packets is not enabled.
//!
//! ## Why it matters
//!
//! Without ECN marking, DCQCN never reduces its rate: only PFC limits the senders, and congestion spreads through
//! the fabric.
//!
//! ## Example
//!
//! ```json
//! {"QUEUE": {"Ethernet0|3": {"scheduler": "s1"}}}
//! ```
//!
//! ## Fix
//!
//! Attach an ECN profile to the queue.
//!
//! ## Source
//!
//! qos_config.j2. Chassis with virtual output queues attach it to system ports.

use super::super::context::{Context, Findings, hit_as, list, priorities};
use super::super::{Meta, effect};
use crate::asic::Vendor;
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "ECN007",
    name: "lossless-without-ecn",
    severity: Severity::Error,
    effect: effect::ECN_NOT_AS_INTENDED,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.by_port(out, &META, |port| {
        if !port.is_up || cx.is(Vendor::BroadcomDnx) {
            return None;
        }
        let marks = |t: usize| {
            let queue = usize::from(port.tc_to_queue[t]);
            let wred = port.queue_wred.get(queue).copied().flatten().and_then(|w| cx.sw.wred.get(w));
            // Packets are green unless a policer colours them.
            wred.is_some_and(|w| w.marks_green && w.green.is_some())
        };
        let has = |t: &usize| {
            cx.profile(port.priority_groups.get(usize::from(port.tc_to_group[*t])).copied().flatten())
                .is_some_and(|p| p.is_lossless())
        };
        let without = priorities(port.pfc_priorities).filter(|t| !marks(*t)).fold(0u8, |m, t| m | 1 << t);
        if without == 0 {
            return None;
        }
        let severity = if priorities(without).any(|t| has(&t)) { Severity::Error } else { Severity::Warning };
        hit_as(
            severity,
            "PORT_QOS_MAP",
            &port.name,
            "pfc_enable",
            format!("the queues of lossless priorities {} have no ECN", list(without)),
        )
    });
}
