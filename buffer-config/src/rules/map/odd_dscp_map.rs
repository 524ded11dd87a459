//! # MAP014 odd-dscp-map
//!
//! Severity: warning.
//!
//! On one port or a few, a DSCP is in another lossless class than on nearly all other ports of the switch.
//!
//! ## Why it matters
//!
//! Packets of one flow are lossless or not by the port that they arrive on. On the odd port they are dropped under
//! congestion, or lossy packets fill lossless queues that other ports keep free of them.
//!
//! ## Example
//!
//! ```json
//! {
//!   "PORT": {
//!     "Ethernet8": {"lanes": "9,10,11,12", "speed": "100000", "admin_status": "up"},
//!     "Ethernet12": {"lanes": "13,14,15,16", "speed": "100000", "admin_status": "up"}
//!   },
//!   "DSCP_TO_TC_MAP": {"OTHER": {"3": "3", "4": "4", "26": "3"}},
//!   "BUFFER_PG": {
//!     "Ethernet8|3-4": {"profile": "pg_lossless_100000_40m_profile"},
//!     "Ethernet12|3-4": {"profile": "pg_lossless_100000_40m_profile"}
//!   },
//!   "PORT_QOS_MAP": {
//!     "Ethernet8": {"dscp_to_tc_map": "AZURE", "tc_to_pg_map": "AZURE", "tc_to_queue_map": "AZURE",
//!       "pfc_to_queue_map": "AZURE", "pfc_enable": "3,4"},
//!     "Ethernet12": {"dscp_to_tc_map": "OTHER", "tc_to_pg_map": "AZURE", "tc_to_queue_map": "AZURE",
//!       "pfc_to_queue_map": "AZURE", "pfc_enable": "3,4"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Use the map of the other ports.
//!
//! ## Source
//!
//! RDMA over Commodity Ethernet at Scale 3: a packet keeps its DSCP, and so its class, on the whole path.

use std::collections::BTreeMap;

use super::super::context::{Context, Findings, hit};
use super::super::{Meta, effect};
use crate::finding::Severity;
use crate::resolved::ResolvedPort;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "MAP014",
    name: "odd-dscp-map",
    severity: Severity::Warning,
    effect: effect::DSCP_NOT_AS_INTENDED,
};

/// The fewest ports that are compared.
const FEWEST_PORTS: usize = 4;

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let mut counts: BTreeMap<(u8, [u8; 64]), usize> = BTreeMap::new();
    let mut all: BTreeMap<u8, usize> = BTreeMap::new();
    for port in cx.sw.ports.iter().filter(|port| port.is_up && port.pfc_priorities != 0) {
        *counts.entry((port.pfc_priorities, classes(port))).or_default() += 1;
        *all.entry(port.pfc_priorities).or_default() += 1;
    }
    let usual = |priorities: u8| {
        let total = all.get(&priorities).copied().filter(|total| *total >= FEWEST_PORTS)?;
        let of_priorities = counts.iter().filter(|((other, _), _)| *other == priorities);
        let ((_, usual), count) = of_priorities.max_by_key(|(_, count)| **count)?;
        (count * 4 >= total * 3).then_some(*usual)
    };
    let usual: BTreeMap<u8, [u8; 64]> =
        all.keys().filter_map(|priorities| Some((*priorities, usual(*priorities)?))).collect();
    cx.by_port(out, &META, |port| {
        let usual = usual.get(&port.pfc_priorities).filter(|_| port.is_up)?;
        let own = classes(port);
        let (dscp, own, other) = (0..64)
            .find_map(|dscp| Some((dscp, *own.get(dscp)?, *usual.get(dscp)?)).filter(|(_, o, u)| o != u))?;
        let text = |class: u8| match class {
            LOSSY => "lossy".to_string(),
            class => format!("in lossless class {class}"),
        };
        let message = format!("DSCP {dscp} is {}, but {} on most ports", text(own), text(other));
        hit("PORT_QOS_MAP", &port.name, "dscp_to_tc_map", message)
    });
}

/// The mark of a DSCP whose class has no PFC.
const LOSSY: u8 = u8::MAX;

/// The class of each DSCP, or [`LOSSY`].
fn classes(port: &ResolvedPort) -> [u8; 64] {
    port.dscp_to_tc
        .0
        .map(|class| if class < 8 && port.pfc_priorities >> class & 1 == 1 { class } else { LOSSY })
}
