//! The link of an agent, controller or watcher to the server: records go to the spool and from there to the server, until it
//! acknowledges them. A lost connection is restored with growing delays; nothing waits for it.

mod session;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use proto::clock::ClockOffset;
use proto::v1::{self, from_sender, record::Body};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

use super::config::settings::Settings;
use super::operations;
use super::spool::Spool;
use super::tls::Certificates;

/// Records that wait for the spool's task.
const QUEUE: usize = 1024;
/// Messages from the server that wait for the daemon; further ones are dropped, as polls are worth nothing later.
const INCOMING: usize = 1024;
/// Time for the server to acknowledge the last records when the daemon stops. The rest stays in the spool.
const DRAIN: Duration = Duration::from_secs(2);

/// Configuration of a link.
pub(crate) struct LinkConfig {
    kind: v1::SenderKind,
    name: String,
    boot_id: String,
    addresses: Vec<String>,
    switches: Vec<String>,
    learns_network: bool,
    server: String,
    server_name: Option<String>,
    spool: PathBuf,
    spool_bytes: u64,
    tls: Option<Certificates>,
    seed: u64,
}

impl LinkConfig {
    /// Takes the keys of [`super::config::keys::common::UPLOAD`].
    ///
    /// # Errors
    /// A file of certificates cannot be read.
    pub(crate) fn new(settings: &Settings, kind: v1::SenderKind, name: &str) -> anyhow::Result<LinkConfig> {
        Ok(LinkConfig {
            kind,
            name: name.to_string(),
            boot_id: operations::boot_id()?,
            addresses: Vec::new(),
            switches: Vec::new(),
            learns_network: false,
            server: settings.text("server").unwrap_or_default().to_string(),
            server_name: settings.text("server_name").map(str::to_string),
            spool: settings.path("spool").unwrap_or(std::path::Path::new("spool")).to_path_buf(),
            spool_bytes: settings.number("spool_bytes"),
            tls: Certificates::read(settings)?,
            seed: operations::random()?,
        })
    }

    /// The addresses of an agent's host.
    pub(crate) fn with_addresses(mut self, addresses: Vec<String>) -> LinkConfig {
        self.addresses = addresses;
        self
    }

    /// Takes the network from the server.
    pub(crate) fn learning_network(mut self, learns: bool) -> LinkConfig {
        self.learns_network = learns;
        self
    }

    /// Keeps the records in a folder within that of the key `spool`.
    pub(crate) fn with_spool_in(mut self, folder: &str) -> LinkConfig {
        self.spool = self.spool.join(folder);
        self
    }

    /// The switches of a controller.
    pub(crate) fn with_switches(mut self, switches: Vec<String>) -> LinkConfig {
        self.switches = switches;
        self
    }
}

/// A message from the server for the daemon.
#[derive(Clone, Debug)]
pub(crate) enum Incoming {
    /// To an agent: send this polling packet.
    Poll(v1::Poll),
    /// To a controller: an agent has sent a polling packet.
    Trigger(v1::TriggerNotice),
    /// To an agent: report now what is inside the host.
    ReportRequest,
    /// To a controller: the network that the server has learned.
    Network(v1::Network),
}

/// The state of a link.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LinkStatus {
    /// Why there is no connection; `None` while there is one.
    pub(crate) disconnected: Option<String>,
    /// The clock's offset.
    pub(crate) clock: Option<ClockOffset>,
    /// The number of this host in event ids, if the server knows it.
    pub(crate) host_number: Option<u16>,
    /// The version of the protocol of the latest connection; 0 before the first one.
    pub(crate) version: u32,
    /// Records that wait for their acknowledgement, and their bytes.
    pub(crate) waiting: u64,
    pub(crate) waiting_bytes: u64,
    /// Records that were dropped because the spool was full or could not be written.
    pub(crate) lost: u64,
    /// Records that the server has rejected.
    pub(crate) rejected: u64,
    /// Connections since the start.
    pub(crate) connections: u64,
}

/// Sends records. Clones send on the same link.
#[derive(Clone, Debug)]
pub(crate) struct Uploads(mpsc::Sender<(u64, Body)>);

impl Uploads {
    /// Adds a record with the present time. Waits only if the spool's task is far behind.
    pub(crate) async fn send(&self, body: Body) {
        // Fails only after the link has stopped, when the daemon ends.
        let _ = self.0.send((operations::wall_ns(), body)).await;
    }
}

/// What a daemon reports beside records: only the latest state counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SenderState {
    problems: Vec<v1::HealthProblem>,
    cables: v1::Cables,
    interfaces: v1::Interfaces,
    lasting: v1::Lasting,
}

impl SenderState {
    /// Returns the messages that bring a server with the state `known` to this one, or all of them. The server ignores what
    /// the kind of the daemon does not have.
    fn changes(&self, known: &SenderState, all: bool) -> Vec<from_sender::Message> {
        let mut messages = Vec::new();
        if all || self.problems != known.problems {
            messages.push(from_sender::Message::Health(v1::Health { problems: self.problems.clone() }));
        }
        if all || self.cables != known.cables {
            messages.push(from_sender::Message::Cables(self.cables.clone()));
        }
        if all || self.interfaces != known.interfaces {
            messages.push(from_sender::Message::Interfaces(self.interfaces.clone()));
        }
        if all || self.lasting != known.lasting {
            messages.push(from_sender::Message::Lasting(self.lasting.clone()));
        }
        messages
    }
}

/// A running link.
pub(crate) struct Link {
    uploads: Uploads,
    incoming: mpsc::Receiver<Incoming>,
    status: watch::Receiver<LinkStatus>,
    state: watch::Sender<SenderState>,
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Link {
    /// Opens the spool and starts the task.
    ///
    /// # Errors
    /// The spool cannot be opened, or the server's address is malformed.
    pub(crate) fn start(config: LinkConfig) -> anyhow::Result<Link> {
        let spool = Spool::open(&config.spool, config.spool_bytes, &config.boot_id)?;
        let (records, queued) = mpsc::channel(QUEUE);
        let (deliver, incoming) = mpsc::channel(INCOMING);
        let initial = LinkStatus { disconnected: Some("not connected yet".into()), ..LinkStatus::default() };
        let (published, status) = watch::channel(initial);
        let (state, stated) = watch::channel(SenderState::default());
        let (stop, stopped) = watch::channel(false);
        let session =
            session::LinkTask::new(Arc::new(config), spool, queued, deliver, published, stated, stopped)?;
        let task = tokio::spawn(session.run());
        Ok(Link { uploads: Uploads(records), incoming, status, state, stop, task })
    }

    /// Returns a sender of records.
    pub(crate) fn uploads(&self) -> Uploads {
        self.uploads.clone()
    }

    /// Waits for the next message of the server.
    pub(crate) async fn next(&mut self) -> Option<Incoming> {
        self.incoming.recv().await
    }

    /// Returns a receiver of the state.
    pub(crate) fn status(&self) -> watch::Receiver<LinkStatus> {
        self.status.clone()
    }

    /// Reports what keeps the daemon from its work.
    pub(crate) fn report(&self, problems: Vec<v1::HealthProblem>) {
        self.change(|state| state.problems = problems);
    }

    /// Reports the cables of a controller's switches.
    pub(crate) fn report_cables(&self, cables: v1::Cables) {
        self.change(|state| state.cables = cables);
    }

    /// Reports the interfaces of an agent's host.
    pub(crate) fn report_interfaces(&self, interfaces: v1::Interfaces) {
        self.change(|state| state.interfaces = interfaces);
    }

    /// Reports the ports of a watcher's verdicts that last.
    pub(crate) fn report_lasting(&self, lasting: v1::Lasting) {
        self.change(|state| state.lasting = lasting);
    }

    fn change(&self, change: impl FnOnce(&mut SenderState)) {
        self.state.send_if_modified(|known| {
            let before = known.clone();
            change(known);
            *known != before
        });
    }

    /// Sends what is left, waits a short time for its acknowledgement, and ends.
    pub(crate) async fn stop(self) {
        let Link { uploads, incoming, stop, mut task, .. } = self;
        drop((uploads, incoming));
        let _ = stop.send(true);
        if tokio::time::timeout(DRAIN, &mut task).await.is_err() {
            task.abort();
        }
    }
}
