//! # BUF013 trim-where-forbidden
//!
//! Severity: error (a warning for lossless queues).
//!
//! A profile with `packet_discard_action` trim is used by a priority group or a profile list, or by a lossless queue.
//! Trimming is supported for queues only.
//!
//! ## Why it matters
//!
//! orchagent rejects the reference, and the priority group or port has no profile.
//!
//! ## Example
//!
//! ```json
//! {
//!   "BUFFER_PROFILE": {
//!     "ingress_lossy_profile": {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "3", "packet_discard_action": "trim"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Use a profile with `packet_discard_action` drop for priority groups and lists.
//!
//! ## Source
//!
//! bufferorch.cpp, buffercontainer.h.

use super::super::context::{Context, Findings, field};
use super::super::{Meta, effect};
use crate::finding::Severity;
use model::units::counted;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "BUF013",
    name: "trim-where-forbidden",
    severity: Severity::Error,
    effect: effect::NOT_PORT_SPECIFIC,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
    for (profile, uses) in cx.sw.profiles.iter().zip(&cx.uses) {
        if profile.trims && (uses[0] > 0 || uses[2] > 0) {
            let message = format!(
                "profile {} trims packets, but is used by {} and {}",
                profile.name,
                counted(u64::from(uses[0]), "priority group"),
                counted(u64::from(uses[2]), "list")
            );
            cx.report(out, &META, field("BUFFER_PROFILE", &profile.name, "packet_discard_action"), message);
        } else if profile.trims && is_of_lossless_queue(cx, &profile.name) {
            let message =
                format!("profile {} trims packets of lossless queues, which must not be cut", profile.name);
            cx.report(out, &META, field("BUFFER_PROFILE", &profile.name, "packet_discard_action"), message)
                .severity(Severity::Warning);
        }
    }
}

fn is_of_lossless_queue(cx: &Context<'_, '_>, profile: &str) -> bool {
    cx.sw.ports.iter().any(|port| {
        let mut queues = cx.lossless_classes(port).map(|class| usize::from(port.tc_to_queue[class]));
        queues.any(|queue| cx.queue_profile(port, queue).is_some_and(|p| p.name == profile))
    })
}
