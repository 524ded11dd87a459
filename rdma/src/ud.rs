//! Datagrams of 64 bytes between queue pairs (unreliable datagram).

use std::net::IpAddr;
use std::os::fd::{AsFd, BorrowedFd};
use std::rc::Rc;

use crate::grh::{self, GRH_BYTES};
use crate::sys::{AddressHandle, Context, Domain, Kind, Memory, Queue, QueuePair, Route};
use crate::{Error, FlowLabel, Library, Port, gid_bytes};

/// Maximum length of a payload.
pub const PAYLOAD_BYTES: usize = 64;
/// Datagrams for which there is memory until [`UdQueuePair::receive`]; the device drops further ones.
const RECEIVES: usize = 512;
/// Datagrams that are being sent.
const SENDS: usize = 256;
/// Memory of a datagram.
const SLOT_BYTES: usize = GRH_BYTES + PAYLOAD_BYTES;
/// Completions that one call takes, in batches; further ones are for the next call.
const BATCHES: usize = 64;
/// Marks the numbers of sends.
const SEND: u64 = 1 << 32;
/// As the agents' probes over UDP have.
const HOP_LIMIT: u8 = 64;

/// A queue pair of a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UdRemote {
    /// The peer's address, which is its GID.
    pub address: IpAddr,
    /// Number of its queue pair.
    pub queue_pair: u32,
    /// The key that datagrams to it need.
    pub q_key: u32,
}

/// A peer's queue pair and the path to it.
#[derive(Debug)]
pub struct UdDestination {
    handle: AddressHandle,
    remote: UdRemote,
}

/// A datagram that has arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Datagram {
    /// Its source address.
    pub from: IpAddr,
    /// The sender's queue pair.
    pub queue_pair: u32,
    /// The payload, at most [`PAYLOAD_BYTES`].
    pub bytes: Vec<u8>,
}

/// A queue pair for datagrams. Its descriptor is readable when [`UdQueuePair::receive`] has something to do.
#[derive(Debug)]
pub struct UdQueuePair {
    pair: QueuePair,
    memory: Rc<Memory>,
    queue: Rc<Queue>,
    domain: Rc<Domain>,
    port: Port,
    q_key: u32,
    /// Parts of the memory that no send uses.
    free: Vec<usize>,
    has_more: bool,
    failed_sends: u64,
}

impl UdQueuePair {
    /// Creates a queue pair on a port. Datagrams to it need the key, of which the highest bit is cleared: keys with it are
    /// for the system.
    ///
    /// # Errors
    /// The device cannot be used, or is at a limit.
    pub fn open(library: &Library, port: &Port, q_key: u32) -> Result<UdQueuePair, Error> {
        let (context, _): (Rc<Context>, u8) = library.open(port)?;
        let domain = Domain::new(&context)?;
        let queue = Queue::new(&context, RECEIVES + SENDS)?;
        let memory = Memory::new(&domain, (RECEIVES + SENDS) * SLOT_BYTES)?;
        let counts = (SENDS as u32, RECEIVES as u32);
        let pair = QueuePair::new(&domain, &queue, Some(memory.clone()), Kind::Ud, counts)?;
        let q_key = q_key & 0x7fff_ffff;
        pair.start_ud(port.number, q_key)?;
        for slot in 0..RECEIVES {
            pair.post_receive(slot * SLOT_BYTES, SLOT_BYTES, slot as u64)?;
        }
        let free = (RECEIVES..RECEIVES + SENDS).collect();
        let port = port.clone();
        Ok(UdQueuePair { pair, memory, queue, domain, port, q_key, free, has_more: false, failed_sends: 0 })
    }

    /// Returns its number, of 24 bits.
    pub fn number(&self) -> u32 {
        self.pair.number()
    }

    /// Returns the key that datagrams to it need.
    pub fn q_key(&self) -> u32 {
        self.q_key
    }

    /// Prepares to send datagrams to a peer from an own address, on a path. `traffic_class` has DSCP and ECN.
    ///
    /// # Errors
    /// The port has no GID of the own address, the peer cannot be resolved, or the device is at a limit.
    pub fn destination(
        &self,
        from: IpAddr,
        remote: UdRemote,
        label: FlowLabel,
        traffic_class: u8,
    ) -> Result<UdDestination, Error> {
        let route = route(&self.port, from, remote.address, label, traffic_class)?;
        Ok(UdDestination { handle: AddressHandle::new(&self.domain, &route)?, remote })
    }

    /// Sends a datagram.
    ///
    /// # Errors
    /// The payload is too long, 256 datagrams are being sent, or the queue pair has failed.
    pub fn send(&mut self, to: &UdDestination, payload: &[u8]) -> Result<(), Error> {
        if payload.len() > PAYLOAD_BYTES {
            return Err(Error::TooLong { bytes: payload.len(), limit: PAYLOAD_BYTES });
        }
        let slot = self.free.pop().ok_or(Error::Full)?;
        let offset = slot * SLOT_BYTES;
        self.memory.write(offset, payload);
        let peer = (to.remote.queue_pair, to.remote.q_key);
        let sent = self.pair.post_datagram((offset, payload.len()), &to.handle, peer, SEND | slot as u64);
        if sent.is_err() {
            self.free.push(slot);
        }
        sent
    }

    /// Returns the datagrams that have arrived. Those without a valid header of IPv4 or IPv6 are left out.
    ///
    /// # Errors
    /// The device has failed.
    pub fn receive(&mut self) -> Result<Vec<Datagram>, Error> {
        self.queue.clear();
        self.queue.arm()?;
        let mut found = Vec::new();
        for _ in 0..BATCHES {
            let batch = self.queue.poll()?;
            self.has_more = !batch.is_empty();
            if !self.has_more {
                break;
            }
            for completion in batch {
                if completion.id & SEND != 0 {
                    self.failed_sends += u64::from(!completion.is_success());
                    self.free.push((completion.id & !SEND) as usize);
                    continue;
                }
                let slot = (completion.id as usize).min(RECEIVES - 1);
                let bytes = completion.bytes as usize;
                if completion.is_success()
                    && completion.has_header
                    && (GRH_BYTES..=SLOT_BYTES).contains(&bytes)
                {
                    found.extend(self.datagram(slot, bytes, completion.source));
                }
                self.pair.post_receive(slot * SLOT_BYTES, SLOT_BYTES, slot as u64)?;
            }
        }
        Ok(found)
    }

    /// Returns whether [`UdQueuePair::receive`] has more to do at once, without the descriptor being readable.
    pub fn has_more(&self) -> bool {
        self.has_more
    }

    /// Returns how many datagrams the device could not send.
    pub fn failed_sends(&self) -> u64 {
        self.failed_sends
    }

    fn datagram(&self, slot: usize, bytes: usize, queue_pair: u32) -> Option<Datagram> {
        let mut header = [0; GRH_BYTES];
        self.memory.read(slot * SLOT_BYTES, &mut header);
        let mut payload = vec![0; bytes - GRH_BYTES];
        self.memory.read(slot * SLOT_BYTES + GRH_BYTES, &mut payload);
        Some(Datagram { from: grh::source(&header)?, queue_pair, bytes: payload })
    }
}

impl AsFd for UdQueuePair {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.queue.as_fd()
    }
}

/// Returns the way from an address of a port to a peer.
pub(crate) fn route(
    port: &Port,
    from: IpAddr,
    peer: IpAddr,
    label: FlowLabel,
    traffic_class: u8,
) -> Result<Route, Error> {
    Ok(Route {
        port: port.number,
        own_gid: port.gid_of(from).ok_or(Error::NoSuchGid { address: from })?,
        peer_gid: gid_bytes(peer.to_canonical()),
        flow_label: label.get(),
        traffic_class,
        hop_limit: HOP_LIMIT,
    })
}
