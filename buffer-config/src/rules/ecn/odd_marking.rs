//! # ECN019 odd-marking
//!
//! Severity: warning.
//!
//! The lossless queues of one port or a few mark packets at other thresholds than nearly all other ports of the same
//! speed.
//!
//! ## Why it matters
//!
//! Flows through the odd port reduce their rates earlier or later than others, so they get less or more than their
//! share, or rely on PFC where others do not.
//!
//! ## Example
//!
//! ```json
//! {
//!   "PORT": {
//!     "Ethernet8": {"lanes": "9,10,11,12", "speed": "100000", "admin_status": "up"},
//!     "Ethernet12": {"lanes": "13,14,15,16", "speed": "100000", "admin_status": "up"}
//!   },
//!   "BUFFER_PG": {
//!     "Ethernet8|3-4": {"profile": "pg_lossless_100000_40m_profile"},
//!     "Ethernet12|3-4": {"profile": "pg_lossless_100000_40m_profile"}
//!   },
//!   "PORT_QOS_MAP": {
//!     "Ethernet8": {"dscp_to_tc_map": "AZURE", "tc_to_pg_map": "AZURE", "tc_to_queue_map": "AZURE",
//!       "pfc_to_queue_map": "AZURE", "pfc_enable": "3,4"},
//!     "Ethernet12": {"dscp_to_tc_map": "AZURE", "tc_to_pg_map": "AZURE", "tc_to_queue_map": "AZURE",
//!       "pfc_to_queue_map": "AZURE", "pfc_enable": "3,4"}
//!   },
//!   "WRED_PROFILE": {
//!     "TEST": {"ecn": "ecn_all", "wred_green_enable": "true", "green_min_threshold": "100000",
//!       "green_max_threshold": "200000", "green_drop_probability": "5"}
//!   },
//!   "QUEUE": {
//!     "Ethernet8|3": {"wred_profile": "W"}, "Ethernet8|4": {"wred_profile": "W"},
//!     "Ethernet12|3": {"wred_profile": "TEST"}, "Ethernet12|4": {"wred_profile": "W"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Use the WRED profile of the other ports.
//!
//! ## Source
//!
//! DCQCN, SIGCOMM 2015, section 4: the thresholds determine the rates of flows.

use super::super::context::{Context, Findings, hit};
use super::super::{Meta, effect, siblings};
use crate::finding::Severity;
use crate::resolved::ResolvedPort;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "ECN019",
    name: "odd-marking",
    severity: Severity::Warning,
    effect: effect::ECN_NOT_AS_INTENDED,
};

/// Kmin, Kmax and Pmax of a queue.
type Marking = (u64, u64, u8);

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let up = cx.port_kinds().filter(|(port, _)| port.is_up);
    let all = up.flat_map(|(port, count)| {
        let of_port = markings(cx, port).into_iter();
        of_port.map(move |(priority, _, marking)| ((port.speed_mbps, priority), marking, count))
    });
    let usual = siblings::usual_counted(all);
    cx.by_port(out, &META, |port| {
        let mut all = markings(cx, port).into_iter().filter(|_| port.is_up);
        let (queue, own, usual) = all.find_map(|(priority, queue, own)| {
            let usual = usual.get(&(port.speed_mbps, priority)).filter(|usual| **usual != own)?;
            Some((queue, own, *usual))
        })?;
        let text = |(min, max, percent): Marking| format!("{min}/{max}/{percent}");
        let message = format!(
            "Kmin/Kmax/Pmax of queue {queue} are {}, but {} on most ports with {} Mb/s",
            text(own),
            text(usual),
            port.speed_mbps
        );
        hit("QUEUE", cx.group_key("QUEUE", &port.name, queue), "wred_profile", message)
    });
}

/// The marking of the queue of each lossless priority: priority, queue and thresholds.
fn markings(cx: &Context<'_, '_>, port: &ResolvedPort) -> Vec<(usize, usize, Marking)> {
    let of = |priority: usize| {
        let queue = usize::from(port.tc_to_queue[priority]);
        let wred = cx.sw.wred.get(port.queue_wred.get(queue).copied().flatten()?)?;
        let curve = wred.green?;
        Some((priority, queue, (curve.min_bytes, curve.max_bytes, curve.max_percent)))
    };
    cx.lossless_classes(port).filter_map(of).collect()
}
