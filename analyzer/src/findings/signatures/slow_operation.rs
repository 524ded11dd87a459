//! Operations that are slow although round trips are normal: whether anything on the path can have delayed them.
//!
//! The agent counts the slowest round trip and the time that congestion control took as expected, and asks about no operation
//! that a pause or a loss held up. So packets did not wait on the path for longer: a queue or pause that lasted for most of the
//! delay contradicts the agent, and makes the verdict `undetermined`. What a switch did not record can hide no more than the time
//! for which it lacks records.

use std::collections::BTreeSet;

use model::{FlowKey, MissingData, Trigger};

use super::host_only::{Doubt, coverage, event};
use super::path_change::slow_span;
use crate::facts::gap::Gap;
use crate::facts::span::{Span, pause_span};
use crate::facts::topology_index::NodeId;
use crate::facts::victim_links::victim_links;
use crate::facts::view::{PortIx, View};
use crate::facts::wording::duration;
use crate::graph::context::Context;
use crate::thresholds as t;

/// Returns why the fabric cannot be excluded; empty if nothing on the path lasted as long as the delay.
pub(super) fn doubts(context: &Context<'_, '_>, trigger: &Trigger, victim: FlowKey) -> Vec<Doubt> {
    let slow = slow_span(trigger);
    let least_ns = least_ns(context, trigger);
    // Every priority counts: the records of this one do not show what others hold up.
    let all = context.view.of_all_classes();
    let mut doubts = Vec::new();
    let mut seen: BTreeSet<NodeId> = BTreeSet::new();
    for link in victim_links(context.view, victim) {
        doubts.extend(event(&all, &link, slow));
        let info = all.index.info(link.from);
        if all.index.is_host(info.node) {
            continue;
        }
        if seen.insert(info.node) && hidden_ns(&all, info.node, slow) >= least_ns {
            doubts.extend(coverage(&all, &link, info.node, slow));
        }
        let port = all.switch_at(info.node).and_then(|switch| all.find(switch, info.number));
        doubts.extend(port.and_then(|port| longest(&all, port, slow, least_ns)));
    }
    doubts
}

/// How long a queue or pauses must have lasted to be most of the delay.
fn least_ns(context: &Context<'_, '_>, trigger: &Trigger) -> f64 {
    context.settings.value(&t::HOST_TRAFFIC) * trigger.excess_ns().max(1) as f64
}

/// How much of the time the switch has no records of.
fn hidden_ns(all: &View<'_>, node: NodeId, slow: Span) -> f64 {
    let Some(switch) = all.switch_at(node) else { return f64::INFINITY };
    let is_frozen = switch.frozen_ns > 0;
    let after_ns = if is_frozen { slow.to.saturating_sub(switch.frozen_ns) } else { 0 };
    let before_ns = all.ring_start(switch).map_or(0, |oldest_ns| oldest_ns.saturating_sub(slow.from));
    after_ns.saturating_add(before_ns) as f64
}

/// Whether a part of the telemetry is missing, but too little to hide most of the delay: the switch was frozen for another poll.
pub(super) fn is_too_short_to_matter(context: &Context<'_, '_>, missing: &MissingData) -> bool {
    match (context.trigger, missing) {
        (Some(trigger), MissingData::FrozenBefore { frozen_ns, .. })
            if trigger.reason.is_about_operation() =>
        {
            let hidden_ns = slow_span(trigger).to.saturating_sub(*frozen_ns);
            (hidden_ns as f64) < least_ns(context, trigger)
        }
        _ => false,
    }
}

/// A queue or pauses of a port that lasted for most of the delay.
fn longest(all: &View<'_>, port: PortIx, slow: Span, least_ns: f64) -> Option<Doubt> {
    let frozen_ns = all.switch_of(port).frozen_ns;
    let pauses = all.pauses(port);
    let paused_ns = match pauses.is_empty() && all.is_paused(port, Some(slow)) {
        // Records without the times of pauses do not show how long they were.
        true => slow.length_ns(),
        false => pauses.iter().map(|pause| pause_span(pause, frozen_ns).shared_ns(slow)).sum(),
    };
    let queued_ns = all.waiting_depth(port, Some(slow)) * all.packet_ns(port);
    let (what, lasted_ns) = match paused_ns >= queued_ns {
        true => ("was paused", paused_ns),
        false => ("had a queue", queued_ns),
    };
    (lasted_ns >= least_ns).then(|| {
        let name = all.port_ref(port);
        Doubt::new(
            Gap::from(format!(
                "{name} {what} for up to {} at that time, although the agent measured normal round trips",
                duration(lasted_ns as u64)
            )),
            format!("check what congests or pauses {name}, and the agent's measurements"),
        )
    })
}
