//! The source `probe`: round trips of UDP probes between agents, and the responder to those of other agents. Probes over RDMA
//! ([`super::rdma`]) exchange their queue pairs at its port.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, IoSliceMut};
use std::net::{IpAddr, SocketAddr, SocketAddrV6, UdpSocket as StdUdpSocket};
use std::os::fd::AsRawFd as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, bail};
use host_agent::mesh::packet::PROBE_BYTES;
use host_agent::mesh::{Hello, Loss, Peer, Probe, Prober, ProberSettings, Responder, RoundTrip};
use host_agent::{Measured, Measurement};
use model::FlowKey;
use model::flow::PROTO_UDP;
use nix::sys::socket::{
    ControlMessageOwned, MsgFlags, SockaddrIn6, SockaddrStorage, recvmsg, setsockopt, sockopt,
};
use nix::sys::time::TimeSpec;
use tokio::io::Interest;
use tokio::net::UdpSocket;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, interval, sleep_until};
use tracing::{info, warn};

use super::probe_noise::PathNoise;
use super::probe_stats::{Largest, MeshStats, REPORT};
use super::rdma::{Inboxes, RdmaSource};
use super::source::{Measurements, Source};
use crate::daemons::operations::clock::{as_wall_ns, system_ns};
use crate::daemons::operations::random;

/// Replies that wait for the prober; further ones are dropped, and their probes count as lost.
const QUEUED_REPLIES: usize = 1024;

/// Probes to peers, and replies to those of known hosts.
pub(crate) struct ProbeSource {
    /// The host's addresses: probes leave from the first one of each family, and all of them reply.
    pub(crate) own: Vec<IpAddr>,
    /// The hosts to probe over UDP.
    pub(crate) peers: Vec<Peer>,
    /// The addresses that get replies.
    pub(crate) known: BTreeSet<IpAddr>,
    /// UDP port of responders.
    pub(crate) port: u16,
    /// DSCP of probes and replies.
    pub(crate) dscp: u8,
    /// Pace and limits.
    pub(crate) settings: ProberSettings,
    /// Maximum replies a second to one address.
    pub(crate) replies_per_second: u32,
    /// Takes the counters.
    pub(crate) stats: watch::Sender<MeshStats>,
    /// Probes over RDMA, if there are any.
    pub(crate) rdma: Option<RdmaSource>,
}

/// A packet at the socket of a path.
struct Arrived {
    path: usize,
    from: IpAddr,
    bytes: Vec<u8>,
    received_ns: u64,
}

impl Source for ProbeSource {
    fn start(mut self: Box<Self>, measurements: Measurements) -> anyhow::Result<()> {
        let responder = Responder::new(self.known.clone(), self.replies_per_second);
        let responder = Arc::new(Mutex::new(responder));
        let mut at_port = Vec::new();
        for address in &self.own {
            let socket = open(SocketAddr::new(*address, self.port), self.dscp)?;
            at_port.push((*address, Arc::new(socket)));
        }
        let inboxes = match self.rdma.take() {
            Some(rdma) => rdma.start(&at_port, &measurements)?,
            None => Inboxes::default(),
        };
        for (own, socket) in at_port {
            tokio::spawn(respond(own, socket, responder.clone(), inboxes.clone()));
        }
        let (arrived, packets) = mpsc::channel(QUEUED_REPLIES);
        let sockets = Sockets::open(&self, &arrived)?;
        let prober = Prober::new(0, random()?, self.peers.clone(), self.settings);
        info!(
            peers = self.peers.len(),
            known_hosts = self.known.len(),
            port = self.port,
            "probes are sent and answered"
        );
        let noise = BTreeMap::new();
        let mesh = Mesh { source: *self, prober, noise, sockets, responder, start: Instant::now() };
        tokio::spawn(mesh.run(packets, measurements));
        Ok(())
    }
}

/// The sockets of probes: one for each path, for the address families of the peers.
struct Sockets(BTreeMap<bool, Vec<Arc<UdpSocket>>>);

impl Sockets {
    fn open(source: &ProbeSource, arrived: &mpsc::Sender<Arrived>) -> anyhow::Result<Sockets> {
        let mut sockets = BTreeMap::new();
        let families: BTreeSet<bool> = source.peers.iter().map(|peer| peer.address.is_ipv4()).collect();
        for family in families {
            let Some(own) = source.own.iter().find(|own| own.is_ipv4() == family) else {
                let name = if family { "IPv4" } else { "IPv6" };
                bail!("probe_peers: there are {name} addresses, and the host has none (key addresses)");
            };
            let mut paths = Vec::new();
            for path in 0..source.settings.paths {
                let socket = Arc::new(open(SocketAddr::new(*own, 0), source.dscp)?);
                tokio::spawn(collect(path, socket.clone(), arrived.clone()));
                paths.push(socket);
            }
            sockets.insert(family, paths);
        }
        Ok(Sockets(sockets))
    }

    fn of(&self, path: usize, to: IpAddr) -> Option<&Arc<UdpSocket>> {
        self.0.get(&to.is_ipv4())?.get(path)
    }
}

/// The prober at work.
struct Mesh {
    source: ProbeSource,
    prober: Prober,
    /// The round trips of each path to each peer.
    noise: BTreeMap<(usize, IpAddr), PathNoise>,
    sockets: Sockets,
    responder: Arc<Mutex<Responder>>,
    start: Instant,
}

impl Mesh {
    async fn run(mut self, mut packets: mpsc::Receiver<Arrived>, measurements: Measurements) {
        let mut report = interval(REPORT);
        let mut largest = Largest::default();
        measurements.take(&self.opened());
        loop {
            let wake_ns = self.prober.next_wake_ns();
            let wake = wake_ns.map(|ns| self.start + Duration::from_nanos(ns));
            let batch = tokio::select! {
                Some(packet) = packets.recv() => self.arrived(&packet),
                () = sleep_until(wake.unwrap_or_else(Instant::now)), if wake.is_some() => self.wake().await,
                _ = report.tick() => {
                    let stats = self.stats(&mut largest);
                    self.source.stats.send_replace(stats);
                    Vec::new()
                }
            };
            if !batch.is_empty() {
                measurements.take(&batch);
            }
        }
    }

    /// Opens the flows of all probes.
    fn opened(&self) -> Vec<Measured> {
        let paths = 0..self.source.settings.paths;
        let all = self.source.peers.iter().flat_map(|peer| paths.clone().map(|path| (path, peer.address)));
        let flows = all.filter_map(|(path, to)| self.flow(path, to));
        let priority = self.source.dscp >> 3;
        flows.map(|flow| measured(Measurement::Opened { flow, priority, base_ns: None })).collect()
    }

    fn arrived(&mut self, packet: &Arrived) -> Vec<Measured> {
        let Arrived { path, from, bytes, received_ns } = packet;
        let Some(RoundTrip { path, to, rtt_ns, sustained_ns }) =
            self.prober.replied(*path, *from, bytes, *received_ns)
        else {
            return Vec::new();
        };
        let seen_ns = self.noise.entry((path, to)).or_default().observe(rtt_ns, sustained_ns);
        let acknowledged =
            |flow| measured(Measurement::Acknowledged { flow, rtt_ns: Some(seen_ns), outstanding: false });
        self.flow(path, to).map(acknowledged).into_iter().collect()
    }

    /// Sends the probe that is due, and returns the losses that detection should see.
    async fn wake(&mut self) -> Vec<Measured> {
        let now_ns = u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let losses = self.prober.expire(now_ns);
        if let Some(Probe { path, to, sequence, bytes }) = self.prober.probe(now_ns)
            && let Some(socket) = self.sockets.of(path, to)
        {
            self.prober.sent(sequence, system_ns());
            // A probe that cannot be sent has no reply and is lost.
            let _ = socket.send_to(&bytes, (to, self.source.port)).await;
        }
        let notable = losses.iter().filter(|loss| loss.is_notable());
        notable
            .filter_map(|Loss { path, to, waited_ns, .. }| {
                let flow = self.flow(*path, *to)?;
                Some(measured(Measurement::Progressed { flow, at_least_ns: *waited_ns, outstanding: false }))
            })
            .collect()
    }

    fn flow(&self, path: usize, to: IpAddr) -> Option<FlowKey> {
        let own = self.sockets.of(path, to)?.local_addr().ok()?;
        Some(FlowKey { src: own.ip(), dst: to, sport: own.port(), dport: self.source.port, proto: PROTO_UDP })
    }

    fn stats(&mut self, largest: &mut Largest) -> MeshStats {
        let responder = self.responder.lock().unwrap_or_else(PoisonError::into_inner).stats();
        largest.stats(&mut self.prober, responder)
    }
}

pub(super) fn measured(measurement: Measurement) -> Measured {
    Measured { time_ns: as_wall_ns(system_ns()), measurement }
}

/// Opens a socket whose packets have timestamps of the kernel, so that the scheduling of this process is no part of a
/// round trip.
fn open(address: SocketAddr, dscp: u8) -> anyhow::Result<UdpSocket> {
    let context = || format!("probe_port: cannot receive probes at {address}");
    let socket = StdUdpSocket::bind(address).with_context(context)?;
    socket.set_nonblocking(true).with_context(context)?;
    setsockopt(&socket, sockopt::ReceiveTimestampns, &true).with_context(context)?;
    let class = i32::from(dscp) << 2;
    match address {
        SocketAddr::V4(_) => setsockopt(&socket, sockopt::Ipv4Tos, &class),
        SocketAddr::V6(_) => setsockopt(&socket, sockopt::Ipv6TClass, &class),
    }
    .with_context(context)?;
    UdpSocket::from_std(socket).with_context(context)
}

/// Answers requests for as long as the process runs, and passes on what is for probes over RDMA.
async fn respond(own: IpAddr, socket: Arc<UdpSocket>, responder: Arc<Mutex<Responder>>, inboxes: Inboxes) {
    let mut failed = 0u64;
    loop {
        match receive(&socket).await {
            Ok((bytes, from, _)) if Hello::is_meant(&bytes) => inboxes.pass(own, from, &bytes),
            Ok((bytes, from, received_ns)) => {
                let reply = responder.lock().unwrap_or_else(PoisonError::into_inner).reply(
                    system_ns(),
                    from.ip(),
                    &bytes,
                    received_ns,
                );
                if let Some(reply) = reply {
                    // The prober counts a reply that cannot be sent as a loss.
                    let _ = socket.try_send_to(&reply, from);
                }
            }
            Err(error) => pause_after(&mut failed, &error).await,
        }
    }
}

/// Passes what arrives at the socket of a path to the prober.
async fn collect(path: usize, socket: Arc<UdpSocket>, arrived: mpsc::Sender<Arrived>) {
    let mut failed = 0u64;
    while !arrived.is_closed() {
        match receive(&socket).await {
            Ok((bytes, from, received_ns)) => {
                let _ = arrived.try_send(Arrived { path, from: from.ip(), bytes, received_ns });
            }
            Err(error) => pause_after(&mut failed, &error).await,
        }
    }
}

/// Keeps a socket with a lasting error, e.g. of an interface that is down, from using up a core.
async fn pause_after(failed: &mut u64, error: &io::Error) {
    *failed += 1;
    if failed.is_power_of_two() {
        warn!(%error, failed, "probes cannot be received");
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
}

/// Receives a packet, its source, and when the kernel received it, in ns since 1970.
async fn receive(socket: &UdpSocket) -> io::Result<(Vec<u8>, SocketAddr, u64)> {
    socket.async_io(Interest::READABLE, || receive_now(socket)).await
}

fn receive_now(socket: &UdpSocket) -> io::Result<(Vec<u8>, SocketAddr, u64)> {
    // One byte more than a probe shows that a packet is too long.
    let mut bytes = vec![0; PROBE_BYTES + 1];
    let mut space = nix::cmsg_space!(TimeSpec);
    let mut vectors = [IoSliceMut::new(&mut bytes)];
    let message = recvmsg::<SockaddrStorage>(
        socket.as_raw_fd(),
        &mut vectors,
        Some(&mut space),
        MsgFlags::MSG_DONTWAIT,
    )?;
    let received_ns = message.cmsgs()?.find_map(|control| match control {
        ControlMessageOwned::ScmTimestampns(time) => u64::try_from(Duration::from(time).as_nanos()).ok(),
        _ => None,
    });
    let from = message.address.as_ref().and_then(|address| {
        let v4 = address.as_sockaddr_in().map(|from| SocketAddr::from((from.ip(), from.port())));
        // The scope of a link-local address is part of it.
        let v6 = |from: &SockaddrIn6| SocketAddrV6::new(from.ip(), from.port(), 0, from.scope_id());
        v4.or_else(|| address.as_sockaddr_in6().map(|from| SocketAddr::V6(v6(from))))
    });
    let (length, received_ns) = (message.bytes, received_ns.unwrap_or_else(system_ns));
    let from = from.ok_or_else(|| io::Error::other("a packet without a source"))?;
    bytes.truncate(length);
    Ok((bytes, from, received_ns))
}
