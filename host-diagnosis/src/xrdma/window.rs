//! The window of messages of a connection (X-RDMA, section V-B, Algorithm 1): a sender never has more messages in flight
//! than its peer has receive buffers, so that no message meets a receiver that is not ready (RNR).
//!
//! Every message carries an acknowledgement; after some messages without one in the other direction, a standalone
//! acknowledgement is sent. If both windows are full, neither side may send and neither learns of the other's progress:
//! a deadlock, which a NOP message resolves. One slot is reserved for it.

use thiserror::Error;

/// A message between the ends of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// The kind.
    kind: Kind,
    /// How many messages its sender has received completely.
    acknowledged: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Data; needs a receive buffer and a place in the window.
    Data,
    /// A standalone acknowledgement or a NOP: uses the reserved buffer and no place in the window.
    Control,
}

/// A message that cannot be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum WindowError {
    /// As many messages are in flight as the peer has buffers.
    #[error("the window is full")]
    Full,
}

/// One end of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// Messages in flight that are permitted, and receive buffers for them.
    depth: u64,
    /// Messages received without an acknowledgement after which a standalone one is due (N of the source).
    acknowledge_after: u64,
    /// SEQ: messages sent.
    sent: u64,
    /// ACK: messages that the peer acknowledged.
    acknowledged_by_peer: u64,
    /// WTA: messages that arrived.
    arrived: u64,
    /// RTA: messages that the application has processed, whose buffers are free again.
    processed: u64,
    /// ACKED: messages acknowledged to the peer.
    acknowledged: u64,
    /// Messages that arrived without a free receive buffer.
    receiver_not_ready: u64,
}

impl Endpoint {
    /// An end with `depth` receive buffers that acknowledges at the latest after `acknowledge_after` messages. Both are
    /// at least 1.
    pub fn new(depth: u32, acknowledge_after: u32) -> Endpoint {
        Endpoint {
            depth: u64::from(depth.max(1)),
            acknowledge_after: u64::from(acknowledge_after.max(1)),
            sent: 0,
            acknowledged_by_peer: 0,
            arrived: 0,
            processed: 0,
            acknowledged: 0,
            receiver_not_ready: 0,
        }
    }

    /// Messages in flight: sent and not acknowledged.
    pub fn in_flight(&self) -> u64 {
        self.sent - self.acknowledged_by_peer
    }

    /// Messages that were received and not acknowledged to the peer.
    pub fn unacknowledged(&self) -> u64 {
        self.arrived - self.acknowledged
    }

    /// Messages that arrived while no receive buffer was free. A peer with a window of the same depth never causes one.
    pub fn receiver_not_ready(&self) -> u64 {
        self.receiver_not_ready
    }

    /// Sends a message with the newest acknowledgement.
    ///
    /// # Errors
    /// The window is full.
    pub fn send(&mut self) -> Result<Message, WindowError> {
        if self.in_flight() >= self.depth {
            return Err(WindowError::Full);
        }
        self.sent += 1;
        Ok(self.message(Kind::Data))
    }

    /// Receives a message.
    pub fn receive(&mut self, message: Message) {
        self.acknowledged_by_peer = self.acknowledged_by_peer.max(message.acknowledged).min(self.sent);
        if message.kind == Kind::Control {
            return;
        }
        if self.arrived - self.processed >= self.depth {
            self.receiver_not_ready += 1;
            return;
        }
        self.arrived += 1;
    }

    /// The application processes a message, whose receive buffer is then free. Returns whether there was one.
    pub fn process(&mut self) -> bool {
        let is_any = self.processed < self.arrived;
        self.processed += u64::from(is_any);
        is_any
    }

    /// Returns a standalone acknowledgement if one is due: enough messages were processed since the last one.
    pub fn acknowledge(&mut self) -> Option<Message> {
        let is_due = self.processed - self.acknowledged >= self.acknowledge_after;
        is_due.then(|| self.message(Kind::Control))
    }

    /// The timer: returns a NOP if the connection is in a deadlock.
    pub fn resolve_deadlock(&mut self) -> Option<Message> {
        is_deadlocked(self.depth, self.in_flight(), self.unacknowledged())
            .then(|| self.message(Kind::Control))
    }

    fn message(&mut self, kind: Kind) -> Message {
        self.acknowledged = self.processed;
        Message { kind, acknowledged: self.processed }
    }
}

/// Whether neither end of a connection may send: this end has `depth` messages in flight, and has received `depth`
/// messages that it has not acknowledged, so that its peer's window is full as well.
pub fn is_deadlocked(depth: u64, in_flight: u64, unacknowledged: u64) -> bool {
    depth > 0 && in_flight >= depth && unacknowledged >= depth
}
