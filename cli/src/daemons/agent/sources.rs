//! The sources of measurements that a configuration lists, and what they report of themselves.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use anyhow::{Context as _, bail};
use host_agent::linux::CaptureSettings;
use host_agent::mesh::{self, Peer, ProberSettings, Scope, Transport};
use host_agent::tcp_info::TcpStats;
use model::Topology;
use model::topology::{Node, NodeKind};
use tokio::sync::watch;
use tracing::info;
use web::Metric;

use super::capture::{self, CaptureSource, CaptureStats};
use super::host_report::TcpSample;
use super::lines::{SocketFile, SocketSource, StandardInput};
use super::origin;
use super::probe::ProbeSource;
use super::probe_stats::{self, MeshStats};
use super::rdma::RdmaSource;
use super::source::Source;
use super::tcp_info::{self, TcpInfoSource};
use crate::daemons::config::settings::Settings;

/// Time without a reply after which a probe is lost: longer than any queue of the network drains.
const PROBE_TIMEOUT_NS: u64 = 1_000_000_000;

/// What sources report of themselves, for metrics; absent: the configuration does not list them.
#[derive(Default)]
pub(super) struct SourceStatus {
    /// The socket that is removed with this.
    socket: Arc<OnceLock<SocketFile>>,
    capture: OnceLock<watch::Receiver<CaptureStats>>,
    tcp: OnceLock<watch::Receiver<TcpStats>>,
    tcp_sockets: OnceLock<watch::Receiver<TcpSample>>,
    /// One for each transport of probes.
    meshes: OnceLock<Vec<(Transport, watch::Receiver<MeshStats>)>>,
}

impl SourceStatus {
    /// The latest reading of TCP sockets.
    pub(super) fn tcp_sockets(&self) -> Option<watch::Receiver<TcpSample>> {
        self.tcp_sockets.get().cloned()
    }

    /// The latest state of probes, by transport.
    pub(super) fn meshes(&self) -> Vec<(Transport, watch::Receiver<MeshStats>)> {
        self.meshes.get().cloned().unwrap_or_default()
    }

    /// Returns the metrics of all sources.
    pub(super) fn metrics(&self) -> Vec<Metric> {
        let mut metrics = Vec::new();
        metrics.extend(self.capture.get().into_iter().flat_map(|stats| capture::metrics(*stats.borrow())));
        metrics.extend(self.tcp.get().into_iter().flat_map(|stats| tcp_info::metrics(*stats.borrow())));
        let meshes = self.meshes();
        let meshes: Vec<(Transport, MeshStats)> =
            meshes.iter().map(|(transport, stats)| (*transport, stats.borrow().clone())).collect();
        metrics.extend(probe_stats::metrics(&meshes));
        metrics
    }
}

/// Returns the sources of measurements that the configuration lists.
///
/// # Errors
/// A key is missing, the topology cannot be read, or a source is not available.
pub(super) fn sources(
    settings: &Settings,
    name: &str,
    own: &[IpAddr],
    status: &SourceStatus,
) -> anyhow::Result<Vec<Box<dyn Source>>> {
    let mut sources: Vec<Box<dyn Source>> = Vec::new();
    for source in settings.texts("sources") {
        sources.push(match source {
            "capture" => {
                let interface = settings.text("interface").with_context(|| {
                    format!("{}: the source `capture` needs the key interface", origin(settings, "sources"))
                })?;
                let (stats, receiver) = watch::channel(CaptureStats::default());
                drop(status.capture.set(receiver));
                let settings = CaptureSettings::new(own.to_vec());
                Box::new(CaptureSource { interface: interface.to_string(), settings, stats })
            }
            "socket" => {
                let path = settings.path("socket").context("the key is checked")?.to_path_buf();
                Box::new(SocketSource { path, file: status.socket.clone() })
            }
            "stdin" => Box::new(StandardInput),
            "tcp-info" => Box::new(tcp_source(settings, own, status)?),
            "probe" => Box::new(probe_source(settings, name, own, status)?),
            other => bail!("{}: `{other}` is not available in this build", origin(settings, "sources")),
        });
    }
    Ok(sources)
}

fn tcp_source(settings: &Settings, own: &[IpAddr], status: &SourceStatus) -> anyhow::Result<TcpInfoSource> {
    let (stats, receiver) = watch::channel(TcpStats::default());
    drop(status.tcp.set(receiver));
    let (sample, receiver) = watch::channel(TcpSample::default());
    drop(status.tcp_sockets.set(receiver));
    Ok(TcpInfoSource {
        own: own.to_vec(),
        peers: topology(settings)?.map(|topology| host_addresses(&topology)),
        interval: Duration::from_millis(settings.number("tcp_interval_ms")),
        max_sockets: settings.number("max_flows") as usize,
        stats,
        sample,
    })
}

/// The probes of the configuration: to its peers, or to those that follow from the topology.
fn probe_source(
    settings: &Settings,
    name: &str,
    own: &[IpAddr],
    status: &SourceStatus,
) -> anyhow::Result<ProbeSource> {
    let topology = topology(settings)?;
    let listed = settings.ips("probe_peers");
    let mut known = topology.as_ref().map(host_addresses).unwrap_or_default();
    known.extend(listed.iter().copied());
    // All hosts may have the same list.
    let others = listed.iter().filter(|address| !own.contains(address));
    let mut peers: Vec<Peer> =
        others.map(|address| Peer { address: *address, scope: Scope::Configured }).collect();
    if let Some(topology) = topology.as_ref().filter(|_| listed.is_empty()) {
        let scopes = [Scope::Tor, Scope::Pod, Scope::Fabric];
        let wanted = settings.texts("probe_scopes");
        let scopes: Vec<Scope> = scopes.into_iter().filter(|scope| wanted.contains(&scope.name())).collect();
        let found = mesh::peers(topology, name, &scopes);
        if found.left_out > 0 {
            info!(left_out = found.left_out, "peers beyond the limits of 16 in each scope are not probed");
        }
        peers = found.peers;
    }
    let settings_of_prober = ProberSettings {
        interval_ns: settings.number("probe_interval_ms") * 1_000_000,
        paths: settings.number("probe_paths") as usize,
        timeout_ns: PROBE_TIMEOUT_NS,
        probes_per_second: settings.number("probes_per_second") as u32,
    };
    let (stats, receiver) = watch::channel(MeshStats::default());
    let mut meshes = vec![(Transport::Udp, receiver)];
    let mut source = ProbeSource {
        own: own.to_vec(),
        peers,
        known,
        port: settings.number("probe_port") as u16,
        dscp: settings.number("probe_dscp") as u8,
        settings: settings_of_prober,
        replies_per_second: settings.number("probe_replies_per_second") as u32,
        stats,
        rdma: None,
    };
    source.rdma = RdmaSource::new(settings, &source, &mut meshes);
    if !settings.texts("probe_transports").contains(&Transport::Udp.name()) {
        source.peers = Vec::new();
    }
    drop(status.meshes.set(meshes));
    Ok(source)
}

/// Reads the topology, if the configuration names one.
///
/// # Errors
/// It cannot be read.
pub(super) fn topology(settings: &Settings) -> anyhow::Result<Option<Topology>> {
    let read = |path| crate::daemons::topology::read(path).with_context(|| origin(settings, "topology"));
    settings.path("topology").map(read).transpose()
}

/// Returns the names of all hosts by address.
pub(super) fn host_names(topology: &Topology) -> BTreeMap<IpAddr, String> {
    let hosts = topology.nodes.iter().filter(|node| node.kind == NodeKind::Host);
    let named =
        |node: &Node| node.addresses.iter().map(|address| (*address, node.name.clone())).collect::<Vec<_>>();
    hosts.flat_map(named).collect()
}

/// Returns the addresses of all hosts.
fn host_addresses(topology: &Topology) -> BTreeSet<IpAddr> {
    let hosts = topology.nodes.iter().filter(|node| node.kind == NodeKind::Host);
    hosts.flat_map(|node| node.addresses.iter().copied()).collect()
}
