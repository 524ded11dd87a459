//! The controller on a live network: one P4Runtime session per switch, and the task that owns the [`Collector`].
//!
//! [`Controller::start`] connects to every switch, becomes primary, sets the pipeline unless the switch runs it
//! already, writes the plan, and subscribes to digests. A switch that is unreachable, that cannot be controlled
//! ([`TargetError`]) or whose session ends is retried until the controller stops; other switches are not affected. This
//! module is an edge: it runs on tokio, opens sockets and reads tokio's clock.

mod clocks;
mod device;
mod entities;
mod frame_limit;
mod hub;
mod network;
mod plans;
mod progress;
mod role;
mod session;
mod survey;
mod target;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use model::{PortRef, Snapshot, Topology, Trigger};
use p4runtime::client::{ClientError, ClientTls, Schema, SchemaError};
use p4runtime::proto::p4::config::v1::P4Info;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::collect::{CollectSettings, CollectStats, Collector, Command, Input};
use crate::layout::{LayoutError, TelemetryLayout};
use crate::plan::{PlanError, PlanSettings, SwitchPlan, plan};
use crate::records::{PortSample, Reading, Records};

pub use clocks::{SwitchClock, SwitchClocks};
use device::ReadTimes;
pub use entities::pipeline_info;
use hub::Hub;
pub use network::Discovered;
use network::{Announcement, Network};
pub use plans::Planner;
use plans::Plans;
pub use progress::Progress;
use role::Claim;
pub use session::STANDING_BY;
use session::SwitchSession;
use survey::Survey;
pub use target::TargetError;

/// Capacity of the channels between the tasks.
const QUEUE: usize = 4_096;
/// Snapshots that wait for their upload; then collection waits. Each may have 20 MB.
const SNAPSHOTS: usize = 16;
/// Samples of a switch's ports that wait for their upload; further ones are lost.
const SAMPLES: usize = 256;

/// Address of a switch's P4Runtime server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwitchEndpoint {
    /// The switch's name in the topology.
    pub name: String,
    /// E.g. `http://127.0.0.1:9559`.
    pub endpoint: String,
    /// Its device id.
    pub device_id: u64,
    /// The DNS name that its certificate must have; absent: the host of the endpoint.
    pub certificate_name: Option<String>,
}

/// Configuration of a controller.
#[derive(Clone, Debug)]
pub struct LiveConfig {
    /// The network.
    pub topology: Arc<Topology>,
    /// The switches to control.
    pub switches: Vec<SwitchEndpoint>,
    /// Settings of the plan: routing, priorities, pauses.
    pub plan: PlanSettings,
    /// Timers and limits of collection.
    pub collect: CollectSettings,
    /// P4Info of the compiled switch program.
    pub p4info: P4Info,
    /// Device configuration of the compiled switch program.
    pub device_config: Vec<u8>,
    /// Returns the delay after a number of failed attempts to connect to a switch in a row; the second argument differs
    /// between switches.
    pub retry: fn(u32, u64) -> Duration,
    /// Certificates for switches with an `https` endpoint.
    pub tls: Option<ClientTls>,
    /// Random number of this start, for election ids and delays.
    pub seed: u64,
    /// Nanoseconds of wall-clock time for one of switch time: 1, except in slowed-down networks.
    pub time_scale: u64,
    /// Interval of LLDP announcements, always in wall-clock time; `None`: cables are not discovered.
    pub lldp_interval: Option<Duration>,
    /// Whether the topology may lack links, which are to be learned: switches announce themselves through all ports.
    pub learns: bool,
    /// Interval at which losses, links and ports of the switches are read, in wall-clock time; `None`: they are not, and
    /// snapshots have none.
    pub records_interval: Option<Duration>,
    /// Returns the wall clock in nanoseconds since 1970.
    pub wall_clock: fn() -> u64,
}

/// A snapshot, and the clocks of the switches when it was complete: a switch that restarts counts from another zero.
#[derive(Clone, Debug)]
pub struct Collected {
    /// The snapshot.
    pub snapshot: Snapshot,
    /// The clocks.
    pub clocks: SwitchClocks,
}

/// Errors of the controller or of a switch's session.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// The program lacks something that collection needs.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// The topology cannot be programmed.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A switch that is not in the topology.
    #[error("switch `{0}` is not in the topology")]
    UnknownSwitch(String),
    /// The plan refers to an object that the program lacks.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// A call failed.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// A response lacks a register.
    #[error("the read returned no register `{0}`")]
    Unread(String),
    /// The target cannot be controlled.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// A switch without a session; it gets the plan with its next session.
    #[error("the new plan of switch `{0}` is not written: there is no session with it")]
    NotWritten(String),
    /// The controller's tasks have ended.
    #[error("the controller has stopped")]
    Stopped,
}

/// An agent's trigger. The agent sends it to the controller in addition to its polling packet.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentTrigger {
    /// The event id that the polling packet carries.
    pub event: u32,
    /// Priority of the flow's data, as in the polling packet.
    pub priority: u8,
    /// The agent's measurement.
    pub trigger: Trigger,
}

/// A running controller. Dropping it ends the sessions.
#[derive(Debug)]
pub struct Controller {
    triggers: mpsc::Sender<AgentTrigger>,
    planner: Planner,
    progress: watch::Receiver<Progress>,
    snapshots: mpsc::Receiver<Collected>,
    samples: mpsc::Receiver<Vec<PortSample>>,
    status: watch::Receiver<Status>,
    discovered: watch::Receiver<Discovered>,
    tasks: Vec<JoinHandle<()>>,
}

/// Status of a controller.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// For each switch, whether its session is up, or why it is not.
    pub switches: BTreeMap<String, Result<(), String>>,
    /// How often this controller has lost the role of primary to another one.
    pub roles_lost: u64,
    /// Events whose snapshot has not been emitted.
    pub open_events: u64,
    /// Counters of collection.
    pub collect: CollectStats,
    /// By how much the estimate of each switch's clock may be off at most, in nanoseconds of wall-clock time; without
    /// switches of which it is not known.
    pub clock_errors_ns: BTreeMap<String, u64>,
}

/// Message from a switch's task to the collector's task.
#[derive(Debug)]
pub(crate) enum Note {
    /// The session is up.
    Up(String),
    /// The session ended, or another controller is primary.
    Down(String, String),
    /// Another controller has taken the role of primary.
    RoleLost,
    /// An input for the collector.
    Input(Input),
    /// What a switch gives beside frozen telemetry, and when it was read; or why it could not be read.
    Records(String, Result<(Reading, ReadTimes), String>),
    /// A frame that the program sends to the controller, and the port where it arrived.
    Frame(PortRef, Vec<u8>),
}

/// What a switch's task is to do.
#[derive(Debug)]
pub(crate) enum SessionCommand {
    /// A request of the collector.
    Collect(Command),
    /// Send these frames.
    Announce(Vec<Announcement>),
    /// Read losses, links and ports.
    Records,
    /// Change the plan of the switch.
    Replan {
        /// The new plan.
        plan: Box<SwitchPlan>,
        /// Notified when the change is written.
        written: Option<oneshot::Sender<()>>,
    },
}

impl Controller {
    /// Starts the tasks. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// If program, topology and switches do not match. Unreachable switches are not an error: see
    /// [`Controller::status`].
    pub fn start(config: LiveConfig) -> Result<Controller, LiveError> {
        Controller::start_on(config, None)
    }

    /// As [`Controller::start`], with the clock of a simulated network in nanoseconds instead of the wall clock for the
    /// timers of collection.
    ///
    /// # Errors
    /// As [`Controller::start`].
    pub fn start_on(
        config: LiveConfig,
        clock: Option<watch::Receiver<u64>>,
    ) -> Result<Controller, LiveError> {
        let schema = Arc::new(Schema::new(config.p4info.clone()));
        let layout = Arc::new(TelemetryLayout::new(&pipeline_info(&schema))?);
        let mut plans = plan(&config.topology, &config.plan, &layout)?;
        let mut collector = Collector::new(config.topology.clone(), config.collect.clone());

        let (notes, noted) = mpsc::channel(QUEUE);
        let mut commands = BTreeMap::new();
        let mut tasks = Vec::new();
        let mut status = Status::default();
        let mut managed = BTreeMap::new();
        let (claims, claimed) = watch::channel(0);
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
                layout: layout.clone(),
                entities,
                base: plan.clone(),
                plan: plan.clone(),
                device_config: config.device_config.clone(),
                retry: config.retry,
                tls: config.tls.clone(),
                seed: config.seed,
                wall_clock: config.wall_clock,
                commands: receiver,
                claims: claimed.clone(),
                notes: notes.clone(),
            };
            commands.insert(name.clone(), sender);
            managed.insert(name, plan);
            tasks.push(tokio::spawn(session.run()));
        }

        let (triggers, triggered) = mpsc::channel(QUEUE);
        let (emitted, snapshots) = mpsc::channel(SNAPSHOTS);
        let (sampled, samples) = mpsc::channel(SAMPLES);
        let (published, status_receiver) = watch::channel(status.clone());
        let (publish, discovered) = watch::channel(Discovered::default());
        let network = config.lldp_interval.map(|interval| {
            let ports = config.learns.then(|| u16::try_from(layout.ports).unwrap_or(u16::MAX));
            let switches = managed.keys().cloned();
            Network::new(config.topology.clone(), switches, interval, publish).learning(ports)
        });
        let plans = Plans::new(config.topology, config.plan, layout.clone(), managed);
        let (replan, replans) = mpsc::channel(1);
        let (reported, progress) = watch::channel(Progress::default());
        let hub = Hub {
            collector,
            survey: config.records_interval.map(|interval| Survey::new(interval, Instant::now())),
            records: Records::default(),
            sampled,
            network,
            plans,
            clock,
            progress: Progress::default(),
            reported,
            layout,
            commands,
            emitted,
            published,
            status,
            clocks: SwitchClocks::new(config.time_scale),
            wall_clock: config.wall_clock,
            claim: Claim::new(config.seed),
            claims,
            started: Instant::now(),
        };
        tasks.push(tokio::spawn(hub.run(noted, triggered, replans)));
        let planner = Planner(replan);
        let status = status_receiver;
        Ok(Controller { triggers, planner, progress, snapshots, samples, status, discovered, tasks })
    }

    /// Passes on an agent's trigger.
    ///
    /// # Errors
    /// If the controller has stopped.
    pub async fn trigger(&self, trigger: AgentTrigger) -> Result<(), LiveError> {
        self.triggers.send(trigger).await.map_err(|_| LiveError::Stopped)
    }

    /// Returns a sender of triggers, for agents that run in their own tasks.
    pub fn triggers(&self) -> mpsc::Sender<AgentTrigger> {
        self.triggers.clone()
    }

    /// Returns a handle that changes the plan of the network.
    pub fn planner(&self) -> Planner {
        self.planner.clone()
    }

    /// Returns a receiver of how far the controller is.
    pub fn progress(&self) -> watch::Receiver<Progress> {
        self.progress.clone()
    }

    /// Waits for the next snapshot.
    ///
    /// # Errors
    /// If the controller has stopped.
    pub async fn snapshot(&mut self) -> Result<Collected, LiveError> {
        self.snapshots.recv().await.ok_or(LiveError::Stopped)
    }

    /// Returns the next snapshot if there is one already.
    pub fn try_snapshot(&mut self) -> Option<Collected> {
        self.snapshots.try_recv().ok()
    }

    /// Returns the receiver of the samples of ports, one message for each read of a switch; a second call returns a closed
    /// one.
    pub fn take_samples(&mut self) -> mpsc::Receiver<Vec<PortSample>> {
        std::mem::replace(&mut self.samples, mpsc::channel(1).1)
    }

    /// Returns a receiver of what is known about cables; it never changes if they are not discovered.
    pub fn discovered(&self) -> watch::Receiver<Discovered> {
        self.discovered.clone()
    }

    /// Returns a receiver of the status and its changes.
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
