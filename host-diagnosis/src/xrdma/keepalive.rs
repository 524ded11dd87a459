//! Keepalive of a connection (X-RDMA, section V-A): an RDMA connection does not notice that its peer is gone until it sends, so
//! that queue pairs and buffers of dead connections accumulate.
//!
//! After a time without traffic, an end sends a WRITE of zero bytes. The peer's NIC acknowledges it without its application. If
//! it is not acknowledged, the NIC completes it with an error, and the end releases the connection.

/// What an end of a connection has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeepaliveAction {
    /// Nothing before this time, in nanoseconds.
    WaitUntil(u64),
    /// Send a WRITE of zero bytes.
    Probe,
    /// Wait for the completion of the probe.
    AwaitCompletion,
    /// Release the queue pair and the buffers: the peer is gone.
    Release,
}

/// The keepalive of one end of a connection. Times are nanoseconds of its clock and do not run backwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keepalive {
    interval_ns: u64,
    last_traffic_ns: u64,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Alive,
    Probing,
    Dead,
}

impl Keepalive {
    /// A connection that is established now, and probed after this time without traffic (`keepalive_intv_ms`).
    pub fn new(now_ns: u64, interval_ns: u64) -> Keepalive {
        Keepalive { interval_ns, last_traffic_ns: now_ns, state: State::Alive }
    }

    /// A message or an acknowledgement has arrived from the peer.
    pub fn received(&mut self, now_ns: u64) {
        if self.state != State::Dead {
            (self.last_traffic_ns, self.state) = (now_ns, State::Alive);
        }
    }

    /// The NIC has completed a probe. An error is final, also if traffic has arrived meanwhile: the queue pair is in the error
    /// state then and sends nothing more.
    pub fn completed(&mut self, now_ns: u64, is_success: bool) {
        match is_success {
            true => self.received(now_ns),
            false => self.state = State::Dead,
        }
    }

    /// What is to be done now. [`KeepaliveAction::Probe`] is returned once for each probe.
    pub fn next(&mut self, now_ns: u64) -> KeepaliveAction {
        let due_ns = self.last_traffic_ns.saturating_add(self.interval_ns);
        match self.state {
            State::Alive if now_ns < due_ns => KeepaliveAction::WaitUntil(due_ns),
            State::Alive => {
                self.state = State::Probing;
                KeepaliveAction::Probe
            }
            State::Probing => KeepaliveAction::AwaitCompletion,
            State::Dead => KeepaliveAction::Release,
        }
    }
}
