//! The event queue: what happens next, in order of time and, at equal times, of scheduling.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use model::Time;

/// Something that will happen. Flat and small; frames on the wire stay with their link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// The first frame in flight of a directed link reaches its far end.
    Arrive { link: u32 },
    /// The transmitter of a directed link has sent its frame.
    WireFree { link: u32 },
    /// A switch has something due.
    SwitchWake { switch: u32 },
    /// A NIC may have something to send: pacing or a pause has passed.
    NicWake { host: u32 },
    /// A NIC has processed the first frame of its receive buffer.
    NicProcessed { host: u32 },
    /// A NIC renews the pause it has sent.
    NicRefresh { host: u32, priority: u8 },
    /// A NIC's watchdog looks whether the receive pipeline moves.
    NicWatchdog { host: u32 },
    /// A flow starts.
    FlowStart { flow: u32 },
    /// A sender looks whether anything was acknowledged since the last time.
    Retransmit { flow: u32 },
    /// A fault starts, repeats or ends.
    Fault { fault: u32 },
    /// A host's agent looks at its flows.
    AgentWake { host: u32 },
    /// A host has been asked by a peer's agent to ask about the way back.
    AskBack { question: u32 },
    /// An outage of a directed link ends or begins.
    Outage { link: u32, up: bool },
}

/// A place in the order of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Slot {
    pub(crate) at: Time,
    pub(crate) sequence: u64,
}

impl Slot {
    /// Both as one number, which takes one comparison.
    fn order(self) -> u128 {
        u128::from(self.at.0) << 64 | u128::from(self.sequence)
    }
}

/// An event in its place. The heap has the largest on top, hence the turned order.
#[derive(Clone, Copy, Debug)]
struct Scheduled {
    slot: Slot,
    event: Event,
}

impl PartialEq for Scheduled {
    fn eq(&self, other: &Scheduled) -> bool {
        self.slot == other.slot
    }
}

impl Eq for Scheduled {}

impl PartialOrd for Scheduled {
    fn partial_cmp(&self, other: &Scheduled) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Scheduled {
    fn cmp(&self, other: &Scheduled) -> Ordering {
        other.slot.order().cmp(&self.slot.order())
    }
}

/// The queue.
#[derive(Debug, Default)]
pub(crate) struct EventQueue {
    heap: BinaryHeap<Scheduled>,
    sequence: u64,
}

impl EventQueue {
    /// Schedules an event after all others of the same time.
    pub(crate) fn push(&mut self, at: Time, event: Event) {
        let slot = self.reserve(at);
        self.push_at(slot, event);
    }

    /// Takes a place in the order without scheduling yet. A FIFO of a link needs only its first frame in the
    /// queue, but each frame keeps the place it had when it was sent.
    pub(crate) fn reserve(&mut self, at: Time) -> Slot {
        self.sequence += 1;
        Slot { at, sequence: self.sequence }
    }

    /// Schedules an event at a reserved place.
    pub(crate) fn push_at(&mut self, slot: Slot, event: Event) {
        self.heap.push(Scheduled { slot, event });
    }

    /// Time of the next event.
    pub(crate) fn next_time(&self) -> Option<Time> {
        self.heap.peek().map(|next| next.slot.at)
    }

    /// Takes the next event.
    pub(crate) fn pop(&mut self) -> Option<(Time, Event)> {
        self.heap.pop().map(|next| (next.slot.at, next.event))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_times_keep_the_order_of_reservation() {
        let mut queue = EventQueue::default();
        let late = queue.reserve(Time(5));
        queue.push(Time(5), Event::NicWake { host: 1 });
        queue.push(Time(4), Event::NicWake { host: 2 });
        queue.push_at(late, Event::NicWake { host: 3 });
        let order: Vec<_> = std::iter::from_fn(|| queue.pop()).collect();
        let host = |host| Event::NicWake { host };
        assert_eq!(order, [(Time(4), host(2)), (Time(5), host(3)), (Time(5), host(1))]);
    }
}
