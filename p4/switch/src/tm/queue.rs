//! The eight queues of a port and the order in which they are served.

use std::collections::VecDeque;

use model::Time;

use super::Arrival;
use super::config::{CLASSES, QueueProfile, Service};

/// A packet that waits.
#[derive(Clone, Debug)]
pub(super) struct Waiting<P> {
    pub(super) packet: P,
    /// Index of the port it came in by ...
    pub(super) ingress: u16,
    /// ... and that port's number.
    pub(super) ingress_number: u16,
    /// The ingress group that it is charged to.
    pub(super) group: u8,
    /// Its class, as given on arrival.
    pub(super) priority: u8,
    pub(super) bytes: u32,
    pub(super) footprint: u64,
    pub(super) ecn_capable: bool,
    pub(super) enqueued: Time,
    /// No queue holds more than 2^32 packets.
    pub(super) enqueue_depth_packets: u32,
}

impl<P> Waiting<P> {
    /// How it came, for a report that it was thrown out at `egress_port`.
    pub(super) fn arrival(&self, egress_port: u16) -> Arrival {
        Arrival {
            ingress_port: self.ingress_number,
            egress_port,
            priority: self.priority,
            bytes: self.bytes,
            ecn_capable: self.ecn_capable,
        }
    }
}

/// The queues of one port.
#[derive(Clone, Debug)]
pub(super) struct Queues<P> {
    waiting: [VecDeque<Waiting<P>>; CLASSES],
    /// Bit n: queue n holds a packet.
    filled: u8,
    /// Bit n: queue n is served strictly.
    strict: u8,
    deficit: [u64; CLASSES],
    /// The weighted queue whose turn it is.
    turn: usize,
    /// Whether that queue has received its bytes of this round.
    granted: bool,
}

impl<P> Queues<P> {
    pub(super) fn new(profiles: &[QueueProfile; CLASSES]) -> Queues<P> {
        let strict = (0..CLASSES).filter(|p| profiles[*p].service == Service::Strict);
        Queues {
            waiting: std::array::from_fn(|_| VecDeque::new()),
            filled: 0,
            strict: strict.fold(0, |bits, priority| bits | 1 << priority),
            deficit: [0; CLASSES],
            turn: 0,
            granted: false,
        }
    }

    pub(super) fn push(&mut self, priority: usize, waiting: Waiting<P>) {
        self.waiting[priority].push_back(waiting);
        self.filled |= 1 << priority;
    }

    pub(super) fn pop(&mut self, priority: usize) -> Option<Waiting<P>> {
        let waiting = self.waiting[priority].pop_front()?;
        if self.waiting[priority].is_empty() {
            // An idle queue saves nothing up.
            self.deficit[priority] = 0;
            self.filled &= !(1 << priority);
        }
        Some(waiting)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &Waiting<P>)> {
        self.waiting.iter().enumerate().flat_map(|(priority, queue)| queue.iter().map(move |w| (priority, w)))
    }

    fn serves(&self, priority: usize, silent: u8) -> bool {
        (self.filled & !silent) >> priority & 1 == 1
    }

    /// Whether any queue whose bit in `silent` is 0 holds a packet.
    pub(super) fn has_work(&self, silent: u8) -> bool {
        self.filled & !silent != 0
    }

    /// The queue to serve next, and its deficit is charged. Queues whose bit in `silent` is 1 are left out.
    pub(super) fn select(&mut self, profiles: &[QueueProfile; CLASSES], silent: u8) -> Option<usize> {
        let ready = self.filled & !silent;
        match (ready & self.strict).checked_ilog2() {
            Some(highest) => Some(highest as usize),
            None if ready == 0 => None,
            None => self.select_weighted(profiles, silent),
        }
    }

    fn select_weighted(&mut self, profiles: &[QueueProfile; CLASSES], silent: u8) -> Option<usize> {
        if !self.has_work(silent) {
            return None;
        }
        loop {
            let priority = self.turn;
            if let (Service::Weighted(weight), true) =
                (profiles[priority].service, self.serves(priority, silent))
            {
                if !self.granted {
                    self.deficit[priority] += u64::from(weight.max(64));
                    self.granted = true;
                }
                let head = self.waiting[priority].front().map_or(0, |w| u64::from(w.bytes));
                if head <= self.deficit[priority] {
                    self.deficit[priority] -= head;
                    return Some(priority);
                }
            }
            self.turn = (self.turn + 1) % CLASSES;
            self.granted = false;
        }
    }
}
