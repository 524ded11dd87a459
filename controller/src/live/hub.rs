//! The task that owns the [`Collector`]: it takes what the sessions of switches and the agents report, and passes requests on
//! to the sessions. It never waits for a switch.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use model::{NetworkEvent, Snapshot};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, sleep_until};

use super::clocks::SwitchClocks;
use super::device::ReadTimes;
use super::network::{Change, Network, Work};
use super::plans::{Basis, Plans, Replan, Writes};
use super::progress::{self, Progress};
use super::role::{Claim, Hold};
use super::session::STANDING_BY;
use super::survey::Survey;
use super::{AgentTrigger, Collected, LiveError, Note, SessionCommand, Status};
use crate::collect::{Collector, Command, Input, RequestId};
use crate::layout::{Digest, TelemetryLayout};
use crate::records::{PortSample, Reading, Records};

/// The collector's task.
pub(super) struct Hub {
    pub(super) collector: Collector,
    /// When losses, links and ports are read; `None`: they are not.
    pub(super) survey: Option<Survey>,
    /// What was read.
    pub(super) records: Records,
    pub(super) sampled: mpsc::Sender<Vec<PortSample>>,
    pub(super) network: Option<Network>,
    pub(super) plans: Plans,
    /// The clock of a simulated network, if there is one.
    pub(super) clock: Option<watch::Receiver<u64>>,
    pub(super) progress: Progress,
    pub(super) reported: watch::Sender<Progress>,
    pub(super) layout: Arc<TelemetryLayout>,
    pub(super) commands: BTreeMap<String, mpsc::Sender<SessionCommand>>,
    pub(super) emitted: mpsc::Sender<Collected>,
    pub(super) published: watch::Sender<Status>,
    pub(super) status: Status,
    pub(super) clocks: SwitchClocks,
    pub(super) wall_clock: fn() -> u64,
    pub(super) claim: Claim,
    pub(super) claims: watch::Sender<u64>,
    pub(super) started: Instant,
}

impl Hub {
    /// Runs until all sessions have ended.
    pub(super) async fn run(
        mut self,
        mut notes: mpsc::Receiver<Note>,
        mut triggers: mpsc::Receiver<AgentTrigger>,
        mut replans: mpsc::Receiver<Replan>,
    ) {
        loop {
            self.claim();
            let collect_ns = self.collector.next_wake_ns().filter(|_| self.clock.is_none());
            let wake_ns = collect_ns.into_iter().chain(self.claim.due_ns()).min();
            let wake = wake_ns.map(|ns| self.started + Duration::from_nanos(ns));
            let network_wake = self.network.as_ref().map(Network::next_wake);
            let survey_wake = self.survey.as_ref().map(Survey::next_wake);
            let commands = tokio::select! {
                note = notes.recv() => match note {
                    Some(note) => self.note(note),
                    None => return,
                },
                Some(AgentTrigger { event, priority, trigger }) = triggers.recv() => {
                    self.progress.triggers += 1;
                    self.collector.handle(self.now_ns(), Input::Trigger { event, priority, trigger })
                }
                () = progress::advance(&mut self.clock) => {
                    self.progress.time_ns = self.now_ns();
                    self.collector.wake(self.progress.time_ns)
                }
                Some(Replan { basis, reply }) = replans.recv() => {
                    // Fails only if the request was cancelled.
                    let _ = reply.send(self.replan(basis));
                    Vec::new()
                }
                () = sleep_until(wake.unwrap_or(self.started)), if wake.is_some() => {
                    self.collector.wake(self.now_ns())
                }
                () = sleep_until(network_wake.unwrap_or(self.started)), if network_wake.is_some() => {
                    let work = self.network.as_mut().map(|network| network.wake(&mut self.plans));
                    self.hand_out(work);
                    Vec::new()
                }
                () = sleep_until(survey_wake.unwrap_or(self.started)), if survey_wake.is_some() => Vec::new(),
            };
            self.perform(commands).await;
            self.survey().await;
            self.status.collect = self.collector.stats();
            let held = self.survey.as_ref().map_or(0, Survey::held);
            self.status.open_events = (self.collector.open_events() + held) as u64;
            self.report_progress();
            self.published.send_if_modified(|known| {
                let is_new = *known != self.status;
                known.clone_from(&self.status);
                is_new
            });
        }
    }

    /// Claims the switches of another controller if that is due.
    fn claim(&mut self) {
        let holds = self.status.switches.values().map(|state| match state {
            Ok(()) => Hold::Primary,
            Err(why) if why == STANDING_BY => Hold::StandBy,
            Err(_) => Hold::Nothing,
        });
        if self.claim.is_due(self.started.elapsed().as_nanos() as u64, holds) {
            self.claims.send_modify(|claims| *claims += 1);
        }
    }

    /// The clock of collection.
    fn now_ns(&self) -> u64 {
        let of_network = self.clock.as_ref().map(|clock| *clock.borrow());
        of_network.unwrap_or_else(|| self.started.elapsed().as_nanos() as u64)
    }

    fn report_progress(&mut self) {
        self.progress.snapshots = self.status.collect.snapshots;
        self.progress.open_events = self.status.open_events;
        self.progress.is_collecting = self.collector.next_wake_ns().is_some();
        self.reported.send_if_modified(|known| {
            let is_new = *known != self.progress;
            *known = self.progress;
            is_new
        });
    }

    fn note(&mut self, note: Note) -> Vec<Command> {
        match note {
            Note::Up(switch) => {
                self.status.switches.insert(switch.clone(), Ok(()));
                let work = self.network.as_mut().map(|network| network.up(&switch));
                self.hand_out(work);
                if let Some(survey) = &mut self.survey {
                    survey.up(&switch);
                    self.read_records(vec![switch.clone()]);
                }
                self.collector.handle(self.now_ns(), Input::Connected { switch })
            }
            Note::Down(switch, why) => {
                self.clocks.forget(&switch);
                self.status.clock_errors_ns.remove(&switch);
                self.records.forget(&switch);
                if let Some(survey) = &mut self.survey {
                    survey.down(&switch);
                }
                if let Some(network) = &mut self.network {
                    network.down(&switch);
                }
                self.status.switches.insert(switch, Err(why));
                Vec::new()
            }
            Note::RoleLost => {
                self.status.roles_lost += 1;
                Vec::new()
            }
            Note::Records(switch, reading) => {
                self.note_records(&switch, reading);
                Vec::new()
            }
            Note::Frame(at, frame) => {
                let work = self.network.as_mut().map(|network| network.receive(&at, &frame));
                self.hand_out(work);
                Vec::new()
            }
            Note::Input(input) => {
                self.progress.count_input(&input);
                self.compare_clocks(&input);
                self.collector.handle(self.now_ns(), input)
            }
        }
    }

    /// Reads the records of the switches that are due, and emits the snapshots that have waited for them.
    async fn survey(&mut self) {
        let now = Instant::now();
        let Some(survey) = &mut self.survey else { return };
        let (due, released) = (survey.due(now), survey.released(now));
        self.read_records(due);
        for mut snapshot in released {
            self.records.complete(&mut snapshot);
            self.emit(snapshot).await;
        }
    }

    /// Has the records of switches read.
    fn read_records(&mut self, switches: Vec<String>) {
        for switch in switches {
            let sender = self.commands.get(&switch);
            if sender.is_none_or(|sender| sender.try_send(SessionCommand::Records).is_err()) {
                self.records.failed(&switch, "the session's queue is full".into());
                if let Some(survey) = &mut self.survey {
                    survey.down(&switch);
                }
            }
        }
    }

    /// Takes the records of a switch: its time, its losses, its links and samples of its ports.
    fn note_records(&mut self, switch: &str, reading: Result<(Reading, ReadTimes), String>) {
        if self.survey.as_mut().is_some_and(|survey| survey.responded(switch)) {
            self.read_records(vec![switch.to_string()]);
        }
        let (reading, times) = match reading {
            Ok(reading) => reading,
            Err(why) => return self.records.failed(switch, why),
        };
        if let Some(device) = &reading.device {
            self.clocks.add_read(switch, times, device.time_ns);
            let error_ns = self.clocks.estimate(switch).and_then(|clock| clock.maximum_error_ns);
            self.status.clock_errors_ns.extend(error_ns.map(|error_ns| (switch.to_string(), error_ns)));
        }
        let update = self.records.read(switch, reading);
        if let Some(network) = &mut self.network {
            network.set_rates(update.rates);
        }
        for (port, is_up) in update.links {
            let work = self.network.as_mut().map(|network| network.link_changed(&port, is_up));
            self.hand_out(work);
        }
        if !update.samples.is_empty() && self.sampled.try_send(update.samples).is_err() {
            tracing::debug!(switch, "samples of ports are lost: they are not taken");
        }
    }

    /// Notes changes of the network that the controller itself makes or notices, in the time of their switches.
    fn note_changes(&mut self, changes: Vec<Change>) {
        let (clocks, wall_ns) = (self.clocks.estimates(), (self.wall_clock)());
        for Change { switch, ago, change } in changes {
            let wall_ns = wall_ns.saturating_sub(u64::try_from(ago.as_nanos()).unwrap_or(u64::MAX));
            // Without its clock, the time of the change cannot be compared with those of its records.
            let time_ns = clocks.get(&switch).and_then(|clock| self.clocks.switch_time(clock, wall_ns));
            if let Some(time_ns) = time_ns {
                self.records.changed(NetworkEvent { time_ns, switch, change });
            }
        }
    }

    /// Passes announcements and plans to the sessions, and notes the changes. What a session does not take is lost: announcements are repeated,
    /// and a session that is so far behind is about to end.
    fn hand_out(&mut self, work: Option<Work>) {
        let Some(Work { announce, plans, changes }) = work else { return };
        self.note_changes(changes);
        let announce =
            announce.into_iter().map(|(switch, frames)| (switch, SessionCommand::Announce(frames)));
        let replan = |plan| SessionCommand::Replan { plan: Box::new(plan), written: None };
        let plans = plans.into_iter().map(|(switch, plan)| (switch, replan(plan)));
        for (switch, command) in plans.chain(announce) {
            if self.commands.get(&switch).is_none_or(|sender| sender.try_send(command).is_err()) {
                tracing::warn!(switch, "the session's queue is full; a change of the network is lost");
            }
        }
    }

    /// Changes the plan. Returns a receiver for each session that has to write a change; the one of a session that does not
    /// take it is closed.
    fn replan(&mut self, basis: Basis) -> Result<Writes, LiveError> {
        let mut writes = Vec::new();
        let plans = match basis {
            Basis::Settings(settings) => self.plans.replan(*settings)?,
            Basis::Network(topology) => {
                let plans = self.plans.set_topology(topology.clone())?;
                if let Some(network) = &mut self.network {
                    network.set_plan(topology.clone());
                }
                self.collector.set_topology(topology);
                plans
            }
        };
        let changes = self.plans.take_changes();
        self.note_changes(changes);
        for (switch, plan) in plans {
            let (written, write) = oneshot::channel();
            let command = SessionCommand::Replan { plan: Box::new(plan), written: Some(written) };
            if let Some(sender) = self.commands.get(&switch) {
                let _ = sender.try_send(command);
            }
            writes.push((switch, write));
        }
        Ok(writes)
    }

    /// Compares the time in a digest of a polling packet with the wall clock.
    fn compare_clocks(&mut self, input: &Input) {
        if let Input::Digest { switch, name, fields } = input
            && let Ok(Digest::Poll(poll)) = self.layout.decode_digest(name, fields)
        {
            self.clocks.add_digest(switch, (self.wall_clock)(), poll.time_ns);
            self.progress.polls += 1;
        }
    }

    async fn emit(&self, snapshot: Snapshot) {
        let collected = Collected { snapshot, clocks: self.clocks.clone() };
        // Fails only while the controller is being dropped.
        let _ = self.emitted.send(collected).await;
    }

    /// Passes commands to the switches' tasks. Reports a failure to the collector if a task cannot take a command,
    /// which may result in further commands.
    async fn perform(&mut self, commands: Vec<Command>) {
        let mut waiting: VecDeque<Command> = commands.into();
        while let Some(command) = waiting.pop_front() {
            let (switch, request): (String, RequestId) = match command {
                Command::Emit(snapshot) => {
                    match &mut self.survey {
                        Some(survey) => {
                            let read = survey.hold(Instant::now(), snapshot);
                            self.read_records(read);
                        }
                        None => self.emit(*snapshot).await,
                    }
                    continue;
                }
                Command::Read { ref switch, request, .. }
                | Command::Unlock { ref switch, request, .. }
                | Command::Poll { ref switch, request, .. } => (switch.clone(), request),
            };
            self.progress.count_command(&command);
            // A slow session must not block the others.
            let is_passed_on = self
                .commands
                .get(&switch)
                .is_some_and(|sender| sender.try_send(SessionCommand::Collect(command)).is_ok());
            if !is_passed_on {
                self.progress.requests -= 1;
                let failed = Input::Failed { request, reason: "the session's queue is full".into() };
                waiting.extend(self.collector.handle(self.now_ns(), failed));
            }
        }
    }
}
