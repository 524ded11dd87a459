//! Wrong settings of one switch, under an incast that makes them matter.

use super::contention::{Route, Site, burst, route, senders, site};
use crate::generate::plan::{Flow, Plan};
use crate::generate::{Actor, text};

/// Draws an incast, and the switch of its receiver, or, in half of the cases, the one before it.
fn misconfigured(plan: &mut Plan, kind: &'static str) -> Option<(Site, String)> {
    let site = site(plan, kind, false)?;
    let senders = senders(plan, &site.receiver, (2, 8))?;
    let bytes = plan.bdp(&senders[0], &site.receiver) * plan.dice.log(3.0, 60.0);
    let label = format!("{}-burst", site.prefix);
    burst(plan, &label, &site.receiver, &senders, bytes, 1.0, site.onset_ns);
    let path = plan.net.path(&site.victim_from, &site.receiver);
    let mut switches: Vec<String> = Vec::new();
    for link in path {
        let ends = [link.a.switch, link.b.switch];
        switches.extend(ends.into_iter().filter(|name| !plan.net.edges.contains_key(name)));
    }
    let last = plan.net.edges[&site.receiver].clone();
    let switch = if plan.dice.chance(0.5) { last } else { plan.dice.one(&switches)? };
    Some((site, switch))
}

pub(super) fn pfc_off(plan: &mut Plan) -> Option<()> {
    let (_, switch) = misconfigured(plan, "pfc-off")?;
    plan.setting(&switch, "lossless", "[]".to_string());
    Some(())
}

pub(super) fn wrong_alpha(plan: &mut Plan) -> Option<()> {
    let (_, switch) = misconfigured(plan, "wrong-alpha")?;
    let exponent = plan.dice.integer(6, 10);
    plan.setting(&switch, "alpha_exponent", format!("-{exponent}"));
    Some(())
}

pub(super) fn wrong_xoff(plan: &mut Plan) -> Option<()> {
    let (_, switch) = misconfigured(plan, "wrong-xoff")?;
    let xoff = plan.dice.log(4e3, 24e3);
    plan.setting(&switch, "threshold", text::size(xoff));
    Some(())
}

pub(super) fn dscp_mix_up(plan: &mut Plan) -> Option<()> {
    let (_, switch) = misconfigured(plan, "dscp-mix-up")?;
    let priority = plan.dice.weighted(&[(0, 60), (1, 20), (5, 20)]);
    plan.setting(&switch, "dscp", format!("{{ 24 = {priority}, 26 = {priority} }}"));
    Some(())
}

pub(super) fn short_headroom(plan: &mut Plan) -> Option<()> {
    let (_, switch) = misconfigured(plan, "short-headroom")?;
    let needs = plan.devices.headroom_needs(&plan.net, &switch);
    let need = needs.into_iter().max()? as f64;
    let headroom = need * plan.dice.log(0.02, 0.5);
    plan.setting(&switch, "headroom", text::size(headroom));
    Some(())
}

pub(super) fn ecmp_skew(plan: &mut Plan) -> Option<()> {
    let prefix = plan.begin("ecmp-skew");
    let Route { from, edge, via, to } = route(plan)?;
    if plan.net.next_switches(&edge, &to).len() < 2 {
        return None;
    }
    let near = plan.net.edges[&to].clone();
    let senders = plan.hosts(6, |net, host| net.edges[host] == edge);
    let receivers = plan.hosts(senders.len(), |net, host| net.edges[host] != edge);
    if senders.len() < 2 || receivers.len() < senders.len() {
        return None;
    }
    if plan.dice.chance(0.5) {
        let mut hosts: Vec<String> = plan.net.under(&near);
        hosts.extend(receivers.iter().filter(|host| plan.net.edges[*host] != near).cloned());
        plan.route(&edge, &hosts, Some(&via), None);
    } else {
        plan.alike = true;
        plan.actor(Actor::EqualHashes);
    }
    plan.victim(&format!("{prefix}-victim"), &from, &to, None);
    let onset = plan.onset();
    let rate = plan.narrowest(&senders[0], &receivers[0]);
    let bytes = rate * (plan.stop_ns - onset) * plan.dice.log(0.05, 0.8);
    let label = format!("{prefix}-flow");
    plan.flow(Flow::new(&label, &senders, &receivers, bytes, onset), 0.6);
    plan.actor(Actor::Flows { label });
    Some(())
}
