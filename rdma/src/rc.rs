//! Connections (reliable connection) on which nothing is written to a peer, to measure when its NIC acknowledges.
//!
//! The writes have no bytes, for which a NIC checks no key of memory (InfiniBand Architecture Specification, volume 1,
//! statement C9-88), and the protection domain of the connections has no memory that a peer could name. So a peer cannot write
//! anywhere.

use std::net::IpAddr;
use std::os::fd::{AsFd, BorrowedFd};
use std::rc::Rc;

use crate::sys::{Domain, Kind, Queue, QueuePair};
use crate::ud::route;
use crate::{Error, FlowLabel, Library, Port};

/// Writes of a connection that are under way.
pub const RC_DEPTH: u32 = 4;
/// An acknowledgement is missing after 4.096 us x 2^14 = 67 ms (up to four times that on some NICs): longer than queues of a
/// network drain, so that congestion causes no retransmissions.
const ACK_TIMEOUT: u8 = 14;
/// Retransmissions before a write fails: after 0.27 s, on some NICs up to 1.1 s.
const RETRIES: u8 = 3;
/// Completions that one call takes, in batches; further ones are for the next call.
const BATCHES: usize = 64;

/// The end of a connection at a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RcRemote {
    /// The peer's address, which is its GID.
    pub address: IpAddr,
    /// Number of its queue pair.
    pub queue_pair: u32,
    /// First packet sequence number that it sends, 24 bits.
    pub psn: u32,
    /// Code of the MTU of its port: 1 for 256 bytes to 5 for 4096 bytes.
    pub mtu: u8,
}

/// A write that is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RcCompletion {
    /// The own queue pair.
    pub queue_pair: u32,
    /// The number of the write.
    pub id: u64,
    /// Whether the peer's NIC has acknowledged it; otherwise the connection has failed.
    pub is_success: bool,
}

/// A port with connections. Its descriptor is readable when [`RcPort::completions`] has something to return.
#[derive(Debug)]
pub struct RcPort {
    queue: Rc<Queue>,
    domain: Rc<Domain>,
    port: Port,
    mtu: u8,
    has_more: bool,
}

impl RcPort {
    /// Opens a port, for so many connections that write.
    ///
    /// # Errors
    /// The device cannot be used, or is at a limit.
    pub fn open(library: &Library, port: &Port, connections: usize) -> Result<RcPort, Error> {
        let (context, mtu) = library.open(port)?;
        let domain = Domain::new(&context)?;
        let queue = Queue::new(&context, connections.saturating_mul(RC_DEPTH as usize).max(1))?;
        Ok(RcPort { queue, domain, port: port.clone(), mtu, has_more: false })
    }

    /// Returns the code of the MTU: 1 for 256 bytes to 5 for 4096 bytes.
    pub fn mtu(&self) -> u8 {
        self.mtu
    }

    /// Creates a queue pair that is not connected yet.
    ///
    /// # Errors
    /// The device is at a limit.
    pub fn queue_pair(&self) -> Result<RcQueuePair, Error> {
        // Some devices do not permit empty queues.
        let pair = QueuePair::new(&self.domain, &self.queue, None, Kind::Rc, (RC_DEPTH, 1))?;
        pair.prepare_rc(self.port.number)?;
        Ok(RcQueuePair { pair, under_way: 0 })
    }

    /// Connects a queue pair to a peer from an own address, on a path. `traffic_class` has DSCP and ECN.
    ///
    /// # Errors
    /// The port has no GID of the own address, the peer cannot be resolved, or the queue pair is connected already.
    pub fn connect(
        &self,
        pair: &RcQueuePair,
        (from, own_psn): (IpAddr, u32),
        to: &RcRemote,
        label: FlowLabel,
        traffic_class: u8,
    ) -> Result<(), Error> {
        let route = route(&self.port, from, to.address, label, traffic_class)?;
        pair.pair.receive_from(&route, to.queue_pair, to.psn, self.mtu.min(to.mtu.clamp(1, 5)))?;
        pair.pair.send_from(own_psn, ACK_TIMEOUT, RETRIES)
    }

    /// Returns the writes that are complete.
    ///
    /// # Errors
    /// The device has failed.
    pub fn completions(&mut self) -> Result<Vec<RcCompletion>, Error> {
        self.queue.clear();
        self.queue.arm()?;
        let mut found = Vec::new();
        for _ in 0..BATCHES {
            let batch = self.queue.poll()?;
            self.has_more = !batch.is_empty();
            if !self.has_more {
                break;
            }
            found.extend(batch.iter().map(|completion| RcCompletion {
                queue_pair: completion.queue_pair,
                id: completion.id,
                is_success: completion.is_success(),
            }));
        }
        Ok(found)
    }

    /// Returns whether [`RcPort::completions`] has more to return at once, without the descriptor being readable.
    pub fn has_more(&self) -> bool {
        self.has_more
    }
}

impl AsFd for RcPort {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.queue.as_fd()
    }
}

/// One end of a connection.
#[derive(Debug)]
pub struct RcQueuePair {
    pair: QueuePair,
    under_way: u32,
}

impl RcQueuePair {
    /// Returns its number, of 24 bits.
    pub fn number(&self) -> u32 {
        self.pair.number()
    }

    /// Writes nothing to the peer.
    ///
    /// # Errors
    /// [`RC_DEPTH`] writes are under way, or the connection has failed.
    pub fn write(&mut self, id: u64) -> Result<(), Error> {
        if self.under_way >= RC_DEPTH {
            return Err(Error::Full);
        }
        self.pair.post_empty_write(id)?;
        self.under_way += 1;
        Ok(())
    }

    /// Notes that a write of this queue pair is complete.
    pub fn completed(&mut self) {
        self.under_way = self.under_way.saturating_sub(1);
    }
}
