//! # SCHED002 strict-lossless
//!
//! Severity: warning. Rows: PFC-13.
//!
//! Lossless queues share the wire by weight.
//!
//! ## Why it matters
//!
//! A strict lossless queue starves all others; and when it is paused, its backlog comes out at once.
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

use super::super::Meta;
use super::super::context::{Context, Findings, hit, priorities};
use crate::finding::Severity;
use crate::resolved::Schedule;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "SCHED002", name: "strict-lossless", severity: Severity::Warning, ids: &["PFC-13"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.by_port(out, &META, |port| {
        let strict = priorities(port.pfc_priorities).find(|t| {
            port.queue_schedule.get(usize::from(port.tc_to_queue[*t])) == Some(&Some(Schedule::Strict))
        })?;
        let key = cx.group_key("QUEUE", &port.name, usize::from(port.tc_to_queue[strict]));
        hit("QUEUE", key, "scheduler", format!("lossless priority {strict} is scheduled strictly"))
    });
}
