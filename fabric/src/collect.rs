//! The controller in virtual time: digests go in after a delay, registers are read after another, snapshots
//! come out.

use std::collections::BTreeMap;
use std::sync::Arc;

use controller::collect::{CollectSettings, Collector, Command, Input};
use model::wire::Frame;
use model::{Snapshot, Time, Trigger};
use p4_lang::ir::Bits;
use p4_switch::{Event, Switch};
use scenario::Scenario;

use crate::fabric::Fabric;
use crate::fault_injection::{FaultInjection, RandomLoss};
use crate::operator_records::OperatorRecords;
use crate::pipeline::{Pipeline, read_registers, write_registers};
use crate::record::SwitchNotice;

/// The controller asks again what got lost after this part of the time after which a wave counts as over.
const QUIET_TO_ASK: u64 = 5;

/// Something that reaches the controller or a switch later.
#[derive(Debug)]
enum Later {
    Hear(Input),
    Do(Command),
}

/// The controller of a fabric.
pub struct InProcessController {
    collector: Collector,
    /// For what the configuration of its switches lacks.
    scenario: Scenario,
    pipeline: Pipeline,
    /// Time from a switch or host to the controller, and back.
    notice_delay: Time,
    /// Time that a request takes at a switch.
    request_time: Time,
    later: BTreeMap<(Time, u64), Later>,
    sequence: u64,
    /// When something is due next.
    next_time: Option<Time>,
    snapshots: Vec<(Time, Snapshot)>,
    /// What is lost on the way here.
    lost_digests: RandomLoss,
    /// Switches that answer nothing.
    silent: Vec<String>,
    /// Whether every switch is read at every question.
    is_surveying: bool,
    surveys: Vec<(Time, Snapshot)>,
}

impl InProcessController {
    /// A controller of all switches of a scenario.
    pub fn new(scenario: &Scenario, pipeline: Pipeline) -> InProcessController {
        let settings = CollectSettings {
            quiet_ns: scenario.agents.quiet.as_ns(),
            ask_after_ns: (scenario.agents.quiet.as_ns() / QUIET_TO_ASK)
                .max(2 * scenario.agents.read_delay.as_ns()),
            // Nothing restarts or loses messages here, so nobody needs to look after idle switches.
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
            lost_digests: FaultInjection::default().digests(0),
            silent: Vec::new(),
            is_surveying: false,
            surveys: Vec::new(),
        };
        for switch in names {
            controller.put_off(Time::ZERO, Later::Hear(Input::Connected { switch }));
        }
        controller
    }

    /// The same controller with what a trial does to its collections.
    pub(crate) fn with_injection(mut self, seed: u64, injection: &FaultInjection) -> InProcessController {
        let nodes = self.scenario.topology.nodes.iter();
        let switches = nodes.map(|node| &node.name).filter(|name| !self.scenario.topology.is_host(name));
        self.silent = injection.silent(seed, switches);
        self.lost_digests = injection.digests(seed);
        self.is_surveying = injection.survey;
        self
    }

    fn put_off(&mut self, at: Time, what: Later) {
        self.sequence += 1;
        self.later.insert((at, self.sequence), what);
        self.next_time = Some(self.next_time.map_or(at, |next| next.min(at)));
    }

    /// Takes what switches and hosts have for the controller.
    pub fn listen(&mut self, fabric: &mut Fabric<Switch>) {
        for question in fabric.take_triggers() {
            if self.is_surveying {
                self.survey(question.event, &question.trigger, fabric);
            }
            let (event, priority) = (question.event, question.polling.priority);
            let input = Input::Trigger { event, priority, trigger: question.trigger };
            self.put_off(fabric.now() + self.notice_delay, Later::Hear(input));
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
                self.put_off(at + self.notice_delay, Later::Hear(input));
            }
        }
    }

    /// When [`InProcessController::act`] wants to be called; absent while it has nothing to do.
    pub fn next_time(&self) -> Option<Time> {
        self.next_time
    }

    /// Finds out when something is due next. The drivers ask before every event, and it changes with few of them.
    fn schedule(&mut self) {
        let later = self.later.first_key_value().map(|((at, _), _)| *at);
        // The clock's last nanosecond: what is due later never is.
        let wake = self.collector.next_wake_ns().filter(|ns| *ns < u64::MAX / 1_000).map(Time::from_ns);
        self.next_time = [later, wake].into_iter().flatten().min();
    }

    /// Does everything that is due at `now`.
    pub fn act(&mut self, now: Time, fabric: &mut Fabric<Switch>) {
        while let Some(entry) = self.later.first_entry()
            && entry.key().0 <= now
        {
            match entry.remove() {
                Later::Hear(input) => {
                    let commands = self.collector.handle(now.as_ns(), input);
                    self.obey(now, commands, fabric);
                }
                Later::Do(command) => {
                    let input = self.carry_out(command, fabric);
                    let commands = self.collector.handle(now.as_ns(), input);
                    self.obey(now, commands, fabric);
                }
            }
        }
        if self.collector.next_wake_ns().is_some_and(|at| at <= now.as_ns()) {
            let commands = self.collector.wake(now.as_ns());
            self.obey(now, commands, fabric);
        }
        self.schedule();
    }

    fn obey(&mut self, now: Time, commands: Vec<Command>, fabric: &Fabric<Switch>) {
        for command in commands {
            match command {
                Command::Emit(mut snapshot) => {
                    self.add_operator_records(now, &mut snapshot, fabric);
                    self.snapshots.push((now, *snapshot));
                }
                request => self.put_off(now + self.request_time, Later::Do(request)),
            }
        }
    }

    /// Adds what is known besides telemetry.
    fn add_operator_records(&self, now: Time, snapshot: &mut Snapshot, fabric: &Fabric<Switch>) {
        OperatorRecords::of(&self.scenario, fabric).complete(&self.scenario, snapshot, now);
    }

    /// Reads every switch that answers, as it stands now.
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
        // The controller hears of the question and asks all switches at once.
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
            | Command::Ask { switch, request, .. } => (switch, *request),
            Command::Emit(_) => unreachable!("snapshots are kept, not put off"),
        };
        if self.silent.contains(switch) {
            return Input::Failed { request, reason: format!("switch `{switch}` does not answer") };
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
            Command::Ask { question, .. } => {
                switch.packet_out(now, Frame::new(&question.to_bytes(), 0));
                Ok(Input::Asked { request })
            }
            Command::Emit(_) => unreachable!("snapshots are kept, not put off"),
        };
        done.unwrap_or_else(|error| Input::Failed { request, reason: error.to_string() })
    }

    /// Snapshots since the last call, each with the time at which it was complete.
    pub fn take_snapshots(&mut self) -> Vec<(Time, Snapshot)> {
        std::mem::take(&mut self.snapshots)
    }
}
