//! `host_only` and `undetermined`: an agent measured a slow flow, and no recorded queue, pause, loss or path change
//! explains it.
//!
//! "The network did not do it" is a claim that needs evidence: telemetry of every hop of the path and the reverse path,
//! of the whole time of the slow packet, without a queue, a pause, a loss or a logged event, in any priority. Without
//! that evidence the verdict is `undetermined`, and lists what is missing.

use std::collections::BTreeSet;

use model::telemetry::FlowRecord;
use model::{Anomaly, FlowKey, LossRecord, MissingData, PortRef, Trigger, TriggerReason};

use super::path_change::{UnexplainedLength, slow_span, unexplained_length};
use super::{Caveat, Finding, slow_operation};
use crate::facts::gap::Gap;
use crate::facts::path::of_other_times;
use crate::facts::span::{Span, pause_span};
use crate::facts::topology_index::NodeId;
use crate::facts::victim_links::{VictimLink, lower_bound_ns, outages, victim_links};
use crate::facts::view::{PortIx, View};
use crate::facts::wording::duration;
use crate::findings::accounting;
use crate::graph::context::Context;
use crate::thresholds as t;

/// A reason why the network cannot be excluded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Doubt {
    /// What is missing, or what was seen.
    pub(crate) gap: Gap,
    /// The next check.
    pub(crate) advice: String,
}

impl Doubt {
    pub(super) fn new(gap: impl Into<Gap>, advice: String) -> Doubt {
        Doubt { gap: gap.into(), advice }
    }
}

pub(super) fn find(context: &Context<'_, '_>) -> Option<Finding> {
    // Without a measurement there is nothing to explain, and a path without any telemetry supports no verdict.
    context.trigger?;
    if context.is_reverse_path || context.path.reported == 0 {
        return None;
    }
    // The same holds if no switch of the path has records of that time.
    if of_other_times(context.view, &context.path, context.analysed).len() >= context.path.reported {
        return None;
    }
    let doubts = doubts(context);
    let reported = context.path.reported as f64 / context.path.switches.max(1) as f64;
    let mut caveats = Vec::new();
    if !doubts.is_empty() {
        caveats.push(Caveat { factor: context.settings.value(&t::UNDETERMINED) * reported, missing: None });
    }
    caveats.extend(doubts.iter().map(|doubt| Caveat::new(1.0, doubt.gap.clone())));
    let anomaly = if doubts.is_empty() { Anomaly::HostOnly } else { Anomaly::Undetermined };
    Some(Finding {
        anomaly,
        root: None,
        path: Vec::new(),
        pause_loop: Vec::new(),
        host: if anomaly == Anomaly::HostOnly { waiting_host(context) } else { None },
        contention: None,
        when: context.analysed,
        caveats,
    })
}

/// The host in which an operation waited: that of the sender, which posts it and polls its completion. The round trips and the time
/// that the links needed in between are known.
fn waiting_host(context: &Context<'_, '_>) -> Option<NodeId> {
    let is_operation = context.trigger?.reason == TriggerReason::SlowOperation;
    context.victim.filter(|_| is_operation).and_then(|victim| context.view.index.host_of(victim.src))
}

/// Returns the finding that the present path is longer than the base RTT says, if that alone leaves too little of the delay for
/// queues and pauses to explain it. Absent if a logged change of a route explains the length.
pub(crate) fn of_longer_path(context: &Context<'_, '_>) -> Option<Finding> {
    let links = victim_links(context.view, context.victim?);
    let length = unexplained_length(context, &links).filter(|length| !length.has_returned)?;
    // A packet on a longer path is late by its length at least, also if the agent asked before.
    let due_ns = accounting::extra_ns(context).max(length.longer_ns as f64);
    let rest_ns = due_ns - length.longer_ns as f64;
    if rest_ns >= context.settings.value(&t::QUEUES_EXPLAIN) * due_ns {
        return None;
    }
    find(context)
}

/// Returns why the network cannot be excluded; empty if every hop was clean at that time.
pub(crate) fn doubts(context: &Context<'_, '_>) -> Vec<Doubt> {
    let (Some(trigger), Some(victim)) = (context.trigger, context.victim) else { return Vec::new() };
    let view = context.view;
    let mut doubts: Vec<Doubt> = baseline(context, trigger).into_iter().collect();
    match trigger.reason {
        TriggerReason::SlowOperation | TriggerReason::SlowJob => {
            doubts.extend(slow_operation::doubts(context, trigger, victim));
        }
        TriggerReason::SlowRtt | TriggerReason::Silence => {
            doubts.extend(doubts_about_packet(context, trigger, victim));
        }
    }
    let matters = |missing: &&MissingData| !slow_operation::is_too_short_to_matter(context, missing);
    let missing = view.missing().iter().filter(matters).map(Gap::of);
    for gap in missing.chain(context.path.missing.iter().cloned()) {
        doubts.push(Doubt::new(gap, "query the flow again: a part of the telemetry is missing".to_string()));
    }
    let mut known: BTreeSet<String> = BTreeSet::new();
    doubts.retain(|doubt| known.insert(doubt.gap.to_string()));
    doubts
}

/// Returns what can have delayed a packet, or its ACK.
fn doubts_about_packet(context: &Context<'_, '_>, trigger: &Trigger, victim: FlowKey) -> Vec<Doubt> {
    let view = context.view;
    let slow = slow_span(trigger);
    let links = victim_links(view, victim);
    let mut doubts: Vec<Doubt> = Vec::new();
    doubts.extend(longer_path(context, trigger, &links));
    // Every priority counts: queues of others delay this one as well.
    let all = view.of_all_classes();
    let mut seen: BTreeSet<NodeId> = BTreeSet::new();
    for link in &links {
        doubts.extend(event(&all, link, slow));
        let node = view.index.info(link.from).node;
        if view.index.is_host(node) {
            doubts.extend(own_traffic(context, &all, link, trigger, slow));
            if link.is_reverse {
                doubts.extend(held_acks(context, &all, link, trigger, slow));
            }
            continue;
        }
        if seen.insert(node) {
            doubts.extend(coverage(&all, link, node, slow));
        }
        let port = all.switch_at(node).and_then(|switch| all.find(switch, view.index.info(link.from).number));
        doubts.extend(port.and_then(|port| queue(context, &all, port, slow)));
        doubts.extend(port.and_then(|port| other_priorities(context, &all, port, trigger, slow)));
        doubts.extend(port.and_then(|port| pause(&all, port, slow)));
    }
    doubts.extend(losses(view, &links, slow));
    doubts
}

/// A base RTT that is shorter than the network allows.
fn baseline(context: &Context<'_, '_>, trigger: &Trigger) -> Option<Doubt> {
    let index = context.view.index;
    let (src, dst) = (index.host_of(trigger.flow.src)?, index.host_of(trigger.flow.dst)?);
    let least_ns = lower_bound_ns(context.view, src, dst)?;
    (trigger.base_rtt_ns < least_ns).then(|| {
        Doubt::new(
            format!(
                "the base RTT of {} is impossible: propagation and serialisation alone take {}",
                duration(trigger.base_rtt_ns),
                duration(least_ns)
            ),
            format!(
                "check the RTT baseline of the agent on {}: the flow may not be slow at all",
                trigger.host
            ),
        )
    })
}

/// A path that is longer than the base RTT, although no switch logged a change of its routes that made it longer.
fn longer_path(context: &Context<'_, '_>, trigger: &Trigger, links: &[VictimLink]) -> Option<Doubt> {
    let UnexplainedLength { longer_ns, has_returned } = unexplained_length(context, links)?;
    let logged = match has_returned {
        true => "the last change of a route that a switch logged leads back to a shortest path",
        false => "no switch logged a change of its routes",
    };
    Some(Doubt::new(
        format!(
            "a round trip over the present path takes {} longer than the base RTT of {} without any queue, and {logged}",
            duration(longer_ns),
            duration(trigger.base_rtt_ns)
        ),
        format!(
            "compare the routes of the path with the intended ones: if it is the usual path, correct the base RTT of the agent on {}",
            trigger.host
        ),
    ))
}

/// A switch without telemetry of the whole time.
pub(super) fn coverage(all: &View<'_>, link: &VictimLink, node: NodeId, slow: Span) -> Option<Doubt> {
    let name = all.index.name(node);
    let packets = if link.is_reverse { "the ACKs" } else { "the victim" };
    let possible = if link.certain { "" } else { " (one of several equal-cost paths)" };
    let Some(switch) = all.switch_at(node) else {
        return Some(Doubt::new(
            Gap::silence(name, &format!("on the path of {packets}{possible} ")),
            format!("read the telemetry of switch {name}: check its connection to the controller"),
        ));
    };
    let again =
        || format!("query the flow again while it is slow: switch {name} has no records of that time");
    if switch.frozen_ns > 0 && switch.frozen_ns < slow.to {
        return Some(Doubt::new(
            Gap::of_switch(
                name,
                format!(
                    "has records up to {} only; the slow round trip ended at {}",
                    duration(switch.frozen_ns),
                    duration(slow.to)
                ),
            ),
            again(),
        ));
    }
    let oldest_ns = all.ring_start(switch).filter(|oldest_ns| slow.from < *oldest_ns)?;
    Some(Doubt::new(
        Gap::of_switch(
            name,
            format!(
                "has records from {} on only; the slow round trip began at {}",
                duration(oldest_ns),
                duration(slow.from)
            ),
        ),
        again(),
    ))
}

/// Other traffic of a host that can have delayed the victim: packets and ACKs wait in its NIC behind other flows, not
/// because of a fault of the host. A record does not show when in its time the packets were sent, so all of them may
/// have been sent at once.
fn own_traffic(
    context: &Context<'_, '_>,
    all: &View<'_>,
    link: &VictimLink,
    trigger: &Trigger,
    slow: Span,
) -> Option<Doubt> {
    let entry = all.index.info(link.to);
    let switch = all.switch_at(entry.node)?;
    let is_other = |record: &&&FlowRecord| {
        let seen = record.seen_ns.map(|(from, to)| Span::new(from, to));
        record.ingress_port == Some(entry.number)
            && record.flow != trigger.flow
            && seen.is_some_and(|seen| seen.overlaps(slow))
    };
    let records = all.ports_of(switch).flat_map(|port| all.flows(port)).filter(is_other);
    let bytes: u64 = records.map(|record| record.bytes.unwrap_or(0)).fold(0, u64::saturating_add);
    let sent_ns = entry.rate.serialisation(bytes).as_ns();
    let delay_ns = trigger.excess_ns();
    let name = all.index.name(all.index.info(link.from).node);
    (sent_ns as f64 >= context.settings.value(&t::HOST_TRAFFIC) * delay_ns as f64).then(|| {
        Doubt::new(
            format!("other flows of {name} used its link for up to {} at that time", duration(sent_ns)),
            format!("check what else {name} sent: packets and ACKs wait for them in its NIC"),
        )
    })
}

/// A queue of the receiver's own packets at its switch. Above the XOFF threshold the switch pauses the receiver, whose
/// ACKs then wait in its NIC for as long as that queue does. Switches do not record the pauses that they send.
fn held_acks(
    context: &Context<'_, '_>,
    all: &View<'_>,
    link: &VictimLink,
    trigger: &Trigger,
    slow: Span,
) -> Option<Doubt> {
    let entry = all.index.info(link.to);
    let switch = all.switch_at(entry.node)?;
    let least_ns = context.settings.value(&t::HOST_TRAFFIC) * trigger.excess_ns().max(1) as f64;
    let queue_ns = |port: PortIx, record: &FlowRecord| {
        let (from, to) = record.queued_ns.filter(|_| record.ingress_port == Some(entry.number))?;
        let depth = record.depth_sum as f64 / record.queued_packets.unwrap_or(record.packets).max(1) as f64;
        let wait_ns = depth * all.packet_ns(port);
        // The last packet of the record leaves when the queue that it met has drained.
        let queued = Span::new(from, to.saturating_add(wait_ns as u64));
        (wait_ns >= least_ns && queued.overlaps(slow)).then_some(wait_ns)
    };
    let longest = |port: PortIx| {
        let waits = all.flows(port).iter().filter_map(|record| queue_ns(port, record));
        waits.fold(None, |longest: Option<f64>, wait| Some(longest.map_or(wait, |known| known.max(wait))))
    };
    let ports = all.ports_of(switch).filter_map(|port| Some((port, longest(port)?)));
    let (port, wait_ns) = ports.max_by(|a, b| a.1.total_cmp(&b.1))?;
    let (host, port) = (all.index.name(all.index.info(link.from).node), all.port_ref(port));
    Some(Doubt::new(
        format!(
            "packets of {host} were queued for {} at {port}, which can pause {host} and hold its ACKs",
            duration(wait_ns as u64)
        ),
        format!("check what congests {port}, and the pauses that {} sends to {host}", port.switch),
    ))
}

/// A queue, however short: what drains it may be slower than its link, as a scheduler that serves other classes is.
fn queue(context: &Context<'_, '_>, all: &View<'_>, port: PortIx, slow: Span) -> Option<Doubt> {
    // The records of one priority at a time: a deep queue of one is not averaged with an empty one of another.
    let of_flows = all
        .flows(port)
        .iter()
        .filter(|f| match f.queued_ns {
            Some((from, to)) => slow.overlaps(Span::new(from, to)),
            None => all.flow_in(port, f, Some(slow)),
        })
        .map(|f| f.depth_sum as f64 / f.queued_packets.unwrap_or(f.packets).max(1) as f64)
        .fold(0.0, f64::max);
    let depth = of_flows.max(all.waiting_depth(port, Some(slow)));
    // At a slow link, one packet takes as long as a deep queue at a fast one.
    let is_long = depth * all.packet_ns(port)
        >= context.settings.value(&t::HOST_TRAFFIC) * accounting::extra_ns(context).max(1.0);
    let is_queue =
        is_long || depth >= context.settings.min_wait_packets || shares_scheduler(context, all, port, slow);
    is_queue.then(|| {
        let name = all.port_ref(port);
        Doubt::new(
            format!(
                "packets were queued at {name} at that time (mean depth {depth:.1} packets, all priorities)"
            ),
            format!("check which flows and priorities use {name}: its queue was not empty"),
        )
    })
}

/// Whether packets of the victim were queued at a port that other priorities used as well: behind a scheduler, a packet
/// that is the first of its own queue can wait for a whole round of the others.
fn shares_scheduler(context: &Context<'_, '_>, all: &View<'_>, port: PortIx, slow: Span) -> bool {
    let is_then =
        |times: Option<(u64, u64)>| times.is_some_and(|(from, to)| Span::new(from, to).overlaps(slow));
    let records = all.flows(port);
    let own = records.iter().filter(|record| context.trigger.is_some_and(|t| t.flow == record.flow));
    let queued: BTreeSet<Option<u8>> = own
        .filter(|record| record.queued_packets.unwrap_or(record.packets) > 0 && is_then(record.queued_ns))
        .map(|record| record.priority)
        .collect();
    !queued.is_empty()
        && records.iter().any(|record| {
            record.priority.is_some() && !queued.contains(&record.priority) && is_then(record.seen_ns)
        })
}

/// Traffic of other priorities that can have kept a port busy. A packet waits for a priority that is served first although
/// that one has no queue, and ACKs have no records that would show that they waited.
fn other_priorities(
    context: &Context<'_, '_>,
    all: &View<'_>,
    port: PortIx,
    trigger: &Trigger,
    slow: Span,
) -> Option<Doubt> {
    let rate = all.index.info(all.topo(port)?).rate;
    let own: BTreeSet<Option<u8>> = all
        .ports()
        .flat_map(|port| all.records_of(port, trigger.flow))
        .map(|record| record.priority)
        .collect();
    let sent_ns = |record: &FlowRecord| {
        let seen = record.seen_ns.map(|(from, to)| Span::new(from, to))?;
        let share = (slow.shared_ns(seen) / seen.length_ns()).min(1.0);
        Some(rate.serialisation(record.bytes?).as_ns() as f64 * share)
    };
    let others = all.flows(port).iter().filter(|record| !own.contains(&record.priority));
    let busy_ns: f64 = others.filter_map(|record| sent_ns(record)).sum();
    let delay_ns = trigger.excess_ns().max(1) as f64;
    (!own.is_empty() && busy_ns >= context.settings.value(&t::HOST_TRAFFIC) * delay_ns).then(|| {
        let name = all.port_ref(port);
        Doubt::new(
            format!("other priorities used {name} for {} at that time", duration(busy_ns as u64)),
            format!("check how {name} schedules its priorities: packets of one can wait for another"),
        )
    })
}

fn pause(all: &View<'_>, port: PortIx, slow: Span) -> Option<Doubt> {
    let frozen_ns = all.switch_of(port).frozen_ns;
    let spans = || all.pauses(port).iter().map(|pause| pause_span(pause, frozen_ns));
    let paused = match all.pauses(port).is_empty() {
        true => all.is_paused(port, Some(slow)),
        false => spans().any(|span| span.overlaps(slow)),
    };
    paused.then(|| {
        let name = all.port_ref(port);
        Doubt::new(
            format!("{name} was paused at that time"),
            format!("check which device pauses {name}, and in which priority"),
        )
    })
}

/// A logged outage of a link of the path.
pub(super) fn event(all: &View<'_>, link: &VictimLink, slow: Span) -> Option<Doubt> {
    let down = outages(all, link.from).into_iter().find(|down| down.overlaps(slow))?;
    let name = all.index.port_ref(link.from);
    Some(Doubt::new(
        format!("the link of {name} was down from {} on", duration(down.from)),
        format!("check the link of {name}"),
    ))
}

/// Losses at ports of the path.
fn losses<'l>(view: &'l View<'_>, links: &'l [VictimLink], slow: Span) -> impl Iterator<Item = Doubt> + 'l {
    let ports: BTreeSet<PortRef> =
        links.iter().flat_map(|link| [link.from, link.to]).map(|port| view.index.port_ref(port)).collect();
    let is_there = move |loss: &&LossRecord| {
        let numbers = [loss.ingress_port, loss.egress_port];
        let mut own = numbers.into_iter().flatten().map(|number| PortRef::new(&loss.switch, number));
        Span::new(loss.lost_ns.0, loss.lost_ns.1).overlaps(slow) && own.all(|port| ports.contains(&port))
    };
    view.losses().iter().filter(is_there).map(|loss| {
        Doubt::new(
            format!("{} lost packets on the path ({})", loss.switch, loss.reason.name()),
            format!("check the drop counters of {}", loss.switch),
        )
    })
}
