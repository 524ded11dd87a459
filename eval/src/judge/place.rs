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
use super::guilt::{Experiment, NOTICEABLE, is_explained};
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
    if uses(&there) && !is_explained(excess_ns, left_ns) {
        own.insert(Actor::Victim);
        left_ns = experiment.excess_ns(&own)?;
    }
    let part = |left_ns: u64| excess_ns.saturating_sub(left_ns) as f64 / excess_ns.max(1) as f64;
    let is_guilty = part(left_ns) >= NOTICEABLE;
    let count = own.len();
    if is_guilty && !is_explained(excess_ns, left_ns) && !(elsewhere.is_empty() && beside.accused.is_empty())
    {
        let mut all = own;
        all.extend(elsewhere.iter().flat_map(|there| others_of(there, victim)));
        all.extend(beside.accused.iter().cloned());
        left_ns = experiment.excess_ns(&all)?;
    }
    let is_located = is_guilty && is_explained(excess_ns, left_ns);
    let grade = if is_located { Grade::Located } else { Grade::Mislocated };
    Ok(judged(
        grade,
        format!("of {excess_ns} ns of delay, {left_ns} ns stay without the {count} flows at {port}"),
    ))
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

    use super::super::test_scenarios::{LOSSLESS, flow, one_switch};
    use super::*;

    /// Two incasts at one switch, each with twice the rate of its port.
    fn two_incasts() -> Vec<String> {
        [("h1", "h2"), ("h3", "h2"), ("h5", "h4"), ("h6", "h4")]
            .map(|(from, to)| flow(from, to, "200kB"))
            .into()
    }

    /// The data of the first flow wait at the port to h2, and its ACKs at the port to h1.
    fn queues_in_both_directions() -> Vec<String> {
        [("h1", "h2"), ("h3", "h2"), ("h5", "h1"), ("h6", "h1")]
            .map(|(from, to)| flow(from, to, "200kB"))
            .into()
    }

    const SMALL_AND_LOSSY: &str = r#"
        lossless = []
        memory = "60kB"
    "#;

    struct Place<'a> {
        anomaly: Anomaly,
        host: &'a str,
        /// The hosts at the ports that other verdicts about the same delay name.
        beside: &'a [&'a str],
    }

    /// Judges a verdict that names the port to a host as the place of the first flow's delay.
    #[track_caller]
    fn check(buffer: &str, flows: &[String], place: &Place<'_>, expected: Grade) {
        let scenario = one_switch(7, buffer, &flows.concat());
        let pipeline = Pipeline::hawkeye(&[]).unwrap();
        let victim = scenario.key(&scenario.flows[0]).unwrap();
        let port_to = |host: &str| {
            let links = &scenario.topology.links;
            let ends = links.iter().flat_map(|link| [(&link.a, &link.b), (&link.b, &link.a)]);
            ends.filter(|(_, far)| far.switch == host).map(|(near, _)| near).next().unwrap()
        };
        let mut bench = Bench::new(&scenario, 1, &pipeline, BTreeSet::from([victim]));
        let window = (Time::ZERO, Time::from_us(40));
        let named = Named { anomaly: place.anomaly, port: port_to(place.host) };
        let ports = place.beside.iter().map(|host| port_to(host)).collect();
        let beside = Beside { ports, ..Beside::default() };
        let judgement = located(&mut bench, victim, window, &named, &beside).unwrap();
        assert_eq!(judgement.grade, expected, "{}", judgement.reason);
    }

    /// As [`check`], of two incasts without a loss and without other verdicts.
    #[track_caller]
    fn check_incasts(anomaly: Anomaly, host: &str, expected: Grade) {
        check(LOSSLESS, &two_incasts(), &Place { anomaly, host, beside: &[] }, expected);
    }

    #[test]
    fn the_port_at_which_the_victim_waits_for_others_is_located() {
        check_incasts(Anomaly::FlowContention, "h2", Grade::Located);
    }

    #[test]
    fn a_congested_port_that_the_victim_does_not_depend_on_is_mislocated() {
        check_incasts(Anomaly::PfcBackpressureFlowContention, "h4", Grade::Mislocated);
    }

    #[test]
    fn a_port_without_a_queue_is_mislocated() {
        check_incasts(Anomaly::FlowContention, "h7", Grade::Mislocated);
        check_incasts(Anomaly::FlowContention, "h1", Grade::Mislocated);
    }

    #[test]
    fn a_loss_that_did_not_happen_is_mislocated() {
        check_incasts(Anomaly::PacketLoss, "h2", Grade::Mislocated);
    }

    #[test]
    fn the_port_without_room_for_the_victims_packets_is_located() {
        let place = Place { anomaly: Anomaly::PacketLoss, host: "h2", beside: &[] };
        check(SMALL_AND_LOSSY, &two_incasts(), &place, Grade::Located);
    }

    #[test]
    fn two_ports_that_delay_the_victim_together_are_located_if_both_are_named() {
        let flows = queues_in_both_directions();
        let place = |beside| Place { anomaly: Anomaly::FlowContention, host: "h2", beside };
        check(LOSSLESS, &flows, &place(&[]), Grade::Mislocated);
        check(LOSSLESS, &flows, &place(&["h1"]), Grade::Located);
    }
}
