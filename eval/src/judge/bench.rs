//! Repeats a run without some actors and keeps the results: the experiment behind every judgement.
//!
//! All repetitions, the one with all actors included, have no agents and no polling packets, so that they differ in the
//! removed actors only.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fabric::counterfactual::Intervention;
use fabric::pipeline::Pipeline;
use fabric::{BuildError, FlowRecord, PacketLog, PauseRecord, RunError, WatchdogRecord, run_traffic};
use model::{FlowKey, Time};
use scenario::Scenario;

use super::actor::Actor;
use super::guilt::Experiment;
use super::stopwatch::{Stopwatch, Trace, Traces};

/// A repeated run.
pub(super) struct Run {
    pub(super) traces: BTreeMap<FlowKey, Trace>,
    pub(super) flows: Vec<FlowRecord>,
    pub(super) pauses: Vec<PauseRecord>,
    pub(super) watchdogs: Vec<WatchdogRecord>,
    pub(super) switches: Vec<String>,
    /// Only of the run with all actors.
    pub(super) log: Option<Box<PacketLog>>,
    pub(super) end: Time,
}

/// The repetitions of one scenario and seed.
pub struct Bench<'s> {
    scenario: &'s Scenario,
    seed: u64,
    pipeline: &'s Pipeline,
    /// The flows of which every wait is kept.
    victims: Arc<BTreeSet<FlowKey>>,
    /// By the removed actors, and by the flow that is thinned where that is the victim.
    runs: BTreeMap<(BTreeSet<Actor>, Option<FlowKey>), Run>,
}

impl<'s> Bench<'s> {
    /// Prepares the repetitions; `victims` are the flows that verdicts are about.
    pub fn new(
        scenario: &'s Scenario,
        seed: u64,
        pipeline: &'s Pipeline,
        victims: BTreeSet<FlowKey>,
    ) -> Bench<'s> {
        Bench { scenario, seed, pipeline, victims: Arc::new(victims), runs: BTreeMap::new() }
    }

    /// Returns a flow of the scenario, if it has any.
    pub(super) fn any_flow(&self) -> Option<FlowKey> {
        self.scenario.flows.iter().find_map(|flow| self.scenario.key(flow))
    }

    /// Returns how many runs were needed so far.
    pub fn runs(&self) -> usize {
        self.runs.len()
    }

    /// Returns the run without these actors.
    pub(super) fn run(&mut self, removed: &BTreeSet<Actor>, victim: FlowKey) -> Result<&Run, RunError> {
        let thinned = removed.contains(&Actor::Victim).then_some(victim);
        let key = (removed.clone(), thinned);
        if !self.runs.contains_key(&key) {
            if !removed.is_empty() {
                // Flows that depend on a removed one start as in the run with all actors.
                self.run(&BTreeSet::new(), victim)?;
            }
            let run = self.repeat(removed, thinned)?;
            self.runs.insert(key.clone(), run);
        }
        Ok(&self.runs[&key])
    }

    fn repeat(&self, removed: &BTreeSet<Actor>, thinned: Option<FlowKey>) -> Result<Run, RunError> {
        let before = self.runs.get(&(BTreeSet::new(), None)).map_or(&[][..], |run| &run.flows);
        let scenario = without(self.scenario, self.seed, before, removed, thinned)?;
        let traces = Traces::default();
        let senders: BTreeSet<String> = scenario
            .run_flows(self.seed)
            .iter()
            .filter_map(|flow| Some(scenario.topology.host_of(flow.key.src)?.name.clone()))
            .collect();
        let keeps_log = removed.is_empty();
        let mut fabric = run_traffic(&scenario, self.seed, self.pipeline, |fabric| {
            if keeps_log {
                fabric.keep_log();
            }
            for sender in &senders {
                fabric.set_agent(sender, Box::new(Stopwatch::new(self.victims.clone(), traces.clone())));
            }
        })?;
        Ok(Run {
            traces: traces.take(),
            flows: fabric.flows(),
            pauses: fabric.pauses().to_vec(),
            watchdogs: fabric.watchdogs().to_vec(),
            switches: fabric.switches().map(|(name, _)| name.to_string()).collect(),
            log: fabric.take_packet_log(),
            end: fabric.now(),
        })
    }

    /// Returns the experiment on one victim: its longest wait in `window`, above the round-trip time of its path.
    pub fn on(&mut self, victim: FlowKey, window: (Time, Time)) -> OnVictim<'_, 's> {
        OnVictim { bench: self, victim, window }
    }
}

/// The experiment on one victim in one window of time.
pub struct OnVictim<'b, 's> {
    bench: &'b mut Bench<'s>,
    victim: FlowKey,
    window: (Time, Time),
}

impl Experiment for OnVictim<'_, '_> {
    type Error = RunError;

    fn excess_ns(&mut self, removed: &BTreeSet<Actor>) -> Result<u64, RunError> {
        let base_ns = match self.bench.run(&BTreeSet::new(), self.victim)?.traces.get(&self.victim) {
            Some(trace) => trace.base_rtt.as_ns(),
            None => return Ok(0),
        };
        let run = self.bench.run(removed, self.victim)?;
        let longest = run.traces.get(&self.victim).and_then(|trace| trace.longest_in(self.window, run.end));
        Ok(longest.map_or(0, |longest| longest.as_ns().saturating_sub(base_ns)))
    }
}

/// The instance of a scenario without these actors.
fn without(
    scenario: &Scenario,
    seed: u64,
    before: &[FlowRecord],
    removed: &BTreeSet<Actor>,
    thinned: Option<FlowKey>,
) -> Result<Scenario, RunError> {
    let mut intervention = Intervention::default();
    for actor in removed {
        match actor {
            Actor::Flow(flow) => _ = intervention.flows.insert(*flow),
            Actor::Host(host) => _ = intervention.hosts.insert(host.clone()),
            Actor::Setting(id) => _ = intervention.config.insert(id.clone()),
            Actor::Victim | Actor::Link(_) | Actor::Routes(_) => {}
        }
    }
    let (mut instance, _) = intervention.apply(scenario, seed, before).map_err(BuildError::from)?;
    for actor in removed {
        match actor {
            Actor::Link(port) => {
                let links = &instance.topology.links;
                let at = links.iter().position(|link| link.a == *port || link.b == *port);
                if let Some(at) = at {
                    instance.loss_ppt.remove(&at);
                    instance.routing.failures.retain(|failure| failure.link != at);
                }
            }
            Actor::Routes(switch) => {
                instance.routing.routes.retain(|timed| timed.route.switch != *switch);
            }
            Actor::Victim | Actor::Flow(_) | Actor::Host(_) | Actor::Setting(_) => {}
        }
    }
    if let Some(victim) = thinned {
        let packet = u64::from(instance.host.payload_bytes);
        let keys: Vec<_> = instance.flows.iter().map(|flow| instance.key(flow)).collect();
        for (flow, _) in instance.flows.iter_mut().zip(keys).filter(|(_, key)| *key == Some(victim)) {
            flow.messages.window_bytes = Some(packet);
        }
    }
    Ok(instance)
}
