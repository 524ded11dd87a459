//! A whole run in one call: build, program, simulate, collect.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use controller::plan::{PlanError, PlanSettings, plan};
use host_agent::{Settings, SettingsError};
use model::traffic::LosslessDrops;
use model::{HostReport, Snapshot, Time};
use p4_switch::{Switch, SwitchConfig};
use scenario::Scenario;
use serde::Serialize;

use crate::agent::SimulatedAgent;
use crate::collect::{CollectedSnapshot, InProcessController};
use crate::fabric::{BuildError, Fabric, Tap};
use crate::fault_injection::FaultInjection;
use crate::nic::packet::mac;
use crate::packet_log::PacketLog;
use crate::pipeline::{InstallError, Pipeline, Programmed};
use crate::record::{ConservationError, Counters, FlowRecord, PauseRecord, WatchdogRecord};

/// The options of a run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// The program of all switches.
    pub pipeline: Pipeline,
    /// Whether hosts run agents and the controller collects. Otherwise the run is traffic only.
    pub diagnose: bool,
}

/// The results of a run.
#[derive(Clone, Debug, Serialize)]
pub struct RunOutcome {
    /// Name of the scenario.
    pub scenario: String,
    /// The seed.
    pub seed: u64,
    /// Names of the switches, by their numbers in the packet log.
    pub switches: Vec<String>,
    /// The packet log, for scenarios with an expectation.
    #[serde(skip)]
    pub packet_log: Option<Arc<PacketLog>>,
    /// The telemetry collected, one entry per event.
    pub snapshots: Vec<Snapshot>,
    /// When each of them was complete.
    pub snapshot_times: Vec<Time>,
    /// The reports of hosts that each of them may need.
    #[serde(skip)]
    pub host_reports: Vec<Vec<HostReport>>,
    /// The full poll at each trigger, and when it was complete; empty unless [`FaultInjection::survey`] is set.
    pub surveys: Vec<(Time, Snapshot)>,
    /// The record of every flow.
    pub flows: Vec<FlowRecord>,
    /// Pauses and resumes that nodes received.
    pub pauses: Vec<PauseRecord>,
    /// Actions of watchdogs.
    pub watchdogs: Vec<WatchdogRecord>,
    /// Drops of lossless priorities.
    pub lossless_drops: Vec<LosslessDrops>,
    /// Counters.
    pub counters: Counters,
    /// When it ended.
    pub end: Time,
}

/// Why a run is not possible.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The scenario is inconsistent.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The topology cannot be programmed.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A switch rejects the program or its plan.
    #[error(transparent)]
    Install(#[from] InstallError),
    /// The agents' settings are invalid.
    #[error("agent: {0}")]
    Agent(#[from] SettingsError),
    /// Bytes or frames are not conserved: a defect of the simulator.
    #[error("the simulation is wrong, please report it: {0}")]
    Books(#[from] ConservationError),
}

/// Builds the network of a scenario with every switch programmed and, with `agents`, agents on its hosts.
pub fn prepare(
    scenario: &Scenario,
    seed: u64,
    pipeline: &Pipeline,
    agents: bool,
) -> Result<Fabric<Switch>, RunError> {
    let scenario = &*scenario.instance(seed).map_err(BuildError::from)?;
    let mut fabric = programmed(scenario, seed, pipeline, Switch::new)?;
    if agents {
        set_agents(scenario, &mut fabric, |_| 0)?;
    }
    Ok(fabric)
}

/// Builds the network of an instance with every switch programmed.
pub(crate) fn programmed<S: Programmed>(
    scenario: &Scenario,
    seed: u64,
    pipeline: &Pipeline,
    new_switch: fn(SwitchConfig) -> S,
) -> Result<Fabric<S>, RunError> {
    let mut fabric = Fabric::new(scenario, seed, |_, config| new_switch(config))?;
    let plans = plan(&scenario.topology, &plan_settings(scenario, seed), &pipeline.layout)?;
    for (name, plan) in &plans {
        if let Some(switch) = fabric.switch_mut(name) {
            switch.install(pipeline, plan)?;
        }
    }
    Ok(fabric)
}

/// The settings for programming the switches of a scenario at its start.
pub fn plan_settings(scenario: &Scenario, seed: u64) -> PlanSettings {
    scenario.plan_settings(seed, Time::ZERO)
}

/// Adds the agents of a scenario to its hosts. `first_event` returns the number of the first event of a host, by the
/// number of the host: switches remember events, so a later network on the same switches continues the count.
pub fn set_agents<S: crate::FabricSwitch>(
    scenario: &Scenario,
    fabric: &mut Fabric<S>,
    first_event: impl Fn(u16) -> u16,
) -> Result<(), SettingsError> {
    let senders: BTreeSet<String> = scenario.flows.iter().map(|flow| flow.src.clone()).collect();
    let watching = scenario.agents.hosts.as_ref().unwrap_or(&senders);
    for (number, node) in scenario.topology.nodes.iter().enumerate() {
        if watching.contains(&node.name) {
            let settings =
                Settings { threshold_percent: scenario.agents.threshold_percent, ..Settings::default() };
            let agent = SimulatedAgent::new(
                &node.name,
                number as u16,
                first_event(number as u16),
                mac(number as u32),
                settings,
            )?;
            fabric.set_agent(&node.name, Box::new(agent));
        }
    }
    Ok(())
}

/// Runs a scenario to its end. Equal arguments give equal outcomes.
pub fn run(scenario: &Scenario, seed: u64, options: &RunOptions) -> Result<RunOutcome, RunError> {
    run_watched(scenario, seed, options, &mut NoObserver)
}

/// As [`run`], with an observer.
///
/// # Errors
/// A scenario that cannot be built, programmed or drawn.
pub fn run_watched(
    scenario: &Scenario,
    seed: u64,
    options: &RunOptions,
    watch: &mut dyn Watch,
) -> Result<RunOutcome, RunError> {
    drive_through(scenario, seed, options, &FaultInjection::default(), watch)
}

/// As [`run`], with losses injected into the collection.
///
/// # Errors
/// A scenario that cannot be built, programmed or drawn.
pub fn run_with_injection(
    scenario: &Scenario,
    seed: u64,
    options: &RunOptions,
    injection: &FaultInjection,
) -> Result<RunOutcome, RunError> {
    drive_through(scenario, seed, options, injection, &mut NoObserver)
}

/// As [`run_with_injection`], with an observer.
///
/// # Errors
/// A scenario that cannot be built, programmed or drawn.
pub fn run_observed(
    scenario: &Scenario,
    seed: u64,
    options: &RunOptions,
    injection: &FaultInjection,
    watch: &mut dyn Watch,
) -> Result<RunOutcome, RunError> {
    drive_through(scenario, seed, options, injection, watch)
}

fn drive_through(
    scenario: &Scenario,
    seed: u64,
    options: &RunOptions,
    injection: &FaultInjection,
    watch: &mut dyn Watch,
) -> Result<RunOutcome, RunError> {
    let mut scenario = scenario.instance(seed).map_err(BuildError::from)?;
    if let Some(percent) = injection.threshold_percent {
        scenario.to_mut().agents.threshold_percent = percent;
    }
    let scenario = &*scenario;
    let mut fabric = prepare(scenario, seed, &options.pipeline, options.diagnose)?;
    fabric.keep_all_records();
    if scenario.expect.is_some() {
        fabric.keep_log();
    }
    if let Some(tap) = watch.tap() {
        fabric.set_tap(tap);
    }
    fabric.lose_polls(injection.polls(seed));
    let new_controller =
        || InProcessController::new(scenario, options.pipeline.clone()).with_injection(seed, injection);
    let mut controller = options.diagnose.then(new_controller);
    let mut reroutes = Reroutes::new(Cow::Borrowed(scenario), seed, &options.pipeline);
    drive(scenario, &mut fabric, controller.as_mut(), &mut reroutes, watch)?;
    fabric.check_conservation()?;
    let flows = fabric.flows();
    let pauses = fabric.pauses().to_vec();
    let collected = controller.as_mut().map(InProcessController::take_snapshots).unwrap_or_default();
    let mut snapshot_times = Vec::new();
    let (mut snapshots, mut host_reports) = (Vec::new(), Vec::new());
    for CollectedSnapshot { at, snapshot, hosts } in collected {
        snapshot_times.push(at);
        snapshots.push(snapshot);
        host_reports.push(hosts);
    }
    let surveys = controller.map(|mut c| c.take_surveys()).unwrap_or_default();
    let outcome = RunOutcome {
        scenario: scenario.name.clone(),
        seed,
        switches: fabric.switches().map(|(name, _)| name.to_string()).collect(),
        packet_log: fabric.take_packet_log().map(Arc::from),
        snapshots,
        snapshot_times,
        host_reports,
        surveys,
        flows,
        pauses,
        watchdogs: fabric.watchdogs().to_vec(),
        lossless_drops: fabric.lossless_drops().cloned().collect(),
        counters: fabric.counters().clone(),
        end: fabric.now(),
    };
    watch.after(&mut fabric);
    Ok(outcome)
}

/// Runs the traffic of a scenario without agents and collection, after `set_up` has changed the network, with an
/// observer of its switches. [`crate::TrafficRun`] is faster.
pub(crate) fn run_traffic_watched(
    scenario: &Scenario,
    seed: u64,
    pipeline: &Pipeline,
    set_up: impl FnOnce(&mut Fabric<Switch>),
    watch: &mut dyn Watch,
) -> Result<Fabric<Switch>, RunError> {
    let mut fabric = prepare(scenario, seed, pipeline, false)?;
    fabric.keep_all_records();
    set_up(&mut fabric);
    let mut reroutes = Reroutes::new(Cow::Borrowed(scenario), seed, pipeline);
    drive(scenario, &mut fabric, None, &mut reroutes, watch)?;
    fabric.check_conservation()?;
    Ok(fabric)
}

/// An observer of a run. It does not change the run: of the network it may only clear watermarks.
pub trait Watch {
    /// An observer of every frame.
    fn tap(&mut self) -> Option<Box<dyn Tap>> {
        None
    }

    /// When [`Watch::look`] is to be called next; absent: never.
    fn next_look(&self) -> Option<Time>;

    /// Called at that time; all earlier events have been processed.
    fn look(&mut self, now: Time, fabric: &mut Fabric<Switch>);

    /// Called once when the results of the run have been taken. The network may run on.
    fn after(&mut self, fabric: &mut Fabric<Switch>) {
        let _ = fabric;
    }
}

/// No-op observer.
struct NoObserver;

impl Watch for NoObserver {
    fn next_look(&self) -> Option<Time> {
        None
    }

    fn look(&mut self, _now: Time, _fabric: &mut Fabric<Switch>) {}
}

/// Reprograms switches when routes change.
pub(crate) struct Reroutes<'r> {
    scenario: Cow<'r, Scenario>,
    seed: u64,
    pipeline: &'r Pipeline,
    times: std::collections::VecDeque<Time>,
    /// When the present routes were programmed.
    programmed: Time,
}

impl<'r> Reroutes<'r> {
    pub(crate) fn new(scenario: Cow<'r, Scenario>, seed: u64, pipeline: &'r Pipeline) -> Reroutes<'r> {
        let times = scenario.reroute_times().into();
        Reroutes { scenario, seed, pipeline, times, programmed: Time::ZERO }
    }

    /// The scenario.
    pub(crate) fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// Applies the changes that are due by `now`.
    pub(crate) fn act<S: Programmed>(&mut self, now: Time, fabric: &mut Fabric<S>) -> Result<(), RunError> {
        while let Some(at) = self.times.pop_front_if(|at| *at <= now) {
            let plans_at = |time: Time| {
                let settings = self.scenario.plan_settings(self.seed, time);
                plan(&self.scenario.topology, &settings, &self.pipeline.layout)
            };
            let (earlier, plans) = (plans_at(self.programmed)?, plans_at(at)?);
            self.programmed = at;
            for (name, plan) in &plans {
                let Some(switch) = fabric.switch_mut(name) else { continue };
                switch.reinstall_routes(self.pipeline, plan)?;
                if let Some(earlier) = earlier.get(name) {
                    fabric.routes_changed(at, earlier, plan);
                }
            }
        }
        Ok(())
    }
}

/// Agents may send polling packets for this long after a scenario's end, for events that began before.
pub const LAST_POLLS: Time = Time::from_us(500);

/// Collections are complete this long after a scenario's end; later the controller only retries switches that do not
/// respond.
const LAST_COLLECTIONS: Time = Time::from_ms(900);

/// Runs network and controller in order of time: until the scenario's end or until all flows and faults are over, and
/// then until the controller is idle.
fn drive(
    scenario: &Scenario,
    fabric: &mut Fabric<Switch>,
    mut controller: Option<&mut InProcessController>,
    reroutes: &mut Reroutes<'_>,
    watch: &mut dyn Watch,
) -> Result<(), RunError> {
    loop {
        let network = fabric.next_time().filter(|at| *at <= scenario.stop && !fabric.is_through());
        let collection = controller.as_ref().and_then(|c| c.next_time());
        let collection = collection.filter(|due| *due <= scenario.stop + LAST_COLLECTIONS);
        let next = [network, collection].into_iter().flatten().min();
        if let Some(at) = next {
            reroutes.act(at, fabric)?;
            while let Some(look) = watch.next_look().filter(|look| *look <= at) {
                watch.look(look, fabric);
            }
        }
        match (network, collection) {
            (None, None) => return Ok(()),
            (Some(at), Some(due)) if due <= at => act(controller.as_deref_mut(), due, fabric),
            (None, Some(due)) => {
                // Without this limit, agents would poll a deadlocked network for ever.
                if fabric.now() > scenario.stop + LAST_POLLS {
                    fabric.dismiss_agents();
                }
                // The network continues while the controller finishes: polling packets may still be in flight.
                let due = due.max(fabric.now());
                fabric.run_until(due);
                act(controller.as_deref_mut(), due, fabric);
            }
            (Some(_), _) => {
                fabric.step();
            }
        }
        if let Some(controller) = controller.as_deref_mut() {
            controller.read_on_interval(fabric);
            if fabric.has_notices() {
                controller.listen(fabric);
            }
        }
    }
}

fn act(controller: Option<&mut InProcessController>, due: Time, fabric: &mut Fabric<Switch>) {
    if let Some(controller) = controller {
        let now = due.max(fabric.now());
        controller.act(now, fabric);
        fabric.poll_switches();
    }
}
