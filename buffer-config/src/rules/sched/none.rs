//! # SCHED004 unscheduled-queue
//!
//! Severity: warning.
//!
//! A lossless queue has no scheduler, although other queues of the switch have one. On a chassis, the queues of one or
//! a few system ports have none.
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

use std::collections::BTreeSet;

use super::super::context::{Context, Findings, hit, names, priorities, row};
use super::super::{Meta, effect, siblings};
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
    virtual_queues(cx, out);
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

/// Reports virtual output queues of lossless priorities without a scheduler, unlike nearly all others.
fn virtual_queues(cx: &Context<'_, '_>, out: &mut Findings) {
    let Some(port) = cx.sw.ports.iter().find(|port| cx.lossless_classes(port).next().is_some()) else {
        return;
    };
    let queues: BTreeSet<usize> =
        cx.lossless_classes(port).map(|class| usize::from(port.tc_to_queue[class])).collect();
    let is_lossless = |numbers: &str| {
        crate::resolve::range(numbers)
            .is_some_and(|(low, high)| queues.range(low..=high.max(low)).next().is_some())
    };
    // A port of this chip without PFC has no lossless queue. Ports of other chips are not in the file.
    let is_used = |owner: &str| {
        let name = owner.rsplit('|').next().unwrap_or_default();
        let own = format!("{}|{}|", cx.sw.hostname, cx.sw.chip);
        let port = cx.sw.ports.iter().find(|port| port.name == name && owner.starts_with(&own));
        port.is_none_or(|port| port.is_up && port.pfc_priorities != 0)
    };
    let mut lossless: Vec<(&str, bool)> = Vec::new();
    for entry in cx.db.rows("QUEUE") {
        let Some((owner, numbers)) = entry.owner_and_numbers() else { continue };
        if owner.contains('|') && is_lossless(numbers) && is_used(owner) {
            lossless.push((entry.key.as_ref(), cx.db.field(entry, "scheduler").is_some()));
        }
    }
    if siblings::usual(lossless.iter().map(|(_, has)| *has)) != Some(true) {
        return;
    }
    let without: Vec<&str> = lossless.iter().filter(|(_, has)| !has).map(|(key, _)| *key).collect();
    if let Some(first) = without.first() {
        let verb = if without.len() == 1 { "has" } else { "have" };
        let message = format!(
            "QUEUE|{}: {verb} no scheduler, unlike other lossless queues of system ports",
            names(&without)
        );
        cx.report(out, &META, row("QUEUE", first), message).also(without.iter().skip(1).copied());
    }
}
