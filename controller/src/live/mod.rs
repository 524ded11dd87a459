//! The controller on a live network: one P4Runtime session a switch, and a [`Collector`](crate::collect::Collector)
//! between them.
//!
//! [`Controller::start`] connects to every switch, becomes primary, sets the pipeline unless it runs already, writes the
//! plan, and subscribes to digests. A switch that cannot be reached, or whose session ends, is tried again and again;
//! the others go on meanwhile. This module is an edge: it runs on tokio, opens sockets and reads tokio's clock.

mod entities;
mod session;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use model::{Snapshot, Topology, Trigger};
use p4runtime::client::{ClientError, Schema, SchemaError};
use p4runtime::proto::p4::config::v1::P4Info;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};

use crate::collect::{CollectSettings, CollectStats, Collector, Command, Input, RequestId};
use crate::layout::{LayoutError, TelemetryLayout};
use crate::plan::{PlanError, PlanSettings, plan};

pub use entities::pipeline_info;
use session::SwitchSession;

/// Messages that wait between the tasks.
const QUEUE: usize = 4_096;

/// Where a switch's P4Runtime server is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwitchEndpoint {
    /// The switch's name in the topology.
    pub name: String,
    /// E.g. `http://127.0.0.1:9559`.
    pub endpoint: String,
    /// Its device id.
    pub device_id: u64,
}

/// What a controller needs to know.
#[derive(Clone, Debug)]
pub struct LiveConfig {
    /// The network.
    pub topology: Arc<Topology>,
    /// The switches to control.
    pub switches: Vec<SwitchEndpoint>,
    /// Routing, classes, pauses.
    pub plan: PlanSettings,
    /// Waiting times and limits of collection.
    pub collect: CollectSettings,
    /// Description of the compiled switch program.
    pub p4info: P4Info,
    /// What the switches load.
    pub device_config: Vec<u8>,
    /// How long to wait before a switch is tried again.
    pub retry: Duration,
}

/// Why a controller cannot start, or a switch cannot be controlled.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// The program is not the one that collection needs.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// The topology cannot be programmed.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A switch that is not in the topology.
    #[error("switch `{0}` is not in the topology")]
    UnknownSwitch(String),
    /// The plan names something that the program lacks.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// A call failed.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// The tasks that carry the collection have ended.
    #[error("the controller has stopped")]
    Stopped,
}

/// An agent's question, as it tells the controller of it besides sending its polling packet.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// The event id that the polling packet carries.
    pub event: u32,
    /// Class of the flow's data, as the polling packet carries it.
    pub priority: u8,
    /// What the agent saw.
    pub trigger: Trigger,
}

/// A running controller. Dropping it ends the sessions.
#[derive(Debug)]
pub struct Controller {
    triggers: mpsc::Sender<Asked>,
    snapshots: mpsc::Receiver<Snapshot>,
    status: watch::Receiver<Status>,
    tasks: Vec<JoinHandle<()>>,
}

/// How a controller is doing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// Switches whose session is up, and why the others' is not.
    pub switches: BTreeMap<String, Result<(), String>>,
    /// What collection has done.
    pub collect: CollectStats,
}

/// What a switch's task tells the collector's.
#[derive(Debug)]
pub(crate) enum Note {
    /// The session is up.
    Up(String),
    /// The session ended.
    Down(String, String),
    /// Something for the collector.
    Input(Input),
}

impl Controller {
    /// Starts the tasks. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// A program, topology or list of switches that do not fit together. Switches that do not answer are no error: see
    /// [`Controller::status`].
    pub fn start(config: LiveConfig) -> Result<Controller, LiveError> {
        let schema = Arc::new(Schema::new(config.p4info.clone()));
        let layout = Arc::new(TelemetryLayout::new(&pipeline_info(&schema))?);
        let mut plans = plan(&config.topology, &config.plan, &layout)?;
        let mut collector = Collector::new(config.topology.clone(), config.collect.clone());

        let (notes, noted) = mpsc::channel(QUEUE);
        let mut commands = BTreeMap::new();
        let mut tasks = Vec::new();
        let mut status = Status::default();
        for endpoint in &config.switches {
            let name = endpoint.name.clone();
            let plan = plans.remove(&name).ok_or_else(|| LiveError::UnknownSwitch(name.clone()))?;
            let entities = entities::entities(&schema, &layout, &plan)?;
            collector.add_switch(name.clone(), layout.clone());
            status.switches.insert(name.clone(), Err("not connected yet".into()));
            let (sender, receiver) = mpsc::channel(QUEUE);
            let session = SwitchSession {
                endpoint: endpoint.clone(),
                schema: schema.clone(),
                entities,
                device_config: config.device_config.clone(),
                retry: config.retry,
                commands: receiver,
                notes: notes.clone(),
            };
            commands.insert(name, sender);
            tasks.push(tokio::spawn(session.run()));
        }

        let (triggers, triggered) = mpsc::channel(QUEUE);
        let (emitted, snapshots) = mpsc::channel(QUEUE);
        let (published, status_receiver) = watch::channel(status.clone());
        let hub = Hub { collector, commands, emitted, published, status, started: Instant::now() };
        tasks.push(tokio::spawn(hub.run(noted, triggered)));
        Ok(Controller { triggers, snapshots, status: status_receiver, tasks })
    }

    /// An agent asked about a flow.
    ///
    /// # Errors
    /// When the controller has stopped.
    pub async fn trigger(&self, asked: Asked) -> Result<(), LiveError> {
        self.triggers.send(asked).await.map_err(|_| LiveError::Stopped)
    }

    /// A sender of triggers, for agents that run in their own tasks.
    pub fn triggers(&self) -> mpsc::Sender<Asked> {
        self.triggers.clone()
    }

    /// The next snapshot.
    ///
    /// # Errors
    /// When the controller has stopped.
    pub async fn snapshot(&mut self) -> Result<Snapshot, LiveError> {
        self.snapshots.recv().await.ok_or(LiveError::Stopped)
    }

    /// How it is doing; changes can be waited for.
    pub fn status(&self) -> watch::Receiver<Status> {
        self.status.clone()
    }
}

impl Drop for Controller {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

/// The collector's task.
struct Hub {
    collector: Collector,
    commands: BTreeMap<String, mpsc::Sender<Command>>,
    emitted: mpsc::Sender<Snapshot>,
    published: watch::Sender<Status>,
    status: Status,
    started: Instant,
}

impl Hub {
    async fn run(mut self, mut notes: mpsc::Receiver<Note>, mut triggers: mpsc::Receiver<Asked>) {
        loop {
            let wake = self.collector.next_wake_ns().map(|ns| self.started + Duration::from_nanos(ns));
            let commands = tokio::select! {
                note = notes.recv() => match note {
                    Some(note) => self.note(note),
                    None => return,
                },
                Some(Asked { event, priority, trigger }) = triggers.recv() => {
                    self.collector.handle(self.now_ns(), Input::Trigger { event, priority, trigger })
                }
                () = sleep_until(wake.unwrap_or(self.started)), if wake.is_some() => {
                    self.collector.wake(self.now_ns())
                }
            };
            self.perform(commands).await;
            self.status.collect = self.collector.stats();
            self.published.send_if_modified(|known| {
                let is_new = *known != self.status;
                known.clone_from(&self.status);
                is_new
            });
        }
    }

    fn now_ns(&self) -> u64 {
        self.started.elapsed().as_nanos() as u64
    }

    fn note(&mut self, note: Note) -> Vec<Command> {
        match note {
            Note::Up(switch) => {
                self.status.switches.insert(switch.clone(), Ok(()));
                self.collector.handle(self.now_ns(), Input::Connected { switch })
            }
            Note::Down(switch, why) => {
                self.status.switches.insert(switch, Err(why));
                Vec::new()
            }
            Note::Input(input) => self.collector.handle(self.now_ns(), input),
        }
    }

    /// Passes commands on. What cannot be passed on has failed, which may lead to further commands.
    async fn perform(&mut self, commands: Vec<Command>) {
        let mut waiting: std::collections::VecDeque<Command> = commands.into();
        while let Some(command) = waiting.pop_front() {
            let (switch, request): (String, RequestId) = match command {
                Command::Emit(snapshot) => {
                    // Nobody reads snapshots any more: the controller is being dropped.
                    let _ = self.emitted.send(*snapshot).await;
                    continue;
                }
                Command::Read { ref switch, request, .. }
                | Command::Unlock { ref switch, request, .. }
                | Command::Ask { ref switch, request, .. } => (switch.clone(), request),
            };
            // A session that does not keep up must not hold up the others.
            let is_passed_on =
                self.commands.get(&switch).is_some_and(|sender| sender.try_send(command).is_ok());
            if !is_passed_on {
                let failed = Input::Failed { request, reason: "its session does not take requests".into() };
                waiting.extend(self.collector.handle(self.now_ns(), failed));
            }
        }
    }
}
