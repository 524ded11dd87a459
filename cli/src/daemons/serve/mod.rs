//! `harrier serve`: receives uploads, diagnoses snapshots, stores the diagnoses, serves REST and the dashboard.

mod awaiting_reports;
mod cables;
mod counted_events;
mod counter_verdicts;
mod discovery;
mod host_reports;
mod inbox;
mod intake;
mod port_samples;
mod queries;
mod senders;
mod shared;
mod triggers;
mod uploads;
pub(crate) mod webhooks;
mod writer;

pub(crate) use shared::Shared;

use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use model::{ConfigFinding, Rate, Topology};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_stream::wrappers::TcpListenerStream;
use tracing::{error, info, warn};
use web::{Access, AppState, Bound, Credential, LiveState, Proxies};

use self::counter_verdicts::CounterVerdicts;
use self::discovery::Discovery;
pub(crate) use self::host_reports::HostReports;
use self::inbox::Inbox;
use self::queries::Queries;
use self::shared::ServerProbe;
use super::config::Arguments;
use super::config::keys::files;
use super::config::keys::serve::{Serve, header_name};
use super::config::settings::Settings;
use super::operations::log::LogLevel;
use super::operations::signals::{Demand, Signals};
use super::operations::{self, notify};
use super::time_base::TimeBase;
use super::tls::Certificates;
use crate::checker::Rules;
use crate::configurations::{self, Checked};
use crate::findings;
use crate::input::fail_with;
use crate::tokens::ServedTokens;

/// Time for open connections and the analysis to finish when the server stops.
const GRACE: Duration = Duration::from_secs(5);
/// Interval at which gRPC checks that a daemon is still there.
const KEEPALIVE: Duration = Duration::from_secs(10);
/// Triggers that a restarted server knows, for snapshots that arrive after it.
const RESTORED_TRIGGERS: u32 = 500;
/// Reports of hosts that a restarted server knows; agents send new ones within a minute.
const RESTORED_HOSTS: u32 = 1000;
/// A day.
const HOUR_NS: u64 = 3_600 * 1_000_000_000;
const DAY_NS: u64 = 86_400 * 1_000_000_000;
/// Interval at which rows above their age are removed, also without new diagnoses.
const RETENTION: Duration = Duration::from_secs(600);
/// Maximum streams on one connection; a daemon needs one.
const STREAMS: u32 = 4;

/// Runs the server until it is stopped.
///
/// # Errors
/// It cannot start, or a listener fails.
pub(crate) fn run(arguments: &Arguments<Serve>) -> anyhow::Result<()> {
    let settings = arguments.settings()?;
    let log = operations::log::start(&settings);
    operations::block_on(serve(arguments, settings, &log))
}

async fn serve(arguments: &Arguments<Serve>, settings: Settings, log: &LogLevel) -> anyhow::Result<()> {
    let mut signals = Signals::install()?;
    // Everything that can be wrong is found before anything is changed.
    let tls = Certificates::read(&settings)?;
    let topology = read_topology(&settings)?;
    let http = bind(&settings, "listen").await?;
    let uploads = bind(&settings, "upload_listen").await?;
    let rest_tls = tls.as_ref().filter(|_| settings.text("rest_tls") != Some("off"));
    let bound = bound(http, rest_tls)?;
    let address = bound.local_addr()?;
    let findings = read_findings(&settings, topology.as_ref())?;
    let access = Arc::new(access(&settings)?);
    let tokens = settings.path("tokens").map(|path| Arc::new(served_tokens(path, &access)));
    let grpc_server = grpc_server(tls.as_ref())?;
    let targets = webhooks::targets(&settings)?;
    let shared = state(&settings, topology, findings.cited.clone()).await?;
    findings::keep(&shared.live, &findings).await.context("findings")?;

    let (stop, stopped) = watch::channel(false);
    let until_stopped = move || {
        let mut stopped = stopped.clone();
        async move {
            let _ = stopped.wait_for(|stopped| *stopped).await;
        }
    };
    // Before incidents change: no change is missed.
    let senders = webhooks::start(&shared, targets, until_stopped.clone()).await?;
    let wait_ns = settings.number("follow_up_wait_ms") * 1_000_000;
    let inbox = tokio::spawn(Inbox::new(shared.clone(), wait_ns)?.run(until_stopped()));
    let verdicts = tokio::spawn(CounterVerdicts::new(shared.clone(), wait_ns).run(until_stopped()));
    let retention = tokio::spawn(keep_limits(shared.clone(), until_stopped()));
    let discovery = tokio::spawn(discovery::run(shared.clone(), until_stopped()));
    let app = AppState::new(shared.live.clone())
        .with_query_backend(shared.queries.clone())
        .with_host_reports(shared.hosts.clone())
        .with_checker(Arc::new(Rules))
        .with_probe(Arc::new(ServerProbe(shared.clone())))
        .with_access(access.clone());
    let app = match &tokens {
        Some(tokens) => app.with_tokens(tokens.clone()),
        None => app,
    };
    let scheme = bound.scheme();
    let mut rest = tokio::spawn(web::serve_bound(bound, app, until_stopped()));
    // Programs that start the server wait for these lines.
    stdout_line!("listening on {address}")?;
    stdout_line!("uploads on {}", uploads.local_addr()?)?;
    let mut grpc = tokio::spawn(serve_uploads(uploads, grpc_server, shared.clone(), until_stopped()));
    info!(rest = %address, scheme, "the server is ready");
    let status = format!("{scheme}://{address}/");
    notify::ready(&status);
    let watchdog = notify::watchdog();

    let mut settings = settings;
    let outcome = loop {
        tokio::select! {
            demand = signals.next() => match demand {
                Demand::Stop => break Ok(()),
                Demand::Reload => {
                    notify::reloading();
                    settings = reload(arguments, settings, &shared, (&access, tokens.as_deref()), log).await;
                    notify::ready(&status);
                }
            },
            ended = &mut rest => break Err(ended.map_or_else(|e| anyhow!(e), |e| anyhow!("REST has stopped: {e:?}"))),
            ended = &mut grpc => break Err(ended.map_or_else(|e| anyhow!(e), |e| anyhow!("uploads have stopped: {e:?}"))),
        }
    };
    notify::stopping();
    info!("stopping");
    let _ = stop.send(true);
    shared.senders.close_all();
    let drained = async {
        let _ = (inbox.await, verdicts.await, rest.await, grpc.await, retention.await, discovery.await);
        for sender in senders {
            let _ = sender.await;
        }
    };
    if outcome.is_ok() && tokio::time::timeout(GRACE, drained).await.is_err() {
        warn!("some connections were still open");
    }
    if let Err(error) = shared.live.store_series().await {
        warn!(%error, "the last seconds of the series of ports and flows are not stored");
    }
    shared.live.store().close().await;
    drop(watchdog);
    outcome
}

/// Removes what the limits of the store no longer keep: at the start and at intervals.
async fn keep_limits(shared: Arc<Shared>, stopped: impl Future<Output = ()>) {
    let mut interval = tokio::time::interval(RETENTION);
    let mut stopped = std::pin::pin!(stopped);
    loop {
        tokio::select! {
            _ = interval.tick() => match shared.live.store().prune(operations::wall_ns()).await {
                Ok(removed) if removed.is_nothing() => {}
                Ok(removed) => info!(?removed, "removed rows above the limits of the store"),
                Err(error) => warn!(%error, "old rows are not removed"),
            },
            () = &mut stopped => return,
        }
    }
}

async fn bind(settings: &Settings, key: &str) -> anyhow::Result<TcpListener> {
    let address = settings.listen(key).context("the key has a default")?;
    bind_to(address, &settings.origin(key).to_string(), key).await
}

/// Listens on an address; the error names the setting.
pub(crate) async fn bind_to(address: SocketAddr, origin: &str, key: &str) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.with_context(|| format!("{origin}: {key}: cannot listen on {address}"))
}

/// Adds certificates to a listener, if there are any.
pub(crate) fn bound(listener: TcpListener, tls: Option<&Certificates>) -> anyhow::Result<Bound> {
    match tls {
        Some(tls) => Bound::tls(listener, &tls.certificate, &tls.key).map_err(anyhow::Error::msg),
        None => Ok(Bound::plain(listener)),
    }
}

/// Returns the gRPC server. Certificates that cannot be used are an error here, before anything listens.
fn grpc_server(tls: Option<&Certificates>) -> anyhow::Result<tonic::transport::Server> {
    let builder = tonic::transport::Server::builder()
        .tcp_nodelay(true)
        .http2_keepalive_interval(Some(KEEPALIVE))
        .http2_keepalive_timeout(Some(KEEPALIVE))
        .max_concurrent_streams(Some(STREAMS))
        .http2_adaptive_window(Some(true));
    match tls {
        Some(tls) => builder
            .tls_config(tls.server())
            .context("the certificates cannot be used (tls_ca, tls_certificate, tls_key)"),
        None => Ok(builder),
    }
}

async fn serve_uploads(
    listener: TcpListener,
    mut server: tonic::transport::Server,
    shared: Arc<Shared>,
    stopped: impl Future<Output = ()>,
) -> anyhow::Result<()> {
    server
        .add_service(uploads::Uploads::service(shared))
        .serve_with_incoming_shutdown(TcpListenerStream::new(listener), stopped)
        .await
        .context("uploads cannot be served")
}

/// Returns the limits of the store.
pub(crate) fn limits(settings: &Settings) -> store::Limits {
    let optional = |key| Some(settings.number(key)).filter(|number| *number > 0);
    store::Limits {
        diagnoses: settings.number("max_diagnoses") as u32,
        snapshots: settings.number("max_snapshots") as u32,
        max_age_ns: optional("max_age_days").map(|days| days.saturating_mul(DAY_NS)),
        max_bytes: optional("max_store_bytes"),
        series_second_age_ns: settings.number("series_second_hours").saturating_mul(HOUR_NS),
        series_minute_age_ns: settings.number("series_minute_days").saturating_mul(DAY_NS),
        incident_quiet_ns: settings.number("incident_quiet_s") * 1_000_000_000
            / settings.number("time_scale").max(1),
        ..store::Limits::default()
    }
}

async fn state(
    settings: &Settings,
    topology: Option<Topology>,
    findings: Vec<ConfigFinding>,
) -> anyhow::Result<Arc<Shared>> {
    let path = settings.path("store").context("the key has a default")?;
    let opened = store::Store::open_with(&store::store_url(path), limits(settings)).await;
    let store = opened.with_context(|| format!("{}: store", settings.origin("store")))?;
    store.end_other_runs().await?;
    let time = time_base(settings, &store).await?;
    let live = LiveState::with_clock(store, operations::wall_ns).await?;
    live.set_wall_clock(web::WallClock { zero_ns: time.zero_ns, scale: time.scale });
    let discovery = match topology {
        Some(topology) => {
            live.set_topology(topology).await?;
            None
        }
        None => Some(Discovery::new(live.topology().as_deref(), discovered_rate(settings))),
    };
    let mut triggers = triggers::Triggers::default();
    triggers.restore(&live.store().reports(None, "trigger", RESTORED_TRIGGERS).await?);
    let hosts: Arc<HostReports> = Arc::default();
    hosts.restore(live.store().reports(None, intake::HOST_REPORT, RESTORED_HOSTS).await?);
    let queries: Arc<Queries> = Arc::default();
    let shared = Arc::new(Shared {
        live,
        senders: senders::Senders::default(),
        queries: queries.clone(),
        hosts,
        boot_id: operations::boot_id()?,
        discovery,
        connections: Arc::new(tokio::sync::Semaphore::new(settings.number("max_connections") as usize)),
        requires_certificates: settings.has("tls_certificate"),
        silent_ns: settings.number("silent_after_s") * 1_000_000_000,
        time,
        arrived: tokio::sync::Notify::new(),
        verdict_arrived: tokio::sync::Notify::new(),
        findings: findings.into(),
        triggers: std::sync::Mutex::new(triggers),
        bad_snapshots: 0.into(),
        united_snapshots: 0.into(),
        counter_verdicts: 0.into(),
        counted_events: counted_events::CountedEvents::default(),
        has_no_analysis: false.into(),
        webhooks: std::sync::Mutex::default(),
    });
    queries.attach(&shared);
    Ok(shared)
}

/// The rate of links that nothing reports, if the configuration has one.
fn discovered_rate(settings: &Settings) -> Option<Rate> {
    Some(settings.number("discovered_rate_gbps")).filter(|gbps| *gbps > 0).map(Rate::from_gbps)
}

/// Returns the network time of a store, which its first start has fixed.
async fn time_base(settings: &Settings, store: &store::Store) -> anyhow::Result<TimeBase> {
    let zero_ns = store.fact("zero_ns", operations::wall_ns()).await?;
    let configured = settings.number("time_scale");
    let scale = store.fact("time_scale", configured).await?;
    if scale != configured {
        anyhow::bail!(
            "{}: time_scale: {configured}, but the store was written with {scale}; use another store",
            settings.origin("time_scale")
        );
    }
    Ok(TimeBase { zero_ns, scale })
}

/// Returns who may do what over REST.
fn access(settings: &Settings) -> anyhow::Result<Access> {
    let hosts = || settings.texts("hosts").into_iter().map(str::to_owned);
    let access = match read_tokens(settings)? {
        Some(credentials) => Access::tokens(credentials),
        None => Access::open(hosts()),
    };
    Ok(match settings.has("proxies") {
        true => access.with_proxies(proxies(settings)?, hosts()),
        false => access,
    })
}

/// Returns the file of tokens, for admins over REST.
fn served_tokens(path: &Path, access: &Arc<Access>) -> ServedTokens {
    ServedTokens::new(path.to_path_buf(), access.clone(), || web::rfc3339(operations::wall_ns()))
}

/// Returns the reverse proxies that name the user.
fn proxies(settings: &Settings) -> anyhow::Result<Proxies> {
    let header = |key| header_name(settings.text(key).unwrap_or_default()).map_err(anyhow::Error::msg);
    Ok(Proxies {
        networks: settings.texts("proxies").iter().map(|text| text.parse()).collect::<Result<_, _>>()?,
        user_header: header("proxy_user_header")?,
        groups_header: header("proxy_groups_header")?,
        roles: settings.texts("proxy_roles").iter().map(|text| text.parse()).collect::<Result<_, _>>()?,
    })
}

fn read_tokens(settings: &Settings) -> anyhow::Result<Option<Vec<Credential>>> {
    let read = |path| {
        crate::tokens::credentials(path).with_context(|| format!("{}: tokens", settings.origin("tokens")))
    };
    settings.path("tokens").map(read).transpose()
}

fn read_topology(settings: &Settings) -> anyhow::Result<Option<Topology>> {
    let read = |path| {
        super::topology::read(path).with_context(|| format!("{}: topology", settings.origin("topology")))
    };
    settings.path("topology").map(read).transpose()
}

/// Reads the findings of the switches' configurations.
fn read_findings(settings: &Settings, topology: Option<&Topology>) -> anyhow::Result<Checked> {
    let mut problems = Vec::new();
    let configs = configurations::of_key(settings, "configs", &mut problems);
    let mut findings = match topology {
        Some(topology) => {
            configurations::findings(&configs, topology, &scenario::KnownPorts::default(), &mut problems)
        }
        None => Checked::default(),
    };
    let at = |key| format!("{}: {key}", settings.origin(key));
    fail_with("configs", &problems).with_context(|| at("configs"))?;
    if let Some(path) = settings.path("findings") {
        findings.cited.extend(files::findings(path).with_context(|| at("findings"))?);
    }
    Ok(findings)
}

/// What is read again.
struct Reloaded {
    settings: Settings,
    topology: Option<Topology>,
    findings: Checked,
    credentials: Option<Vec<Credential>>,
}

/// Reads the configuration again and applies what can be applied. With a mistake in it, nothing changes.
async fn reload(
    arguments: &Arguments<Serve>,
    settings: Settings,
    shared: &Shared,
    (access, tokens): (&Access, Option<&ServedTokens>),
    log: &LogLevel,
) -> Settings {
    let read = || -> anyhow::Result<Reloaded> {
        let new = arguments.settings()?;
        let credentials = read_tokens(&new)?;
        let topology = read_topology(&new)?;
        let known = shared.live.topology();
        let findings = read_findings(&new, topology.as_ref().or(known.as_deref()))?;
        Ok(Reloaded { settings: new, topology, findings, credentials })
    };
    let Reloaded { settings: new, topology, findings, credentials } = match read() {
        Ok(read) => read,
        Err(error) => {
            error!(error = format!("{error:#}"), "the configuration is not reloaded");
            return settings;
        }
    };
    log.apply(&new);
    match (settings.has("tokens"), credentials) {
        (true, Some(credentials)) => match (tokens, new.path("tokens")) {
            (Some(tokens), Some(path)) => {
                if let Err(error) = tokens.use_file(path) {
                    error!(error = format!("{error:#}"), "the tokens are not reloaded");
                }
            }
            _ => access.replace(credentials),
        },
        (false, None) => {}
        _ => warn!("tokens: whether REST needs tokens changes with a restart"),
    }
    let known = shared.live.topology();
    let is_other_topology = topology.as_ref().is_some_and(|new| known.as_deref() != Some(new));
    if let Some(topology) = topology
        && let Err(error) = shared.live.set_topology(topology).await
    {
        error!(%error, "the topology is not replaced");
    }
    if is_other_topology {
        // The numbers of hosts in event ids follow from the topology.
        shared.senders.reconnect_agents();
    }
    if let Err(error) = findings::keep(&shared.live, &findings).await {
        error!(%error, "the findings that REST returns are not replaced");
    }
    *shared.findings.write().unwrap_or_else(PoisonError::into_inner) = findings.cited;
    shared.arrived.notify_one();
    operations::log_reload(&settings, &new);
    new
}
