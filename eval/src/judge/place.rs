//! Judges verdicts that name a port and no culprit, by the traffic of that port.
//!
//! Such a verdict says where the delay arises, not through whom. If that is true, the delay disappears in a run without the
//! flows whose packets were at the port, and packets waited there while nothing paused it. Both are necessary and not
//! sufficient: flows that meet at one port may pass others together.

use std::collections::BTreeSet;

use fabric::RunError;
use fabric::packet_log::What;
use model::{Anomaly, FlowKey, PortRef, Time};

use super::actor::Actor;
use super::bench::{Base, Bench};
use super::grade::{Grade, Judgement};
use super::guilt::{EXPLAINS, Experiment, NOTICEABLE};
use super::stay::paused_times;

/// What a port did in a window.
struct AtPort {
    /// The flows with data or ACKs there.
    flows: BTreeSet<FlowKey>,
    /// The longest time that a packet spent there while the port was not paused.
    longest_wait: Time,
}

/// What a verdict names.
pub(super) struct Named<'v> {
    pub(super) anomaly: Anomaly,
    pub(super) port: &'v PortRef,
}

/// What the other verdicts about the same delay name.
#[derive(Default)]
pub(super) struct Beside<'v> {
    pub(super) accused: BTreeSet<Actor>,
    /// The ports of those without culprits.
    pub(super) ports: Vec<&'v PortRef>,
}

/// Judges what a verdict names as the place of a delay of `victim`, which it has in `window`.
pub(super) fn located(
    bench: &mut Bench<'_>,
    victim: FlowKey,
    window: (Time, Time),
    named: &Named<'_>,
    beside: &Beside<'_>,
) -> Result<Judgement, RunError> {
    let port = named.port;
    let excess_ns = bench.on(victim, window).excess_ns(&BTreeSet::new())?;
    let judged = |grade, reason| Judgement { excess_ns: Some(excess_ns), ..Judgement::plain(grade, reason) };
    let base = bench.base()?;
    // What was in the queue when the slow packet came may have left before the end of its delay, and came before.
    let before = (window.0.saturating_sub(window.1.saturating_sub(window.0)), window.1);
    let there = at_port(base, port, before);
    if named.anomaly == Anomaly::PacketLoss {
        if !lost_there(base, &port.switch, victim, window) {
            let reason = format!("no packet of the victim was lost at {}", port.switch);
            return Ok(judged(Grade::Mislocated, reason));
        }
    } else if (there.longest_wait.as_ns() as f64) < NOTICEABLE * excess_ns as f64 {
        let wait_ns = there.longest_wait.as_ns();
        let reason =
            format!("of {excess_ns} ns of delay, no packet waited longer than {wait_ns} ns at {port}");
        return Ok(judged(Grade::Mislocated, reason));
    }
    let elsewhere: Vec<AtPort> = beside.ports.iter().map(|port| at_port(base, port, before)).collect();
    let uses = |there: &AtPort| there.flows.contains(&victim);
    let mut own: BTreeSet<Actor> = others_of(&there, victim).collect();
    let mut experiment = bench.on(victim, window);
    let mut left_ns = experiment.excess_ns(&own)?;
    if uses(&there) && !explains(excess_ns, left_ns) {
        own.insert(Actor::Victim);
        left_ns = experiment.excess_ns(&own)?;
    }
    let part = |left_ns: u64| excess_ns.saturating_sub(left_ns) as f64 / excess_ns.max(1) as f64;
    let is_guilty = part(left_ns) >= NOTICEABLE;
    let count = own.len();
    if is_guilty && !explains(excess_ns, left_ns) && !(elsewhere.is_empty() && beside.accused.is_empty()) {
        let mut all = own;
        all.extend(elsewhere.iter().flat_map(|there| others_of(there, victim)));
        all.extend(beside.accused.iter().cloned());
        left_ns = experiment.excess_ns(&all)?;
    }
    let is_located = is_guilty && explains(excess_ns, left_ns);
    let grade = if is_located { Grade::Located } else { Grade::Mislocated };
    Ok(judged(
        grade,
        format!("of {excess_ns} ns of delay, {left_ns} ns stay without the {count} flows at {port}"),
    ))
}

/// Whether a delay disappears, as far as one must that is explained.
fn explains(excess_ns: u64, left_ns: u64) -> bool {
    left_ns as f64 <= (1.0 - EXPLAINS) * excess_ns as f64
}

/// The flows at a port without the victim.
fn others_of(there: &AtPort, victim: FlowKey) -> impl Iterator<Item = Actor> {
    there.flows.iter().copied().filter(move |flow| *flow != victim).map(Actor::Flow)
}

fn at_port(base: &Base, port: &PortRef, window: (Time, Time)) -> AtPort {
    let mut there = AtPort { flows: BTreeSet::new(), longest_wait: Time::ZERO };
    let Some(switch) = base.switches.iter().position(|name| *name == port.switch) else { return there };
    let paused = paused_times(&base.pauses, port, base.end);
    let stays = base.stays();
    let first = stays.partition_point(|stay| stay.to < window.0);
    for stay in &stays[first..] {
        if stay.from > window.1 || stay.switch as usize != switch || stay.egress_port != port.port {
            continue;
        }
        there.flows.extend(base.flows.get(stay.flow).map(|flow| flow.flow));
        there.longest_wait = there.longest_wait.max(stay.unpaused_in((stay.from, stay.to), &paused));
    }
    there
}

/// Whether the switch dropped a packet or an ACK of the victim from the departure of the slow packet on.
fn lost_there(base: &Base, switch: &str, victim: FlowKey, window: (Time, Time)) -> bool {
    let is_victim = |flow: usize| base.flows.get(flow).is_some_and(|flow| flow.flow == victim);
    base.log.iter().flat_map(|log| &log.steps).any(|step| {
        step.what == What::Lost
            && (window.0..=window.1).contains(&step.at)
            && is_victim(step.stream.flow())
            && base.switches.get(step.switch as usize).is_some_and(|name| name == switch)
    })
}

#[cfg(test)]
mod tests {
    use fabric::pipeline::Pipeline;

    use super::*;

    /// Two incasts at one switch, each with twice the rate of its port.
    const TWO_INCASTS: &str = r#"
        version = 2
        name = "two-incasts"
        title = "two incasts at one switch"
        stop = "1ms"
        [topology]
        kind = "leaf-spine"
        leaves = 1
        spines = 1
        hosts_per_leaf = 7
        links_per_pair = 1
        rate = "100Gbps"
        delay = "1us"
        [switch]
        lossless = [3]
        memory = "64MB"
        headroom = "100kB"
        [host]
        payload = 1024
        congestion_control = "none"
        [[flow]]
        label = "victim"
        from = "h1"
        to = "h2"
        size = "200kB"
        [[flow]]
        label = "beside"
        from = "h3"
        to = "h2"
        size = "200kB"
        [[flow]]
        label = "elsewhere"
        from = "h5"
        to = "h4"
        size = "200kB"
        [[flow]]
        label = "elsewhere-too"
        from = "h6"
        to = "h4"
        size = "200kB"
    "#;

    /// Judges a verdict that names the port to this host as the place of the first flow's delay.
    #[track_caller]
    fn check(anomaly: Anomaly, host: &str, expected: Grade) {
        let scenario = scenario::parse("two-incasts.toml", TWO_INCASTS).unwrap();
        let pipeline = Pipeline::hawkeye(&[]).unwrap();
        let victim = scenario.key(&scenario.flows[0]).unwrap();
        let ends = scenario.topology.links.iter().flat_map(|link| [(&link.a, &link.b), (&link.b, &link.a)]);
        let port = ends.filter(|(_, far)| far.switch == host).map(|(near, _)| near).next().unwrap();
        let mut bench = Bench::new(&scenario, 1, &pipeline, BTreeSet::from([victim]));
        let window = (Time::ZERO, Time::from_us(40));
        let named = Named { anomaly, port };
        let judgement = located(&mut bench, victim, window, &named, &Beside::default()).unwrap();
        assert_eq!(judgement.grade, expected, "{}", judgement.reason);
    }

    #[test]
    fn the_port_at_which_the_victim_waits_for_others_is_located() {
        check(Anomaly::FlowContention, "h2", Grade::Located);
    }

    #[test]
    fn a_congested_port_that_the_victim_does_not_depend_on_is_mislocated() {
        check(Anomaly::PfcBackpressureFlowContention, "h4", Grade::Mislocated);
    }

    #[test]
    fn a_port_without_a_queue_is_mislocated() {
        check(Anomaly::FlowContention, "h7", Grade::Mislocated);
        check(Anomaly::FlowContention, "h1", Grade::Mislocated);
    }

    #[test]
    fn a_loss_that_did_not_happen_is_mislocated() {
        check(Anomaly::PacketLoss, "h2", Grade::Mislocated);
    }
}
