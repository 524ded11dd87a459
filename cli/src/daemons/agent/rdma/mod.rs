//! Probes over the RDMA transport of the NIC, for the source `probe`: datagrams (UD) as in R-Pingmesh (SIGCOMM 2024), and
//! writes of no bytes (RC), which the peer's NIC acknowledges.
//!
//! Each transport has a thread with its queue pairs, because their completions wake it without the runtime's delay. Threads share
//! the sockets at the port of probes: there agents exchange queue pairs.

mod connections;
mod datagrams;
mod worker;

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use ::rdma::{FlowLabel, Library, Port, choose, ports};
use anyhow::Context as _;
use host_agent::mesh::hello::path_label;
use host_agent::mesh::{Hello, Peer, ProberSettings, Transport};
use net::Bell;
use tokio::net::UdpSocket;
use tokio::sync::watch;
use tracing::info;

use self::connections::Connections;
use self::datagrams::Datagrams;
use self::worker::Worker;
use super::probe::ProbeSource;
use super::probe_stats::MeshStats;
use super::source::Measurements;
use crate::daemons::config::settings::Settings;
use crate::daemons::operations::random;

/// Value of `rdma_device` that permits hosts without a device.
const AUTO: &str = "auto";
/// Offers and answers that a thread has not handled yet; further ones are dropped, and repeated by their senders.
const QUEUED_HELLOS: usize = 1024;
/// Drivers whose packets have the UDP source port that follows from the flow label, for UD in rdma-core (`providers/mlx5`) and
/// for RC in the kernel (`drivers/infiniband/hw/mlx5`). Others may choose another port: then the path of a probe is unknown.
const FOLLOW_FLOW_LABEL: [&str; 1] = ["mlx5_core"];

/// An offer or answer that has arrived.
struct Arrived {
    /// The own address that it was sent to.
    own: IpAddr,
    from: SocketAddr,
    hello: Hello,
}

/// Where offers and answers go.
#[derive(Clone, Default)]
pub(super) struct Inboxes(BTreeMap<Transport, (SyncSender<Arrived>, Arc<Bell>)>);

impl Inboxes {
    /// Passes on a packet; one that is malformed or for a transport without a device is dropped.
    pub(super) fn pass(&self, own: IpAddr, from: SocketAddr, bytes: &[u8]) {
        if let Some(hello) = Hello::read(bytes)
            && let Some((inbox, bell)) = self.0.get(&hello.transport)
            && inbox.try_send(Arrived { own, from, hello }).is_ok()
        {
            bell.ring();
        }
    }
}

/// What the configuration says of probes over RDMA.
pub(crate) struct RdmaSource {
    /// The transports, with what takes their counters.
    transports: Vec<(Transport, watch::Sender<MeshStats>)>,
    device: Option<String>,
    library: Option<PathBuf>,
    sysfs: PathBuf,
    own: Vec<IpAddr>,
    /// Where the configuration requests them, for errors.
    origin: String,
    mesh: MeshSettings,
}

/// What probes of all transports have in common.
#[derive(Clone)]
struct MeshSettings {
    peers: Vec<Peer>,
    known: BTreeSet<IpAddr>,
    prober: ProberSettings,
    replies_per_second: u32,
    port: u16,
    dscp: u8,
}

impl RdmaSource {
    /// Reads the keys, and adds the counters of the transports; `None` if there is only UDP.
    pub(super) fn new(
        settings: &Settings,
        udp: &ProbeSource,
        meshes: &mut Vec<(Transport, watch::Receiver<MeshStats>)>,
    ) -> Option<RdmaSource> {
        let wanted = settings.texts("probe_transports");
        let mut transports = Vec::new();
        for transport in [Transport::Ud, Transport::Rc].into_iter().filter(|t| wanted.contains(&t.name())) {
            let (stats, receiver) = watch::channel(MeshStats::default());
            transports.push((transport, stats));
            meshes.push((transport, receiver));
        }
        let key = if settings.is_given("rdma_device") { "rdma_device" } else { "probe_transports" };
        (!transports.is_empty()).then(|| RdmaSource {
            transports,
            device: settings.text("rdma_device").map(str::to_string),
            library: settings.path("rdma_library").map(PathBuf::from),
            sysfs: settings.path("sysfs").map(PathBuf::from).unwrap_or_default(),
            own: udp.own.clone(),
            origin: super::origin(settings, key),
            mesh: MeshSettings {
                peers: udp.peers.clone(),
                known: udp.known.clone(),
                prober: udp.settings,
                replies_per_second: udp.replies_per_second,
                port: udp.port,
                dscp: udp.dscp,
            },
        })
    }

    /// Starts the threads.
    ///
    /// # Errors
    /// The library or a device is missing, unless the configuration permits that, or the device cannot be used.
    pub(super) fn start(
        mut self,
        sockets: &[(IpAddr, Arc<UdpSocket>)],
        measurements: &Measurements,
    ) -> anyhow::Result<Inboxes> {
        let port = match self.port() {
            Ok(port) => port,
            Err(error) if self.may_be_absent(&error) => return Ok(Inboxes::default()),
            Err(error) => return Err(error).with_context(|| self.origin.clone()),
        };
        let random = random()?;
        let mut inboxes = Inboxes::default();
        for (transport, stats) in std::mem::take(&mut self.transports) {
            let (sender, inbox) = sync_channel(QUEUED_HELLOS);
            let bell = Arc::new(Bell::new().context("no descriptors are left")?);
            inboxes.0.insert(transport, (sender, bell.clone()));
            let parts = Parts {
                transport,
                port: port.clone(),
                own: self.own.iter().copied().filter(|own| port.gid_of(*own).is_some()).collect(),
                library: self.library.clone(),
                mesh: self.mesh.clone(),
                sockets: sockets.to_vec(),
                inbox,
                bell,
                stats,
                measurements: measurements.clone(),
                random,
            };
            match parts.spawn() {
                Err(error) if error.downcast_ref().is_some_and(|error| self.may_be_absent(error)) => {
                    inboxes.0.remove(&transport);
                }
                started => started.with_context(|| self.origin.clone())?,
            }
        }
        let transports: Vec<&str> = inboxes.0.keys().map(|transport| transport.name()).collect();
        let knows_path = follows_flow_label(&port);
        info!(device = port.device, port = port.number, ?transports, knows_path, "probes over RDMA");
        Ok(inboxes)
    }

    /// Whether the error is that the host has no usable device, which the configuration permits; logs it then.
    fn may_be_absent(&self, error: &::rdma::Error) -> bool {
        let may = self.device.as_deref() == Some(AUTO) && error.is_absence();
        if may {
            info!(reason = %error, "there are no probes over RDMA");
        }
        may
    }

    /// Chooses the port.
    fn port(&self) -> Result<Port, ::rdma::Error> {
        Library::load(self.library.as_deref())?;
        let device = self.device.as_deref().filter(|device| *device != AUTO);
        choose(&ports(&self.sysfs)?, device, &self.own).cloned()
    }
}

/// Whether the UDP source port of probes is known, so that a polling packet can follow their path.
fn follows_flow_label(port: &Port) -> bool {
    port.driver.as_deref().is_some_and(|driver| FOLLOW_FLOW_LABEL.contains(&driver))
}

/// The flow label of a path.
fn flow_label(transport: Transport, first: u32, path: u8) -> FlowLabel {
    FlowLabel::new(path_label(transport, first, path))
        .expect("invariant: labels of paths are from 1 to 2^14 - 1")
}

/// What a thread starts with.
struct Parts {
    transport: Transport,
    port: Port,
    /// The own addresses of which the port has a GID.
    own: Vec<IpAddr>,
    library: Option<PathBuf>,
    mesh: MeshSettings,
    sockets: Vec<(IpAddr, Arc<UdpSocket>)>,
    inbox: Receiver<Arrived>,
    bell: Arc<Bell>,
    stats: watch::Sender<MeshStats>,
    measurements: Measurements,
    /// Decides on flow labels.
    random: u64,
}

impl Parts {
    /// Starts the thread, which opens the device, and waits until it is open.
    fn spawn(self) -> anyhow::Result<()> {
        let (opened, is_open) = sync_channel(1);
        let run = move || {
            let started = match self.transport {
                Transport::Rc => {
                    Connections::open(&self).and_then(|pairs| self.worker(pairs)).map(Running::Rc)
                }
                _ => Datagrams::open(&self).and_then(|pairs| self.worker(pairs)).map(Running::Ud),
            };
            match started {
                Ok(running) => {
                    let _ = opened.send(Ok(()));
                    running.run();
                }
                Err(error) => drop(opened.send(Err(error))),
            }
        };
        std::thread::Builder::new().name("rdma-probes".into()).spawn(run).context("cannot start a thread")?;
        is_open.recv().context("the thread of probes over RDMA has ended")?
    }

    /// Loads the library, in the thread that uses it.
    fn library(&self) -> Result<Library, ::rdma::Error> {
        Library::load(self.library.as_deref())
    }

    fn traffic_class(&self) -> u8 {
        self.mesh.dscp << 2
    }
}

/// A thread at work.
enum Running {
    Ud(Box<Worker<Datagrams>>),
    Rc(Box<Worker<Connections>>),
}

impl Running {
    fn run(self) {
        match self {
            Running::Ud(worker) => worker.run(),
            Running::Rc(worker) => worker.run(),
        }
    }
}
