//! Routes and links: withdrawn routes, forwarding loops, failures, losses.

use std::collections::BTreeSet;

use super::contention::{Route, route};
use crate::generate::network::{Family, Net};
use crate::generate::plan::Plan;
use crate::generate::{Actor, text};
use model::Rate;

/// A victim whose path is known: its first switch, the next one, and the receiver.
fn watched(plan: &mut Plan, kind: &'static str) -> Option<Route> {
    let prefix = plan.begin(kind);
    let route = route(plan)?;
    plan.victim(&format!("{prefix}-victim"), &route.from, &route.to, Some(&route.via));
    // Other flows to the same switch make it more than a matter of one flow, in half of the cases.
    if plan.dice.chance(0.5) {
        let edge = plan.net.edges[&route.to].clone();
        let other = plan.host(|net, host| net.edges[host] == edge);
        let from = plan.host(|net, host| net.edges[host] != edge);
        if let (Some(from), Some(to)) = (from, other) {
            plan.victim(&format!("{prefix}-other"), &from, &to, None);
        }
    }
    Some(route)
}

pub(super) fn black_hole(plan: &mut Plan) -> Option<()> {
    let Route { edge, via, to, .. } = watched(plan, "black-hole")?;
    let onset = plan.onset();
    let duration = plan.duration(onset, 30e3, plan.stop_ns / 2.0);
    let switch = if plan.dice.chance(0.5) { edge } else { via };
    plan.route(&switch, &[to], None, Some((onset, duration)));
    Some(())
}

pub(super) fn routing_loop(plan: &mut Plan) -> Option<()> {
    let Route { edge, via, to, .. } = watched(plan, "routing-loop")?;
    if plan.net.edges[&to] == via {
        return None;
    }
    let onset = plan.onset();
    let duration = plan.duration(onset, 50e3, plan.stop_ns / 2.0);
    plan.route(&via, &[to], Some(&edge), Some((onset, duration)));
    Some(())
}

/// Whether all switches stay connected without a link.
fn is_spare(net: &Net, without: usize) -> bool {
    let links = net.switch_links();
    let switches = net.switches();
    let mut reached: BTreeSet<&str> = switches.first().map(String::as_str).into_iter().collect();
    loop {
        let before = reached.len();
        for index in links.iter().filter(|index| **index != without) {
            let link = &net.topology.links[*index];
            let (a, b) = (link.a.switch.as_str(), link.b.switch.as_str());
            if reached.contains(a) || reached.contains(b) {
                reached.extend([a, b]);
            }
        }
        if reached.len() == before {
            return before == switches.len();
        }
    }
}

/// Fails the link between two switches; routing reacts.
fn reroute(plan: &mut Plan, (a, b): (&str, &str)) -> Option<()> {
    let index = *plan.net.between(a, b).first()?;
    if !is_spare(&plan.net, index) {
        return None;
    }
    let onset = plan.onset();
    let mut keys = vec![("reconverge", text::time(plan.dice.log(10e3, 300e3)))];
    if plan.dice.chance(0.6) {
        let duration = plan.duration(onset, 200e3, plan.stop_ns);
        keys.push(("duration", text::time(duration)));
    }
    plan.failure((a, b), onset, &keys);
    Some(())
}

pub(super) fn detour(plan: &mut Plan) -> Option<()> {
    if plan.net.one_way {
        return None;
    }
    let Route { edge, via, .. } = watched(plan, "detour")?;
    reroute(plan, (&edge, &via))
}

pub(super) fn link_failure(plan: &mut Plan) -> Option<()> {
    let Route { edge, via, .. } = watched(plan, "link-failure")?;
    if plan.net.between(&edge, &via).len() > 1 {
        return None;
    }
    reroute(plan, (&edge, &via))
}

pub(super) fn link_flap(plan: &mut Plan) -> Option<()> {
    let Route { edge, via, .. } = watched(plan, "link-flap")?;
    let onset = plan.onset();
    let duration = plan.duration(onset, 5e3, 500e3_f64.min((plan.stop_ns - onset) / 4.0));
    let mut keys = vec![("duration", text::time(duration)), ("reconverge", text::name("never"))];
    if plan.dice.chance(0.4) {
        keys.push(("times", plan.dice.integer(2, 4).to_string()));
        keys.push(("period", text::time(duration * plan.dice.log(1.5, 6.0) + 1e3)));
    }
    plan.failure((&edge, &via), onset, &keys);
    Some(())
}

pub(super) fn lossy_link(plan: &mut Plan) -> Option<()> {
    let Route { edge, via, .. } = watched(plan, "lossy-link")?;
    let loss = plan.dice.log(1e-4, 0.05);
    for index in plan.net.between(&edge, &via) {
        plan.net.set_loss(index, loss);
    }
    plan.actor(Actor::Link { between: [edge, via] });
    Some(())
}

pub(super) fn slow_link(plan: &mut Plan) -> Option<()> {
    // A ring or tree link may be slower by design; here one of several equal links is.
    let Route { edge, via, .. } = watched(plan, "slow-link")?;
    let factor = plan.dice.even(3.0, 10.0);
    for index in plan.net.between(&edge, &via) {
        let rate = plan.net.topology.links[index].rate.0 as f64 / factor;
        plan.net.set_rate(index, Rate((rate / 1e8).round().max(10.0) as u64 * 100_000_000));
    }
    let count = if plan.net.family == Family::Ring { 2 } else { 3 };
    let prefix = format!("d{}", plan.disturbances.len());
    let others = plan.hosts(count, |net, host| net.edges[host] == edge);
    for (number, from) in others.iter().enumerate() {
        let to = plan.host(|net, host| net.next_switches(&edge, host).contains(&via));
        if let Some(to) = to {
            plan.victim(&format!("{prefix}-more{}", number + 1), from, &to, Some(&via));
        }
    }
    plan.actor(Actor::Link { between: [edge, via] });
    Some(())
}
