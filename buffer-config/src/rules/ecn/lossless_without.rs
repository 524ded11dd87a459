//! # ECN007 lossless-without-ecn
//!
//! Severity: error (lower where it is the ASIC vendor's convention).
//!
//! The queue of a lossless priority has no WRED profile that marks packets: no profile, `ecn_none`, or the colour of
//! ordinary packets is not enabled. On a chassis, no system port's queue has one that marks, or only one port's or a
//! few ports' queues do not.
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
//! qos_config.j2. Chassis with virtual output queues attach it to system ports, also to those of other chips: there,
//! the system ports of one chip are compared with each other.

use std::collections::{BTreeMap, BTreeSet};

use super::super::context::{Context, Findings, field, hit_as, names, of_priorities, priorities, row};
use super::super::{Meta, effect, siblings};
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
    system_ports(cx, out);
    cx.by_port(out, &META, |port| {
        if !port.is_up || cx.is(Vendor::BroadcomDnx) {
            return None;
        }
        let marks = |t: usize| {
            let queue = usize::from(port.tc_to_queue[t]);
            let wred = port.queue_wred.get(queue).copied().flatten().and_then(|w| cx.sw.wred.get(w));
            wred.is_some_and(|w| cx.marks_plain(w))
        };
        let is_lossless = |t: usize| cx.lossless_classes(port).any(|class| class == t);
        let without = priorities(port.pfc_priorities).filter(|t| !marks(*t)).fold(0u8, |m, t| m | 1 << t);
        if without == 0 {
            return None;
        }
        let severity = if priorities(without).any(is_lossless) { Severity::Error } else { Severity::Warning };
        hit_as(
            severity,
            "PORT_QOS_MAP",
            &port.name,
            "pfc_enable",
            format!("no ECN for lossless {}", of_priorities(without)),
        )
    });
}

/// Reports queues of lossless priorities that mark on no system port, and system ports whose queues do not mark, unlike
/// those of nearly all others of the chip.
fn system_ports(cx: &Context<'_, '_>, out: &mut Findings) {
    let ports = cx.db.rows("SYSTEM_PORT");
    let Some(port) = cx.sw.ports.iter().find(|port| cx.lossless_classes(port).next().is_some()) else {
        return;
    };
    if ports.is_empty() {
        return;
    }
    let queues: BTreeSet<usize> =
        priorities(port.pfc_priorities).map(|priority| usize::from(port.tc_to_queue[priority])).collect();
    let mut marking: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for entry in cx.db.rows("QUEUE") {
        let Some((owner, numbers)) = entry.owner_and_numbers() else { continue };
        let Some((low, high)) = crate::resolve::range(numbers) else { continue };
        let name =
            cx.db.field(entry, "wred_profile").map(|f| crate::schema::reference("WRED_PROFILE", f.value));
        if name.is_some_and(|name| cx.sw.wred.iter().any(|w| w.name == name && cx.marks_plain(w))) {
            marking.entry(owner).or_default().extend(low..=high.min(15));
        }
    }
    let is_bare = |priority: &usize| {
        let queue = usize::from(port.tc_to_queue[*priority]);
        !marking.values().any(|own| own.contains(&queue))
    };
    let bare = priorities(port.pfc_priorities).filter(is_bare).fold(0u8, |mask, t| mask | 1 << t);
    if bare != 0 {
        let message = format!("no ECN for lossless {} on any system port", of_priorities(bare));
        cx.report(out, &META, field("PORT_QOS_MAP", &port.name, "pfc_enable"), message);
        return;
    }
    let marks = |key: &str| marking.get(key).is_some_and(|own| queues.is_subset(own));
    let of_chip = |key: &'_ str| key.rsplit_once('|').map_or(String::new(), |(chip, _)| chip.to_string());
    let usual = siblings::usual_by_kind(ports.iter().map(|entry| (of_chip(&entry.key), marks(&entry.key))));
    let is_odd = |key: &&str| !marks(key) && usual.get(&of_chip(key)) == Some(&true);
    let odd: Vec<&str> = ports.iter().map(|entry| entry.key.as_ref()).filter(is_odd).collect();
    if let Some(first) = odd.first() {
        let message = format!(
            "{}: no ECN for lossless {}, unlike on other system ports",
            names(&odd),
            of_priorities(port.pfc_priorities)
        );
        cx.report(out, &META, row("SYSTEM_PORT", first), message);
    }
}
