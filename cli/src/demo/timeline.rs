//! The rounds of the demo: each repeats a scenario on a clean network.

use std::sync::Arc;

use controller::plan::PlanSettings;
use model::diagnosis::Record;
use model::{Diagnosis, Time};
use scenario::Scenario;

use super::what_if::{PlayedRound, PlayedRounds};

/// Time between the end of a scenario and the end of its round: a queue that stands still stays visible for so long.
pub(super) const GAP: Time = Time::from_ms(4);
/// The time that a switch's ring of epochs covers, 32 of 2^17 ns. A round starts with a ring, as a run does.
const RING: Time = Time::from_ns(1 << 22);

/// Returns the rounds of several scenarios in turn.
pub(super) struct Timeline {
    scenarios: Vec<Arc<Scenario>>,
    seed: u64,
    /// Whether each round draws its own jitter.
    is_varied: bool,
    number: u64,
    played: PlayedRounds,
}

impl Timeline {
    /// Creates a timeline of instances of scenarios. Those with another topology, other switches or other ports for
    /// RoCE than the first one are left out: switches and their value sets stay the same.
    pub(super) fn new(scenarios: Vec<Scenario>, seed: u64, is_varied: bool) -> Timeline {
        let mut compatible: Vec<Arc<Scenario>> = Vec::new();
        for scenario in scenarios {
            let is_compatible = compatible.first().is_none_or(|first| {
                (&scenario.topology, &scenario.switch, &scenario.switches, scenario.pause_end)
                    == (&first.topology, &first.switch, &first.switches, first.pause_end)
                    && scenario.roce_ports() == first.roce_ports()
            });
            if is_compatible {
                // Without its source, another seed draws other jitter and not another instance.
                let mut instance = Scenario { expect: None, source: None, ..scenario };
                instance.agents.hosts = None;
                compatible.push(Arc::new(instance));
            }
        }
        assert!(!compatible.is_empty(), "invariant: the demo has at least one scenario");
        Timeline { scenarios: compatible, seed, is_varied, number: 0, played: PlayedRounds::default() }
    }

    /// The scenarios that are repeated.
    pub(super) fn scenarios(&self) -> &[Arc<Scenario>] {
        &self.scenarios
    }

    /// Returns the rounds that have begun, those that will begin included.
    pub(super) fn played(&self) -> PlayedRounds {
        self.played.clone()
    }

    /// Returns the next round, which starts with the first epoch from `earliest` on.
    pub(super) fn next_round(&mut self, earliest: Time) -> Round {
        let scenario = &self.scenarios[(self.number % self.scenarios.len() as u64) as usize];
        let seed = if self.is_varied { self.seed.wrapping_add(self.number) } else { self.seed };
        self.number += 1;
        let start = Time(earliest.0.div_ceil(RING.0) * RING.0);
        self.played.begin(PlayedRound { start, scenario: scenario.clone(), seed, plan_seed: self.seed });
        Round::new(scenario.clone(), start, self.seed, seed)
    }
}

/// One repetition of a scenario.
pub(super) struct Round {
    /// The scenario, with its times on the clock of the network.
    pub(super) scenario: Arc<Scenario>,
    /// The seed of its jitter.
    pub(super) seed: u64,
    /// When it starts.
    pub(super) start: Time,
    /// The scenario, with times from its start.
    original: Arc<Scenario>,
    /// The seed of the hash functions, which is the same in all rounds.
    plan_seed: u64,
}

impl Round {
    fn new(original: Arc<Scenario>, start: Time, plan_seed: u64, seed: u64) -> Round {
        let scenario = Arc::new(moved(&original, start));
        Round { scenario, seed, start, original, plan_seed }
    }

    /// When the scenario ends.
    pub(super) fn stop(&self) -> Time {
        self.scenario.stop
    }

    /// When the round ends.
    pub(super) fn end(&self) -> Time {
        self.stop() + GAP
    }

    /// Returns the settings for programming the switches at a time of the network's clock.
    pub(super) fn plan_settings(&self, now: Time) -> PlanSettings {
        self.original.plan_settings(self.plan_seed, now.saturating_sub(self.start))
    }

    /// Returns the times after the start at which the switches are reprogrammed, ascending.
    pub(super) fn reroute_times(&self) -> Vec<Time> {
        self.original.reroute_times().into_iter().map(|time| self.start + time).collect()
    }
}

/// Returns the scenario with all times later by `by`. What is in force from the start stays in force from time 0.
fn moved(scenario: &Scenario, by: Time) -> Scenario {
    let later = |time: Time| Time(time.0.saturating_add(by.0));
    let begin = |time: Time| if time == Time::ZERO { time } else { later(time) };
    let mut moved = scenario.clone();
    moved.stop = later(scenario.stop);
    for flow in moved.flows.iter_mut().filter(|flow| flow.after.is_empty()) {
        flow.start = later(flow.start);
    }
    for fault in &mut moved.faults {
        fault.start = later(fault.start);
    }
    for timed in &mut moved.routing.routes {
        (timed.start, timed.end) = (begin(timed.start), later(timed.end));
    }
    for failure in &mut moved.routing.failures {
        (failure.down, failure.up) = (begin(failure.down), later(failure.up));
    }
    for tenant in &mut moved.tenants {
        (tenant.start, tenant.end) = (later(tenant.start), later(tenant.end));
    }
    for job in &mut moved.host_jobs {
        (job.start, job.end) = (later(job.start), later(job.end));
    }
    moved
}

/// Counts the times of a diagnosis and of its trigger from `start_ns`.
pub(super) fn move_back(diagnosis: &mut Diagnosis, start_ns: u64) {
    change_times(diagnosis, |ns| ns.saturating_sub(start_ns));
}

/// Makes the times of a diagnosis and of its trigger, which count from the start of a round, those of the network's clock.
#[cfg(test)]
pub(super) fn move_on(diagnosis: &mut Diagnosis, start_ns: u64) {
    change_times(diagnosis, |ns| ns.saturating_add(start_ns));
}

fn change_times(diagnosis: &mut Diagnosis, changed: impl Fn(u64) -> u64) {
    diagnosis.time_ns = changed(diagnosis.time_ns);
    for record in diagnosis.evidence.iter_mut().flat_map(|evidence| &mut evidence.records) {
        if let Record::Trigger(trigger) = record {
            trigger.time_ns = changed(trigger.time_ns);
            if let Some(first) = &mut trigger.follows {
                first.since_ns = changed(first.since_ns);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timeline(names: &[&str], is_varied: bool) -> Timeline {
        let scenarios = names.iter().map(|name| scenario::builtin(name).expect("a built-in scenario"));
        Timeline::new(scenarios.collect(), 7, is_varied)
    }

    #[test]
    fn a_round_repeats_everything_that_has_a_time_at_its_own_times() {
        for name in scenario::builtin_names() {
            let original = scenario::builtin(name).expect("a built-in scenario");
            let mut timeline = timeline(&[name], false);
            timeline.next_round(GAP);
            let round = timeline.next_round(Time::from_ms(50));
            assert!(round.start >= Time::from_ms(50) && round.start.0.is_multiple_of(RING.0), "{name}");
            let times = |scenario: &Scenario| {
                let starts = scenario.run_flows(7).into_iter().filter(|flow| flow.spec.after.is_empty());
                let faults = scenario.faults.iter().enumerate().map(|(at, fault)| fault.drawn_start(7, at));
                let failures =
                    scenario.routing.failures.iter().flat_map(|failure| [failure.down, failure.up]);
                let tenants = scenario.tenants.iter().flat_map(|tenant| [tenant.start, tenant.end]);
                let jobs = scenario.host_jobs.iter().flat_map(|job| [job.start, job.end]);
                let of_hosts = faults.chain(tenants).chain(jobs);
                starts.map(|flow| flow.start).chain(of_hosts).chain(failures).collect::<Vec<_>>()
            };
            let expected: Vec<Time> =
                times(&original).into_iter().map(|time| Time(time.0.saturating_add(round.start.0))).collect();
            assert_eq!(times(&round.scenario), expected, "{name}");
            for at in original.reroute_times() {
                assert!(round.reroute_times().contains(&(round.start + at)), "{name}");
                assert_eq!(round.plan_settings(round.start + at), original.plan_settings(7, at), "{name}");
            }
        }
    }

    #[test]
    fn rounds_alternate_between_scenarios_of_one_network() {
        let mut timeline = timeline(&["poster-fig1", "host-storm", "pfc-storm"], true);
        assert_eq!(timeline.scenarios().len(), 2, "pfc-storm has another topology");
        let mut earliest = GAP;
        let rounds: Vec<(String, u64)> = (0..4)
            .map(|_| {
                let round = timeline.next_round(earliest);
                assert_eq!(round.end(), round.stop() + GAP);
                earliest = round.end();
                (round.scenario.name.clone(), round.seed)
            })
            .collect();
        let expected = [("poster-fig1", 7), ("host-storm", 8), ("poster-fig1", 9), ("host-storm", 10)];
        assert_eq!(rounds, expected.map(|(name, seed)| (name.to_string(), seed)));
    }
}
