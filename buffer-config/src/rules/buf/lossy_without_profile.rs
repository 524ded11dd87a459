//! # BUF054 lossy-without-profile
//!
//! Severity: warning.
//!
//! The priority group or queue of a lossy traffic class has no buffer profile on one port or a few, unlike on nearly
//! all other ports.
//!
//! ## Why it matters
//!
//! The group or queue keeps the limits that the chip starts with; on some chips, that is no buffer at all.
//! Acknowledgements, congestion notifications (CNP) and routing protocols use these classes: if they are lost, RDMA
//! stalls although its own packets are not.
//!
//! ## Example
//!
//! ```json
//! {
//!   "PORT": {
//!     "Ethernet8": {"lanes": "9,10,11,12", "speed": "100000", "admin_status": "up"},
//!     "Ethernet12": {"lanes": "13,14,15,16", "speed": "100000", "admin_status": "up"}
//!   },
//!   "PORT_QOS_MAP": {
//!     "Ethernet8": {"dscp_to_tc_map": "AZURE", "tc_to_pg_map": "AZURE", "tc_to_queue_map": "AZURE",
//!       "pfc_to_queue_map": "AZURE", "pfc_enable": "3,4"},
//!     "Ethernet12": {"dscp_to_tc_map": "AZURE", "tc_to_pg_map": "AZURE", "tc_to_queue_map": "AZURE",
//!       "pfc_to_queue_map": "AZURE", "pfc_enable": "3,4"}
//!   },
//!   "BUFFER_PG": {
//!     "Ethernet0|0": {"profile": "ingress_lossy_profile"},
//!     "Ethernet4|0": {"profile": "ingress_lossy_profile"},
//!     "Ethernet8|0": {"profile": "ingress_lossy_profile"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Add the entry of the other ports.
//!
//! ## Source
//!
//! [buffers_config.j2](https://github.com/sonic-net/sonic-buildimage/blob/master/files/build_templates/buffers_config.j2),
//! which gives a profile to all priority groups and queues in use.

use std::collections::BTreeSet;

use super::super::context::{Context, Findings, hit};
use super::super::{Meta, effect, siblings};
use crate::finding::Severity;
use crate::resolved::ResolvedPort;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "BUF054",
    name: "lossy-without-profile",
    severity: Severity::Warning,
    effect: effect::NOT_PORT_SPECIFIC,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let ports: Vec<&ResolvedPort> =
        cx.sw.ports.iter().filter(|port| port.is_up && port.pfc_priorities != 0).collect();
    for (table, what) in [("BUFFER_PG", "priority group"), ("BUFFER_QUEUE", "queue")] {
        let has = |port: &ResolvedPort, number: usize| match table {
            "BUFFER_PG" => port.priority_groups.get(number).copied().flatten().is_some(),
            _ => port.queues.get(number).copied().flatten().is_some(),
        };
        let of_class = |port: &ResolvedPort, class: u8| {
            let map = if table == "BUFFER_PG" { &port.tc_to_group } else { &port.tc_to_queue };
            map.get(usize::from(class)).copied().map(usize::from)
        };
        let is_usual = |number: usize| {
            let with = ports.iter().filter(|port| has(port, number)).count();
            siblings::are_nearly_all(with, ports.len())
        };
        cx.by_port(out, &META, |port| {
            let is_lossy = |class: &&u8| **class > 7 || port.pfc_priorities >> **class & 1 == 0;
            let classes: BTreeSet<u8> = port.dscp_to_tc.0.iter().filter(is_lossy).copied().collect();
            let is_used = port.is_up && port.pfc_priorities != 0;
            let (class, number) = classes.into_iter().filter(|_| is_used).find_map(|class| {
                let number = of_class(port, class)?;
                // A profile that does not exist has its own rule.
                let is_bare = !has(port, number) && cx.group_key(table, &port.name, number).is_empty();
                (is_bare && is_usual(number)).then_some((class, number))
            })?;
            let message =
                format!("{what} {number} of traffic class {class} has no {table} entry, unlike other ports");
            hit("PORT_QOS_MAP", &port.name, "pfc_enable", message)
        });
    }
}
