//! Repeats a run without some actors and keeps the results: the experiment behind every judgement.
//!
//! All repetitions, the one with all actors included, have no agents and no polling packets, so that they differ in the
//! removed actors only. A repetition is simulated only as far as it is looked at, and continued later if necessary.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fabric::counterfactual::Intervention;
use fabric::pipeline::Pipeline;
use fabric::stopwatch::{Stopwatch, Trace, Traces};
use fabric::{BuildError, FlowRecord, PacketLog, PauseRecord, RunError, TrafficRun, WatchdogRecord};
use model::{FlowKey, Time};
use scenario::Scenario;

use super::actor::Actor;
use super::guilt::Experiment;
use super::stay::{Stay, stays};

/// Number of unfinished repetitions that are kept. One that is needed again after more others starts anew.
const SUSPENDED: usize = 128;

/// The run with all actors.
pub(super) struct Base {
    pub(super) traces: Traces,
    pub(super) flows: Vec<FlowRecord>,
    pub(super) pauses: Vec<PauseRecord>,
    pub(super) watchdogs: Vec<WatchdogRecord>,
    pub(super) switches: Vec<String>,
    pub(super) log: Option<Box<PacketLog>>,
    pub(super) end: Time,
    stays: OnceCell<Vec<Stay>>,
}

impl Base {
    /// How long each packet stayed in each switch, in the order in which they left.
    pub(super) fn stays(&self) -> &[Stay] {
        self.stays.get_or_init(|| stays(self.log.as_deref()))
    }
}

/// A run without some actors.
struct Repeat<'s> {
    /// The run, if it is not complete and is kept.
    run: Option<Box<TrafficRun<'s>>>,
    is_complete: bool,
    traces: Traces,
    /// When it ended, or how far it is.
    now: Time,
    /// When it was last looked at, as a number that increases.
    used: u64,
}

/// The removed actors, and the flow that is thinned where they contain the victim.
type Key = (BTreeSet<Actor>, Option<FlowKey>);

/// The repetitions of one scenario and seed.
pub struct Bench<'s> {
    scenario: &'s Scenario,
    seed: u64,
    pipeline: &'s Pipeline,
    /// The flows of which every wait is kept.
    victims: Arc<BTreeSet<FlowKey>>,
    base: Option<Base>,
    repeats: BTreeMap<Key, Repeat<'s>>,
    uses: u64,
}

impl<'s> Bench<'s> {
    /// Prepares the repetitions; `victims` are the flows that verdicts are about.
    pub fn new(
        scenario: &'s Scenario,
        seed: u64,
        pipeline: &'s Pipeline,
        victims: BTreeSet<FlowKey>,
    ) -> Bench<'s> {
        let victims = Arc::new(victims);
        Bench { scenario, seed, pipeline, victims, base: None, repeats: BTreeMap::new(), uses: 0 }
    }

    /// Returns how many runs were needed so far.
    pub fn runs(&self) -> usize {
        self.repeats.len() + usize::from(self.base.is_some())
    }

    /// The seed of the runs.
    pub(super) fn seed(&self) -> u64 {
        self.seed
    }

    /// Returns the run with all actors.
    pub(super) fn base(&mut self) -> Result<&Base, RunError> {
        let base = match self.base.take() {
            Some(base) => base,
            None => {
                let (mut run, traces) = self.start(&BTreeSet::new(), None)?;
                run.run_to_end()?;
                let fabric = run.fabric_mut();
                Base {
                    traces,
                    flows: fabric.flows(),
                    pauses: fabric.pauses().to_vec(),
                    watchdogs: fabric.watchdogs().to_vec(),
                    switches: fabric.switches().map(|(name, _)| name.to_string()).collect(),
                    log: fabric.take_packet_log(),
                    end: fabric.now(),
                    stays: OnceCell::new(),
                }
            }
        };
        Ok(self.base.insert(base))
    }

    /// Reads the trace of a flow in the complete run without some actors; `end` is when that run ended.
    pub(super) fn read<T>(
        &mut self,
        removed: &BTreeSet<Actor>,
        flow: &FlowKey,
        read: impl FnOnce(&Trace, Time) -> T,
    ) -> Result<Option<T>, RunError> {
        if removed.is_empty() {
            let base = self.base()?;
            let end = base.end;
            return Ok(base.traces.read(flow, |trace| read(trace, end)));
        }
        let repeat = self.repeat((removed.clone(), None), |run, _| run.run_to_end())?;
        let end = repeat.now;
        Ok(repeat.traces.read(flow, |trace| read(trace, end)))
    }

    /// Returns the longest wait of a victim in a window of the run without some actors.
    fn longest_wait(
        &mut self,
        removed: &BTreeSet<Actor>,
        victim: FlowKey,
        window: (Time, Time),
        waits: Waits,
    ) -> Result<Option<Time>, RunError> {
        let longest = |trace: &Trace, end| match waits {
            Waits::OfPackets => trace.longest_in(window, end),
            Waits::OfOperations => trace.longest_operation_in(window),
        };
        if removed.is_empty() {
            let base = self.base()?;
            let end = base.end;
            return Ok(base.traces.read(&victim, |trace| longest(trace, end)).flatten());
        }
        let thinned = removed.contains(&Actor::Victim).then_some(victim);
        let repeat = self.repeat((removed.clone(), thinned), |run, traces| match waits {
            Waits::OfPackets => run.run_until_acknowledged(&victim, window.1, traces),
            // An operation that was posted in the window may complete at any time.
            Waits::OfOperations => run.run_to_end(),
        })?;
        let end = repeat.now;
        Ok(repeat.traces.read(&victim, |trace| longest(trace, end)).flatten())
    }

    /// Continues the run without some actors.
    fn repeat(
        &mut self,
        key: Key,
        advance: impl FnOnce(&mut TrafficRun<'s>, &Traces) -> Result<(), RunError>,
    ) -> Result<&Repeat<'s>, RunError> {
        self.uses += 1;
        let known = self.repeats.remove(&key).filter(|repeat| repeat.is_complete || repeat.run.is_some());
        let mut repeat = match known {
            Some(repeat) => repeat,
            None => {
                // Flows that depend on a removed one start as in the run with all actors.
                self.base()?;
                let (run, traces) = self.start(&key.0, key.1)?;
                Repeat { run: Some(Box::new(run)), is_complete: false, traces, now: Time::ZERO, used: 0 }
            }
        };
        repeat.used = self.uses;
        if let Some(run) = &mut repeat.run {
            advance(run, &repeat.traces)?;
            repeat.is_complete = run.is_complete();
            let now = run.fabric().now();
            // A run without an event left has not ended: what is still unacknowledged waits as long as in the run with
            // all actors, at least.
            let end = self.base.as_ref().map_or(now, |base| base.end);
            repeat.now = if repeat.is_complete { now.max(end) } else { now };
        }
        if repeat.is_complete {
            repeat.run = None;
        }
        let kept = self.repeats.values().filter(|repeat| repeat.run.is_some());
        if repeat.run.is_some() && kept.clone().count() >= SUSPENDED {
            let oldest = kept.map(|repeat| repeat.used).min();
            if let Some(repeat) = self.repeats.values_mut().find(|repeat| Some(repeat.used) == oldest) {
                repeat.run = None;
            }
        }
        Ok(self.repeats.entry(key).or_insert(repeat))
    }

    /// Starts a run without some actors.
    fn start(
        &self,
        removed: &BTreeSet<Actor>,
        thinned: Option<FlowKey>,
    ) -> Result<(TrafficRun<'s>, Traces), RunError> {
        let before = self.base.as_ref().map_or(&[][..], |base| &base.flows);
        let scenario = without(self.scenario, self.seed, before, removed, thinned)?;
        let traces = Traces::default();
        let senders: BTreeSet<String> = scenario
            .run_flows(self.seed)
            .iter()
            .filter_map(|flow| Some(scenario.topology.host_of(flow.key.src)?.name.clone()))
            .collect();
        let run = TrafficRun::new(scenario, self.seed, self.pipeline, |fabric| {
            if removed.is_empty() {
                fabric.keep_log();
            }
            for sender in &senders {
                fabric.set_agent(sender, Box::new(Stopwatch::new(self.victims.clone(), traces.clone())));
            }
        })?;
        Ok((run, traces))
    }

    /// Returns the experiment on one victim: its longest wait in `window`, above the round-trip time of its path.
    pub fn on(&mut self, victim: FlowKey, window: (Time, Time)) -> OnVictim<'_, 's> {
        OnVictim { bench: self, victim, window, waits: Waits::OfPackets }
    }

    /// Returns the experiment on the operations of one victim that the network did not hold up: the longest wait of one, above
    /// the round-trip time of its path.
    pub fn on_operations(&mut self, victim: FlowKey, window: (Time, Time)) -> OnVictim<'_, 's> {
        OnVictim { waits: Waits::OfOperations, ..self.on(victim, window) }
    }
}

/// What of a victim waits.
#[derive(Clone, Copy)]
enum Waits {
    OfPackets,
    OfOperations,
}

/// The experiment on one victim in one window of time.
pub struct OnVictim<'b, 's> {
    bench: &'b mut Bench<'s>,
    victim: FlowKey,
    window: (Time, Time),
    waits: Waits,
}

impl Experiment for OnVictim<'_, '_> {
    type Error = RunError;

    fn excess_ns(&mut self, removed: &BTreeSet<Actor>) -> Result<u64, RunError> {
        let base_rtt = self.bench.base()?.traces.read(&self.victim, |trace| trace.base_rtt);
        let Some(base_rtt) = base_rtt else { return Ok(0) };
        let base_ns = base_rtt.unwrap_or_default().as_ns();
        let longest = self.bench.longest_wait(removed, self.victim, self.window, self.waits)?;
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

#[cfg(test)]
mod tests {
    use super::super::test_scenarios::{LOSSLESS, flow, one_switch};
    use super::*;

    /// The link to the victim's receiver fails for good: it is stuck whatever else is sent, until a timeout after the end
    /// of the run.
    const FAILS_FOR_GOOD: &str = r#"
        [[failure]]
        link = "h2:1"
        start = "1us"
        reconverge = "never"
    "#;

    /// The longest wait of an operation of a host that registers memory behind fences: seven of eight requests wait for a round
    /// trip each, and none without the host.
    #[test]
    fn the_wait_of_operations_behind_fences_disappears_without_the_host() {
        let keys = "message = \"4kB\"\noutstanding = 8\nregistration = \"100ns\"\n[hosts.h1]\nregistration_fence = true\n";
        let scenario = one_switch(2, LOSSLESS, &format!("{}{keys}", flow("h1", "h2", "1MB")));
        let pipeline = Pipeline::hawkeye(&[]).unwrap();
        let victim = scenario.key(&scenario.flows[0]).unwrap();
        let mut bench = Bench::new(&scenario, 1, &pipeline, BTreeSet::from([victim]));
        let window = (Time::from_us(100), Time::from_us(200));
        let fenced = bench.on_operations(victim, window).excess_ns(&BTreeSet::new()).unwrap();
        let base_rtt = bench.base().unwrap().traces.read(&victim, |trace| trace.base_rtt).flatten().unwrap();
        assert!(fenced > 6 * base_rtt.as_ns(), "{fenced} with a round trip of {base_rtt}");
        let host = BTreeSet::from([Actor::Host("h1".to_string())]);
        assert!(bench.on_operations(victim, window).excess_ns(&host).unwrap() < base_rtt.as_ns() / 2);
        let packets = bench.on(victim, window).excess_ns(&BTreeSet::new()).unwrap();
        assert!(packets < base_rtt.as_ns() / 2, "packets wait for {packets} ns");
    }

    #[test]
    fn a_stuck_flow_stays_stuck_in_a_run_without_other_events() {
        // The other flow keeps the run going.
        let flows = [flow("h1", "h2", "100kB"), flow("h3", "h4", "10MB")].concat();
        let scenario = one_switch(4, LOSSLESS, &format!("{FAILS_FOR_GOOD}{flows}"));
        let pipeline = Pipeline::hawkeye(&[]).unwrap();
        let victim = scenario.key(&scenario.flows[0]).unwrap();
        let other = scenario.key(&scenario.flows[1]).unwrap();
        let mut bench = Bench::new(&scenario, 1, &pipeline, BTreeSet::from([victim]));
        let mut experiment = bench.on(victim, (Time::ZERO, Time::from_us(100)));
        let with = experiment.excess_ns(&BTreeSet::new()).unwrap();
        let without = experiment.excess_ns(&BTreeSet::from([Actor::Flow(other)])).unwrap();
        assert!(with > 500_000, "{with}");
        assert!(without >= with, "{without} < {with}");
    }
}
