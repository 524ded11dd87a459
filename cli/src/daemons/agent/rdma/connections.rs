//! Probes of connections: a write of no bytes, whose acknowledgement comes from the peer's NIC. Each path to a peer has a
//! connection of its own; the peer has the other end and does nothing.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::os::fd::{AsFd as _, BorrowedFd};

use ::rdma::{Error, RcPort, RcQueuePair, RcRemote};
use host_agent::mesh::{Acceptance, Acceptor, Endpoint, Hello, Met, Prober, ResponderStats, Transport};

use super::worker::{Done, Probing, QueuePairs};
use super::{Parts, flow_label};
use crate::daemons::operations::clock::monotonic_ns;
use crate::daemons::operations::random;

/// The connections of a port.
pub(super) struct Connections {
    /// Those on which probes leave, by peer and path.
    outgoing: BTreeMap<(IpAddr, u8), Outgoing>,
    /// Those of other agents, by address and path.
    incoming: BTreeMap<(IpAddr, u8), Incoming>,
    /// Peer and path by the number of the own queue pair.
    numbers: BTreeMap<u32, (IpAddr, u8)>,
    port: RcPort,
    traffic_class: u8,
    /// First packet sequence number of the next queue pair: from a random one on, so that packets of a connection before
    /// a restart do not fit.
    next_psn: u32,
}

struct Outgoing {
    pair: RcQueuePair,
    psn: u32,
    /// The peer's queue pair, once it is connected.
    peer: Option<Endpoint>,
}

struct Incoming {
    _pair: RcQueuePair,
    own: IpAddr,
    endpoint: Endpoint,
}

impl Connections {
    /// Opens the device.
    pub(super) fn open(parts: &Parts) -> anyhow::Result<Connections> {
        let connections = parts.mesh.peers.len().saturating_mul(parts.mesh.prober.paths);
        Ok(Connections {
            outgoing: BTreeMap::new(),
            incoming: BTreeMap::new(),
            numbers: BTreeMap::new(),
            port: RcPort::open(&parts.library()?, &parts.port, connections)?,
            traffic_class: parts.traffic_class(),
            next_psn: random()? as u32 & 0xff_ffff,
        })
    }

    fn psn(&mut self) -> u32 {
        // A large odd step visits all numbers.
        self.next_psn = self.next_psn.wrapping_add(0x9e_3779) & 0xff_ffff;
        self.next_psn
    }

    fn remove(&mut self, to: IpAddr, path: u8) {
        if let Some(gone) = self.outgoing.remove(&(to, path)) {
            self.numbers.remove(&gone.pair.number());
        }
    }
}

fn remote(peer: &Endpoint) -> RcRemote {
    RcRemote { address: peer.address, queue_pair: peer.queue_pair, psn: peer.psn, mtu: peer.mtu }
}

impl QueuePairs for Connections {
    fn descriptor(&self) -> BorrowedFd<'_> {
        self.port.as_fd()
    }

    fn has_more(&self) -> bool {
        self.port.has_more()
    }

    fn offered(&mut self, own: IpAddr, to: IpAddr, path: u8) -> Result<Endpoint, Error> {
        if !self.outgoing.contains_key(&(to, path)) {
            let (pair, psn) = (self.port.queue_pair()?, self.psn());
            self.numbers.insert(pair.number(), (to, path));
            self.outgoing.insert((to, path), Outgoing { pair, psn, peer: None });
        }
        let Outgoing { pair, psn, .. } = &self.outgoing[&(to, path)];
        Ok(Endpoint { address: own, queue_pair: pair.number(), psn: *psn, q_key: 0, mtu: self.port.mtu() })
    }

    fn met(&mut self, own: IpAddr, met: &Met, first_label: u32) -> Result<bool, Error> {
        // It has failed since the offer.
        let Some(outgoing) = self.outgoing.get_mut(&(met.to, met.path)) else { return Ok(true) };
        match outgoing.peer {
            Some(peer) if peer == met.endpoint => Ok(false),
            // The peer has restarted; a connection cannot change its end.
            Some(_) => {
                self.remove(met.to, met.path);
                Ok(true)
            }
            None => {
                let (from, to) = ((own, outgoing.psn), remote(&met.endpoint));
                let label = flow_label(Transport::Rc, first_label, met.path);
                let connected = self.port.connect(&outgoing.pair, from, &to, label, self.traffic_class);
                outgoing.peer = Some(met.endpoint);
                if connected.is_err() {
                    self.remove(met.to, met.path);
                }
                connected.map(|()| false)
            }
        }
    }

    fn accepted(&mut self, own: IpAddr, acceptance: &Acceptance, offer: &Hello) -> Result<Endpoint, Error> {
        let key = (acceptance.from, acceptance.path);
        if let Some(incoming) = self.incoming.get(&key)
            && !acceptance.is_new
            && incoming.own == own
        {
            return Ok(incoming.endpoint);
        }
        // Before the next one, which the device may have no space for.
        self.incoming.remove(&key);
        let (pair, psn) = (self.port.queue_pair()?, self.psn());
        let label = flow_label(Transport::Rc, offer.flow_label, offer.path);
        self.port.connect(&pair, (own, psn), &remote(&offer.endpoint), label, self.traffic_class)?;
        let endpoint =
            Endpoint { address: own, queue_pair: pair.number(), psn, q_key: 0, mtu: self.port.mtu() };
        self.incoming.insert(key, Incoming { _pair: pair, own, endpoint });
        Ok(endpoint)
    }

    fn forget(&mut self, from: IpAddr, path: u8) {
        self.incoming.remove(&(from, path));
    }

    fn send(&mut self, probe: &Probing) -> Result<bool, Error> {
        let key = (probe.to, probe.path);
        let Some(outgoing) = self.outgoing.get_mut(&key).filter(|outgoing| outgoing.peer.is_some()) else {
            return Ok(false);
        };
        match outgoing.pair.write(probe.sequence) {
            // The last ones have no acknowledgement yet: the probe is lost as they are.
            Ok(()) | Err(Error::Full) => Ok(true),
            Err(error) => {
                self.remove(probe.to, probe.path);
                Err(error)
            }
        }
    }

    fn handle(&mut self, prober: &mut Prober, _: &Acceptor) -> Result<Done, Error> {
        let mut done = Done::default();
        let completions = self.port.completions()?;
        let completed_ns = monotonic_ns();
        for completion in completions {
            let Some((to, path)) = self.numbers.get(&completion.queue_pair).copied() else { continue };
            if !completion.is_success {
                self.remove(to, path);
                done.failed.push((to, path));
                continue;
            }
            if let Some(outgoing) = self.outgoing.get_mut(&(to, path)) {
                outgoing.pair.completed();
            }
            done.round_trips.extend(prober.completed(completion.id, completed_ns));
        }
        Ok(done)
    }

    fn responder(&self) -> ResponderStats {
        ResponderStats::default()
    }
}
