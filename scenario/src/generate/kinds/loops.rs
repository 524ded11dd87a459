//! Rings with a cyclic buffer dependency.

use super::contention::burst;
use crate::generate::plan::{Flow, Plan, bytes_per_ns};
use crate::generate::{Actor, text};

/// Flows around a ring of switches, each over two or more of its links, and what may deadlock it: more of these
/// flows, an incast to a host next to the ring, or a host that sends pauses.
pub(super) fn ring(plan: &mut Plan) -> Option<()> {
    if !plan.net.one_way {
        return None;
    }
    let prefix = plan.begin("ring-deadlock");
    let switches = plan.net.switches();
    let victim = plan.host(|_, _| true)?;
    let start = plan.net.edges[&victim].clone();
    let to = around(plan, &start, 2)?;
    plan.victim(&format!("{prefix}-victim"), &victim, &to, None);
    let onset = plan.onset();
    let case = plan.dice.weighted(&[("inside", 40), ("incast", 35), ("storm", 25)]);
    let flows = if case == "inside" { plan.dice.integer(1, 3) } else { 1 };
    let start = if case == "inside" { onset } else { onset * plan.dice.even(0.0, 0.9) };
    for (number, switch) in switches.iter().enumerate() {
        let from = plan.hosts(flows as usize, |net, host| net.edges[host] == *switch);
        let to = around(plan, switch, 2)?;
        if from.is_empty() {
            continue;
        }
        let rate = plan.narrowest(&from[0], &to);
        let bytes = rate * (plan.stop_ns - start) * plan.dice.log(0.1, 1.0);
        let label = format!("{prefix}-round{}", number + 1);
        // Several flows of a switch have one receiver, or its link would be the limit.
        let receivers = receivers(plan, &to, from.len());
        plan.flow(Flow::new(&label, &from, &receivers, bytes, start), 0.3);
        if case == "inside" {
            plan.actor(Actor::Flows { label });
        }
    }
    match case {
        "incast" => {
            let senders = plan.hosts(5, |net, host| net.edges[host] != net.edges[&to]);
            if senders.len() < 2 {
                return None;
            }
            let bytes = plan.bdp(&senders[0], &to) * plan.dice.log(5.0, 80.0);
            burst(plan, &format!("{prefix}-burst"), &to, &senders, bytes, 1.0, onset);
        }
        "storm" => {
            let quanta = plan.dice.log(1_000.0, 65_535.0);
            let pause_ns = quanta * 64.0 / bytes_per_ns(plan.net.host_rate(&to));
            let interval = (pause_ns / plan.dice.log(0.5, 2.0)).max(1e3);
            let duration = plan.duration(onset, 100e3, plan.stop_ns);
            let keys = [("quanta", (quanta as u64).to_string()), ("interval", text::time(interval))];
            plan.fault("storm", &to, onset, duration, &keys);
        }
        _ => {}
    }
    Some(())
}

/// A host of the switch `steps` further around the ring, preferably one that is not used.
fn around(plan: &mut Plan, from: &str, steps: usize) -> Option<String> {
    let end = (0..steps).fold(from.to_string(), |at, _| plan.net.clockwise(&at));
    plan.host(|net, host| net.edges[host] == end).or_else(|| {
        let hosts = plan.net.under(&end);
        plan.dice.one(&hosts)
    })
}

/// As many hosts as there are senders, of one switch: the given one and its neighbours in turn.
fn receivers(plan: &Plan, first: &str, count: usize) -> Vec<String> {
    let mut hosts = plan.net.under(&plan.net.edges[first]);
    let at = hosts.iter().position(|host| host == first).unwrap_or(0);
    hosts.rotate_left(at);
    (0..count).map(|number| hosts[number % hosts.len()].clone()).collect()
}
