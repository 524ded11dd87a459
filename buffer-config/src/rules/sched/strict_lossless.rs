//! # SCHED002 strict-lossless
//!
//! Severity: warning.
//!
//! A lossless queue has strict priority.
//!
//! ## Why it matters
//!
//! A strict-priority queue starves all others, and when it resumes after a pause, it sends its backlog at line
//! rate.
//!
//! ## Example
//!
//! ```json
//! {"SCHEDULER": {"s1": {"type": "STRICT"}}}
//! ```
//!
//! ## Fix
//!
//! Use DWRR for lossless queues.
//!
//! ## Source
//!
//! qos_config.j2.

use super::super::context::{Context, Findings, hit, priorities};
use super::super::{Meta, effect};
use crate::finding::Severity;
use crate::resolved::Schedule;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "SCHED002",
    name: "strict-lossless",
    severity: Severity::Warning,
    effect: effect::SCHEDULING,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.by_port(out, &META, |port| {
        let strict = priorities(port.pfc_priorities).find(|t| {
            port.queue_schedule.get(usize::from(port.tc_to_queue[*t])) == Some(&Some(Schedule::Strict))
        })?;
        let key = cx.group_key("QUEUE", &port.name, usize::from(port.tc_to_queue[strict]));
        hit("QUEUE", key, "scheduler", format!("lossless priority {strict} has strict scheduling"))
    });
}
