//! # MAP016 control-queue
//!
//! Severity: error (a warning for best effort).
//!
//! Queue 7, in which the switch sends its own packets, is a lossless queue or that of best effort; or network control
//! and congestion notifications (DSCP 48) are in the queue of best effort, while no DSCP reaches a queue that has a
//! scheduler.
//!
//! ## Why it matters
//!
//! Packets of the CPU bypass the maps: LACP, LLDP, BFD and BGP leave in queue 7. A pause of that queue stops them, and
//! a queue that best effort fills drops them: the port channel or the session goes down, and the traffic of the link
//! moves to others. Congestion notifications (CNP) that are late or lost let senders continue at a rate that is too
//! high.
//!
//! ## Example
//!
//! ```json
//! {
//!   "DSCP_TO_TC_MAP": {"AZURE": {"0": "7", "3": "3", "4": "4"}},
//!   "TC_TO_QUEUE_MAP": {"AZURE": {"3": "3", "4": "4", "7": "7"}}
//! }
//! ```
//!
//! ## Fix
//!
//! Map lossless classes and best effort to queues below 7, and DSCP 48 to a class with a queue of its own: traffic
//! class and queue 6 in SONiC's template.
//!
//! ## Source
//!
//! `DEFAULT_HOSTIF_TX_QUEUE` in
//! [portsorch.cpp](https://github.com/sonic-net/sonic-swss/blob/master/orchagent/portsorch.cpp);
//! [RFC 4594](https://www.rfc-editor.org/rfc/rfc4594) section 3.2;
//! [qos_config.j2](https://github.com/sonic-net/sonic-buildimage/blob/master/files/build_templates/qos_config.j2).

use std::collections::BTreeSet;

use super::super::context::{Context, Findings, hit, hit_as, priorities};
use super::super::{Meta, effect};
use crate::finding::Severity;
use crate::resolved::ResolvedPort;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "MAP016", name: "control-queue", severity: Severity::Error, effect: effect::SCHEDULING };

/// The queue of the packets that the switch sends itself.
const OWN: u8 = 7;
/// The DSCP of network control (class selector 6) and, by the default of NICs, of congestion notifications.
const CONTROL: usize = 48;

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.by_port(out, &META, |port| {
        if !port.is_up || cx.lossless_classes(port).next().is_none() {
            return None;
        }
        let stops = |priority: &usize| port.pause_to_queue.get(*priority) == Some(&OWN);
        if let Some(priority) = priorities(port.pfc_priorities).find(stops) {
            let message =
                format!("a pause of priority {priority} stops queue {OWN}, in which the switch sends LACP and BGP");
            return hit("PORT_QOS_MAP", &port.name, "pfc_enable", message);
        }
        let best_effort = queue_of(port, 0)?;
        let message = if best_effort == OWN {
            format!("best effort (DSCP 0) is in queue {OWN}, in which the switch sends LACP and BGP")
        } else {
            let idle = (queue_of(port, CONTROL) == Some(best_effort)).then(|| idle_queue(cx, port)).flatten()?;
            format!(
                "DSCP {CONTROL} (network control, CNP) is in queue {best_effort} of best effort, but no DSCP reaches queue {idle}, which has a scheduler"
            )
        };
        hit_as(Severity::Warning, "PORT_QOS_MAP", &port.name, "dscp_to_tc_map", message)
    });
}

fn queue_of(port: &ResolvedPort, dscp: usize) -> Option<u8> {
    port.tc_to_queue.get(usize::from(*port.dscp_to_tc.0.get(dscp)?)).copied()
}

/// A queue above the lossless ones that has a scheduler, and that no DSCP reaches.
fn idle_queue(cx: &Context<'_, '_>, port: &ResolvedPort) -> Option<usize> {
    let last = cx
        .lossless_classes(port)
        .filter_map(|class| Some(class.max(usize::from(*port.tc_to_queue.get(class)?))));
    let first = last.max()? + 1;
    let reached: BTreeSet<u8> = (0..64).filter_map(|dscp| queue_of(port, dscp)).collect();
    // A map with one class is none: PFC008 reports it.
    (reached.len() > 1).then_some(())?;
    let is_idle = |queue: &usize| {
        port.queue_schedule[*queue].is_some() && !reached.iter().any(|other| usize::from(*other) == *queue)
    };
    (first..usize::from(OWN)).find(is_idle)
}
