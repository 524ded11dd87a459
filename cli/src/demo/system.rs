//! The parts of the demo that diagnose: network, P4Runtime servers, controller and analysis.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Context, bail};
use controller::layout::TelemetryLayout;
use controller::live::{Controller, LiveConfig, SwitchEndpoint, pipeline_info};
use model::Time;
use p4runtime::client::Schema;
use p4runtime::device_config::{SourceBundle, compile};
use p4runtime::p4info::from_program;
use p4runtime::server::{Server, ServerConfig, ServerHandle, event_channel};
use tokio::sync::{mpsc, watch};
use tracing::info;

use super::control::Control;
use super::network::Network;
use super::pace::{self, Lines, Pace};
use super::queries::Poll;
use super::records::Records;
use super::shared::{Clock, Endpoint, SwitchMap};
use super::timeline::Timeline;
use super::watch::{Watch, collect_settings};
use crate::daemons::operations::wall_ns;

/// Maximum events of a switch that wait for its P4Runtime server.
const SWITCH_EVENTS: usize = 4096;
/// Maximum batches of samples that wait for the dashboard.
const PROGRESS_BATCHES: usize = 256;

/// Delay before the controller reconnects to a switch that does not respond.
const RETRY: Duration = Duration::from_millis(200);
/// Maximum time until the controller has programmed all switches.
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// Settings of the system.
pub(super) struct Settings {
    /// Seed of the hash functions and of the controller.
    pub(super) seed: u64,
    /// How fast and how long the network is simulated.
    pub(super) pace: Pace,
}

/// Ends the network's thread.
pub(super) struct Stop(Arc<AtomicBool>);

impl Stop {
    pub(super) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The running system.
pub(super) struct System {
    /// Its diagnoses and samples.
    pub(super) watch: Watch,
    /// The network's thread; it returns the starts of the first rounds.
    pub(super) thread: JoinHandle<Vec<Time>>,
    pub(super) stop: Stop,
    /// The P4Runtime servers.
    pub(super) servers: Vec<ServerHandle>,
}

impl System {
    /// Starts servers, controller and network. `polls` are polling packets of operators.
    pub(super) async fn start(
        timeline: Timeline,
        settings: Settings,
        polls: Receiver<Poll>,
    ) -> anyhow::Result<System> {
        let agents = timeline.scenarios()[0].agents.clone();
        let topology = Arc::new(timeline.scenarios()[0].topology.clone());
        let (of_switches, records) = (Arc::new(Clock::default()), Records::default());
        let (network, switches) = Network::build(timeline, of_switches.clone(), records.clone())?;
        let (servers, endpoints) = start_servers(&switches, &of_switches).await?;
        let (clock, time) = watch::channel(0);
        let files =
            controller::program::SOURCES.iter().map(|(path, text)| (path.to_string(), text.to_string()));
        let bundle = SourceBundle { main: controller::program::MAIN.to_string(), files: files.collect() };
        let program =
            compile(&bundle).map_err(anyhow::Error::msg).context("the switch program does not compile")?;
        let p4info = from_program(&program);
        let layout = Arc::new(TelemetryLayout::new(&pipeline_info(&Schema::new(p4info.clone())))?);
        let mut controller = Controller::start_on(
            LiveConfig {
                topology: topology.clone(),
                switches: endpoints,
                plan: network.first_plan(),
                collect: collect_settings(&agents),
                p4info,
                device_config: bundle.encode(),
                retry: |_, _| RETRY,
                tls: None,
                seed: settings.seed,
                time_scale: 1,
                lldp_interval: None,
                learns: false,
                // The demo has these records from its simulation.
                records_interval: None,
                wall_clock: wall_ns,
            },
            Some(time),
        )?;
        wait_until_programmed(&mut controller).await?;

        let stop = Arc::new(AtomicBool::new(false));
        let (progress, incoming) = mpsc::channel(PROGRESS_BATCHES);
        let control = Control::new(&controller, clock, layout, &program);
        let lines = Lines { control, progress, polls, stop: stop.clone() };
        let thread = pace::spawn(network, settings.pace, lines)?;
        let analysis = super::watch::analysis(topology.clone())?;
        let watch = Watch::new(controller, incoming, records, topology, analysis);
        Ok(System { watch, thread, stop: Stop(stop), servers })
    }
}

/// Starts a P4Runtime server for each switch on its own port.
async fn start_servers(
    switches: &SwitchMap,
    clock: &Arc<Clock>,
) -> anyhow::Result<(Vec<ServerHandle>, Vec<SwitchEndpoint>)> {
    let mut servers = Vec::new();
    let mut endpoints = Vec::new();
    for (device_id, (name, handle)) in (1..).zip(switches) {
        let (sink, source) = event_channel(SWITCH_EVENTS);
        handle.attach(sink);
        let config = ServerConfig::new(device_id, handle.config());
        let server = Server::new(Endpoint::new(handle.clone(), clock.clone()), config, source);
        let handle = server.spawn((Ipv4Addr::LOCALHOST, 0).into()).await?;
        info!(switch = name, address = %handle.address(), "P4Runtime server");
        endpoints.push(SwitchEndpoint {
            name: name.clone(),
            endpoint: handle.endpoint(),
            device_id,
            certificate_name: None,
        });
        servers.push(handle);
    }
    Ok((servers, endpoints))
}

/// Waits until every switch has its program and its table entries.
async fn wait_until_programmed(controller: &mut Controller) -> anyhow::Result<()> {
    let mut status = controller.status();
    let wait = status.wait_for(|status| status.switches.values().all(Result::is_ok));
    match tokio::time::timeout(START_TIMEOUT, wait).await {
        Ok(changed) => changed.map(|_| ()).context("the controller has stopped"),
        Err(_) => {
            let switches = controller.status().borrow().switches.clone();
            let failed = switches.iter().filter_map(|(name, state)| Some((name, state.as_ref().err()?)));
            let failed: Vec<String> = failed.map(|(name, why)| format!("{name}: {why}")).collect();
            bail!("switches cannot be programmed: {}", failed.join("; "))
        }
    }
}
