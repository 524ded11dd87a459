//! Probes of datagrams: a request to the queue pair of a peer, and its reply, which states the time in the responder. One
//! queue pair serves all peers; the flow label of their addresses chooses the path.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::os::fd::{AsFd as _, BorrowedFd};

use ::rdma::{Error, UdDestination, UdQueuePair, UdRemote};
use host_agent::mesh::packet::{self, Request};
use host_agent::mesh::{
    Acceptance, Acceptor, Endpoint, Hello, Met, Prober, Responder, ResponderStats, Transport,
};

use super::worker::{Done, Probing, QueuePairs};
use super::{Parts, flow_label};
use crate::daemons::operations::clock::monotonic_ns;
use crate::daemons::operations::random;

/// The queue pair, and where its datagrams go.
pub(super) struct Datagrams {
    /// Peers that are probed, by address and path.
    peers: BTreeMap<(IpAddr, u8), UdDestination>,
    /// Probers that get replies, by address and path.
    probers: BTreeMap<(IpAddr, u8), UdDestination>,
    pair: UdQueuePair,
    /// The own address that a prober has sent its offer to.
    own: BTreeMap<IpAddr, IpAddr>,
    paths: u8,
    traffic_class: u8,
    responder: Responder,
    /// Requests of queue pairs that were not offered.
    strange: u64,
}

impl Datagrams {
    /// Opens the device.
    pub(super) fn open(parts: &Parts) -> anyhow::Result<Datagrams> {
        // A random key keeps datagrams away that belong to a queue pair of the same number before a restart.
        let pair = UdQueuePair::open(&parts.library()?, &parts.port, random()? as u32)?;
        Ok(Datagrams {
            peers: BTreeMap::new(),
            probers: BTreeMap::new(),
            pair,
            own: BTreeMap::new(),
            paths: u8::try_from(parts.mesh.prober.paths).unwrap_or(u8::MAX),
            traffic_class: parts.traffic_class(),
            responder: Responder::new(parts.mesh.known.clone(), parts.mesh.replies_per_second),
            strange: 0,
        })
    }

    fn destination(
        &self,
        own: IpAddr,
        to: &Endpoint,
        first_label: u32,
        path: u8,
    ) -> Result<UdDestination, Error> {
        let remote = UdRemote { address: to.address, queue_pair: to.queue_pair, q_key: to.q_key };
        let label = flow_label(Transport::Ud, first_label, path);
        self.pair.destination(own, remote, label, self.traffic_class)
    }

    /// Replies to a request of a prober whose queue pair is known.
    fn reply(
        &mut self,
        acceptor: &Acceptor,
        (from, queue_pair): (IpAddr, u32),
        request: &[u8],
        received_ns: u64,
    ) -> Result<(), Error> {
        let path = packet::path(request);
        let offer = acceptor.offer(from, 0).filter(|offer| offer.endpoint.queue_pair == queue_pair);
        let (Some(offer), Some(own)) = (offer, self.own.get(&from).copied()) else {
            self.strange += 1;
            return Ok(());
        };
        if usize::from(path) >= host_agent::mesh::hello::MAX_PATHS {
            self.strange += 1;
            return Ok(());
        }
        if !self.probers.contains_key(&(from, path)) {
            match self.destination(own, &offer.endpoint, offer.flow_label, path) {
                Ok(destination) => drop(self.probers.insert((from, path), destination)),
                Err(error) => {
                    // Not again for each request: its next offer is another try.
                    self.forget(from, 0);
                    return Err(error);
                }
            }
        }
        let Some(destination) = self.probers.get(&(from, path)) else { return Ok(()) };
        let Some(reply) = self.responder.reply(monotonic_ns(), from, request, received_ns) else {
            return Ok(());
        };
        self.pair.send(destination, &packet::with_path(reply, path))
    }
}

impl QueuePairs for Datagrams {
    fn descriptor(&self) -> BorrowedFd<'_> {
        self.pair.as_fd()
    }

    fn has_more(&self) -> bool {
        self.pair.has_more()
    }

    fn offered(&mut self, own: IpAddr, _: IpAddr, _: u8) -> Result<Endpoint, Error> {
        let (queue_pair, q_key) = (self.pair.number(), self.pair.q_key());
        Ok(Endpoint { address: own, queue_pair, psn: 0, q_key, mtu: 0 })
    }

    fn met(&mut self, own: IpAddr, met: &Met, first_label: u32) -> Result<bool, Error> {
        for path in 0..self.paths {
            if met.is_new || !self.peers.contains_key(&(met.to, path)) {
                let destination = self.destination(own, &met.endpoint, first_label, path)?;
                self.peers.insert((met.to, path), destination);
            }
        }
        Ok(false)
    }

    fn accepted(&mut self, own: IpAddr, acceptance: &Acceptance, _: &Hello) -> Result<Endpoint, Error> {
        if acceptance.is_new || self.own.get(&acceptance.from) != Some(&own) {
            self.forget(acceptance.from, acceptance.path);
            self.own.insert(acceptance.from, own);
        }
        self.offered(own, acceptance.from, 0)
    }

    fn forget(&mut self, from: IpAddr, _: u8) {
        self.own.remove(&from);
        self.probers.retain(|(address, _), _| *address != from);
    }

    fn send(&mut self, probe: &Probing) -> Result<bool, Error> {
        let Some(destination) = self.peers.get(&(probe.to, probe.path)) else { return Ok(false) };
        self.pair.send(destination, &packet::with_path(probe.bytes, probe.path))?;
        Ok(true)
    }

    fn handle(&mut self, prober: &mut Prober, acceptor: &Acceptor) -> Result<Done, Error> {
        let mut done = Done::default();
        let mut problem = Ok(());
        let datagrams = self.pair.receive()?;
        let received_ns = monotonic_ns();
        for datagram in datagrams {
            let (from, bytes) = (datagram.from, &datagram.bytes);
            if Request::read(bytes).is_some() {
                let replied = self.reply(acceptor, (from, datagram.queue_pair), bytes, received_ns);
                problem = problem.and(replied);
            } else {
                let path = usize::from(packet::path(bytes));
                done.round_trips.extend(prober.replied(path, from, bytes, received_ns));
            }
        }
        // A reply that cannot be sent is a loss of its prober, and does not concern the own round trips.
        if let Err(error) = problem {
            tracing::debug!(%error, "a reply cannot be sent");
        }
        Ok(done)
    }

    fn responder(&self) -> ResponderStats {
        let stats = self.responder.stats();
        ResponderStats { unknown: stats.unknown + self.strange, ..stats }
    }
}
