//! Flows that contend for a port.

use crate::generate::network::Net;
use crate::generate::plan::{Flow, Plan, bytes_per_ns};
use crate::generate::{Actor, text};
use model::Rate;

/// Where an incast happens.
pub(super) struct Site {
    pub(super) prefix: String,
    pub(super) receiver: String,
    pub(super) victim_from: String,
    pub(super) onset_ns: f64,
}

/// Draws a receiver and a victim: a flow from another switch to the receiver or to its neighbour.
pub(super) fn site(plan: &mut Plan, kind: &'static str, neighbour_only: bool) -> Option<Site> {
    let prefix = plan.begin(kind);
    let receiver = plan.host(|net, host| !neighbour_only || net.under(&net.edges[host]).len() > 1)?;
    let edge = plan.net.edges[&receiver].clone();
    let victim_from = plan.host(|net, host| net.edges[host] != edge)?;
    let shares = !neighbour_only && plan.dice.chance(0.5);
    let neighbour = plan.host(|net, host| net.edges[host] == edge);
    let to = match neighbour {
        Some(neighbour) if !shares => neighbour,
        _ if neighbour_only => return None,
        _ => receiver.clone(),
    };
    plan.victim(&format!("{prefix}-victim"), &victim_from, &to, None);
    let onset_ns = plan.onset();
    Some(Site { prefix, receiver, victim_from, onset_ns })
}

/// The sizes of an incast, in bandwidth-delay products of its path, and how they differ among the senders.
struct Shape {
    products: (f64, f64),
    spread: f64,
    senders: (u64, u64),
}

/// Adds an incast of `bytes` in total to `receiver`.
pub(super) fn burst(
    plan: &mut Plan,
    label: &str,
    receiver: &str,
    senders: &[String],
    bytes: f64,
    spread: f64,
    onset_ns: f64,
) {
    let parts: Vec<f64> = senders.iter().map(|_| plan.dice.log(1.0, spread.max(1.0))).collect();
    let sum: f64 = parts.iter().sum();
    let to = [receiver.to_string()];
    if spread <= 1.0 {
        let share = bytes / senders.len() as f64;
        plan.flow(Flow::new(label, senders, &to, share.max(plan.frame()), onset_ns), 0.6);
        plan.actor(Actor::Flows { label: label.to_string() });
        return;
    }
    for (number, (sender, part)) in senders.iter().zip(parts).enumerate() {
        let label = format!("{label}{}", number + 1);
        let share = (bytes * part / sum).max(plan.frame());
        plan.flow(Flow::new(&label, std::slice::from_ref(sender), &to, share, onset_ns), 0.4);
        plan.actor(Actor::Flows { label });
    }
}

/// Hosts that send to `receiver`, from anywhere or, in a third of the cases, from one other switch.
pub(super) fn senders(plan: &mut Plan, receiver: &str, (low, high): (u64, u64)) -> Option<Vec<String>> {
    let count = plan.dice.integer(low, high) as usize;
    let edge = plan.net.edges[receiver].clone();
    let other = plan.dice.chance(0.33).then(|| plan.net.edge_switches());
    let from = other.and_then(|edges| plan.dice.one(&edges)).filter(|from| *from != edge);
    let found = match &from {
        Some(from) => plan.hosts(count, |net, host| net.edges[host] == *from),
        None => plan.hosts(count, |_, _| true),
    };
    (found.len() >= 2).then_some(found)
}

fn incast(plan: &mut Plan, kind: &'static str, shape: &Shape) -> Option<()> {
    let site = site(plan, kind, false)?;
    let senders = senders(plan, &site.receiver, shape.senders)?;
    let product = plan.bdp(&senders[0], &site.receiver);
    let bytes = product * plan.dice.log(shape.products.0, shape.products.1);
    burst(
        plan,
        &format!("{}-burst", site.prefix),
        &site.receiver,
        &senders,
        bytes,
        shape.spread,
        site.onset_ns,
    );
    Some(())
}

pub(super) fn incast_even(plan: &mut Plan) -> Option<()> {
    incast(plan, "incast-even", &Shape { products: (1.0, 60.0), spread: 1.0, senders: (2, 16) })
}

pub(super) fn incast_uneven(plan: &mut Plan) -> Option<()> {
    incast(plan, "incast-uneven", &Shape { products: (1.0, 60.0), spread: 16.0, senders: (2, 16) })
}

pub(super) fn incast_small(plan: &mut Plan) -> Option<()> {
    incast(plan, "incast-small", &Shape { products: (0.1, 2.0), spread: 1.0, senders: (2, 8) })
}

pub(super) fn incast_long(plan: &mut Plan) -> Option<()> {
    let site = site(plan, "incast-long", false)?;
    let senders = senders(plan, &site.receiver, (2, 8))?;
    let rest = plan.stop_ns - site.onset_ns;
    let bytes = plan.narrowest(&senders[0], &site.receiver) * rest * plan.dice.even(0.25, 1.0);
    burst(plan, &format!("{}-burst", site.prefix), &site.receiver, &senders, bytes, 2.0, site.onset_ns);
    Some(())
}

/// Large flows from one edge switch over one of its uplinks; with the victim's sender at the same switch.
fn collide(plan: &mut Plan, prefix: &str, edge: &str, via: &str, onset_ns: f64) -> Option<()> {
    let link = plan.net.between(edge, via).first().copied()?;
    let uplink = bytes_per_ns(plan.net.topology.links[link].rate);
    let from = plan.hosts(4, |net, host| net.edges[host] == edge);
    let offered: f64 = from.iter().map(|host| bytes_per_ns(plan.net.host_rate(host))).sum();
    // Together with other traffic, flows that fill the link almost may collide; less than that is no collision.
    if from.len() < 2 || offered < 0.8 * uplink {
        return None;
    }
    let reached = |net: &Net, host: &str| net.next_switches(edge, host).iter().any(|next| next == via);
    let to = plan.hosts(from.len(), reached);
    if to.len() < from.len() {
        return None;
    }
    let rest = plan.stop_ns - onset_ns;
    let bytes = uplink * rest * plan.dice.log(0.05, 1.0) / from.len() as f64;
    for (number, (from, to)) in from.into_iter().zip(to).enumerate() {
        let label = format!("{prefix}-elephant{}", number + 1);
        let mut flow = Flow::new(&label, &[from], &[to], bytes * plan.dice.even(0.7, 1.3), onset_ns);
        flow.through = Some(via.to_string());
        plan.flow(flow, 0.35);
        plan.actor(Actor::Flows { label });
    }
    Some(())
}

/// A host, its switch, a next switch and a host that is reached over it.
pub(super) struct Route {
    pub(super) from: String,
    pub(super) edge: String,
    pub(super) via: String,
    pub(super) to: String,
}

/// Draws a pair of hosts of different switches and the second switch on one of its paths.
pub(super) fn route(plan: &mut Plan) -> Option<Route> {
    let from = plan.host(|net, host| net.under(&net.edges[host]).len() > 1)?;
    let edge = plan.net.edges[&from].clone();
    let to = plan.host(|net, host| net.edges[host] != edge)?;
    let via = plan.net.next_switches(&edge, &to);
    let via = plan.dice.one(&via)?;
    Some(Route { from, edge, via, to })
}

pub(super) fn elephants(plan: &mut Plan) -> Option<()> {
    let prefix = plan.begin("elephant-collision");
    let Route { from, edge, via, to } = route(plan)?;
    plan.victim(&format!("{prefix}-victim"), &from, &to, Some(&via));
    let onset = plan.onset();
    collide(plan, &prefix, &edge, &via, onset)
}

pub(super) fn two_incasts(plan: &mut Plan) -> Option<()> {
    let prefix = plan.begin("two-incasts");
    let Route { from, edge, via, to } = route(plan)?;
    plan.victim(&format!("{prefix}-victim"), &from, &to, Some(&via));
    let onset = plan.onset();
    collide(plan, &prefix, &edge, &via, onset)?;
    let near = plan.net.edges[&to].clone();
    let senders = plan.hosts(6, |net, host| net.edges[host] != near && net.edges[host] != edge);
    if senders.len() < 2 {
        return None;
    }
    let bytes = plan.bdp(&senders[0], &to) * plan.dice.log(2.0, 40.0);
    let later = onset + plan.dice.even(0.0, 0.2) * (plan.stop_ns - onset);
    burst(plan, &format!("{prefix}-burst"), &to, &senders, bytes, 1.0, later);
    Some(())
}

/// A sender without window and congestion control, whose receiver has a slower link.
fn overrun(plan: &mut Plan, kind: &'static str, thin: u64) -> Option<()> {
    let prefix = plan.begin(kind);
    let from = plan.host(|_, _| true)?;
    let edge = plan.net.edges[&from].clone();
    let to = plan.host(|net, host| net.edges[host] != edge)?;
    let slower = plan.net.host_rate(&from).0 as f64 / plan.dice.log(1.5, 8.0);
    plan.net.set_host_rate(&to, Rate((slower / 1e9).round().max(1.0) as u64 * 1_000_000_000));
    plan.devices.set_host(&from, "window", text::name("none"));
    plan.devices.set_host(&from, "congestion_control", text::name("none"));
    let onset = plan.onset();
    let others = plan.hosts(thin as usize, |_, _| true);
    for (number, other) in others.iter().enumerate() {
        let label = format!("{prefix}-thin{}", number + 1);
        let rate = 2.0 * plan.frame() / plan.rtt_ns(other, &to);
        let bytes = rate * plan.stop_ns * plan.dice.even(0.3, 1.0);
        let mut flow = Flow::new(&label, std::slice::from_ref(other), std::slice::from_ref(&to), bytes, 0.0);
        flow.window = Some(2.0 * plan.frame());
        plan.flow(flow, 0.1);
    }
    let rate = plan.narrowest(&from, &to);
    let bytes = rate * (plan.stop_ns - onset) * plan.dice.log(0.05, 1.0);
    let label = format!("{prefix}-sender");
    plan.flow(Flow::new(&label, &[from], &[to], bytes, onset), 0.5);
    plan.actor(Actor::Flows { label });
    Some(())
}

pub(super) fn self_made(plan: &mut Plan) -> Option<()> {
    let thin = plan.dice.integer(1, 3);
    overrun(plan, "self-made-queue", thin)
}

pub(super) fn alone(plan: &mut Plan) -> Option<()> {
    overrun(plan, "victim-alone", 0)
}

pub(super) fn other_class(plan: &mut Plan) -> Option<()> {
    let site = site(plan, "other-class", false)?;
    let senders = senders(plan, &site.receiver, (2, 5))?;
    // Priority 4 may be lossless; 5 and 1 are lossy. Only strict priorities above 3, or weights, take its share.
    let priority = plan.dice.weighted(&[(4, 60), (5, 25), (1, 15)]);
    let rest = plan.stop_ns - site.onset_ns;
    let rate = plan.narrowest(&senders[0], &site.receiver);
    let bytes = rate * rest * plan.dice.log(0.03, 0.8) / senders.len() as f64;
    let label = format!("{}-flood", site.prefix);
    let to = [site.receiver];
    let flow = Flow { priority, ..Flow::new(&label, &senders, &to, bytes, site.onset_ns) };
    plan.flow(flow, 0.6);
    plan.actor(Actor::Flows { label });
    Some(())
}

pub(super) fn pulses(plan: &mut Plan) -> Option<()> {
    let site = site(plan, "low-rate-pulses", false)?;
    let senders = senders(plan, &site.receiver, (2, 10))?;
    let rate = plan.narrowest(&senders[0], &site.receiver);
    let rest = plan.stop_ns - site.onset_ns;
    let bytes = plan.bdp(&senders[0], &site.receiver) * plan.dice.log(0.5, 10.0);
    // An average of 2 to 30 % of the receiver's rate.
    let every = (bytes / rate / plan.dice.log(0.02, 0.3)).min(rest / 2.0);
    let label = format!("{}-pulse", site.prefix);
    let share = (bytes / senders.len() as f64).max(plan.frame());
    let mut flow = Flow::new(&label, &senders, &[site.receiver], share, site.onset_ns);
    flow.repeat = ((rest / every) as u64).clamp(2, 40);
    flow.every_ns = every;
    plan.flow(flow, 0.6);
    plan.actor(Actor::Flows { label });
    Some(())
}

pub(super) fn microburst(plan: &mut Plan) -> Option<()> {
    let site = site(plan, "microburst-under-load", true)?;
    let senders = senders(plan, &site.receiver, (4, 12))?;
    let rate = plan.narrowest(&senders[0], &site.receiver);
    let bytes = rate * plan.dice.log(20e3, 200e3);
    burst(plan, &format!("{}-burst", site.prefix), &site.receiver, &senders, bytes, 1.0, site.onset_ns);
    plan.load = plan.dice.even(0.3, 0.8);
    Some(())
}

pub(super) fn growing(plan: &mut Plan) -> Option<()> {
    let site = site(plan, "growing-incast", false)?;
    let mild = plan.hosts(2, |_, _| true);
    let senders = senders(plan, &site.receiver, (3, 10))?;
    let product = plan.bdp(&site.victim_from, &site.receiver);
    let label = format!("{}-mild", site.prefix);
    let to = [site.receiver.clone()];
    let rest = plan.stop_ns - site.onset_ns;
    let bytes = plan.narrowest(&site.victim_from, &site.receiver) * rest * 0.5;
    let mut flow = Flow::new(&label, &mild, &to, bytes, site.onset_ns);
    // Two such windows exceed the product of the path by up to twice.
    flow.window = Some(product * plan.dice.log(0.6, 1.5));
    plan.flow(flow, 0.3);
    plan.actor(Actor::Flows { label });
    let later = site.onset_ns + rest * plan.dice.even(0.1, 0.6);
    let bytes = product * plan.dice.log(5.0, 60.0);
    burst(plan, &format!("{}-burst", site.prefix), &site.receiver, &senders, bytes, 1.0, later);
    Some(())
}

pub(super) fn acks(plan: &mut Plan) -> Option<()> {
    let prefix = plan.begin("ack-congestion");
    let Route { from, to, .. } = route(plan)?;
    plan.victim(&format!("{prefix}-victim"), &from, &to, None);
    let senders = senders(plan, &from, (2, 10))?;
    let onset = plan.onset();
    let bytes = plan.bdp(&senders[0], &from) * plan.dice.log(1.0, 60.0);
    burst(plan, &format!("{prefix}-burst"), &from, &senders, bytes, 1.0, onset);
    Some(())
}

pub(super) fn reads(plan: &mut Plan) -> Option<()> {
    let site = site(plan, "storage-reads", false)?;
    let servers = senders(plan, &site.receiver, (2, 12))?;
    let bytes = plan.bdp(&servers[0], &site.receiver) * plan.dice.log(1.0, 60.0) / servers.len() as f64;
    let label = format!("{}-read", site.prefix);
    // The data of a read goes from `to` to `from`.
    let from = [site.receiver];
    let mut flow = Flow::new(&label, &from, &servers, bytes.max(plan.frame()), site.onset_ns);
    flow.keys.push(("operation", text::name("read")));
    if plan.dice.chance(0.5) {
        flow.keys.push(("message", text::size(plan.dice.log(4e3, 256e3))));
        flow.keys.push(("outstanding", plan.dice.integer(1, 16).to_string()));
    }
    plan.flow(flow, 0.6);
    plan.actor(Actor::Flows { label });
    Some(())
}
