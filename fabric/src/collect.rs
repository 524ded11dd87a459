//! The controller in virtual time: it receives digests after a delay, reads registers after another, and returns
//! snapshots.

use std::collections::BTreeMap;
use std::sync::Arc;

use controller::collect::{CollectSettings, Collector, Command, Input};
use model::wire::Frame;
use model::{HostReport, Snapshot, Time, Trigger};
use p4_lang::ir::Bits;
use p4_switch::{Event, Switch};
use scenario::Scenario;

use crate::fabric::Fabric;
use crate::fault_injection::{FaultInjection, RandomLoss};
use crate::host_readings::HostReadings;
use crate::operator_records::OperatorRecords;
use crate::pipeline::{Pipeline, read_registers, write_registers};
use crate::record::SwitchNotice;

/// The controller retries lost polls after this fraction (1/n) of the time after which polling counts as complete.
const QUIET_TO_RETRY: u64 = 5;

/// A delayed input of the controller, or a delayed command to a switch.
#[derive(Debug)]
enum Delayed {
    Input(Input),
    Command(Command),
    /// The second reading of the NICs for the reports of these events.
    Reading(Vec<u32>),
}

/// A snapshot, with the reports that its verdicts may need.
#[derive(Clone, Debug, PartialEq)]
pub struct CollectedSnapshot {
    /// When the collection was complete.
    pub at: Time,
    /// The snapshot.
    pub snapshot: Snapshot,
    /// The reports of hosts about the time of the collection.
    pub hosts: Vec<HostReport>,
}

/// The controller of a fabric.
pub struct InProcessController {
    collector: Collector,
    /// For the configuration findings of snapshots.
    scenario: Scenario,
    pipeline: Pipeline,
    /// Time from a switch or host to the controller, and back.
    notice_delay: Time,
    /// Time that a request takes at a switch.
    request_time: Time,
    later: BTreeMap<(Time, u64), Delayed>,
    sequence: u64,
    /// When the next action is due.
    next_time: Option<Time>,
    snapshots: Vec<CollectedSnapshot>,
    hosts: HostReadings,
    /// Injected losses of digests.
    lost_digests: RandomLoss,
    /// Switches that do not respond.
    silent: Vec<String>,
    /// Whether every switch is read at every trigger.
    is_surveying: bool,
    surveys: Vec<(Time, Snapshot)>,
}

impl InProcessController {
    /// A controller of all switches of a scenario.
    pub fn new(scenario: &Scenario, pipeline: Pipeline) -> InProcessController {
        let settings = CollectSettings {
            quiet_ns: scenario.agents.quiet.as_ns(),
            poll_retry_ns: (scenario.agents.quiet.as_ns() / QUIET_TO_RETRY)
                .max(2 * scenario.agents.read_delay.as_ns()),
            // Switches do not restart here, so that idle switches need no audit.
            audit_ns: 0,
            ..CollectSettings::default()
        };
        let mut collector = Collector::new(Arc::new(scenario.topology.clone()), settings);
        let switches = scenario.topology.nodes.iter().filter(|n| !scenario.topology.is_host(&n.name));
        let names: Vec<String> = switches.map(|node| node.name.clone()).collect();
        for name in &names {
            collector.add_switch(name.clone(), pipeline.layout.clone());
        }
        let mut controller = InProcessController {
            collector,
            scenario: scenario.clone(),
            pipeline,
            notice_delay: scenario.agents.read_delay,
            request_time: scenario.agents.read_time,
            later: BTreeMap::new(),
            sequence: 0,
            next_time: None,
            snapshots: Vec::new(),
            hosts: HostReadings::default(),
            lost_digests: FaultInjection::default().digests(0),
            silent: Vec::new(),
            is_surveying: false,
            surveys: Vec::new(),
        };
        for switch in names {
            controller.delay(Time::ZERO, Delayed::Input(Input::Connected { switch }));
        }
        controller
    }

    /// The same controller with injected losses.
    pub(crate) fn with_injection(mut self, seed: u64, injection: &FaultInjection) -> InProcessController {
        let nodes = self.scenario.topology.nodes.iter();
        let switches = nodes.map(|node| &node.name).filter(|name| !self.scenario.topology.is_host(name));
        self.silent = injection.silent(seed, switches);
        self.lost_digests = injection.digests(seed);
        self.is_surveying = injection.survey;
        self
    }

    fn delay(&mut self, at: Time, what: Delayed) {
        self.sequence += 1;
        self.later.insert((at, self.sequence), what);
        self.next_time = Some(self.next_time.map_or(at, |next| next.min(at)));
    }

    /// Reads the counters of the NICs, if a reading on the interval is due.
    pub(crate) fn read_on_interval(&mut self, fabric: &Fabric<Switch>) {
        self.hosts.read_on_interval(fabric);
    }

    /// Receives the messages of switches and hosts to the controller.
    pub fn listen(&mut self, fabric: &mut Fabric<Switch>) {
        let polls = fabric.take_triggers();
        if !polls.is_empty() {
            let events: Vec<u32> = polls.iter().map(|poll| poll.event).collect();
            self.hosts.trigger(events.iter().copied(), fabric);
            self.delay(fabric.now() + HostReadings::INTERVAL, Delayed::Reading(events));
        }
        for poll in polls {
            if self.is_surveying {
                self.survey(poll.event, &poll.trigger, fabric);
            }
            let (event, priority) = (poll.event, poll.polling.priority);
            let input = Input::Trigger { event, priority, trigger: poll.trigger };
            self.delay(fabric.now() + self.notice_delay, Delayed::Input(input));
        }
        for SwitchNotice { at, switch, event } in fabric.take_notices() {
            if self.silent.iter().any(|name| name == fabric.switch_name(switch)) || self.lost_digests.next() {
                continue;
            }
            if let Event::Digest { digest, values, .. } = event
                && let Some(description) = self.pipeline.program.digests.get(digest.index())
            {
                let input = Input::Digest {
                    switch: fabric.switch_name(switch).to_string(),
                    name: description.preamble.name.clone(),
                    fields: values.iter().map(Bits::to_be_bytes).collect(),
                };
                self.delay(at + self.notice_delay, Delayed::Input(input));
            }
        }
    }

    /// When [`InProcessController::act`] is to be called; absent while it is idle.
    pub fn next_time(&self) -> Option<Time> {
        self.next_time
    }

    /// Updates `next_time`, which the driver reads before every event and few events change.
    fn schedule(&mut self) {
        let later = self.later.first_key_value().map(|((at, _), _)| *at);
        // Later times are beyond the range of the clock.
        let wake = self.collector.next_wake_ns().filter(|ns| *ns < u64::MAX / 1_000).map(Time::from_ns);
        self.next_time = [later, wake].into_iter().flatten().min();
    }

    /// Performs all actions that are due at `now`.
    pub fn act(&mut self, now: Time, fabric: &mut Fabric<Switch>) {
        while let Some(entry) = self.later.first_entry()
            && entry.key().0 <= now
        {
            match entry.remove() {
                Delayed::Input(input) => {
                    let commands = self.collector.handle(now.as_ns(), input);
                    self.schedule_commands(now, commands, fabric);
                }
                Delayed::Reading(events) => {
                    self.hosts.read_last(&events, fabric);
                }
                Delayed::Command(command) => {
                    let input = self.carry_out(command, fabric);
                    let commands = self.collector.handle(now.as_ns(), input);
                    self.schedule_commands(now, commands, fabric);
                }
            }
        }
        if self.collector.next_wake_ns().is_some_and(|at| at <= now.as_ns()) {
            let commands = self.collector.wake(now.as_ns());
            self.schedule_commands(now, commands, fabric);
        }
        self.schedule();
    }

    fn schedule_commands(&mut self, now: Time, commands: Vec<Command>, fabric: &Fabric<Switch>) {
        for command in commands {
            match command {
                Command::Emit(mut snapshot) => {
                    self.add_operator_records(now, &mut snapshot, fabric);
                    let victim = snapshot.trigger.as_ref().map(|trigger| trigger.flow);
                    let hosts = self.hosts.take_reports(snapshot.event, victim, &self.scenario, fabric);
                    self.snapshots.push(CollectedSnapshot { at: now, snapshot: *snapshot, hosts });
                }
                request => self.delay(now + self.request_time, Delayed::Command(request)),
            }
        }
    }

    /// Completes a snapshot with the records that are not telemetry.
    fn add_operator_records(&self, now: Time, snapshot: &mut Snapshot, fabric: &Fabric<Switch>) {
        OperatorRecords::of(&self.scenario, fabric).complete(&self.scenario, snapshot, now);
    }

    /// Reads the present state of every switch that responds.
    fn survey(&mut self, event: u32, trigger: &Trigger, fabric: &mut Fabric<Switch>) {
        let now = fabric.now();
        let nodes = self.scenario.topology.nodes.iter();
        let mut readings = BTreeMap::new();
        for node in nodes.filter(|node| !self.silent.contains(&node.name)) {
            let registers = self.collector.survey_registers(&node.name);
            let Some(switch) = fabric.switch_mut(&node.name) else { continue };
            if let Ok(rows) = read_registers(switch, &registers) {
                readings.insert(node.name.clone(), rows);
            }
        }
        let mut snapshot = self.collector.survey(now.as_ns(), event, trigger, &readings);
        self.add_operator_records(now, &mut snapshot, fabric);
        // The controller receives the trigger and reads all switches at once.
        self.surveys.push((now + self.notice_delay + self.request_time, snapshot));
    }

    /// Full polls since the last call, each with the time at which it would be complete.
    pub(crate) fn take_surveys(&mut self) -> Vec<(Time, Snapshot)> {
        std::mem::take(&mut self.surveys)
    }

    /// Carries out a request at its switch.
    fn carry_out(&self, command: Command, fabric: &mut Fabric<Switch>) -> Input {
        let (switch, request) = match &command {
            Command::Read { switch, request, .. }
            | Command::Unlock { switch, request, .. }
            | Command::Poll { switch, request, .. } => (switch, *request),
            Command::Emit(_) => unreachable!("snapshots are kept, not delayed"),
        };
        if self.silent.contains(switch) {
            return Input::Failed { request, reason: format!("switch `{switch}` does not respond") };
        }
        let now = fabric.now();
        let Some(switch) = fabric.switch_mut(switch) else {
            return Input::Failed { request, reason: format!("there is no switch `{switch}`") };
        };
        let done = match &command {
            Command::Read { registers, .. } => {
                read_registers(switch, registers).map(|rows| Input::ReadDone { request, rows })
            }
            Command::Unlock { writes, .. } => {
                write_registers(switch, &self.pipeline, writes).map(|()| Input::UnlockDone { request })
            }
            Command::Poll { packet, .. } => {
                switch.packet_out(now, Frame::new(&packet.to_cpu_bytes(), 0));
                Ok(Input::Polled { request })
            }
            Command::Emit(_) => unreachable!("snapshots are kept, not delayed"),
        };
        done.unwrap_or_else(|error| Input::Failed { request, reason: error.to_string() })
    }

    /// Snapshots since the last call.
    pub fn take_snapshots(&mut self) -> Vec<CollectedSnapshot> {
        std::mem::take(&mut self.snapshots)
    }
}
