//! Ordinary switches beside the P4 switches: their counters are read, judged and uploaded as by `harrier watch`, of which this is a
//! part with a link of its own. The P4 switches are read with them, so that pauses are followed through both.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};

use anyhow::Context as _;
use model::Topology;
use proto::v1::SenderKind;
use tracing::error;

use crate::client::trusting;
use crate::counter_sources::{Address, News, P4Address};
use crate::daemons::config::keys::counters::parse_interval;
use crate::daemons::config::settings::Settings;
use crate::daemons::health::DaemonHealth;
use crate::daemons::link::{Link, LinkConfig};
use crate::daemons::operations::files;
use crate::daemons::operations::signals::Demand;
use crate::daemons::watcher::{Output, Rounds, Watched, Watcher};

/// Folder of the spool for verdicts, within that of the controller.
const SPOOL: &str = "counters";

/// The link and the health of what reads counters, before a switch is touched.
pub(super) struct Prepared {
    link: Link,
    health: Arc<DaemonHealth>,
}

impl Prepared {
    /// Opens the spool; `None` if no ordinary switch is configured.
    ///
    /// # Errors
    /// The spool or a file of certificates cannot be used.
    pub(super) fn new(settings: &Settings, name: &str) -> anyhow::Result<Option<Prepared>> {
        if !settings.has("counter_switches") {
            return Ok(None);
        }
        // A file that cannot be used is no reason to try again.
        settings.path("redis_ca").map(trusting).transpose()?;
        // A connection to each switch.
        files::raise_limit();
        let config = LinkConfig::new(settings, SenderKind::Watcher, name)?.with_spool_in(SPOOL);
        let link = Link::start(config)?;
        let health = DaemonHealth::new(link.status());
        Ok(Some(Prepared { link, health }))
    }

    /// What it reports.
    pub(super) fn health(&self) -> Arc<DaemonHealth> {
        self.health.clone()
    }

    /// Starts to read the ordinary switches of the settings and these P4 switches.
    ///
    /// # Errors
    /// A desired configuration, a certificate or an address to receive at cannot be used.
    pub(super) fn start(
        self,
        settings: &Settings,
        p4: Vec<(String, P4Address)>,
        topology: Topology,
    ) -> anyhow::Result<Counters> {
        let interval = parse_interval(settings.text("counter_interval").unwrap_or_default());
        let ordinary = settings.texts("counter_switches").into_iter().filter_map(|text| text.parse().ok());
        let p4 = p4.into_iter().map(|(name, address)| Address::of_p4(&name, address));
        let watched = Watched {
            addresses: ordinary.chain(p4).collect(),
            interval: interval.map_err(anyhow::Error::msg)?,
            topology,
            output: Output::Log,
        };
        let (sender, news) = channel();
        let watcher = Watcher::part(self.link, self.health);
        let rounds = Rounds::start(settings, watched, Some(watcher), &sender)?;
        let thread = thread::Builder::new().name("counters".into());
        let thread = thread.spawn(move || run(rounds, &news)).context("cannot start a thread")?;
        Ok(Counters { news: sender, thread })
    }
}

fn run(mut rounds: Rounds, news: &Receiver<News>) {
    if let Err(error) = rounds.run(news, None, || {}) {
        error!(error = format!("{error:#}"), "counters are not read any more");
    }
    rounds.end();
}

/// What reads the counters.
pub(super) struct Counters {
    news: Sender<News>,
    thread: JoinHandle<()>,
}

impl Counters {
    /// Takes the network that the server has learned.
    pub(super) fn learned(&self, topology: Topology) {
        // Fails only if the thread has ended, which it has logged.
        let _ = self.news.send(News::Network(topology));
    }

    /// Uploads what is left, waits a short time for the server, and ends.
    pub(super) async fn stop(self) {
        let _ = self.news.send(News::Demand(Demand::Stop));
        let thread = self.thread;
        let _ = tokio::task::spawn_blocking(move || thread.join()).await;
    }
}
