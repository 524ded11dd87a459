//! # PFC019 own-packets-in-lossless-class
//!
//! Severity: warning.
//!
//! The switch puts copies of packets (MIRROR_SESSION) or packets that it has trimmed (SWITCH_TRIMMING) into a lossless
//! class, or their DSCP is above 63.
//!
//! ## Why it matters
//!
//! No sender of the copies reacts to a pause or to a mark. They fill the lossless queues and headroom on the way to the
//! collector, and pause the senders of RDMA traffic instead. A trimmed packet in the queue that is full arrives after
//! the congestion that it reports.
//!
//! ## Example
//!
//! ```json
//! {"MIRROR_SESSION": {"everflow": {"src_ip": "10.0.0.1", "dst_ip": "10.0.0.2", "dscp": "3", "ttl": "64"}}}
//! ```
//!
//! ## Fix
//!
//! Use a DSCP, traffic class and queue that are lossy.
//!
//! ## Source
//!
//! [mirrororch.cpp](https://github.com/sonic-net/sonic-swss/blob/master/orchagent/mirrororch.cpp), where `queue` is a
//! traffic class;
//! [trimming](https://github.com/sonic-net/SONiC/blob/master/doc/packet_trimming/packet-trimming-design.md).

use super::super::context::{Context, Findings, field};
use super::super::{Meta, effect};
use crate::finding::Severity;
use crate::resolved::ResolvedPort;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "PFC019",
    name: "own-packets-in-lossless-class",
    severity: Severity::Warning,
    effect: effect::MIXED_CLASSES,
};

/// What a setting selects.
#[derive(Clone, Copy)]
enum Selects {
    Dscp,
    Class,
    Queue,
}

/// The settings that select a class, by table.
const SETTINGS: [(&str, &str, Selects); 5] = [
    ("MIRROR_SESSION", "dscp", Selects::Dscp),
    ("MIRROR_SESSION", "queue", Selects::Class),
    ("SWITCH_TRIMMING", "dscp_value", Selects::Dscp),
    ("SWITCH_TRIMMING", "tc_value", Selects::Class),
    ("SWITCH_TRIMMING", "queue_index", Selects::Queue),
];

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    // All ports have the same classes, except those without PFC.
    let Some(port) = cx.sw.ports.iter().find(|port| port.is_up && cx.lossless_classes(port).next().is_some())
    else {
        return;
    };
    for (table, name, selects) in SETTINGS {
        for entry in cx.db.rows(table) {
            let Some(value) = cx.db.field(entry, name).map(|field| field.value.trim()) else { continue };
            // Other words, such as `from-tc` and `dynamic`, select by the packet.
            let Ok(number) = value.parse::<usize>() else { continue };
            let at = field(table, &entry.key, name);
            if matches!(selects, Selects::Dscp) && number > 63 {
                cx.report(out, &META, at, format!("{}: `{name}` is {number}; expected 0 to 63", entry.key));
            } else if let Some(class) = lossless(cx, port, selects, number) {
                let message = format!("{}: `{name}` {number} is in lossless class {class}", entry.key);
                cx.report(out, &META, at, message);
            }
        }
    }
}

/// The lossless class that a value selects.
fn lossless(cx: &Context<'_, '_>, port: &ResolvedPort, selects: Selects, number: usize) -> Option<usize> {
    let mut classes = cx.lossless_classes(port);
    match selects {
        Selects::Dscp => {
            let of_dscp = usize::from(*port.dscp_to_tc.0.get(number)?);
            classes.find(|class| *class == of_dscp)
        }
        Selects::Class => classes.find(|class| *class == number),
        Selects::Queue => {
            classes.find(|class| port.tc_to_queue.get(*class).is_some_and(|q| usize::from(*q) == number))
        }
    }
}
