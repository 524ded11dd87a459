//! `path_change`: an outage of a link of the path, a switch without a route (black hole), or a detour over a longer
//! path explains the delay.
//!
//! The evidence is what switches log: the operational status of ports, changes of routes, and the discards of packets
//! without a route. The time under analysis is that of the slow packet, without the slack that queues get: a log entry
//! has an exact time.

use model::{
    Anomaly, FlowKey, LossReason, LossRecord, NetworkChange, NetworkEvent, PortRef, Trigger, TriggerReason,
};

use super::{Caveat, Finding};
use crate::facts::span::Span;
use crate::facts::victim_links::{
    VictimLink, fastest_ns, least_ns, lower_bound_ns, outages, reverse_ports, route_changes, victim_links,
};
use crate::findings::accounting;
use crate::graph::context::Context;
use crate::thresholds as t;

/// What happened to the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A link was down.
    Outage,
    /// A switch had no route.
    BlackHole,
    /// The path is longer than the usual one.
    Detour {
        /// By how much, for a round trip.
        longer_ns: u64,
    },
}

/// A change of the victim's path, or of the path of its ACKs.
#[derive(Clone, Debug)]
pub(crate) struct PathChange<'a> {
    pub(crate) kind: Kind,
    /// The egress port where packets were lost or took another way.
    pub(crate) root: PortRef,
    /// The far end of its link.
    pub(crate) peer: Option<PortRef>,
    pub(crate) is_reverse: bool,
    /// When, up to the end of the time of the slow packet.
    pub(crate) when: Span,
    /// When an outage ended, in nanoseconds; absent if the records do not show its end, and for other changes.
    pub(crate) up_ns: Option<u64>,
    pub(crate) events: Vec<&'a NetworkEvent>,
    pub(crate) losses: Vec<&'a LossRecord>,
    /// Factor of the confidence.
    pub(crate) factor: f64,
    /// Whether it explains most of the delay.
    pub(crate) explains_most: bool,
}

/// Returns when the slow packet was in flight; for a follow-up poll, from the first poll on. It begins a base RTT
/// earlier: the last ACK before a silence belongs to a packet that was sent then, together with those that were lost.
pub(crate) fn slow_span(trigger: &Trigger) -> Span {
    let began = trigger.time_ns.saturating_sub(trigger.rtt_ns.max(trigger.base_rtt_ns));
    let first = trigger.follows.map_or(began, |first| began.min(first.since_ns));
    Span { from: first.saturating_sub(trigger.base_rtt_ns), to: trigger.time_ns.max(began) }
}

/// Returns the change that explains the delay best.
pub(crate) fn of<'a>(context: &Context<'_, 'a>) -> Option<PathChange<'a>> {
    let (trigger, victim) = (context.trigger?, context.victim?);
    let view = context.view;
    let without_route = |loss: &LossRecord| loss.reason == LossReason::NoRoute;
    let may_detour = trigger.rtt_ns > trigger.base_rtt_ns;
    if context.is_reverse_path
        || view.events().is_empty() && !view.losses().iter().any(without_route) && !may_detour
    {
        return None;
    }
    let links = victim_links(context.view, victim);
    let slow = slow_span(trigger);
    let mut found: Vec<PathChange<'a>> = Vec::new();
    for link in &links {
        found.extend(outage(context, link, victim, slow));
        found.extend(black_hole(context, link, victim, slow));
    }
    found.extend(detour(context, &links, slow));
    // Stable: of equal ones the first of the path.
    found.sort_by(|a, b| {
        (b.explains_most, b.factor)
            .partial_cmp(&(a.explains_most, a.factor))
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    found.into_iter().next()
}

/// Returns the finding and whether it leaves no room for other explanations.
pub(super) fn find(context: &Context<'_, '_>) -> Option<(Finding, bool)> {
    let change = of(context)?;
    let rival = accounting::rival(context, &change.root);
    let explains_most = change.explains_most;
    Some((finding(change, rival), explains_most))
}

/// Returns a detour of the present path and by how much it is longer: that part of the delay is certain, whatever queues add
/// to it.
pub(crate) fn detour_part(context: &Context<'_, '_>) -> Option<(Finding, u64)> {
    let change = of(context)?;
    match change.kind {
        Kind::Detour { longer_ns } => Some((finding(change, None), longer_ns)),
        Kind::Outage | Kind::BlackHole => None,
    }
}

fn finding(change: PathChange<'_>, rival: Option<Caveat>) -> Finding {
    let mut caveats = vec![Caveat { factor: change.factor, missing: None }];
    caveats.extend(rival);
    Finding {
        anomaly: Anomaly::PathChange,
        root: Some(change.root),
        path: Vec::new(),
        pause_loop: Vec::new(),
        host: None,
        contention: None,
        when: Some(change.when),
        caveats,
    }
}

/// Returns `span` up to the end of the time of the slow packet, if it overlaps that time. What ended before the packet
/// left cannot have delayed it: a flow that waits for a retransmission is slow from the lost packet on.
fn in_time(span: Span, slow: Span) -> Option<Span> {
    span.overlaps(slow).then(|| Span { from: span.from, to: span.to.min(slow.to) })
}

/// Whether the slow packet was late already when the path changed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    OnTime,
    /// Queues and pauses of the path explain it.
    LateByQueues,
    /// What made it late began before, and the records do not show it.
    Late,
}

/// Returns whether the packet was on time when the path changed. Times of switches are as wrong as their clocks may be.
fn before(context: &Context<'_, '_>, changed_ns: u64) -> Before {
    let Some(trigger) = context.trigger.filter(|_| context.settings.applies("path_change.first")) else {
        return Before::OnTime;
    };
    let departed_ns = trigger.time_ns.saturating_sub(trigger.rtt_ns.max(trigger.base_rtt_ns));
    let late_ns = changed_ns.saturating_sub(departed_ns.saturating_add(trigger.base_rtt_ns));
    // The packet was on its way for one base RTT, and so was the last one that was acknowledged.
    if late_ns <= trigger.base_rtt_ns.saturating_add(context.view.clock_error_ns()) {
        return Before::OnTime;
    }
    let time = Span { from: departed_ns, to: changed_ns };
    if late_ns as f64 <= accounting::most_of_path_ns(context, time) {
        return Before::LateByQueues;
    }
    Before::Late
}

/// Whether `explained_ns` are most of the delay.
fn is_most(context: &Context<'_, '_>, explained_ns: f64) -> bool {
    let extra_ns = context.trigger.map_or(0, |trigger| trigger.excess_ns());
    explained_ns >= extra_ns as f64 * context.settings.value(&t::CHANGE_SHARE)
}

/// A link of the path that was down, until the routes avoided it.
fn outage<'a>(
    context: &Context<'_, 'a>,
    link: &VictimLink,
    victim: FlowKey,
    slow: Span,
) -> Option<PathChange<'a>> {
    let index = context.view.index;
    let down = outages(context.view, link.from);
    if down.is_empty() {
        return None;
    }
    let sender = index.info(link.from);
    let address = if link.is_reverse { victim.src } else { victim.dst };
    let moved: Vec<u64> = route_changes(context.view, index.name(sender.node), address)
        .filter(|(_, before, after)| before.contains(&sender.number) && !after.contains(&sender.number))
        .map(|(event, ..)| event.time_ns)
        .collect();
    let used = |down: Span| {
        let avoided = moved.iter().copied().find(|moved| down.from <= *moved);
        Span { to: avoided.map_or(down.to, |moved| down.to.min(moved)), ..down }
    };
    let latest = down.into_iter().rev().find_map(|down| Some((down.to, in_time(used(down), slow)?)));
    let (up_ns, down) = latest?;
    let before = before(context, down.from);
    if before == Before::Late {
        return None;
    }
    let root = index.port_ref(link.from);
    let ends = [root.clone(), index.port_ref(link.to)];
    let of_link = |event: &&NetworkEvent| event.link_port().is_some_and(|port| ends.contains(&port));
    let lost = |loss: &&LossRecord| {
        loss.reason == LossReason::LinkDown && is_at(loss, loss.egress_port, &root) && in_span(loss, slow)
    };
    let losses: Vec<&LossRecord> = context.view.losses().iter().filter(lost).collect();
    // Packets that are lost in an outage delay the flow beyond its end, until they are retransmitted; others wait for its
    // end at most. An outage that began when the packet had waited for long is another event.
    let may_be_lost =
        !losses.is_empty() || context.trigger.is_some_and(|trigger| trigger.reason == TriggerReason::Silence);
    let explained = if may_be_lost { Span { to: slow.to, ..down } } else { down };
    if !is_most(context, explained.shared_ns(slow)) {
        return None;
    }
    Some(PathChange {
        kind: Kind::Outage,
        peer: Some(index.port_ref(link.to)),
        root: root.clone(),
        is_reverse: link.is_reverse,
        when: down,
        up_ns: (up_ns < u64::MAX).then_some(up_ns),
        events: context.view.events().iter().filter(of_link).collect(),
        losses,
        factor: certainty(context, link),
        explains_most: link.certain && before == Before::OnTime,
    })
}

fn certainty(context: &Context<'_, '_>, link: &VictimLink) -> f64 {
    if link.certain { 1.0 } else { context.settings.value(&t::POSSIBLE_HOP) }
}

fn is_at(loss: &LossRecord, number: Option<u16>, port: &PortRef) -> bool {
    loss.switch == port.switch && number == Some(port.port)
}

fn in_span(loss: &LossRecord, span: Span) -> bool {
    Span::new(loss.lost_ns.0, loss.lost_ns.1).overlaps(span)
}

/// A switch at the far end of a link of the path that has no route to the receiver (or to the sender, for ACKs).
fn black_hole<'a>(
    context: &Context<'_, 'a>,
    link: &VictimLink,
    victim: FlowKey,
    slow: Span,
) -> Option<PathChange<'a>> {
    let view = context.view;
    let ingress = view.index.port_ref(link.to);
    let node = view.index.info(link.to).node;
    if view.index.is_host(node) {
        return None;
    }
    let name = view.index.name(node);
    let address = if link.is_reverse { victim.src } else { victim.dst };
    let lost = |loss: &&LossRecord| {
        loss.reason == LossReason::NoRoute && is_at(loss, loss.ingress_port, &ingress) && in_span(loss, slow)
    };
    let losses: Vec<&LossRecord> = view.losses().iter().filter(lost).collect();
    let events: Vec<_> = route_changes(view, name, address).collect();
    let mut gaps: Vec<(Span, Option<u16>)> = Vec::new();
    for (position, (event, before, after)) in events.iter().enumerate() {
        if after.is_empty() {
            let end_ns = events.get(position + 1).map_or(u64::MAX, |(next, ..)| next.time_ns);
            gaps.push((Span::new(event.time_ns, end_ns), before.first().copied()));
        }
    }
    let gap = gaps.iter().rev().find_map(|(gap, port)| Some(((in_time(*gap, slow)?, 1.0), *port)));
    // Counters do not show when the route was withdrawn.
    let before = gap.map_or(Before::OnTime, |((gap, _), _)| before(context, gap.from));
    let others_withdrawn = view.events().iter().any(|event| {
        event.switch == name
            && matches!(&event.change, NetworkChange::Route { after, .. } if after.is_empty())
    });
    let ((when, factor), port) = match (gap, losses.first()) {
        (Some(gap), _) => gap,
        // The log of the switch shows which routes were withdrawn, and the victim's was not.
        (None, Some(_)) if others_withdrawn => return None,
        (None, Some(loss)) => (
            (Span::new(loss.lost_ns.0, loss.lost_ns.1), context.settings.value(&t::DESTINATION_UNKNOWN)),
            None,
        ),
        (None, None) => return None,
    };
    if before == Before::Late {
        return None;
    }
    let to = view.index.host_of(address)?;
    let usual = port.or_else(|| view.index.next_hops(name, to).first().copied());
    let root = usual.map_or(ingress, |port| PortRef::new(name, port));
    Some(PathChange {
        kind: Kind::BlackHole,
        peer: None,
        root,
        is_reverse: link.is_reverse,
        when,
        up_ns: None,
        events: events.into_iter().map(|(event, ..)| event).collect(),
        losses,
        factor: factor * certainty(context, link),
        explains_most: factor >= context.settings.value(&t::DESTINATION_UNKNOWN)
            && link.certain
            && before == Before::OnTime,
    })
}

/// Returns by how much the present path exceeds the base round-trip time at least, if its propagation alone does: the base is
/// that of a shorter path. A packet in flight may not have reached all switches of it; the rest is the fastest one then.
fn longer_path_ns(context: &Context<'_, '_>, links: &[VictimLink]) -> Option<u64> {
    let (view, trigger, victim) = (context.view, context.trigger?, context.victim?);
    let extra_ns = trigger.excess_ns();
    let (src, dst) = (view.index.host_of(victim.src)?, view.index.host_of(victim.dst)?);
    let last = view.topo(*context.path.ports.last()?).and_then(|port| view.index.peer(port))?;
    let is_complete = last.node == dst && context.path.missing.is_empty();
    let first = links.first().map(|link| view.index.port_ref(link.from))?;
    let ports = context.path.ports.iter().map(|port| view.port_ref(*port));
    let recorded_ns = least_ns(view, std::iter::once(first).chain(ports));
    let there_ns = recorded_ns.saturating_add(fastest_ns(view, last.node, dst)?);
    let back_ns = match reverse_ports(view, links, src) {
        Some(back) => least_ns(view, back),
        // The path of the ACKs has the length of the path unless the records show that it differs.
        None if is_complete => there_ns,
        None => fastest_ns(view, dst, src)?,
    };
    let present_ns = there_ns.saturating_add(back_ns);
    if present_ns <= trigger.base_rtt_ns {
        return None;
    }
    let longer_ns = present_ns.saturating_sub(trigger.base_rtt_ns.max(lower_bound_ns(view, src, dst)?));
    if (longer_ns as f64) < (extra_ns as f64 * context.settings.explained_share).max(1.0) {
        return None;
    }
    // A packet that returned earlier did not take the longer path; a silent one may still be on it.
    let returned_earlier = trigger.reason == TriggerReason::SlowRtt && longer_ns > extra_ns;
    (!returned_earlier).then_some(longer_ns)
}

/// A path that is longer than the base round-trip time, and no logged change of a route says why.
pub(crate) struct UnexplainedLength {
    /// By how much its round trip is longer, in nanoseconds.
    pub(crate) longer_ns: u64,
    /// Whether the last logged change led back to a shortest path: the records of the longer one may be older.
    pub(crate) has_returned: bool,
}

/// Returns by how much the round trip over the path is longer than the base, if no switch logged a change of its routes that
/// can be the reason. The path may have been like this all the time, and the base that of a path which the flow never took.
pub(crate) fn unexplained_length(
    context: &Context<'_, '_>,
    links: &[VictimLink],
) -> Option<UnexplainedLength> {
    let longer_ns = longer_path_ns(context, links)?;
    let change = route_change(context, links);
    let has_returned = change.as_ref().is_some_and(|change| change.is_return);
    (change.is_none() || has_returned).then_some(UnexplainedLength { longer_ns, has_returned })
}

/// A logged change of a route on the victim's path, or on that of its ACKs.
struct RouteChange<'a> {
    switch: &'a str,
    event: &'a NetworkEvent,
    before: &'a [u16],
    after: &'a [u16],
    is_reverse: bool,
    /// Whether packets use a shortest path again from then on, which they had not used before.
    is_return: bool,
}

/// Returns the latest change of a route of the path, or else of the path of the ACKs; one that leads back to a shortest path only
/// if there is no other.
fn route_change<'a>(context: &Context<'_, 'a>, links: &[VictimLink]) -> Option<RouteChange<'a>> {
    let (view, victim) = (context.view, context.victim?);
    let slow = slow_span(context.trigger?);
    let changed = |is_reverse: bool, address| {
        let to = view.index.host_of(address);
        links.iter().filter(move |link| link.is_reverse == is_reverse).filter_map(move |link| {
            let switch = view.index.name(view.index.info(link.from).node);
            let (event, before, after) = route_changes(view, switch, address)
                .filter(|(event, before, after)| {
                    event.time_ns <= slow.to && !before.is_empty() && !after.is_empty()
                })
                .last()?;
            let shortest = to.map_or(&[][..], |host| view.index.next_hops(switch, host));
            let are_shortest = |ports: &[u16]| ports.iter().all(|port| shortest.contains(port));
            let is_return = are_shortest(after) && !are_shortest(before);
            Some(RouteChange { switch, event, before, after, is_reverse, is_return })
        })
    };
    let mut changes: Vec<RouteChange<'a>> =
        changed(false, victim.dst).chain(changed(true, victim.src)).collect();
    // Stable: the first one of the path.
    changes.sort_by_key(|change| change.is_return);
    changes.into_iter().next()
}

/// Whether an outage of a port's link is logged.
pub(crate) fn was_down(context: &Context<'_, '_>, port: &PortRef) -> bool {
    let index = context.view.index;
    let id = index.node(&port.switch).and_then(|node| index.port(node, port.port));
    id.is_some_and(|id| !outages(context.view, id).is_empty())
}

/// A path that became longer: a switch logged that its route changed.
fn detour<'a>(context: &Context<'_, 'a>, links: &[VictimLink], slow: Span) -> Option<PathChange<'a>> {
    let view = context.view;
    let longer_ns = longer_path_ns(context, links)?;
    let change = route_change(context, links)?;
    if change.is_return && context.settings.applies("path_change.returned") {
        return None;
    }
    let RouteChange { switch, event, before, after, is_reverse, .. } = change;
    // The port that the packets no longer use: the one whose link failed, if one did.
    let lost: Vec<u16> = before.iter().copied().filter(|port| !after.contains(port)).collect();
    let failed = |number: &&u16| was_down(context, &PortRef::new(switch, **number));
    let number = lost.iter().find(failed).or(lost.first()).or(before.first())?;
    let root = PortRef::new(switch, *number);
    let peer = context.view.index.topology().peer(&root).cloned();
    let ends = [Some(root.clone()), peer.clone()];
    let of_link = |event: &&NetworkEvent| event.link_port().is_some_and(|port| ends.contains(&Some(port)));
    let mut events: Vec<&NetworkEvent> = view.events().iter().filter(of_link).collect();
    events.push(event);
    Some(PathChange {
        kind: Kind::Detour { longer_ns },
        peer,
        root,
        is_reverse,
        when: Span::new(event.time_ns, slow.to),
        up_ns: None,
        events,
        losses: Vec::new(),
        factor: 1.0,
        explains_most: is_most(context, longer_ns as f64),
    })
}
