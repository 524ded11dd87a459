//! The whole system in one process.
//!
//! One thread simulates the network in virtual time, paced against the wall clock. Each switch has a P4Runtime server
//! on its own loopback port, and the controller reaches the switches only through these servers: over gRPC it loads the
//! pipeline, programs tables, receives digests and reads frozen registers. Another thread analyses the snapshots; the
//! diagnoses are stored and published on the dashboard.

mod network;
mod queries;
mod shared;
mod timeline;
mod watch;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, bail};
use controller::live::{Controller, LiveConfig, SwitchEndpoint};
use model::Topology;
use p4runtime::device_config::{SourceBundle, compile};
use p4runtime::p4info::from_program;
use p4runtime::server::{Server, ServerConfig, ServerHandle, event_channel};
use scenario::Scenario;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tracing::info;
use web::{Access, AppState, LiveState};

use self::network::Network;
use self::queries::Queries;
use self::shared::{Clock, Endpoint, SwitchMap};
use crate::daemons::operations::signals::{Demand, Signals};
use crate::daemons::operations::{files, log, wall_ns};

/// Maximum events of a switch that wait for its P4Runtime server.
const SWITCH_EVENTS: usize = 4096;
/// Maximum batches of samples that wait for the dashboard.
const PROGRESS_BATCHES: usize = 256;

/// Delay before the controller reconnects to a switch that does not respond.
const RETRY: Duration = Duration::from_millis(200);
/// Maximum time until the controller has programmed all switches.
const START_TIMEOUT: Duration = Duration::from_secs(60);
/// Simulated time without a new diagnosis after which an incident has ended; equals the gap between two rounds.
const QUIET_NS: u64 = 4_000_000;

/// Settings of the demo.
pub(crate) struct DemoConfig {
    /// Scenarios to repeat in turn. Topology and settings are those of the first one.
    pub(crate) scenarios: Vec<Scenario>,
    /// Address of the dashboard.
    pub(crate) listen: SocketAddr,
    /// Names under which browsers may address it, besides localhost and IP addresses.
    pub(crate) hosts: Vec<String>,
    /// File of the store; in memory if absent.
    pub(crate) store: Option<PathBuf>,
    /// Seed of the random number generator.
    pub(crate) seed: u64,
    /// Simulated microseconds per second of wall-clock time.
    pub(crate) pace_us: u64,
}

/// Runs until interrupted.
pub(crate) fn run(config: DemoConfig) -> anyhow::Result<()> {
    log::start_plain();
    files::raise_limit();
    let runtime = tokio::runtime::Runtime::new().context("cannot start the runtime")?;
    runtime.block_on(serve(config))
}

async fn serve(config: DemoConfig) -> anyhow::Result<()> {
    // Bound first, so that an address in use is reported before the network is built.
    let listener = TcpListener::bind(config.listen)
        .await
        .with_context(|| format!("cannot listen on {}", config.listen))?;
    let address = listener.local_addr()?;
    let drawn: Result<Vec<Scenario>, _> =
        config.scenarios.iter().map(|s| Ok(s.instance(config.seed)?.into_owned())).collect();
    let scenario = Arc::new(timeline::merge(&drawn.map_err(|problems: scenario::Problems| problems)?));
    let live = LiveState::new(open_store(&config).await?).await?;
    live.set_topology(scenario.topology.clone()).await?;

    let clock = Arc::new(Clock::default());
    let (network, switches) = Network::build(&scenario, config.seed, clock.clone())?;
    let (servers, endpoints) = start_servers(&switches, &clock).await?;
    let topology = Arc::new(scenario.topology.clone());
    let mut controller = start_controller(&config, &scenario, topology, endpoints)?;
    wait_until_programmed(&mut controller).await?;

    let (queries, polls) = Queries::new(&scenario);
    let stop = Arc::new(AtomicBool::new(false));
    let (progress, incoming) = mpsc::channel(PROGRESS_BATCHES);
    let thread = network.spawn(config.pace_us, progress, controller.triggers(), polls, stop.clone())?;
    let analysis = watch::analysis(scenario.clone())?;
    let watching = tokio::spawn(watch::run(
        live.clone(),
        scenario.clone(),
        controller,
        incoming,
        queries.clone(),
        analysis,
    ));

    log::say(format_args!("harrier: {}", scenario.title));
    log::say(format_args!("harrier: {} switches programmed over P4Runtime", servers.len()));
    log::say(format_args!("harrier: dashboard at http://{address}/"));
    let access = Access::open(config.hosts.iter().cloned());
    let mut signals = Signals::install()?;
    let interrupted = async move {
        // There is no configuration to reload.
        while signals.next().await != Demand::Stop {}
    };
    web::serve(
        listener,
        AppState::new(live).with_query_backend(queries).with_access(Arc::new(access)),
        interrupted,
    )
    .await?;

    stop.store(true, Ordering::Relaxed);
    watching.abort();
    tokio::task::spawn_blocking(move || thread.join())
        .await?
        .ok()
        .context("the network's thread panicked")?;
    drop(servers);
    Ok(())
}

async fn open_store(config: &DemoConfig) -> anyhow::Result<store::Store> {
    let url = match &config.store {
        Some(path) => format!("sqlite:{}", path.display()),
        None => "sqlite::memory:".to_string(),
    };
    let limits = store::Limits { incident_quiet_ns: QUIET_NS, ..store::Limits::default() };
    let opened = store::Store::open_with(&url, limits).await;
    let store = opened.with_context(|| format!("cannot open the store {url}"))?;
    // The network's clock starts at 0, and the same seed makes the same diagnoses as in an earlier run.
    store.begin_run().await?;
    Ok(store)
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

/// Compiles the telemetry program and starts the controller, which loads it into every switch.
fn start_controller(
    config: &DemoConfig,
    scenario: &Scenario,
    topology: Arc<Topology>,
    switches: Vec<SwitchEndpoint>,
) -> anyhow::Result<Controller> {
    let files = controller::program::SOURCES.iter().map(|(path, text)| (path.to_string(), text.to_string()));
    let bundle = SourceBundle { main: controller::program::MAIN.to_string(), files: files.collect() };
    let program =
        compile(&bundle).map_err(anyhow::Error::msg).context("the switch program does not compile")?;
    Ok(Controller::start(LiveConfig {
        topology,
        switches,
        plan: fabric::plan_settings(scenario, config.seed),
        collect: watch::collect_settings(config.pace_us),
        p4info: from_program(&program),
        device_config: bundle.encode(),
        retry: |_, _| RETRY,
        tls: None,
        seed: config.seed,
        time_scale: 1,
        lldp_interval: None,
        learns: false,
        wall_clock: wall_ns,
    })?)
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
