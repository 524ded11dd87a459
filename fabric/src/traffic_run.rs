//! The traffic of a scenario alone: without agents, collection and telemetry, and in steps.

use std::borrow::Cow;

use model::{FlowKey, Time};
use p4_switch::{Switch, SwitchConfig};
use scenario::Scenario;

use crate::fabric::{BuildError, Fabric};
use crate::pipeline::{Pipeline, Programmed};
use crate::run::{Reroutes, RunError, programmed};
use crate::stopwatch::Traces;
use crate::traffic_switch::TrafficSwitch;

/// How long a run continues before it is looked at again. A longer step simulates more than necessary.
const STEP: Time = Time::from_us(2);

/// A run of the traffic of a scenario. It can be continued, so that only as much of it is simulated as is looked at.
pub struct TrafficRun<'p, S = TrafficSwitch> {
    fabric: Fabric<S>,
    reroutes: Reroutes<'p>,
    is_complete: bool,
}

impl<'p> TrafficRun<'p> {
    /// Prepares a run; `set_up` may change the network before it starts.
    ///
    /// # Errors
    /// A scenario that cannot be built, programmed or drawn.
    pub fn new(
        scenario: Scenario,
        seed: u64,
        pipeline: &'p Pipeline,
        set_up: impl FnOnce(&mut Fabric<TrafficSwitch>),
    ) -> Result<TrafficRun<'p>, RunError> {
        TrafficRun::prepared(scenario, seed, pipeline, TrafficSwitch::new, set_up)
    }
}

impl<'p> TrafficRun<'p, Switch> {
    /// As [`TrafficRun::new`], on switches that execute the telemetry program: the same traffic, more slowly.
    ///
    /// # Errors
    /// A scenario that cannot be built, programmed or drawn.
    pub fn with_telemetry(
        scenario: Scenario,
        seed: u64,
        pipeline: &'p Pipeline,
        set_up: impl FnOnce(&mut Fabric<Switch>),
    ) -> Result<TrafficRun<'p, Switch>, RunError> {
        TrafficRun::prepared(scenario, seed, pipeline, Switch::new, set_up)
    }
}

impl<'p, S: Programmed> TrafficRun<'p, S> {
    fn prepared(
        scenario: Scenario,
        seed: u64,
        pipeline: &'p Pipeline,
        new_switch: fn(SwitchConfig) -> S,
        set_up: impl FnOnce(&mut Fabric<S>),
    ) -> Result<TrafficRun<'p, S>, RunError> {
        let instance = scenario.instance(seed).map_err(BuildError::from)?;
        let mut fabric = programmed(&instance, seed, pipeline, new_switch)?;
        fabric.keep_all_records();
        set_up(&mut fabric);
        drop(instance);
        let reroutes = Reroutes::new(Cow::Owned(scenario), seed, pipeline);
        Ok(TrafficRun { fabric, reroutes, is_complete: false })
    }

    /// Processes all events up to and including `until`.
    ///
    /// # Errors
    /// As [`crate::run`].
    pub fn run_until(&mut self, until: Time) -> Result<(), RunError> {
        while !self.is_complete {
            let stop = self.reroutes.scenario().stop;
            let next = self.fabric.next_time().filter(|at| *at <= stop && !self.fabric.is_through());
            let Some(at) = next else {
                self.is_complete = true;
                self.fabric.check_conservation()?;
                break;
            };
            if at > until {
                break;
            }
            self.reroutes.act(at, &mut self.fabric)?;
            self.fabric.step();
        }
        Ok(())
    }

    /// Processes all events until no wait of a flow that is still to come can begin by `until`, or to the end of the run:
    /// what happens later changes no wait that overlaps an earlier time. `traces` are those of the run's stopwatches.
    ///
    /// A wait begins at the last progress of the flow or when a packet departs, whichever is earlier.
    ///
    /// # Errors
    /// As [`crate::run`].
    pub fn run_until_acknowledged(
        &mut self,
        flow: &FlowKey,
        until: Time,
        traces: &Traces,
    ) -> Result<(), RunError> {
        let Some(number) = self.fabric.measured_flow(flow) else { return self.run_to_end() };
        self.run_until(until)?;
        let waits = |fabric: &Fabric<S>| {
            fabric.oldest_sent(number).is_some_and(|sent| sent <= until)
                || traces.read(flow, |trace| !trace.has_progressed(until)).unwrap_or(false)
        };
        while !self.is_complete && waits(&self.fabric) {
            let next = self.fabric.next_time().unwrap_or(Time::MAX).max(self.fabric.now());
            self.run_until(Time(next.0.saturating_add(STEP.0)))?;
        }
        Ok(())
    }

    /// Processes all events to the end of the run.
    ///
    /// # Errors
    /// As [`crate::run`].
    pub fn run_to_end(&mut self) -> Result<(), RunError> {
        self.run_until(Time::MAX)
    }

    /// Whether the run has ended.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// The network.
    pub fn fabric(&self) -> &Fabric<S> {
        &self.fabric
    }

    /// The network, to take its records.
    pub fn fabric_mut(&mut self) -> &mut Fabric<S> {
        &mut self.fabric
    }
}
