//! The simulated network: rounds of a scenario on switches that live on.
//!
//! Each round has a new [`Fabric`] on the same switches, so that hosts, links and queues start clean while programs,
//! tables, registers and P4Runtime sessions continue.
//!
//! Simulated time stands still while the controller works: writes routes, or reads a switch. So routes change at the
//! scenario's time, and what is diagnosed does not depend on how busy the machine is.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use anyhow::Context;
use controller::plan::{PlanSettings, plan};
use fabric::{Fabric, LAST_POLLS, OperatorRecords};
use model::wire::polling::Polling;
use model::{Time, Topology};
use tracing::info;

use super::control::Control;
use super::messages::{Message, Messages};
use super::nic_reports::NicReports;
use super::records::Records;
use super::sampler::{Sampled, Sampler};
use super::shared::{Clock, SharedSwitch, SwitchMap};
use super::timeline::{GAP, Round, Timeline};

/// Time for which the registers of a switch show a pause after its end: the epochs of the ring and the present one.
const MEMORY: Time = Time::from_ns(5 << 20);

/// Maximum number of rounds of which the start is known: an evaluation has few.
const STARTS: usize = 64;
/// Interval at which the controller's timers are processed while it collects.
const TICK: Time = Time::from_us(20);

/// Something that happens to the network as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    /// The switches get other routes.
    Reroute,
    /// No agent polls any more.
    Dismiss,
    /// The round ends.
    End,
}

/// The simulated network.
pub(super) struct Network {
    timeline: Timeline,
    round: Round,
    /// The changes of the present round that are still to come, in order of time.
    changes: VecDeque<(Time, Change)>,
    /// The time of the present routes.
    programmed: Time,
    fabric: Fabric<SharedSwitch>,
    switches: SwitchMap,
    clock: Arc<Clock>,
    sampler: Sampler,
    records: Records,
    nic_reports: NicReports,
    /// Messages on their way to the controller.
    messages: Messages,
    /// The number of the next event of each host.
    next_events: BTreeMap<u16, u16>,
    /// Number of rounds so far.
    rounds: usize,
    /// Starts of the first rounds.
    starts: Vec<Time>,
}

impl Network {
    /// Builds the network of the first round, with an agent on every sending host. The switches do not run a program
    /// yet.
    pub(super) fn build(
        mut timeline: Timeline,
        clock: Arc<Clock>,
        records: Records,
    ) -> anyhow::Result<(Network, SwitchMap)> {
        let round = timeline.next_round(GAP);
        let mut switches = SwitchMap::new();
        let mut fabric = Fabric::new(&round.scenario, round.seed, |name, config| {
            let switch = SharedSwitch::new(config);
            switches.insert(name.to_string(), switch.clone());
            switch
        })?;
        fabric::set_agents(&round.scenario, &mut fabric, |_| 0)?;
        let mut network = Network {
            timeline,
            changes: VecDeque::new(),
            programmed: Time::ZERO,
            fabric,
            switches: switches.clone(),
            clock,
            sampler: Sampler::default(),
            records,
            nic_reports: NicReports::default(),
            messages: Messages::new(&round.scenario.agents),
            next_events: BTreeMap::new(),
            rounds: 0,
            starts: Vec::new(),
            round,
        };
        network.enter_round();
        Ok((network, switches))
    }

    /// Returns the settings with which the switches are programmed at first.
    pub(super) fn first_plan(&self) -> PlanSettings {
        self.round.plan_settings(self.round.start)
    }

    /// The simulated time.
    pub(super) fn now(&self) -> Time {
        self.fabric.now()
    }

    /// The number of rounds so far.
    pub(super) fn rounds(&self) -> usize {
        self.rounds
    }

    /// The starts of the first rounds, at most [`STARTS`].
    pub(super) fn starts(&self) -> &[Time] {
        &self.starts
    }

    /// Returns a sample of every port.
    pub(super) fn sample(&mut self) -> Sampled {
        self.sampler.sample(&mut self.fabric)
    }

    /// Sends a polling packet from a host.
    pub(super) fn poll_from(&mut self, host: &str, polling: &Polling) {
        self.fabric.poll_from(host, polling);
    }

    /// Simulates up to `until`.
    pub(super) fn advance(&mut self, until: Time, control: &mut Control) -> anyhow::Result<()> {
        while self.fabric.now() < until {
            // The controller may have sent packets.
            self.fabric.poll_switches();
            self.nic_reports.read(&self.round.scenario, &self.fabric, &self.records);
            let tick = if control.is_collecting() { self.fabric.now() + TICK } else { until };
            let until = self.messages.next_time().unwrap_or(until).min(tick).min(until);
            let until = self.nic_reports.next_time().min(until);
            let due = self.changes.front().copied().filter(|(at, _)| *at <= until);
            // Of what happens at one time, the change is first.
            let is_reached = self.simulate(due.map_or(until, |(at, _)| Time(at.0 - 1)));
            self.take_messages();
            self.pass_on(control);
            if let Some((at, change)) = due.filter(|_| is_reached) {
                self.changes.pop_front();
                self.change(at, change, control)?;
            }
        }
        Ok(())
    }

    /// Simulates up to `until`, or until there is a message to the controller. Returns whether the time was reached.
    fn simulate(&mut self, until: Time) -> bool {
        while self.fabric.next_time().is_some_and(|at| at <= until) {
            self.fabric.step();
            if self.fabric.has_notices() {
                return false;
            }
        }
        self.fabric.run_until(until);
        true
    }

    /// Takes the messages of agents and switches to the controller.
    fn take_messages(&mut self) {
        let now = self.fabric.now();
        self.clock.set(now);
        let polls = self.fabric.take_triggers();
        self.nic_reports.trigger(&polls, &self.fabric);
        for poll in polls {
            let (host, number) = ((poll.event >> 16) as u16, poll.event as u16);
            self.next_events.insert(host, number.wrapping_add(1));
            self.messages.trigger(now, poll);
        }
        for notice in self.fabric.take_notices() {
            if let Some(switch) = self.switches.get(self.fabric.switch_name(notice.switch)) {
                self.messages.event(now, switch.clone(), notice.event);
            }
        }
    }

    /// Passes the messages that have reached the controller on, and waits until it has processed them.
    fn pass_on(&mut self, control: &mut Control) {
        let now = self.fabric.now();
        let arrived = self.messages.arrived(now);
        if arrived.is_empty() && !control.is_collecting() {
            return;
        }
        control.set_time(now);
        for message in arrived {
            match message {
                Message::Trigger(poll) => control.trigger(poll),
                Message::Event(switch, event) => {
                    control.count(&event);
                    switch.offer(event);
                }
            }
        }
        self.records.update(now, OperatorRecords::of(&self.round.scenario, &self.fabric));
        control.keep_up(&self.records);
    }

    fn change(&mut self, at: Time, change: Change, control: &mut Control) -> anyhow::Result<()> {
        match change {
            Change::Reroute => {
                let before = std::mem::replace(&mut self.programmed, at);
                let [before, after] = [before, at].map(|time| self.round.plan_settings(time));
                control.program(after.clone());
                let topology: &Topology = &self.round.scenario.topology;
                let before = plan(topology, &before, control.layout())?;
                for (switch, after) in &plan(topology, &after, control.layout())? {
                    if let Some(before) = before.get(switch) {
                        self.fabric.routes_changed(at, before, after);
                    }
                }
            }
            Change::Dismiss => self.fabric.dismiss_agents(),
            Change::End => {
                self.fabric.run_until(at);
                self.begin_round(control)?;
            }
        }
        Ok(())
    }

    /// Begins the next round: hosts, links, queues, routes and random numbers are those of the scenario's start.
    fn begin_round(&mut self, control: &mut Control) -> anyhow::Result<()> {
        let now = self.fabric.now();
        for switch in self.switches.values() {
            switch.lock().clear_traffic(now);
        }
        // Of the old network, pauses that have ended and messages to the controller are left.
        self.fabric.poll_switches();
        self.take_messages();
        self.nic_reports.end_round(&self.round.scenario, &self.fabric, &self.records);
        let recent = self.sampler.reset(&mut self.fabric).map_or(now, |last| last + MEMORY);
        let settings = self.round.plan_settings(self.programmed);
        self.round = self.timeline.next_round(now.max(recent));
        let Round { scenario, seed, .. } = &self.round;
        self.fabric = Fabric::new(scenario, *seed, |name, config| match self.switches.get(name) {
            Some(switch) => {
                switch.lock().restart_random(config.seed, config.tm.seed);
                switch.clone()
            }
            // Not reached: all scenarios have the topology of the first one.
            None => SharedSwitch::new(config),
        })
        .with_context(|| format!("cannot start another round of `{}`", scenario.name))?;
        let next_event = |host: u16| self.next_events.get(&host).copied().unwrap_or(0);
        fabric::set_agents(scenario, &mut self.fabric, next_event)?;
        self.fabric.run_until(now);
        self.fabric.poll_switches();
        if self.first_plan() != settings {
            control.program(self.first_plan());
        }
        self.enter_round();
        Ok(())
    }

    /// Sets what follows from the present round.
    fn enter_round(&mut self) {
        let Round { scenario, start, .. } = &self.round;
        self.programmed = *start;
        let reroutes = self.round.reroute_times().into_iter().map(|at| (at, Change::Reroute));
        let others = [(self.round.stop() + LAST_POLLS, Change::Dismiss), (self.round.end(), Change::End)];
        self.changes = reroutes.chain(others).collect();
        self.records.begin(self.fabric.now(), scenario.clone());
        self.rounds += 1;
        if self.rounds <= STARTS {
            self.starts.push(*start);
        }
        info!(scenario = scenario.name, round = self.rounds, start_ns = start.as_ns(), "a round begins");
    }
}
