//! Computes the ground truth: which event is the expected one, and its victims.

use std::collections::{BTreeMap, BTreeSet};

use crate::GroundTruth;
use crate::ground_truth::Phase;
use model::{Anomaly, Cause, FlowKey, PortRef, RootCause, Time};
use scenario::{Expectation, SwitchSettings};

use super::Facts;
use super::blame::phases;
use super::events::{Event, NO_HARM, Run, events};
use super::replay::{Replay, replay};
use super::tree::waiting;
use fabric::FlowRecord;

/// Further events of the ground truth: those that delayed watched flows most.
const MOST_BESIDE: usize = 64;
/// The same event at another time is listed if it delayed a watched flow by at least this part of the longest delay, in
/// percent.
const AGAIN_PERCENT: u64 = 20;

/// The run, and values that are computed from it once.
struct Scene<'f, 'r> {
    facts: &'f Facts<'r>,
    replay: &'f Replay,
    paths: &'f [Vec<PortRef>],
    /// Flows that became slow or stopped.
    slowed: BTreeSet<usize>,
    /// Whether each flow is watched.
    watched: &'f [bool],
}

/// The ground truth of a run. The expectation provides the name of the cause, and selects one of several events. Also
/// returns descriptions of events that delayed a watched flow longer than the expected one.
pub(super) fn judge(facts: &Facts<'_>, expect: &Expectation) -> (GroundTruth, Vec<String>) {
    let replay = replay(facts);
    let waiting = waiting(facts, &replay);
    let paths = paths(facts, &replay);
    let watched = watched(facts);
    let run = Run { facts, replay: &replay, waiting: &waiting, paths: &paths, watched: &watched };
    let mut events = events(&run);
    let slowed = slowed(facts, &replay);
    let scene = Scene { facts, replay: &replay, paths: &paths, slowed, watched: &watched };
    let mut truths: Vec<GroundTruth> = Vec::new();
    let mut least = Time::MAX;
    for expect in std::iter::once(expect).chain(&expect.also) {
        let selected = match expect.anomaly {
            Some(Anomaly::HostOnly) => scene.in_hosts(expect),
            _ => scene.expected(&mut events, expect),
        };
        least = selected.as_ref().map_or(least, |(_, harm)| least.min(*harm));
        truths.extend(selected.map(|(truth, _)| truth));
    }
    let mut truths = truths.into_iter();
    let Some(truth) = truths.next() else { return Default::default() };
    // With `at_least`, another event may delay flows longer than the expected one.
    let is_drowned = |event: &&Event| expect.at_least && event.harm > least && meets(event, &truth);
    let worse = events.iter().filter(is_drowned).map(|event| {
        format!("{} delayed a watched flow for {}, longer than the expected event", event.port, event.harm)
    });
    let worse: Vec<String> = worse.take(1).collect();
    let plain = Expectation { cause: None, ..expect.clone() };
    let beside = events.iter().filter(|event| event.harm > Time::ZERO).take(MOST_BESIDE);
    let beside = beside.map(|event| scene.ground_truth_of(event, &plain)).collect();
    (GroundTruth { others: truths.collect(), beside, ..truth }, worse)
}

/// Whether an event overlaps the expected one in time.
fn meets(event: &Event, truth: &GroundTruth) -> bool {
    let (from, until) = event.when;
    truth.time_ns.is_some_and(|(first, last)| from.as_ns() <= last && first <= until.as_ns())
}

/// Whether each flow's sender has an agent.
fn watched(facts: &Facts<'_>) -> Vec<bool> {
    let scenario = facts.scenario;
    let by_agent = |flow: &FlowRecord| {
        let host = scenario.topology.host_of(flow.flow.src);
        host.is_some_and(|host| scenario.agents.hosts.as_ref().is_none_or(|hosts| hosts.contains(&host.name)))
    };
    facts.flows.iter().map(by_agent).collect()
}

/// The egress ports of the switches on the path of each flow's data.
fn paths(facts: &Facts<'_>, replay: &Replay) -> Vec<Vec<PortRef>> {
    let mut paths: Vec<Vec<(u32, u16)>> = vec![Vec::new(); facts.flows.len()];
    for stay in replay.stays.iter().filter(|stay| stay.stream.is_data()) {
        if let (Some(egress), Some(path)) = (stay.egress, paths.get_mut(stay.stream.flow()))
            && !path.contains(&(stay.switch, egress))
        {
            path.push((stay.switch, egress));
        }
    }
    let name = |(switch, port): (u32, u16)| PortRef::new(facts.switches[switch as usize].clone(), port);
    paths.into_iter().map(|path| path.into_iter().map(name).collect()).collect()
}

/// A flow is slow if an RTT exceeds the shortest one so far by more than this and by more than the agents' threshold:
/// the baseline cannot be lower than any RTT seen so far.
const LEAST_EXCESS: Time = Time::from_us(4);

/// Flows with an RTT well above the shortest one, with retransmissions, or without progress at the end.
fn slowed(facts: &Facts<'_>, replay: &Replay) -> BTreeSet<usize> {
    let mut last: BTreeMap<usize, Time> = BTreeMap::new();
    for stay in replay.stays.iter().filter(|s| s.stream.is_data() && !s.lost && s.until < Time::MAX) {
        let at = last.entry(stay.stream.flow()).or_insert(Time::ZERO);
        *at = stay.until.max(*at);
    }
    // Nothing of an unfinished flow has left any switch in the last tenth of the run.
    let recent = Time(facts.end.0 - facts.end.0 / 10);
    let stands = |index: usize, flow: &FlowRecord| {
        flow.finish.is_none() && flow.start < recent && last.get(&index).is_none_or(|at| *at < recent)
    };
    let percent = u64::from(facts.scenario.agents.threshold_percent);
    let slow = |flow: &FlowRecord| {
        let (worst, best) = flow.rtt.furthest;
        flow.rtt.count > 0
            && worst.0 > best.0.saturating_mul(percent) / 100
            && worst.saturating_sub(best) > LEAST_EXCESS
    };
    let suffers = |(index, flow): &(usize, &FlowRecord)| {
        slow(flow) || flow.retransmitted_packets > 0 || stands(*index, flow)
    };
    facts.flows.iter().enumerate().filter(suffers).map(|(index, _)| index).collect()
}

impl Scene<'_, '_> {
    /// The expected event, with the other times of the same event; these are removed from the list. If no event fits,
    /// the event with the longest delay is returned. The time is the longest delay of a watched flow.
    fn expected(&self, events: &mut Vec<Event>, expect: &Expectation) -> Option<(GroundTruth, Time)> {
        let fitting: Vec<usize> = (0..events.len()).filter(|at| self.fits(expect, &events[*at])).collect();
        let Some(first) = fitting.first().copied() else {
            let harms = |event: &Event| event.harm > Time::ZERO && !self.victims(event).is_empty();
            let any = (!events.is_empty() && expect.anomaly.is_some()).then_some(0);
            let worst = events.iter().position(harms).or(any)?;
            let worst = events.remove(worst);
            return Some((self.ground_truth_of(&worst, expect), Time::MAX));
        };
        let harm = events[first].harm;
        let mut selected: Vec<GroundTruth> = Vec::new();
        for at in fitting.iter().rev().copied() {
            if at == first || events[at].harm.0 >= harm.0 / 100 * AGAIN_PERCENT {
                selected.push(self.ground_truth_of(&events.remove(at), expect));
            }
        }
        let truth = selected.pop()?;
        selected.reverse();
        Some((GroundTruth { again: selected, ..truth }, harm))
    }

    /// Watched flows whose longest RTT was spent in hosts: the longest delays of their data and ACKs at the switches of
    /// their path are less than half of the excess over the shortest RTT.
    fn in_hosts(&self, expect: &Expectation) -> Option<(GroundTruth, Time)> {
        let mut longest: BTreeMap<(usize, bool, u32), u64> = BTreeMap::new();
        for stay in self.replay.stays.iter().filter(|stay| !stay.lost) {
            let waited = stay.until.min(self.facts.end).saturating_sub(stay.from).0;
            let most = longest.entry((stay.stream.flow(), stay.stream.is_data(), stay.switch)).or_default();
            *most = waited.max(*most);
        }
        let in_switches = |flow: usize| -> u64 {
            let ways = longest.range((flow, false, 0)..(flow + 1, false, 0));
            ways.fold(0, |sum, (_, waited)| sum.saturating_add(*waited))
        };
        let is_victim = |flow: &usize| {
            let rtt = &self.facts.flows[*flow].rtt;
            let beyond = rtt.max.saturating_sub(rtt.min).0;
            self.watched[*flow] && in_switches(*flow).saturating_mul(2) < beyond
        };
        let victims: Vec<usize> = self.slowed.iter().copied().filter(is_victim).collect();
        if victims.is_empty() {
            return None;
        }
        let times = victims.iter().map(|flow| &self.facts.flows[*flow]);
        let (from, until) = times.fold((Time::MAX, Time::ZERO), |(from, until), flow| {
            (from.min(flow.start), until.max(flow.finish.unwrap_or(self.facts.end)))
        });
        let truth = GroundTruth {
            anomaly: Some(Anomaly::HostOnly),
            cause: expect.cause,
            root_cause: RootCause { host: self.faulty_end(&victims), ..RootCause::default() },
            victims: self.keys(victims),
            time_ns: Some((from.as_ns(), until.as_ns())),
            ..GroundTruth::default()
        };
        Some((truth, Time::MAX))
    }

    /// The one host among the senders and receivers of these flows that has a fault; `None` if there are several or none.
    fn faulty_end(&self, flows: &[usize]) -> Option<String> {
        let scenario = self.facts.scenario;
        let ends = flows.iter().flat_map(|flow| [self.key(*flow).src, self.key(*flow).dst]);
        let ends: BTreeSet<&str> =
            ends.filter_map(|at| Some(scenario.topology.host_of(at)?.name.as_str())).collect();
        let mut faulty =
            ends.into_iter().filter(|host| scenario.faults.iter().any(|fault| fault.host == *host));
        faulty.next().filter(|_| faulty.next().is_none()).map(str::to_string)
    }

    /// Whether an event may be the expected one.
    fn fits(&self, expect: &Expectation, event: &Event) -> bool {
        let named: BTreeSet<FlowKey> =
            event.blame.culprits.iter().chain(&event.blame.minor).map(|flow| self.key(*flow)).collect();
        Some(event.anomaly) == expect.anomaly
            && expect.host.as_ref().is_none_or(|host| event.host.as_ref() == Some(host))
            && expect.port.as_ref().is_none_or(|port| *port == event.port)
            && expect.flows.iter().flatten().all(|flow| named.contains(flow))
            // It must have delayed a watched flow.
            && (event.harm > NO_HARM || !self.watched.contains(&true) || !event.lost.is_empty())
    }

    /// Flows that were slowed and had packets at a port that the event affected, without the culprits.
    fn victims(&self, event: &Event) -> Vec<usize> {
        let (from, until) = event.when;
        let mut held: BTreeSet<usize> = BTreeSet::new();
        for port in &event.touched {
            let stays = self.replay.by_port.get(port).into_iter().flatten().map(|at| &self.replay.stays[*at]);
            held.extend(stays.filter(|s| s.from <= until && from <= s.until).map(|s| s.stream.flow()));
        }
        let culprits: BTreeSet<FlowKey> = event.blame.culprits.iter().map(|flow| self.key(*flow)).collect();
        let suffers = |flow: &usize| {
            event.lost.contains(flow)
                || self.slowed.contains(flow) && !culprits.contains(&self.key(*flow)) && held.contains(flow)
        };
        (0..self.facts.flows.len()).filter(suffers).collect()
    }

    fn key(&self, flow: usize) -> FlowKey {
        self.facts.flows[flow].flow
    }

    /// The distinct 5-tuples of flows.
    fn keys(&self, flows: impl IntoIterator<Item = usize>) -> Vec<FlowKey> {
        let mut keys: Vec<FlowKey> = Vec::new();
        for flow in flows {
            if !keys.contains(&self.key(flow)) {
                keys.push(self.key(flow));
            }
        }
        keys
    }

    fn ground_truth_of(&self, event: &Event, expect: &Expectation) -> GroundTruth {
        let victims = self.victims(event);
        let pause_path = self.pause_path(event, &victims);
        let mut spreaders: BTreeSet<usize> = BTreeSet::new();
        for edge in pause_path.windows(2) {
            spreaders
                .extend(event.tree.spreaders.get(&(edge[0].clone(), edge[1].clone())).into_iter().flatten());
        }
        let culprits = self.keys(event.blame.culprits.iter().copied());
        let spreaders = self.keys(spreaders).into_iter().filter(|key| !culprits.contains(key)).collect();
        let is_misconfigured = expect.cause == Some(Cause::Misconfiguration);
        GroundTruth {
            anomaly: Some(event.anomaly),
            cause: expect.cause,
            root_cause: RootCause {
                port: Some(event.port.clone()),
                flows: culprits,
                host: event.host.clone(),
                config: if is_misconfigured { self.config() } else { Vec::new() },
            },
            minor: self.keys(event.blame.minor.iter().copied()),
            pause_path,
            pause_loop: event.loop_ports.clone(),
            spreaders,
            victims: self.keys(victims),
            time_ns: Some((event.when.0.as_ns(), event.when.1.as_ns())),
            phases: self.phases(event),
            again: Vec::new(),
            others: Vec::new(),
            beside: Vec::new(),
            outages: Vec::new(),
        }
    }

    fn phases(&self, event: &Event) -> Vec<Phase> {
        let phases = phases(self.replay, &event.port, &event.made, self.facts.end);
        let phase = |(until, blame): (Time, super::blame::Blame)| Phase {
            until_ns: until.as_ns(),
            flows: self.keys(blame.culprits),
            minor: self.keys(blame.minor),
        };
        phases.into_iter().map(phase).collect()
    }

    /// The pause path, from the first paused port of a victim to the root: preferably of a watched victim, then of one
    /// that does not cross the root port, then the longest.
    fn pause_path(&self, event: &Event, victims: &[usize]) -> Vec<PortRef> {
        let way = |flow: &usize| {
            let near =
                |port: &&PortRef| event.touched.contains(port) && self.replay.paused.contains_key(*port);
            let first = self.paths[*flow].iter().find(near)?;
            let path = event.tree.path(first, &event.port)?;
            let is_bystander = !self.paths[*flow].contains(&event.port);
            Some((self.watched[*flow], is_bystander, path.len(), std::cmp::Reverse(*flow), path))
        };
        victims.iter().filter_map(way).max().map(|(_, _, _, _, path)| path).unwrap_or_default()
    }

    /// Settings in which a switch differs from the others, and static routes: `switch/setting`.
    fn config(&self) -> Vec<String> {
        let scenario = self.facts.scenario;
        let mut found: BTreeSet<String> = BTreeSet::new();
        for (name, settings) in &scenario.switches {
            found.extend(differences(settings, &scenario.switch).map(|setting| format!("{name}/{setting}")));
        }
        found.extend(scenario.routing.routes.iter().map(|route| format!("{}/route", route.route.switch)));
        found.into_iter().collect()
    }
}

fn differences(a: &SwitchSettings, b: &SwitchSettings) -> impl Iterator<Item = &'static str> {
    let all = [
        ("alpha", a.threshold != b.threshold),
        ("headroom", a.headroom != b.headroom),
        ("lossless", a.lossless != b.lossless),
        ("dscp", a.dscp != b.dscp),
        ("xon_offset", a.xon_offset_bytes != b.xon_offset_bytes),
        ("ecn", a.ecn != b.ecn),
    ];
    all.into_iter().filter(|(_, differs)| *differs).map(|(setting, _)| setting)
}
