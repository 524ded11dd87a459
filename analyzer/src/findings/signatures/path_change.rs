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
use crate::facts::topology_index::PortId;
use crate::facts::victim_links::{
    VictimLink, least_ns, lower_bound_ns, outages, reverse_ports, route_changes, victim_links,
};
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
    /// When.
    pub(crate) when: Span,
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
    found.extend(detour(context, &links, trigger, victim));
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
    let finding = Finding {
        anomaly: Anomaly::PathChange,
        root: Some(change.root.clone()),
        path: Vec::new(),
        pause_loop: Vec::new(),
        host: None,
        contention: None,
        when: Some(change.when),
        caveats: vec![Caveat { factor: change.factor, missing: None }],
    };
    Some((finding, change.explains_most))
}

/// Returns `span` up to the end of the time of the slow packet, with the factor of the confidence, if it overlaps that
/// time; a span that ended less than an event gap before it counts less.
fn in_time(context: &Context<'_, '_>, span: Span, slow: Span) -> Option<(Span, f64)> {
    if span.overlaps(slow) {
        return Some((Span { from: span.from, to: span.to.min(slow.to) }, 1.0));
    }
    let reach_ns = context.settings.event_gap_ns;
    (span.to < slow.from && slow.from - span.to <= reach_ns)
        .then_some((span, context.settings.value(&t::CHANGE_BEFORE)))
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
    let (down, factor) = down.into_iter().rev().find_map(|down| in_time(context, used(down), slow))?;
    let root = index.port_ref(link.from);
    let ends = [root.clone(), index.port_ref(link.to)];
    let of_link = |event: &&NetworkEvent| event.link_port().is_some_and(|port| ends.contains(&port));
    let lost = |loss: &&LossRecord| {
        loss.reason == LossReason::LinkDown && is_at(loss, loss.egress_port, &root) && in_span(loss, slow)
    };
    Some(PathChange {
        kind: Kind::Outage,
        peer: Some(index.port_ref(link.to)),
        root: root.clone(),
        is_reverse: link.is_reverse,
        when: down,
        events: context.view.events().iter().filter(of_link).collect(),
        losses: context.view.losses().iter().filter(lost).collect(),
        factor: factor * certainty(context, link),
        // Packets that are lost in an outage delay the flow beyond its end: until they are retransmitted.
        explains_most: factor == 1.0 && link.certain,
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
    let gap = gaps.iter().rev().find_map(|(gap, port)| Some((in_time(context, *gap, slow)?, *port)));
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
    let to = view.index.host_of(address)?;
    let usual = port.or_else(|| view.index.next_hops(name, to).first().copied());
    let root = usual.map_or(ingress, |port| PortRef::new(name, port));
    Some(PathChange {
        kind: Kind::BlackHole,
        peer: None,
        root,
        is_reverse: link.is_reverse,
        when,
        events: events.into_iter().map(|(event, ..)| event).collect(),
        losses,
        factor: factor * certainty(context, link),
        explains_most: factor >= context.settings.value(&t::DESTINATION_UNKNOWN) && link.certain,
    })
}

/// A present path whose propagation alone exceeds the base round-trip time: the base is that of a shorter path.
fn detour<'a>(
    context: &Context<'_, 'a>,
    links: &[VictimLink],
    trigger: &Trigger,
    victim: FlowKey,
) -> Option<PathChange<'a>> {
    let view = context.view;
    let extra_ns = trigger.rtt_ns.saturating_sub(trigger.base_rtt_ns);
    let (src, dst) = (view.index.host_of(victim.src)?, view.index.host_of(victim.dst)?);
    let last = view.topo(*context.path.ports.last()?).and_then(|port| view.index.peer(port))?;
    if last.node != dst || !context.path.missing.is_empty() {
        return None;
    }
    let first = links.first().map(|link| view.index.port_ref(link.from))?;
    let ports: Vec<PortRef> = context.path.ports.iter().map(|port| view.port_ref(*port)).collect();
    let there_ns = least_ns(view, std::iter::once(first).chain(ports.iter().cloned()));
    let reverse = reverse_ports(view, links, src);
    // The path of the ACKs has the length of the path unless the records show that it differs.
    let back_ns = reverse.as_ref().map_or(there_ns, |back| least_ns(view, back.iter().cloned()));
    let present_ns = there_ns.saturating_add(back_ns);
    if present_ns <= trigger.base_rtt_ns {
        return None;
    }
    let longer_ns = present_ns.saturating_sub(trigger.base_rtt_ns.max(lower_bound_ns(view, src, dst)?));
    if (longer_ns as f64) < (extra_ns as f64 * context.settings.explained_share).max(1.0) {
        return None;
    }
    // A packet that returned earlier did not take the longer path; a silent one may still be on it.
    if trigger.reason == TriggerReason::SlowRtt && longer_ns > extra_ns {
        return None;
    }
    let slow = slow_span(trigger);
    let changed = |is_reverse: bool, address| {
        links.iter().filter(move |link| link.is_reverse == is_reverse).find_map(move |link| {
            let switch = view.index.name(view.index.info(link.from).node);
            let change = route_changes(view, switch, address)
                .filter(|(event, before, after)| {
                    event.time_ns <= slow.to && !before.is_empty() && !after.is_empty()
                })
                .last()?;
            Some((switch, change))
        })
    };
    let change = changed(false, victim.dst).map(|change| (change, false));
    let change = change.or_else(|| changed(true, victim.src).map(|change| (change, true)));
    let explains_most = longer_ns as f64 >= extra_ns as f64 * context.settings.value(&t::DETOUR_SHARE);
    let found = |root: PortRef, events, is_reverse, factor, when| PathChange {
        kind: Kind::Detour { longer_ns },
        peer: far_end(context, &root),
        root,
        is_reverse,
        when,
        events,
        losses: Vec::new(),
        factor,
        explains_most,
    };
    let Some(((switch, (event, before, after)), is_reverse)) = change else {
        // No switch logged where the path used to be. It leaves the shortest one at the first port that is on none.
        let is_reverse = back_ns > there_ns;
        let (ports, end) = match (is_reverse, &reverse) {
            (true, Some(back)) => (back, src),
            _ => (&ports, dst),
        };
        let delay = |port: &&PortRef| view.index.topology().link_of(port).map(|link| link.delay);
        let leaves = |port: &&PortRef| {
            let is_switch = view.index.node(&port.switch).is_some_and(|node| !view.index.is_host(node));
            is_switch && !view.index.next_hops(&port.switch, end).contains(&port.port)
        };
        let root = ports.iter().find(leaves).or_else(|| ports.iter().max_by_key(delay))?.clone();
        return Some(found(root, Vec::new(), is_reverse, context.settings.value(&t::UNLOGGED_DETOUR), slow));
    };
    // The port that the packets no longer use: the one whose link failed, if one did.
    let lost: Vec<u16> = before.iter().copied().filter(|port| !after.contains(port)).collect();
    let failed = |number: &&u16| {
        let port = view.index.node(switch).and_then(|node| view.index.port(node, **number));
        port.is_some_and(|port: PortId| !outages(view, port).is_empty())
    };
    let number = lost.iter().find(failed).or(lost.first()).or(before.first())?;
    let root = PortRef::new(switch, *number);
    let ends = [Some(root.clone()), far_end(context, &root)];
    let of_link = |event: &&NetworkEvent| event.link_port().is_some_and(|port| ends.contains(&Some(port)));
    let mut events: Vec<&NetworkEvent> = view.events().iter().filter(of_link).collect();
    events.push(event);
    let when = Span::new(event.time_ns, slow.to);
    Some(found(root, events, is_reverse, 1.0, when))
}

fn far_end(context: &Context<'_, '_>, port: &PortRef) -> Option<PortRef> {
    context.view.index.topology().peer(port).cloned()
}
