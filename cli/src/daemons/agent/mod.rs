//! `harrier agent`: measures the round trips of a host's flows, sends polling packets for slow ones, and uploads the
//! measurements.

mod capture;
mod counters;
mod detection;
mod host_report;
mod interfaces;
mod lines;
mod polls;
mod probe;
mod probe_noise;
mod probe_stats;
mod rdma;
mod source;
mod sources;
mod tcp_info;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use host_agent::counters::report::TimedReading;
use host_agent::{FlowRounds, Poll, Settings as Thresholds, TokenBucket, Watch};
use model::Time;
use model::wire::polling::{Follow, Polling};
use proto::convert::{flow, flow_message, trigger_message};
use proto::v1::{self, record::Body};
use tokio::sync::watch as channel;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at, sleep_until};
use tracing::{debug, error, info, warn};
use web::Metric;

use self::detection::Detection;
use self::polls::{InterfacePolls, PollOutput, PrintedPolls};
use self::source::Measurements;
use self::sources::{SourceStatus, host_names, sources, topology};
use super::config::Arguments;
use super::config::keys::agent as keys;
use super::config::settings::Settings;
use super::health::{self, DaemonHealth, metric};
use super::link::{Incoming, Link, LinkConfig, LinkStatus};
use super::operations::log::LogLevel;
use super::operations::signals::{Demand, Signals};
use super::operations::{self, notify, wall_ns};

/// Interval at which health and metrics are brought up to date.
const HEALTH: Duration = Duration::from_secs(1);

/// Runs the agent until it is stopped.
///
/// # Errors
/// It cannot start.
pub(crate) fn run(arguments: &Arguments<keys::Agent>) -> anyhow::Result<()> {
    let settings = arguments.settings()?;
    let log = operations::log::start(&settings);
    operations::block_on(measure(arguments, settings, &log))
}

async fn measure(
    arguments: &Arguments<keys::Agent>,
    mut settings: Settings,
    log: &LogLevel,
) -> anyhow::Result<()> {
    let mut signals = Signals::install()?;
    let name = settings.text("name").map_or_else(operations::host_name, |name| Ok(name.to_string()))?;
    let own = addresses(&settings, &name)?;
    let output: Box<dyn PollOutput> = match settings.text("interface") {
        Some(interface) => {
            Box::new(InterfacePolls::open(interface).with_context(|| origin(&settings, "interface"))?)
        }
        None => Box::new(PrintedPolls),
    };
    let addresses = own.iter().map(IpAddr::to_string).collect();
    let link = LinkConfig::new(&settings, v1::SenderKind::Agent, &name)?.with_addresses(addresses);
    // Before the spool is created.
    let health_address = health::take_address(&settings).await?;
    let link = Link::start(link)?;
    let health = DaemonHealth::new(link.status());
    let serving = health_address.serve(health.clone())?;
    let number = proto::event_ids::provisional(&name);
    let watch = Watch::new(&name, number, wall_ns(), settings.number("time_scale"), thresholds(&settings))?;
    let detection = Arc::new(Detection::new(watch, own.clone()));
    let status = SourceStatus::default();
    // Last, because a source may replace the socket of another agent, which the spool's lock keeps away.
    for source in sources(&settings, &name, &own, &status)? {
        source.start(Measurements::new(detection.clone()))?;
    }
    let mut work = Work::new(&settings, &name, own, output, detection, link, health, status)?;
    work.report_interfaces().await;
    work.announce();
    stdout_line!("ready")?;
    info!(name, "the agent is ready");
    notify::ready("running");
    let _watchdog = notify::watchdog();
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
                error!(error = format!("{error:#}"), "the agent has stopped");
                return Err(error);
            },
        }
    }
    notify::stopping();
    info!("stopping");
    work.drain().await;
    drop(serving);
    Ok(())
}

fn origin(settings: &Settings, key: &str) -> String {
    format!("{}: {key}", settings.origin(key))
}

/// Only the log's level can be changed at run time.
fn reload(arguments: &Arguments<keys::Agent>, settings: Settings, log: &LogLevel) -> Settings {
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

/// Returns the host's own addresses: those of the configuration, of the topology, or of the interface.
fn addresses(settings: &Settings, name: &str) -> anyhow::Result<Vec<IpAddr>> {
    let listed = settings.ips("addresses");
    if !listed.is_empty() {
        return Ok(listed);
    }
    if let Some(topology) = topology(settings)? {
        let Some(host) = topology.node(name).filter(|node| !node.addresses.is_empty()) else {
            bail!(
                "{}: the topology has no addresses for host `{name}` (key name)",
                origin(settings, "topology")
            );
        };
        return Ok(host.addresses.clone());
    }
    let interface = settings.text("interface").context("the key is checked")?;
    let found = interface_addresses(interface)?;
    if found.is_empty() {
        bail!("{}: `{interface}` has no IP address; add the key addresses", origin(settings, "interface"));
    }
    Ok(found)
}

fn interface_addresses(interface: &str) -> anyhow::Result<Vec<IpAddr>> {
    let all = nix::ifaddrs::getifaddrs().context("cannot list the addresses of interfaces")?;
    let of_interface =
        all.filter(|entry| entry.interface_name == interface).filter_map(|entry| entry.address);
    Ok(of_interface
        .filter_map(|address| {
            let v4 = address.as_sockaddr_in().map(|address| IpAddr::V4(address.ip()));
            let v6 = || address.as_sockaddr_in6().map(|address| IpAddr::V6(address.ip()));
            v4.or_else(v6)
        })
        .collect())
}

fn thresholds(settings: &Settings) -> Thresholds {
    let number = |key| settings.number(key);
    Thresholds {
        threshold_percent: number("threshold_percent") as u32,
        min_excess_ns: number("min_excess_ns"),
        silence_rtts: number("silence_rtts") as u32,
        min_silence_ns: number("min_silence_ns"),
        min_samples: number("min_samples") as u32,
        flow_interval_ns: number("flow_interval_ns"),
        recovered_interval_ns: number("recovered_interval_ns"),
        follow_up_ns: number("follow_up_ns"),
        polls_per_second: number("polls_per_second") as u32,
        burst: number("burst") as u32,
        max_flows: number("max_flows") as usize,
        hop_limit: number("hop_limit") as u8,
        // A capture does not show when operations are posted and polled.
        ..Thresholds::default()
    }
}

struct Work {
    detection: Arc<Detection>,
    own: Vec<IpAddr>,
    output: Box<dyn PollOutput>,
    link: Link,
    status: channel::Receiver<LinkStatus>,
    health: Arc<DaemonHealth>,
    /// Limits the polls that the server requests, like the core those of the agent.
    requested: TokenBucket,
    limited_requests: u64,
    rounds: Option<Interval>,
    rounds_ns: u64,
    tick: Interval,
    /// When the interfaces are looked at.
    look: Interval,
    name: String,
    /// When the host announces itself with LLDP.
    lldp: Option<Interval>,
    lldp_ttl_s: u16,
    /// The latest counters of NICs.
    counters: Option<channel::Receiver<TimedReading>>,
    /// Requests reports about the host; absent if the configuration wants none.
    reports: Option<host_report::Requests>,
    sources: SourceStatus,
}

impl Work {
    #[allow(clippy::too_many_arguments, reason = "the parts of the daemon, each made in another way")]
    fn new(
        settings: &Settings,
        name: &str,
        own: Vec<IpAddr>,
        output: Box<dyn PollOutput>,
        detection: Arc<Detection>,
        link: Link,
        health: Arc<DaemonHealth>,
        sources: SourceStatus,
    ) -> anyhow::Result<Work> {
        let thresholds = thresholds(settings);
        let requested = TokenBucket::new(thresholds.polls_per_second, thresholds.burst);
        let rounds_ms = settings.number("rounds_interval_ms");
        let counters = counters::start(settings);
        let names = topology(settings)?.map(|topology| host_names(&topology)).unwrap_or_default();
        let reports = (link.uploads(), link.status());
        let reports = host_report::start(settings, name, names, &sources, counters.clone(), reports);
        let lldp_s = settings.number("lldp_interval_s");
        Ok(Work {
            detection,
            own,
            output,
            status: link.status(),
            link,
            health,
            requested,
            limited_requests: 0,
            rounds: (rounds_ms > 0).then(|| patient(Duration::from_millis(rounds_ms))),
            rounds_ns: rounds_ms * 1_000_000,
            tick: patient(HEALTH),
            look: patient(interfaces::INTERVAL),
            counters,
            reports,
            name: name.to_string(),
            lldp: (lldp_s > 0).then(|| patient(Duration::from_secs(lldp_s))),
            lldp_ttl_s: controller::discovery::ttl_s(Time::from_ms(lldp_s * 1_000)),
            sources,
        })
    }

    /// Waits for one thing to do, and does it.
    async fn step(&mut self) -> anyhow::Result<()> {
        let wait = |due_ns: u64| Instant::now() + Duration::from_nanos(due_ns.saturating_sub(wall_ns()));
        let wake = self.detection.next_wake_ns().map(wait);
        tokio::select! {
            () = self.detection.changed() => self.send_polls().await,
            () = sleep_until(wake.unwrap_or_else(Instant::now)), if wake.is_some() => {
                self.detection.wake(wall_ns());
                self.send_polls().await;
            }
            incoming = self.link.next() => match incoming {
                Some(Incoming::Poll(poll)) => self.requested(&poll),
                Some(Incoming::ReportRequest) => self.reports.iter().for_each(host_report::Requests::request),
                Some(Incoming::Trigger(_) | Incoming::Network(_)) => {
                    warn!("the server sent an agent what is for controllers; it is ignored");
                }
                None => bail!("the link to the server has ended"),
            },
            Ok(()) = self.status.changed() => self.number(),
            () = ticked(&mut self.rounds) => {
                let flows = self.detection.with(Watch::take_rounds);
                if !flows.is_empty() {
                    let flows = flows.iter().map(rounds_message).collect();
                    self.link.uploads().send(Body::Rounds(v1::Rounds { interval_ns: self.rounds_ns, flows })).await;
                }
            }
            read = changed(&mut self.counters) => {
                if let Some(record) = counters::record(&read.counters) {
                    self.link.uploads().send(Body::Counters(record)).await;
                }
            }
            _ = self.tick.tick() => self.report(),
            () = ticked(&mut self.lldp) => self.announce(),
            _ = self.look.tick() => self.report_interfaces().await,
        }
        Ok(())
    }

    async fn send_polls(&mut self) {
        for poll in self.detection.take_polls() {
            self.poll(poll).await;
        }
    }

    /// Sends a polling packet, and its trigger to the server.
    async fn poll(&mut self, poll: Poll) {
        let Poll { polling, trigger } = poll;
        self.output.send(&polling);
        debug!(event = polling.event, flow = %polling.flow, "polled");
        let mut message = trigger_message(polling.event, polling.priority, &trigger, 0);
        self.detection.with(|watch| {
            message.time_ns = watch.wall_ns(message.time_ns);
            message.follows_since_ns = watch.wall_ns(message.follows_since_ns);
        });
        self.link.uploads().send(Body::Trigger(message)).await;
    }

    /// Sends a polling packet that the server requests: for an operator's query, or for the reverse path of a victim.
    fn requested(&mut self, poll: &v1::Poll) {
        let flow = match flow(poll.flow.as_ref()) {
            Ok(flow) if self.own.contains(&flow.src) => flow,
            Ok(flow) => {
                return warn!(%flow, "the server requests a poll of a flow of another host; it is ignored");
            }
            Err(error) => return warn!(%error, "the server sent a malformed poll; it is ignored"),
        };
        if !self.requested.take(wall_ns()) {
            self.limited_requests += 1;
            return;
        }
        let priority = poll.priority.and_then(|priority| u8::try_from(priority).ok());
        self.output.send(&Polling {
            follow: Follow::from_bits(poll.follow as u8),
            hop_limit: u8::try_from(poll.hop_limit).unwrap_or(u8::MAX),
            priority: priority.unwrap_or_else(|| self.detection.with(|watch| watch.priority(&flow))),
            event: poll.event,
            flow,
        });
    }

    fn number(&mut self) {
        let assigned = self.status.borrow_and_update().host_number;
        if let Some(number) = assigned {
            self.detection.with(|watch| watch.set_host_number(number));
        }
    }

    fn report(&mut self) {
        let mut metrics = self.detection_metrics();
        metrics.extend(self.sources.metrics());
        if let Some(counters) = &self.counters {
            metrics.extend(counters::metrics(&counters.borrow().counters));
        }
        self.health.update(Vec::new(), metrics);
        self.link.report(self.health.for_server());
    }

    fn detection_metrics(&self) -> Vec<Metric> {
        let (stats, foreign) = self.detection.with(|watch| watch.stats());
        vec![
            metric("polls", "Polling packets for slow flows", true, stats.polls),
            metric(
                "polls_limited_by_flow",
                "Slow round trips within the interval of a flow",
                true,
                stats.limited_by_flow,
            ),
            metric(
                "polls_limited_by_host",
                "Polls that the host's limit delayed",
                true,
                stats.limited_by_host,
            ),
            metric(
                "polls_requested_limited",
                "Requested polls beyond the host's limit",
                true,
                self.limited_requests,
            ),
            metric(
                "flows_evicted",
                "Flows that are not watched any more: too many",
                true,
                stats.flows_given_up,
            ),
            metric(
                "polls_lost",
                "Polls that the agent was too slow to send",
                true,
                self.detection.lost_polls(),
            ),
            metric("flows_foreign", "Measurements of flows of other hosts, ignored", true, foreign),
        ]
    }

    /// Announces the host with LLDP.
    fn announce(&mut self) {
        if self.lldp.is_some() {
            self.output.announce(&self.name, self.lldp_ttl_s);
        }
    }

    async fn report_interfaces(&self) {
        match interfaces::interfaces().await {
            Ok(interfaces) => self.link.report_interfaces(interfaces),
            Err(error) => warn!(error = format!("{error:#}"), "the interfaces are not reported"),
        }
    }

    async fn drain(self) {
        self.link.stop().await;
    }
}

fn rounds_message(rounds: &FlowRounds) -> v1::FlowRounds {
    v1::FlowRounds {
        flow: Some(flow_message(&rounds.flow)),
        samples: rounds.samples,
        base_ns: 0,
        min_ns: rounds.min_ns,
        mean_ns: rounds.mean_ns,
        max_ns: rounds.max_ns,
    }
}

/// An interval that starts after one period and does not catch up after a delay.
fn patient(period: Duration) -> Interval {
    let mut interval = interval_at(Instant::now() + period, period);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    interval
}

/// Waits for the next counters and returns them; for ever without a reader.
async fn changed(counters: &mut Option<channel::Receiver<TimedReading>>) -> TimedReading {
    if let Some(receiver) = counters
        && receiver.changed().await.is_ok()
    {
        return receiver.borrow_and_update().clone();
    }
    std::future::pending().await
}

/// Waits for the next tick; for ever without an interval.
async fn ticked(interval: &mut Option<Interval>) {
    match interval {
        Some(interval) => drop(interval.tick().await),
        None => std::future::pending().await,
    }
}
