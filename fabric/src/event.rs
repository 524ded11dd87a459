//! The event queue, ordered by time and, at equal times, by scheduling.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use model::Time;

/// A scheduled event. Flat and small; frames in flight are kept by their link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScheduledEvent {
    /// The first frame in flight of a directed link reaches its far end.
    Arrive { link: u32 },
    /// The transmitter of a directed link has sent its frame.
    WireFree { link: u32 },
    /// A timer of a switch is due.
    SwitchWake { switch: u32 },
    /// A NIC may have data to send: pacing or a pause is over.
    NicWake { host: u32 },
    /// A NIC has processed the first frame of its receive buffer.
    NicProcessed { host: u32 },
    /// A NIC refreshes the pause it has sent.
    NicRefresh { host: u32, priority: u8 },
    /// A NIC watchdog is due.
    NicWatchdog { host: u32 },
    /// A flow starts.
    FlowStart { flow: u32 },
    /// The retransmission timer of a flow expires.
    Retransmit { flow: u32 },
    /// A fault starts, repeats or ends.
    Fault { fault: u32 },
    /// A timer of a host's agent is due.
    AgentWake { host: u32 },
    /// A receiver sends a polling packet along the reverse path, on request of the sender's agent.
    ReversePoll { poll: u32 },
    /// An outage of a directed link begins or ends.
    Outage { link: u32, up: bool },
}

/// A position in the order of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Slot {
    pub(crate) at: Time,
    pub(crate) sequence: u64,
}

impl Slot {
    /// Time and sequence as one number, for a single comparison.
    fn order(self) -> u128 {
        u128::from(self.at.0) << 64 | u128::from(self.sequence)
    }
}

/// An event in its slot. The heap has the largest on top, hence the reversed order.
#[derive(Clone, Copy, Debug)]
struct Scheduled {
    slot: Slot,
    event: ScheduledEvent,
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
    pub(crate) fn push(&mut self, at: Time, event: ScheduledEvent) {
        let slot = self.reserve(at);
        self.push_at(slot, event);
    }

    /// Reserves a slot without scheduling an event. Only the first frame in flight of a link is in the queue, but each
    /// frame keeps the slot of its transmission.
    pub(crate) fn reserve(&mut self, at: Time) -> Slot {
        self.sequence += 1;
        Slot { at, sequence: self.sequence }
    }

    /// Schedules an event in a reserved slot.
    pub(crate) fn push_at(&mut self, slot: Slot, event: ScheduledEvent) {
        self.heap.push(Scheduled { slot, event });
    }

    /// Time of the next event.
    pub(crate) fn next_time(&self) -> Option<Time> {
        self.heap.peek().map(|next| next.slot.at)
    }

    /// Removes and returns the next event.
    pub(crate) fn pop(&mut self) -> Option<(Time, ScheduledEvent)> {
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
        queue.push(Time(5), ScheduledEvent::NicWake { host: 1 });
        queue.push(Time(4), ScheduledEvent::NicWake { host: 2 });
        queue.push_at(late, ScheduledEvent::NicWake { host: 3 });
        let order: Vec<_> = std::iter::from_fn(|| queue.pop()).collect();
        let host = |host| ScheduledEvent::NicWake { host };
        assert_eq!(order, [(Time(4), host(2)), (Time(5), host(3)), (Time(5), host(1))]);
    }
}
