//! Compares methods by what they name first: fair measures for methods that rank, or that name a place only.
//!
//! The delays are pooled over all methods of a run, as documents are in the evaluation of retrieval systems: a delay
//! counts if the accused of at least one judged verdict about it explain it. Its guilty actors are those of all such
//! verdicts, and each method is measured on each delay; a method without a verdict about it names nothing.

use std::collections::{BTreeMap, BTreeSet};

use fabric::RunError;
use model::{Diagnosis, FlowKey, PortRef, Time, Topology};
use scenario::Scenario;
use serde::{Deserialize, Serialize};

use super::actor::{Actor, ranked};
use super::bench::{Base, Bench};
use super::grade::{Judgement, window};
use super::stay::{Stay, paused_times};

/// Sums over the pooled delays of one or several runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ranking {
    /// Pooled delays.
    pub delays: u64,
    /// Those of them whose place is known: the port at which the guilty actors queue, pause or lose.
    pub places: u64,
    /// Those whose place is the method's root port.
    pub root_ports: u64,
    /// Delays of which the first named actor is guilty.
    pub first: u64,
    /// Delays of which one of the first three named actors is guilty.
    pub first_three: u64,
    /// Sum of the best F1 scores of the beginnings of the method's list of named actors.
    pub best_f1: f64,
}

impl Ranking {
    /// Adds the sums of other delays.
    pub fn add(&mut self, other: &Ranking) {
        self.delays += other.delays;
        self.places += other.places;
        self.root_ports += other.root_ports;
        self.first += other.first;
        self.first_three += other.first_three;
        self.best_f1 += other.best_f1;
    }
}

/// A delay with the actors that caused it.
struct Delay {
    victim: FlowKey,
    window: (Time, Time),
    guilty: BTreeSet<Actor>,
}

/// Measures each method; its verdicts come with their judgements.
///
/// # Errors
/// A run that cannot be repeated.
pub fn rankings(
    bench: &mut Bench<'_>,
    scenario: &Scenario,
    methods: &[(&[Diagnosis], &[Judgement])],
) -> Result<Vec<Ranking>, RunError> {
    let delays = pooled(methods);
    let mut rankings = vec![Ranking::default(); methods.len()];
    if delays.is_empty() {
        return Ok(rankings);
    }
    let base = bench.base()?;
    for delay in &delays {
        let places = places(&scenario.topology, base, base.stays(), delay);
        for (ranking, (verdicts, _)) in rankings.iter_mut().zip(methods) {
            measure(ranking, scenario, delay, &places, verdicts);
        }
    }
    Ok(rankings)
}

fn pooled(methods: &[(&[Diagnosis], &[Judgement])]) -> Vec<Delay> {
    let mut delays: Vec<Delay> = Vec::new();
    for (verdict, judgement) in methods.iter().flat_map(|(verdicts, judged)| verdicts.iter().zip(*judged)) {
        let Some(guilt) = judgement.guilt.as_ref().filter(|guilt| guilt.explains()) else { continue };
        let is_guilty = |(_, part): &(&Actor, &f64)| **part >= guilt.noticeable;
        let guilty: BTreeSet<Actor> =
            guilt.parts.iter().filter(is_guilty).map(|(actor, _)| actor.clone()).collect();
        let window = window(verdict);
        let Some(victim) = verdict.victim else { continue };
        match delays.iter_mut().find(|delay| is_about(Some(victim), window, delay)) {
            Some(delay) => delay.guilty.extend(guilty),
            None => delays.push(Delay { victim, window, guilty }),
        }
    }
    delays.retain(|delay| !delay.guilty.is_empty());
    delays
}

/// Whether a verdict is about a delay. A verdict without a victim is about all delays of its time.
fn is_about(victim: Option<FlowKey>, window: (Time, Time), delay: &Delay) -> bool {
    victim.is_none_or(|victim| victim == delay.victim)
        && window.0 <= delay.window.1
        && delay.window.0 <= window.1
}

fn measure(
    ranking: &mut Ranking,
    scenario: &Scenario,
    delay: &Delay,
    places: &BTreeSet<PortRef>,
    verdicts: &[Diagnosis],
) {
    let mut about: Vec<&Diagnosis> =
        verdicts.iter().filter(|v| is_about(v.victim, window(v), delay)).collect();
    about.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    let mut named: Vec<Actor> = Vec::new();
    for actor in about.iter().flat_map(|verdict| ranked(verdict, scenario)) {
        if !named.contains(&actor) {
            named.push(actor);
        }
    }
    let root = about.iter().find_map(|verdict| verdict.root_cause.port.as_ref());
    ranking.delays += 1;
    ranking.places += u64::from(!places.is_empty());
    ranking.root_ports += u64::from(root.is_some_and(|port| places.contains(port)));
    let hits: Vec<bool> = named.iter().map(|actor| delay.guilty.contains(actor)).collect();
    ranking.first += u64::from(hits.first() == Some(&true));
    ranking.first_three += u64::from(hits.iter().take(3).any(|hit| *hit));
    ranking.best_f1 += best_f1(&hits, delay.guilty.len());
}

/// The best F1 score of the beginnings of a list; `hits` tells which of its members are among the `guilty` ones.
fn best_f1(hits: &[bool], guilty: usize) -> f64 {
    let mut found = 0;
    let scores = hits.iter().enumerate().map(|(at, hit)| {
        found += usize::from(*hit);
        2.0 * found as f64 / (at + 1 + guilty) as f64
    });
    scores.fold(0.0, f64::max)
}

/// The ports that a verdict about a delay may name: where the guilty flows queue most while the port is not paused, the
/// ports to guilty hosts, both ends of guilty links, and all ports of switches with guilty settings or routes.
fn places(topology: &Topology, base: &Base, stays: &[Stay], delay: &Delay) -> BTreeSet<PortRef> {
    let mut places = BTreeSet::new();
    let mut flows = BTreeSet::new();
    let ends = || topology.links.iter().flat_map(|link| [(&link.a, &link.b), (&link.b, &link.a)]);
    for actor in &delay.guilty {
        match actor {
            Actor::Victim => _ = flows.insert(delay.victim),
            Actor::Flow(flow) => _ = flows.insert(*flow),
            Actor::Host(host) => {
                places.extend(ends().filter(|(_, far)| far.switch == *host).map(|(near, _)| near.clone()));
            }
            Actor::Link(port) => {
                let both = ends().filter(|(near, far)| *near == port || *far == port);
                places.extend(both.map(|(near, _)| near.clone()));
            }
            Actor::Routes(switch) => places.extend(ports_of(topology, switch)),
            Actor::Setting(id) => {
                places.extend(ports_of(topology, id.split('/').next().unwrap_or_default()));
            }
        }
    }
    places.extend(queue_port(base, stays, &flows, delay.window));
    places
}

fn ports_of<'t>(topology: &'t Topology, switch: &'t str) -> impl Iterator<Item = PortRef> + 't {
    let ends = topology.links.iter().flat_map(|link| [&link.a, &link.b]);
    ends.filter(move |port| port.switch == switch).cloned()
}

/// The port with most of the queue of these flows in a window, counted in byte seconds while the port is not paused: a
/// paused port only passes on the queue of another one.
fn queue_port(
    base: &Base,
    stays: &[Stay],
    flows: &BTreeSet<FlowKey>,
    window: (Time, Time),
) -> Option<PortRef> {
    let is_wanted: Vec<bool> = base.flows.iter().map(|flow| flows.contains(&flow.flow)).collect();
    let first = stays.partition_point(|stay| stay.to < window.0);
    let mut queues: BTreeMap<(u32, u16), u128> = BTreeMap::new();
    let mut paused: BTreeMap<(u32, u16), Vec<(Time, Time)>> = BTreeMap::new();
    for stay in &stays[first..] {
        if stay.from > window.1 || !is_wanted.get(stay.flow).copied().unwrap_or(false) {
            continue;
        }
        let place = (stay.switch, stay.egress_port);
        let paused = paused.entry(place).or_insert_with(|| match base.switches.get(stay.switch as usize) {
            Some(switch) => {
                paused_times(&base.pauses, &PortRef::new(switch.clone(), stay.egress_port), base.end)
            }
            None => Vec::new(),
        });
        let queued = stay.unpaused_in(window, paused).0;
        *queues.entry(place).or_default() += u128::from(queued) * u128::from(stay.bytes);
    }
    let (place, _) =
        queues.into_iter().filter(|(_, queue)| *queue > 0).max_by_key(|(place, queue)| (*queue, *place))?;
    let switch = base.switches.get(place.0 as usize)?;
    Some(PortRef::new(switch.clone(), place.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_beginning_of_a_list_counts() {
        assert_eq!(best_f1(&[], 2), 0.0);
        assert_eq!(best_f1(&[true, true], 2), 1.0);
        assert_eq!(best_f1(&[true, true, false, false], 2), 1.0, "the innocent come last");
        assert_eq!(best_f1(&[false, true], 1), 2.0 / 3.0);
        assert_eq!(best_f1(&[true], 3), 0.5);
    }
}
