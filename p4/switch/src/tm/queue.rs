//! The eight queues of a port and their scheduler.

use std::collections::VecDeque;

use model::Time;

use super::Arrival;
use super::config::{CLASSES, QueueProfile, Service};

/// A packet in a queue.
#[derive(Clone, Debug)]
pub(super) struct StoredPacket<P> {
    pub(super) packet: P,
    /// Index of its ingress port.
    pub(super) ingress: u16,
    /// Number of its ingress port.
    pub(super) ingress_number: u16,
    /// The ingress group in which it is counted.
    pub(super) group: u8,
    /// Its traffic class, as given at arrival.
    pub(super) priority: u8,
    pub(super) bytes: u32,
    pub(super) footprint: u64,
    pub(super) ecn_capable: bool,
    pub(super) enqueued: Time,
    /// 32 bits suffice: no queue holds 2^32 packets.
    pub(super) enqueue_depth_packets: u32,
}

impl<P> StoredPacket<P> {
    /// Restores the arrival record, to report that the packet was flushed at `egress_port`.
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
    waiting: [VecDeque<StoredPacket<P>>; CLASSES],
    /// Bit n: queue n is not empty.
    filled: u8,
    /// Bit n: queue n has strict priority.
    strict: u8,
    deficit: [u64; CLASSES],
    /// The weighted queue that is served next.
    turn: usize,
    /// Whether that queue has received its quantum in this round.
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

    pub(super) fn push(&mut self, priority: usize, waiting: StoredPacket<P>) {
        self.waiting[priority].push_back(waiting);
        self.filled |= 1 << priority;
    }

    pub(super) fn pop(&mut self, priority: usize) -> Option<StoredPacket<P>> {
        let waiting = self.waiting[priority].pop_front()?;
        if self.waiting[priority].is_empty() {
            // An idle queue accumulates no deficit.
            self.deficit[priority] = 0;
            self.filled &= !(1 << priority);
        }
        Some(waiting)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &StoredPacket<P>)> {
        self.waiting.iter().enumerate().flat_map(|(priority, queue)| queue.iter().map(move |w| (priority, w)))
    }

    /// Restarts the round of the weighted queues. All queues are empty.
    pub(super) fn restart_schedule(&mut self) {
        (self.turn, self.granted) = (0, false);
    }

    fn serves(&self, priority: usize, paused_queues: u8) -> bool {
        (self.filled & !paused_queues) >> priority & 1 == 1
    }

    /// Whether any queue that is not paused holds a packet.
    pub(super) fn has_work(&self, paused_queues: u8) -> bool {
        self.filled & !paused_queues != 0
    }

    /// Selects the queue to serve next and charges its deficit. Paused queues are skipped.
    pub(super) fn select(&mut self, profiles: &[QueueProfile; CLASSES], paused_queues: u8) -> Option<usize> {
        let ready = self.filled & !paused_queues;
        match (ready & self.strict).checked_ilog2() {
            Some(highest) => Some(highest as usize),
            None if ready == 0 => None,
            None => self.select_weighted(profiles, paused_queues),
        }
    }

    fn select_weighted(&mut self, profiles: &[QueueProfile; CLASSES], paused_queues: u8) -> Option<usize> {
        if !self.has_work(paused_queues) {
            return None;
        }
        loop {
            let priority = self.turn;
            if let (Service::Weighted(weight), true) =
                (profiles[priority].service, self.serves(priority, paused_queues))
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
