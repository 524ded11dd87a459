//! The whole system in one process.
//!
//! One thread simulates the network in virtual time, paced against the wall clock. Each switch has a P4Runtime server
//! on its own loopback port, and the controller reaches the switches only through these servers: over gRPC it loads the
//! pipeline, programs tables, receives digests and reads frozen registers. Another thread analyses the snapshots; the
//! diagnoses are stored and published on the dashboard.
//!
//! `harrier eval --live` runs the same system without store and dashboard ([`live_rounds()`]).

mod control;
mod live_rounds;
mod messages;
mod network;
mod nic_reports;
mod pace;
mod queries;
mod records;
mod sampler;
mod shared;
mod system;
mod timeline;
mod watch;
mod what_if;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use model::Time;
use model::topology::NodeKind;
use scenario::Scenario;
use tokio::net::TcpListener;
use tracing::error;
use web::{Access, AppState, LiveState};

use self::pace::Pace;
use self::queries::Queries;
use self::sampler::Sampled;
use self::system::{Settings, System};
use self::timeline::Timeline;
use self::watch::{Seen, Watch};
use self::what_if::WhatIfs;
use crate::checker::Rules;
use crate::configurations::Checked;
use crate::daemons::operations::signals::{Demand, Signals};
use crate::daemons::operations::{files, log};
use crate::findings;

pub(crate) use live_rounds::{LiveRound, live_rounds};

/// Simulated time without a new diagnosis after which an incident has ended; equals the time from the end of a scenario
/// to the end of its round.
const QUIET_NS: u64 = timeline::GAP.as_ns();

/// Settings of the demo.
pub(crate) struct DemoConfig {
    /// Scenarios to repeat in turn. Topology and switches are those of the first one.
    pub(crate) scenarios: Vec<Scenario>,
    /// Address of the dashboard.
    pub(crate) listen: SocketAddr,
    /// Names under which browsers may address it, besides localhost and IP addresses.
    pub(crate) hosts: Vec<String>,
    /// File of the store, or URL of a PostgreSQL database; in memory if absent.
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
    let timeline = Timeline::new(drawn.map_err(|problems: scenario::Problems| problems)?, config.seed, true);
    let scenarios = timeline.scenarios().to_vec();
    let live = LiveState::new(open_store(&config).await?).await?;
    live.set_topology(scenarios[0].topology.clone()).await?;
    findings::keep(&live, &checked(&scenarios)).await?;

    let what_ifs = WhatIfs::new(timeline.played())?;
    let (queries, polls) = Queries::new(&scenarios);
    let settings =
        Settings { seed: config.seed, pace: Pace { us_per_s: Some(config.pace_us), rounds: None } };
    let System { watch, thread, stop, servers } = System::start(timeline, settings, polls).await?;
    let host_reports = watch.host_reports();
    let watching = tokio::spawn(publish(watch, live.clone(), queries.clone()));

    stderr_line!("harrier: {}", scenarios[0].title);
    stderr_line!("harrier: {} switches programmed over P4Runtime", servers.len());
    stderr_line!("harrier: dashboard at http://{address}/");
    let access = Access::open(config.hosts.iter().cloned());
    let mut signals = Signals::install()?;
    let interrupted = async move {
        // There is no configuration to reload.
        while signals.next().await != Demand::Stop {}
    };
    let app = AppState::new(live.clone())
        .with_query_backend(queries)
        .with_what_if_backend(what_ifs)
        .with_host_reports(host_reports)
        .with_checker(Arc::new(Rules))
        .with_access(Arc::new(access));
    web::serve(listener, app, interrupted).await?;

    stop.set();
    watching.abort();
    live.store_series().await?;
    tokio::task::spawn_blocking(move || thread.join())
        .await?
        .ok()
        .context("the network's thread panicked")?;
    drop(servers);
    // Dropped connections close in the background, which the end of the process may cut short; the file would need its
    // write-ahead log then.
    live.store().close().await;
    Ok(())
}

/// Stores and publishes diagnoses and samples, until the network's thread ends.
async fn publish(mut watch: Watch, live: Arc<LiveState>, queries: Arc<Queries>) {
    while let Some(seen) = watch.next(|snapshot| queries.is_own(snapshot)).await {
        match seen {
            Seen::Ports(Sampled { ports, priorities }) => {
                live.push_ports(&ports);
                live.push_priorities(&priorities);
            }
            Seen::Own(event) => {
                queries.complete(&event.snapshot, watch::outcome(event.analyses, &event.snapshot))
            }
            Seen::Final(events) => watch::store(&live, events).await,
            Seen::Time(now_ns) => {
                if let Err(error) = live.advance(now_ns).await {
                    error!(%error, "the store failed");
                }
            }
        }
    }
}

/// The findings about the switches' settings: those of the first scenario, whose switches the demo has, and what diagnoses
/// of any scenario can cite.
fn checked(scenarios: &[Arc<Scenario>]) -> Checked {
    let mut checked = Checked::default();
    let names = scenarios[0].topology.nodes.iter().filter(|node| node.kind == NodeKind::Switch);
    for node in names {
        let findings = scenarios[0].switch_settings(&node.name).sonic_findings.to_vec();
        checked.by_switch.insert(node.name.clone(), findings);
    }
    checked.cited = scenarios.iter().flat_map(|scenario| scenario.audit(Time::ZERO, scenario.stop)).collect();
    checked
}

async fn open_store(config: &DemoConfig) -> anyhow::Result<store::Store> {
    let url = match &config.store {
        Some(path) => store::store_url(path),
        None => "sqlite::memory:".to_string(),
    };
    let limits = store::Limits { incident_quiet_ns: QUIET_NS, ..store::Limits::default() };
    let opened = store::Store::open_with(&url, limits).await;
    let store = opened.with_context(|| format!("cannot open the store {}", store::shown_url(&url)))?;
    // The network's clock starts at 0, and the same seed makes the same diagnoses as in an earlier run.
    store.begin_run().await?;
    Ok(store)
}
