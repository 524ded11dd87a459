//! The thread of one transport: sends probes, offers queue pairs and answers offers. What is decided when is in
//! [`host_agent::mesh`]; [`QueuePairs`] is what the transports do in different ways.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use ::rdma::{Error, udp_source_port};
use host_agent::mesh::hello::first_label;
use host_agent::mesh::{
    Acceptance, Acceptor, Endpoint, Hello, Loss, Met, Offers, Prober, ResponderStats, RoundTrip, Transport,
};
use host_agent::{Measured, Measurement};
use model::FlowKey;
use model::flow::PROTO_UDP;
use model::wire::ROCE_V2_PORT;
use net::Bell;
use tokio::net::UdpSocket;
use tokio::sync::watch;
use tracing::warn;

use super::{Arrived, MeshSettings, Parts, flow_label, follows_flow_label};
use crate::daemons::agent::probe::measured;
use crate::daemons::agent::probe_noise::PathNoise;
use crate::daemons::agent::probe_stats::{ExchangeStats, Largest, MeshStats, REPORT};
use crate::daemons::agent::source::Measurements;
use crate::daemons::operations::clock::monotonic_ns;
use crate::daemons::operations::random;

/// Offers and answers that are handled before the device is looked at again.
const HELLOS_AT_ONCE: usize = 64;
/// Pause after an error of the device, so that one that has failed does not use up a core.
const PAUSE: Duration = Duration::from_millis(100);

/// A probe to send.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probing {
    /// The peer.
    pub(super) to: IpAddr,
    /// Number of the path.
    pub(super) path: u8,
    /// Number of the probe.
    pub(super) sequence: u64,
    /// The packet.
    pub(super) bytes: host_agent::mesh::packet::Bytes,
}

/// What the device has done.
#[derive(Debug, Default)]
pub(super) struct Done {
    /// Round trips that are complete.
    pub(super) round_trips: Vec<RoundTrip>,
    /// Connections that have failed.
    pub(super) failed: Vec<(IpAddr, u8)>,
}

/// The queue pairs of a transport.
pub(super) trait QueuePairs {
    /// Returns a descriptor that is readable when [`QueuePairs::handle`] has something to do.
    fn descriptor(&self) -> BorrowedFd<'_>;

    /// Whether [`QueuePairs::handle`] has more to do at once.
    fn has_more(&self) -> bool;

    /// Returns the queue pair to offer to a peer.
    fn offered(&mut self, own: IpAddr, to: IpAddr, path: u8) -> Result<Endpoint, Error>;

    /// Prepares to send probes to the queue pair of a peer. Returns whether a new offer is necessary.
    fn met(&mut self, own: IpAddr, met: &Met, first_label: u32) -> Result<bool, Error>;

    /// Returns the queue pair for an offer.
    fn accepted(&mut self, own: IpAddr, acceptance: &Acceptance, offer: &Hello) -> Result<Endpoint, Error>;

    /// Frees what was made for an offer.
    fn forget(&mut self, from: IpAddr, path: u8);

    /// Sends a probe. Returns whether there is a queue pair to send it to.
    fn send(&mut self, probe: &Probing) -> Result<bool, Error>;

    /// Handles what has arrived.
    fn handle(&mut self, prober: &mut Prober, acceptor: &Acceptor) -> Result<Done, Error>;

    /// Returns the counters of requests.
    fn responder(&self) -> ResponderStats;
}

/// The thread.
pub(super) struct Worker<Q> {
    pairs: Q,
    transport: Transport,
    own: Vec<IpAddr>,
    mesh: MeshSettings,
    sockets: Vec<(IpAddr, Arc<UdpSocket>)>,
    inbox: Receiver<Arrived>,
    bell: Arc<Bell>,
    prober: Prober,
    offers: Offers,
    acceptor: Acceptor,
    first_label: u32,
    /// Whether detection takes part: the path of probes is known.
    knows_path: bool,
    noise: BTreeMap<(usize, IpAddr), PathNoise>,
    /// Flows that detection knows.
    opened: BTreeSet<(usize, IpAddr)>,
    measurements: Measurements,
    stats: watch::Sender<MeshStats>,
    largest: Largest,
    report_ns: u64,
    errors: u64,
}

impl Parts {
    /// Returns the thread's state.
    pub(super) fn worker<Q: QueuePairs>(self, pairs: Q) -> anyhow::Result<Box<Worker<Q>>> {
        let now_ns = monotonic_ns();
        let MeshSettings { peers, known, prober, replies_per_second, .. } = &self.mesh;
        // The port has no address of the family of other peers.
        let families: BTreeSet<bool> = self.own.iter().map(IpAddr::is_ipv4).collect();
        let mut peers = peers.clone();
        peers.retain(|peer| families.contains(&peer.address.is_ipv4()));
        let offers = Offers::new(now_ns, random()?, self.transport, &peers, prober.paths);
        let acceptor = Acceptor::new(self.transport, known.clone(), *replies_per_second);
        let prober = Prober::new(now_ns, random()?, peers, *prober);
        Ok(Box::new(Worker {
            pairs,
            transport: self.transport,
            knows_path: follows_flow_label(&self.port),
            own: self.own,
            mesh: self.mesh,
            sockets: self.sockets,
            inbox: self.inbox,
            bell: self.bell,
            prober,
            offers,
            acceptor,
            first_label: first_label(self.random),
            noise: BTreeMap::new(),
            opened: BTreeSet::new(),
            measurements: self.measurements,
            stats: self.stats,
            largest: Largest::default(),
            report_ns: now_ns,
            errors: 0,
        }))
    }
}

impl<Q: QueuePairs> Worker<Q> {
    /// Runs for as long as the process.
    pub(super) fn run(mut self) {
        net::set_precise_timers();
        let mut ready = Vec::new();
        loop {
            self.handle();
            let now_ns = monotonic_ns();
            self.probe(now_ns);
            self.offer(now_ns);
            self.hellos();
            self.report(now_ns);
            let timeout = if self.pairs.has_more() { Duration::ZERO } else { self.timeout() };
            let fds = [self.pairs.descriptor(), self.bell.as_fd()];
            if net::wait(&fds, Some(timeout), &mut ready).is_err() {
                self.pause();
            }
            self.bell.clear();
        }
    }

    /// Time until something is due.
    fn timeout(&self) -> Duration {
        let due = [self.prober.next_wake_ns(), self.offers.next_due_ns(), Some(self.report_ns)];
        let due_ns = due.into_iter().flatten().min().unwrap_or(self.report_ns);
        Duration::from_nanos(due_ns.saturating_sub(monotonic_ns()))
    }

    /// Handles what the device has done.
    fn handle(&mut self) {
        match self.pairs.handle(&mut self.prober, &self.acceptor) {
            Ok(done) => {
                let measured: Vec<Measured> =
                    done.round_trips.iter().filter_map(|round_trip| self.acknowledged(round_trip)).collect();
                if !measured.is_empty() {
                    self.measurements.take(&measured);
                }
                done.failed.iter().for_each(|(to, path)| self.offers.failed(*to, *path));
            }
            Err(error) => {
                self.failed("the RDMA device has failed", &error);
                self.pause();
            }
        }
    }

    fn acknowledged(&mut self, round_trip: &RoundTrip) -> Option<Measured> {
        let RoundTrip { path, to, rtt_ns, sustained_ns } = *round_trip;
        let seen_ns = self.noise.entry((path, to)).or_default().observe(rtt_ns, sustained_ns);
        let flow = self.flow(path, to)?;
        let rtt_ns = Some(seen_ns);
        Some(measured(Measurement::Acknowledged { flow, rtt_ns, outstanding: false }))
    }

    /// Handles the probes that are lost, and sends the one that is due.
    fn probe(&mut self, now_ns: u64) {
        let losses = self.prober.expire(now_ns);
        let notable: Vec<&Loss> = losses.iter().filter(|loss| loss.is_notable()).collect();
        let measured: Vec<Measured> = notable.iter().filter_map(|loss| self.lost(loss)).collect();
        if !measured.is_empty() {
            self.measurements.take(&measured);
        }
        let Some(probe) = self.prober.probe(now_ns) else { return };
        let path = u8::try_from(probe.path).unwrap_or(u8::MAX);
        let probing = Probing { to: probe.to, path, sequence: probe.sequence, bytes: probe.bytes };
        self.prober.sent(probe.sequence, monotonic_ns());
        match self.pairs.send(&probing) {
            Ok(true) => {}
            // A peer that had a queue pair and has none now loses probes.
            Ok(false) if self.offers.has_met(probe.to, path) => {}
            Ok(false) => self.prober.withdraw(probe.sequence),
            Err(error) => {
                self.failed("a probe cannot be sent", &error);
                self.offers.failed(probe.to, path);
            }
        }
    }

    fn lost(&mut self, loss: &Loss) -> Option<Measured> {
        self.offers.failed(loss.to, u8::try_from(loss.path).unwrap_or(u8::MAX));
        let flow = self.flow(loss.path, loss.to)?;
        Some(measured(Measurement::Progressed { flow, at_least_ns: loss.waited_ns, outstanding: false }))
    }

    /// The flow of a path, if a polling packet for it takes the same path.
    fn flow(&self, path: usize, to: IpAddr) -> Option<FlowKey> {
        let path = u8::try_from(path).ok().filter(|_| self.knows_path)?;
        let label = flow_label(self.transport, self.first_label, path);
        let (src, sport) = (self.own_for(to)?, udp_source_port(label));
        Some(FlowKey { src, dst: to, sport, dport: ROCE_V2_PORT, proto: PROTO_UDP })
    }

    /// The own address for a peer: the first one of its family.
    fn own_for(&self, to: IpAddr) -> Option<IpAddr> {
        self.own.iter().copied().find(|own| own.is_ipv4() == to.is_ipv4())
    }

    /// Sends the offers that are due.
    fn offer(&mut self, now_ns: u64) {
        while let Some(offer) = self.offers.due(now_ns) {
            let Some(own) = self.own_for(offer.to) else { continue };
            let endpoint = match self.pairs.offered(own, offer.to, offer.path) {
                Ok(endpoint) => endpoint,
                Err(error) => {
                    self.failed("a queue pair cannot be offered", &error);
                    continue;
                }
            };
            let hello = Hello {
                is_answer: false,
                transport: self.transport,
                path: offer.path,
                session: offer.session,
                number: offer.number,
                flow_label: self.first_label,
                endpoint,
            };
            self.send_hello(own, SocketAddr::new(offer.to, self.mesh.port), &hello);
        }
    }

    fn hellos(&mut self) {
        for _ in 0..HELLOS_AT_ONCE {
            let Ok(Arrived { own, from, hello }) = self.inbox.try_recv() else { return };
            if hello.is_answer {
                self.answered(own, from.ip(), &hello);
            } else {
                self.offered(own, from, &hello);
            }
        }
        // The rest after the device.
        self.bell.ring();
    }

    fn answered(&mut self, own: IpAddr, from: IpAddr, hello: &Hello) {
        let Some(met) = self.offers.answered(monotonic_ns(), from, hello) else { return };
        match self.pairs.met(own, &met, self.first_label) {
            Ok(true) => self.offers.failed(met.to, met.path),
            Ok(false) => self.open_flows(&met),
            Err(error) => {
                self.failed("a peer cannot be connected", &error);
                self.offers.failed(met.to, met.path);
            }
        }
    }

    /// Opens the flows of the probes to a peer.
    fn open_flows(&mut self, met: &Met) {
        let paths = match self.transport {
            Transport::Rc => usize::from(met.path)..usize::from(met.path) + 1,
            _ => 0..self.mesh.prober.paths,
        };
        let priority = self.mesh.dscp >> 3;
        let mut flows = Vec::new();
        for path in paths {
            if self.opened.insert((path, met.to)) {
                flows.extend(self.flow(path, met.to));
            }
        }
        let opened = |flow| measured(Measurement::Opened { flow, priority, base_ns: None });
        let flows: Vec<Measured> = flows.into_iter().map(opened).collect();
        if !flows.is_empty() {
            self.measurements.take(&flows);
        }
    }

    fn offered(&mut self, own: IpAddr, from: SocketAddr, offer: &Hello) {
        let Some(acceptance) = self.acceptor.offered(monotonic_ns(), from.ip(), offer) else { return };
        match self.pairs.accepted(own, &acceptance, offer) {
            Ok(endpoint) => self.send_hello(own, from, &offer.answer(endpoint)),
            Err(error) => {
                self.acceptor.forget(acceptance.from, acceptance.path);
                self.pairs.forget(acceptance.from, acceptance.path);
                self.failed("an offer cannot be accepted", &error);
            }
        }
    }

    /// An offer that is lost is repeated.
    fn send_hello(&self, own: IpAddr, to: SocketAddr, hello: &Hello) {
        if let Some((_, socket)) = self.sockets.iter().find(|(address, _)| *address == own) {
            let _ = socket.try_send_to(&hello.to_bytes(), to);
        }
    }

    fn report(&mut self, now_ns: u64) {
        if now_ns < self.report_ns {
            return;
        }
        self.report_ns = now_ns.saturating_add(REPORT.as_nanos() as u64);
        for (from, path) in self.acceptor.expire(now_ns) {
            self.pairs.forget(from, path);
        }
        let (acceptor, kept) = self.acceptor.stats();
        let mut stats = self.largest.stats(&mut self.prober, self.pairs.responder());
        stats.exchange = ExchangeStats {
            met: self.offers.met() as u64,
            kept: kept as u64,
            acceptor,
            device_errors: self.errors,
        };
        self.stats.send_replace(stats);
    }

    fn failed(&mut self, what: &'static str, error: &Error) {
        self.errors += 1;
        if self.errors.is_power_of_two() {
            warn!(%error, errors = self.errors, transport = self.transport.name(), "{what}");
        }
    }

    fn pause(&self) {
        let _ = net::wait(&[], Some(PAUSE), &mut Vec::new());
    }
}
