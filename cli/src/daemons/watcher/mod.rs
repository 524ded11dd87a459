//! What makes `harrier watch` a daemon: its link to the server, its health, and the signals of the process. They run on
//! threads of their own, while the command polls and diagnoses.

mod polls;
mod ports;
mod rounds;
mod selection;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::mpsc::Sender;

use analyzer::incident::is_ordinary;
use anyhow::Context as _;
use counters::Reading;
use model::PortRef;
use model::diagnosis::Diagnosis;
use proto::v1::{self, SenderKind, record::Body};
use proto::version::WATCHER_PORTS;
use tokio::runtime::{Handle, Runtime};
use tokio::task::JoinHandle;
use tracing::{error, info, warn};
use web::{HealthProblem, Metric};

pub(crate) use self::rounds::{Output, Rounds, Watched};
use self::selection::Selection;
use super::config::settings::Settings;
use super::health::{self, DaemonHealth, metric};
use super::link::{Link, LinkConfig};
use super::operations::signals::Signals;
use super::operations::{self, notify, wall_ns};
use crate::counter_sources::{Change, News};

/// The daemon around the polls.
pub(crate) struct Watcher {
    runtime: Handle,
    /// The runtime, unless it is that of another daemon.
    own_runtime: Option<Runtime>,
    /// Without a server there is none.
    link: Option<Link>,
    health: Arc<DaemonHealth>,
    selection: Selection,
    /// Verdicts that were given to the link, and those that it cannot take.
    uploaded: u64,
    unfit: u64,
    _serving: Option<JoinHandle<()>>,
    _watchdog: Option<JoinHandle<()>>,
}

impl Watcher {
    /// Starts what the settings ask for: with a server or an address for health, the command is a daemon; otherwise `None`.
    ///
    /// # Errors
    /// The spool, a certificate or an address cannot be used.
    pub(crate) fn start(settings: &Settings, news: Sender<News>) -> anyhow::Result<Option<Watcher>> {
        let has_server = settings.has("server");
        if !has_server && !settings.has("health_listen") {
            return Ok(None);
        }
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .context("cannot start the runtime")?;
        let started = runtime.block_on(async {
            let mut signals = Signals::install()?;
            // Before the spool is created.
            let health_address = health::take_address(settings).await?;
            let link = has_server.then(|| link(settings)).transpose()?;
            let health = match &link {
                Some(link) => DaemonHealth::new(link.status()),
                None => DaemonHealth::without_server(),
            };
            let serving = health_address.serve(health.clone())?;
            tokio::spawn(async move {
                // Fails only when the command ends.
                while news.send(News::Demand(signals.next().await)).is_ok() {}
            });
            notify::ready("running");
            anyhow::Ok((link, health, serving, notify::watchdog()))
        });
        let (link, health, _serving, _watchdog) = started?;
        let watcher = Watcher { link, _serving, _watchdog, ..Watcher::new(runtime.handle().clone(), health) };
        Ok(Some(Watcher { own_runtime: Some(runtime), ..watcher }))
    }

    /// A part of another daemon, in whose runtime this is called.
    pub(crate) fn part(link: Link, health: Arc<DaemonHealth>) -> Watcher {
        Watcher { link: Some(link), ..Watcher::new(Handle::current(), health) }
    }

    fn new(runtime: Handle, health: Arc<DaemonHealth>) -> Watcher {
        Watcher {
            runtime,
            own_runtime: None,
            link: None,
            health,
            selection: Selection::default(),
            uploaded: 0,
            unfit: 0,
            _serving: None,
            _watchdog: None,
        }
    }

    /// Uploads a change of the verdicts, if the server is to know it.
    pub(crate) fn changed(&mut self, change: &Change) {
        let Some(link) = &self.link else { return };
        let Some(diagnosis) = self.selection.select(change, wall_ns()) else { return };
        match selection::message(diagnosis) {
            Ok(message) => {
                self.uploaded += 1;
                self.runtime.block_on(link.uploads().send(Body::CounterVerdict(message)));
            }
            Err(error) => {
                self.unfit += 1;
                error!(%error, verdict = diagnosis.summary, "a verdict cannot be uploaded");
            }
        }
    }

    /// Tells the server how the configuration of a switch differs from the desired one; an empty text says that it does not.
    pub(crate) fn configuration_differs(&self, switch: &str, differences: &str) {
        let Some(link) = &self.link else { return };
        let text = match differences {
            "" => "runs its desired configuration again".to_string(),
            _ => format!("does not run its desired configuration: {differences}"),
        };
        let notice = v1::Notice { kind: "configuration-differs".into(), subject: switch.into(), text };
        self.runtime.block_on(link.uploads().send(Body::Notice(notice)));
    }

    /// Uploads what the ports of a switch did between its last two readings. Samples are of the moment: while the server is away,
    /// or too old to take them, they are left out. `ports` is the number of ports of all switches.
    pub(crate) fn sampled(&self, readings: &[Arc<Reading>; 2], ports: usize) {
        let Some(link) = &self.link else { return };
        let is_taken = {
            let status = link.status();
            let status = status.borrow();
            status.disconnected.is_none() && status.version >= WATCHER_PORTS
        };
        if is_taken && let Some(message) = ports::message(readings, ports) {
            self.runtime.block_on(link.uploads().send(Body::Ports(message)));
        }
    }

    /// Reports the state after a round: the verdicts that last, the switches that cannot be read, and further metrics.
    pub(crate) fn report<'v>(
        &self,
        open: impl Iterator<Item = &'v Diagnosis>,
        problems: Vec<HealthProblem>,
        mut metrics: Vec<Metric>,
    ) {
        let mut verdicts = 0;
        let mut ports = BTreeSet::new();
        for verdict in open.filter(|verdict| !is_ordinary(verdict)) {
            verdicts += 1;
            let named = verdict.pause_path.iter().chain(&verdict.pause_loop).chain(&verdict.root_cause.port);
            ports.extend(named.map(PortRef::to_string));
        }
        metrics.push(metric("verdicts_open", "Verdicts that the counters support now", false, verdicts));
        metrics.push(metric(
            "verdicts_uploaded",
            "Verdicts that were spooled for the server",
            true,
            self.uploaded,
        ));
        metrics.push(metric(
            "verdicts_unfit",
            "Verdicts that are too large for the server",
            true,
            self.unfit,
        ));
        self.health.update(problems, metrics);
        if let Some(link) = &self.link {
            let ports = ports.into_iter().take(proto::limits::LASTING_PORTS).collect();
            link.report_lasting(v1::Lasting { ports });
            link.report(self.health.for_server());
        }
    }

    /// Sends what is left, waits a short time for the server, and ends.
    pub(crate) fn stop(self) {
        if self.own_runtime.is_some() {
            notify::stopping();
            info!("stopping");
        }
        if let Some(link) = self.link {
            let status = link.status();
            self.runtime.block_on(link.stop());
            let waiting = status.borrow().waiting;
            if waiting > 0 {
                warn!(waiting, "verdicts stay in the spool");
            }
        }
        self.own_runtime.into_iter().for_each(Runtime::shutdown_background);
    }
}

fn link(settings: &Settings) -> anyhow::Result<Link> {
    let name = settings.text("name").map_or_else(operations::host_name, |name| Ok(name.to_string()))?;
    Link::start(LinkConfig::new(settings, SenderKind::Watcher, &name)?)
}
