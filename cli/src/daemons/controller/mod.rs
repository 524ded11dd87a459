//! `harrier controller`: programs switches, collects the telemetry of slow flows, and uploads it.

mod cables;
mod counters;
mod samples;

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use controller::collect::CollectSettings;
use controller::live::{
    AgentTrigger, Collected, Controller, Discovered, LiveConfig, Progress, STANDING_BY, Status,
    SwitchEndpoint,
};
use controller::plan::PlanSettings;
use controller::records::PortSample;
use model::topology::{Node, NodeKind};
use model::{MissingData, SwitchTelemetry, Topology};
use p4runtime::device_config::{SourceBundle, compile};
use p4runtime::p4info::from_program;
use p4runtime::proto::p4::config::v1::P4Info;
use proto::convert;
use proto::v1::{self, record::Body};
use tokio::sync::{mpsc, watch};
use tracing::{error, info, warn};
use web::{HealthProblem, Metric};

use self::counters::Counters;
use super::config::Arguments;
use super::config::keys::controller::{self as keys, SwitchAddress, parse_define};
use super::config::settings::Settings;
use super::health::{self, DaemonHealth, metric};
use super::link::{Incoming, Link, LinkConfig, LinkStatus};
use super::operations::log::LogLevel;
use super::operations::signals::{Demand, Signals};
use super::operations::{self, notify};
use super::tls::{Certificates, identity_name};
use crate::commands::p4;
use crate::counter_sources::P4Address;

/// Maximum time of a polling packet from one switch to the next, in nanoseconds of network time.
const HOP_NS: u64 = 20_000;
/// Maximum time for events that are being collected when the controller stops; together with [`GRACE`] less than the time
/// after which systemd kills the process.
const MAX_DRAIN: Duration = Duration::from_secs(10);
/// Time for the upload of the last snapshots when the controller stops.
const GRACE: Duration = Duration::from_secs(2);

/// Runs the controller until it is stopped.
///
/// # Errors
/// It cannot start.
pub(crate) fn run(arguments: &Arguments<keys::Controller>) -> anyhow::Result<()> {
    let settings = arguments.settings()?;
    let log = operations::log::start(&settings);
    operations::block_on(control(arguments, settings, &log))
}

async fn control(
    arguments: &Arguments<keys::Controller>,
    mut settings: Settings,
    log: &LogLevel,
) -> anyhow::Result<()> {
    let mut signals = Signals::install()?;
    let config = live_config(&settings)?;
    let drain = Duration::from_nanos(config.collect.event_timeout_ns).min(MAX_DRAIN);
    let switches = config.switches.iter().map(|switch| switch.name.clone()).collect();
    let name = settings.text("name").map_or_else(operations::host_name, |name| Ok(name.to_string()))?;
    let learns = !settings.has("topology");
    let link = LinkConfig::new(&settings, v1::SenderKind::Controller, &name)?
        .with_switches(switches)
        .learning_network(learns);
    // The address is checked before the spool is created, both before the first switch is touched.
    let health_address = health::take_address(&settings).await?;
    let link = Link::start(link)?;
    let counters = counters::Prepared::new(&settings, &name)?;
    let health = DaemonHealth::with_part(link.status(), counters.as_ref().map(counters::Prepared::health));
    let serving = health_address.serve(health.clone())?;
    let (p4, topology) = (p4_addresses(&config.switches), Topology::clone(&config.topology));
    let mut controller = Controller::start(config).with_context(|| match settings.path("p4info") {
        Some(path) => {
            let origin = settings.origin("p4info");
            format!("{origin}: p4info: {}: the switches cannot be controlled", path.display())
        }
        None => "the switches cannot be controlled".into(),
    })?;
    let counters = counters.map(|prepared| prepared.start(&settings, p4, topology)).transpose()?;
    stdout_line!("ready")?;
    info!(name, "the controller is ready");
    notify::ready("running");
    let _watchdog = notify::watchdog();

    let synchronised = settings.text("switch_clocks") == Some("synchronised");
    let mut work = Work {
        status: controller.status(),
        discovered: controller.discovered(),
        samples: controller.take_samples(),
        uplink: link.status(),
        controller,
        counters,
        link,
        health,
        synchronised,
        has_records: settings.number("records_interval_ms") > 0,
        manages_all: false,
    };
    work.report();
    loop {
        tokio::select! {
            demand = signals.next() => match demand {
                Demand::Stop => break,
                Demand::Reload => {
                    notify::reloading();
                    settings = reload(arguments, settings, log);
                    notify::ready("running");
                }
            },
            ended = work.step() => if let Err(error) = ended {
                error!(error = format!("{error:#}"), "the controller has stopped");
                return Err(error);
            },
        }
    }
    notify::stopping();
    info!("stopping");
    work.drain(drain).await;
    drop(serving);
    Ok(())
}

/// Only the log's level can be changed while sessions with switches are open.
fn reload(arguments: &Arguments<keys::Controller>, settings: Settings, log: &LogLevel) -> Settings {
    match arguments.settings() {
        Ok(new) => {
            log.apply(&new);
            operations::log_reload(&settings, &new);
            new
        }
        Err(error) => {
            error!(error = format!("{error:#}"), "the configuration is not reloaded");
            settings
        }
    }
}

struct Work {
    controller: Controller,
    counters: Option<Counters>,
    status: watch::Receiver<Status>,
    discovered: watch::Receiver<Discovered>,
    samples: mpsc::Receiver<Vec<PortSample>>,
    /// The state of the link.
    uplink: watch::Receiver<LinkStatus>,
    link: Link,
    health: Arc<DaemonHealth>,
    /// Whether all switches count from the same moment.
    synchronised: bool,
    /// Whether losses, links and ports of the switches are read.
    has_records: bool,
    /// Whether this controller manages all switches.
    manages_all: bool,
}

impl Work {
    /// Waits for one thing to do, and does it.
    async fn step(&mut self) -> anyhow::Result<()> {
        tokio::select! {
            snapshot = self.controller.snapshot() => {
                let collected = snapshot?;
                self.upload(collected).await;
            }
            incoming = self.link.next() => match incoming {
                Some(Incoming::Trigger(notice)) => self.trigger(&notice).await?,
                Some(Incoming::Network(network)) => self.replan(&network),
                Some(Incoming::Poll(_) | Incoming::ReportRequest) => {
                    warn!("the server sent a message for agents to a controller; it is ignored");
                }
                None => anyhow::bail!("the link to the server has ended"),
            },
            Some(samples) = self.samples.recv() => self.upload_samples(&samples).await,
            Ok(()) = self.discovered.changed() => self.report_cables(),
            changed = self.status.changed() => {
                changed.context("the controller's tasks have ended")?;
                self.report();
            }
        }
        Ok(())
    }

    /// Programs the switches for the network that the server has learned. What it changes is written in the background.
    fn replan(&self, network: &v1::Network) {
        let topology: Topology = match serde_json::from_slice(&network.json) {
            Ok(topology) => topology,
            Err(error) => return warn!(%error, "the server sent a malformed network; it is ignored"),
        };
        let problems = topology.problems();
        if let Some(problem) = problems.first() {
            return warn!(problem, "the server sent a network that contradicts itself; it is ignored");
        }
        self.counters.iter().for_each(|counters| counters.learned(topology.clone()));
        let (nodes, links) = (topology.nodes.len(), topology.links.len());
        let planner = self.controller.planner();
        tokio::spawn(async move {
            match planner.set_topology(Arc::new(topology)).await {
                Ok(()) => info!(nodes, links, "the switches are programmed for the network that was learned"),
                Err(error) => warn!(%error, "the network that was learned is not in force everywhere"),
            }
        });
    }

    /// Passes on a trigger, unless another controller manages all switches.
    async fn trigger(&self, notice: &v1::TriggerNotice) -> anyhow::Result<()> {
        if !self.status.borrow().switches.values().any(Result::is_ok) {
            return Ok(());
        }
        let Some(message) = &notice.trigger else { return Ok(()) };
        match convert::trigger(&notice.host, message) {
            Ok((event, priority, trigger)) => {
                self.controller.trigger(AgentTrigger { event, priority, trigger }).await?;
            }
            Err(error) => warn!(%error, "the server sent a malformed trigger; it is ignored"),
        }
        Ok(())
    }

    /// Uploads a snapshot with the clocks of its switches. One without any telemetry is not uploaded while another
    /// controller manages switches: that one has it.
    async fn upload(&self, Collected { mut snapshot, clocks }: Collected) {
        let is_standby = |state: &Result<(), String>| state.as_ref().is_err_and(|why| why == STANDING_BY);
        if snapshot.switches.is_empty() && self.status.borrow().switches.values().any(is_standby) {
            return;
        }
        let clocks = if self.synchronised { clocks.synchronised() } else { clocks.estimates() };
        let clocks = clocks.into_iter().map(|(switch, clock)| v1::SwitchClock {
            switch,
            zero_ns: clock.zero_ns,
            error_ns: clock.maximum_error_ns.unwrap_or(0),
            maximum_error_ns: clock.maximum_error_ns,
        });
        let clocks = clocks.collect();
        if !self.has_records {
            let missing = |telemetry: &SwitchTelemetry| MissingData::NoDeviceState {
                switch: telemetry.switch.clone(),
                why: "the controller does not read them (records_interval_ms = 0)".into(),
            };
            snapshot.missing.extend(snapshot.switches.iter().map(missing));
        }
        match serde_json::to_vec(&snapshot) {
            Ok(json) => {
                info!(event = snapshot.event, switches = snapshot.switches.len(), "collected");
                self.link.uploads().send(Body::Snapshot(v1::Snapshot { json, clocks })).await;
            }
            Err(error) => error!(%error, event = snapshot.event, "a snapshot cannot be written as JSON"),
        }
    }

    /// Uploads samples of ports. They are of the moment: while the server is away they are dropped, so that they do not take
    /// the room of snapshots in the spool.
    async fn upload_samples(&self, samples: &[PortSample]) {
        if self.uplink.borrow().disconnected.is_none() {
            self.link.uploads().send(Body::Ports(samples::message(samples))).await;
        }
    }

    /// Publishes the state of the switches.
    fn report(&mut self) {
        let status = self.status.borrow_and_update().clone();
        let problems = status.switches.iter().filter_map(|(switch, state)| {
            let reason = state.as_ref().err()?.clone();
            Some(HealthProblem { subject: switch.clone(), reason })
        });
        let problems: Vec<HealthProblem> = problems.collect();
        let manages_all = problems.is_empty();
        if manages_all != std::mem::replace(&mut self.manages_all, manages_all) {
            match problems.first() {
                None => info!(switches = status.switches.len(), "all switches are programmed"),
                Some(HealthProblem { subject, reason }) => {
                    warn!(switch = subject, reason, "a switch is not managed")
                }
            }
        }
        let mut metrics = metrics(&status);
        metrics.extend(cable_metrics(&self.discovered.borrow()));
        self.health.update(problems, metrics);
        self.link.report(self.health.for_server());
    }

    /// Publishes what LLDP has discovered.
    fn report_cables(&mut self) {
        let cables = cables::message(&self.discovered.borrow_and_update());
        self.link.report_cables(cables);
        self.report();
    }

    /// Collects and uploads the open events, which releases their switches, and ends. After `limit` it ends anyway; what
    /// is frozen then is released by the next controller.
    async fn drain(self, limit: Duration) {
        let mut work = self;
        let mut progress = work.controller.progress();
        let collected = async {
            loop {
                tokio::select! {
                    snapshot = work.controller.snapshot() => match snapshot {
                        Ok(collected) => work.upload(collected).await,
                        Err(_) => return,
                    },
                    // Fails only if the controller's tasks have ended.
                    _ = progress.wait_for(Progress::is_idle) => return,
                }
            }
        };
        if tokio::time::timeout(limit, collected).await.is_err() {
            let open = work.status.borrow().open_events;
            warn!(open, "events are still being collected; the next controller releases their switches");
        }
        while let Some(collected) = work.controller.try_snapshot() {
            work.upload(collected).await;
        }
        let Work { controller, counters, link, .. } = work;
        drop(controller);
        let stop_counters = async {
            if let Some(counters) = counters {
                counters.stop().await;
            }
        };
        let (stopped, ()) = tokio::join!(tokio::time::timeout(GRACE, link.stop()), stop_counters);
        if stopped.is_err() {
            warn!("some records stay in the spool");
        }
    }
}

fn cable_metrics(found: &Discovered) -> Vec<Metric> {
    let count = |number: usize| number as u64;
    vec![
        metric("lldp_neighbours", "Ports with an LLDP neighbour", false, count(found.neighbours.len())),
        metric(
            "cables_differing",
            "Cables that differ from the topology",
            false,
            count(found.findings.len()),
        ),
        metric(
            "links_failed",
            "Links that have failed and that routes avoid",
            false,
            count(found.failed.len()),
        ),
    ]
}

fn metrics(status: &Status) -> Vec<Metric> {
    let up = status.switches.iter().map(|(switch, state)| Metric {
        name: "switch_up",
        help: "1 while this controller manages the switch",
        is_counter: false,
        labels: vec![("switch", switch.clone())],
        value: i64::from(state.is_ok()),
    });
    let mut metrics: Vec<Metric> = up.collect();
    metrics.extend(status.clock_errors_ns.iter().map(|(switch, error_ns)| Metric {
        labels: vec![("switch", switch.clone())],
        ..metric(
            "switch_clock_error_nanoseconds",
            "Maximum error of the controller's estimate of the switch's clock",
            false,
            *error_ns,
        )
    }));
    let collect = &status.collect;
    metrics.push(metric(
        "events_open",
        "Events whose telemetry is being collected",
        false,
        status.open_events,
    ));
    metrics.push(metric(
        "roles_lost",
        "Roles of primary that another controller has taken",
        true,
        status.roles_lost,
    ));
    metrics.push(metric(
        "collect_ignored",
        "Digests and replies that collection ignored",
        true,
        collect.ignored,
    ));
    metrics
}

fn live_config(settings: &Settings) -> anyhow::Result<LiveConfig> {
    let addresses: Vec<SwitchAddress> =
        settings.texts("switches").into_iter().filter_map(|text| SwitchAddress::parse(text).ok()).collect();
    let topology = match settings.path("topology") {
        Some(path) => super::topology::read(path)
            .with_context(|| format!("{}: topology", settings.origin("topology")))?,
        // Until the server has learned more.
        None => switches_only(&addresses),
    };
    let tls = Certificates::read(settings)?;
    let scheme = if tls.is_some() { "https" } else { "http" };
    let by_name = settings.text("switch_certificates") != Some("address");
    let switches = addresses.into_iter().map(|switch| SwitchEndpoint {
        certificate_name: by_name.then(|| identity_name("switch", &switch.name)),
        name: switch.name,
        endpoint: format!("{scheme}://{}", switch.address),
        device_id: switch.device_id,
    });
    let (p4info, device_config) = program(settings)?;
    Ok(LiveConfig {
        topology: Arc::new(topology),
        switches: switches.collect(),
        plan: plan(settings)?,
        collect: collect_settings(settings),
        p4info,
        device_config,
        retry: |failed, seed| Duration::from_millis(proto::backoff::delay_ms(failed, seed)),
        tls: tls.map(|tls| tls.switch_client()),
        seed: operations::random()?,
        time_scale: settings.number("time_scale"),
        lldp_interval: (settings.text("discovery") != Some("off"))
            .then(|| Duration::from_secs(settings.number("lldp_interval_s"))),
        learns: settings.text("discovery") == Some("learn") || !settings.has("topology"),
        records_interval: Some(settings.number("records_interval_ms"))
            .filter(|interval_ms| *interval_ms > 0)
            .map(Duration::from_millis),
        wall_clock: operations::wall_ns,
    })
}

/// Where the ports of P4 switches are read as those of ordinary ones.
fn p4_addresses(switches: &[SwitchEndpoint]) -> Vec<(String, P4Address)> {
    let address = |switch: &SwitchEndpoint| {
        let (scheme, authority) = switch.endpoint.split_once("://").unwrap_or(("http", &switch.endpoint));
        P4Address {
            authority: authority.to_string(),
            device_id: switch.device_id,
            is_tls: scheme == "https",
            certificate_name: switch.certificate_name.clone(),
        }
    };
    switches.iter().map(|switch| (switch.name.clone(), address(switch))).collect()
}

/// A network of these switches without any link.
fn switches_only(switches: &[SwitchAddress]) -> Topology {
    let node = |switch: &SwitchAddress| Node {
        name: switch.name.clone(),
        kind: NodeKind::Switch,
        addresses: Vec::new(),
    };
    Topology { nodes: switches.iter().map(node).collect(), links: Vec::new() }
}

/// The definition of the interval at which a switch accepts polling packets of one host in the long run: 2^shift ns.
const POLL_INTERVAL_SHIFT: &str = "POLL_INTERVAL_SHIFT";
/// 268 ms, 3.7 polls a second: each one is a digest, a collection and a snapshot. One host is not to cost a software switch more than
/// 5 % of a core in the long run (`scripts/bench-polls.sh`, docs/switch.md).
const DEFAULT_POLL_INTERVAL_SHIFT: u32 = 28;

/// Returns the switch program for the switches' target: what another compiler wrote, or the sources.
fn program(settings: &Settings) -> anyhow::Result<(P4Info, Vec<u8>)> {
    let at = |key| format!("{}: {key}", settings.origin(key));
    if let (Some(info), Some(config)) = (settings.path("p4info"), settings.path("device_config")) {
        let info = p4::read_info(info).with_context(|| at("p4info"))?;
        let config = keys::read_device_config(config).with_context(|| at("device_config"))?;
        return Ok((info, config));
    }
    let bundle = sources(settings);
    let program = compile(&bundle)
        .map_err(anyhow::Error::msg)
        .with_context(|| format!("{}: the switch program does not compile", at("defines")))?;
    Ok((from_program(&program), bundle.encode()))
}

/// Returns the sources of the switch program with the definitions of the key `defines`.
fn sources(settings: &Settings) -> SourceBundle {
    let defines: Vec<(String, u32)> =
        settings.texts("defines").into_iter().filter_map(|text| parse_define(text).ok()).collect();
    let mut defines: Vec<(&str, u32)> =
        defines.iter().map(|(name, number)| (name.as_str(), *number)).collect();
    if !defines.iter().any(|(name, _)| *name == POLL_INTERVAL_SHIFT) {
        defines.push((POLL_INTERVAL_SHIFT, DEFAULT_POLL_INTERVAL_SHIFT));
    }
    let files = controller::program::with_defines(&defines);
    let files = files.into_iter().map(|(path, text)| (path.to_string(), text)).collect();
    SourceBundle { main: controller::program::MAIN.to_string(), files }
}

fn plan(settings: &Settings) -> anyhow::Result<PlanSettings> {
    let Some(path) = settings.path("plan") else { return Ok(PlanSettings::default()) };
    keys::read_plan(path).with_context(|| format!("{}: plan", settings.origin("plan")))
}

/// Returns the settings of collection. In a slowed-down network a hop takes far longer on the wall clock, and an event
/// must not end while its polling packet is between two switches.
fn collect_settings(settings: &Settings) -> CollectSettings {
    let defaults = CollectSettings::default();
    let scale = settings.number("time_scale").max(1);
    let hop_ns = HOP_NS.saturating_mul(scale);
    CollectSettings {
        quiet_ns: settings.number("quiet_us") * 1_000 + 2 * hop_ns,
        poll_retry_ns: settings.number("poll_retry_us") * 1_000 + hop_ns,
        read_timeout_ns: settings.number("read_timeout_ms") * 1_000_000,
        event_timeout_ns: settings.number("event_timeout_ms") * 1_000_000 + 10 * hop_ns,
        // Switches remember a polling packet's event for 2^30 ns of network time.
        straggler_ns: defaults.straggler_ns.saturating_mul(scale),
        ..defaults
    }
}
