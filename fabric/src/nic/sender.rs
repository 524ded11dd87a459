//! The sending side of a flow: what has been sent, what has been acknowledged, and what to send next, new or again.
//!
//! Packets are numbered from 0 without wrapping; the wire carries the low 24 bits.

use std::collections::VecDeque;

use model::Time;
use scenario::nic::Reliability;

use super::message::Layout;
use super::selective::Recovery;

/// A packet that was sent and is not acknowledged by a number below which all have arrived.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    /// When it was sent last.
    sent: Time,
    /// Whether that was a repetition.
    again: bool,
    /// Whether it is known to have arrived all the same.
    pub(super) arrived: bool,
}

/// What an acknowledgement brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acknowledged {
    /// When the last of the acknowledged packets was sent.
    pub sent: Time,
    /// Whether it had been sent before, so that it is not known which of them was answered (Karn and Partridge,
    /// SIGCOMM 1987): no measure of the round trip.
    pub ambiguous: bool,
}

/// The sending side of one flow.
#[derive(Clone, Debug)]
pub struct Sender {
    layout: Layout,
    next: u64,
    acknowledged: u64,
    /// The packets from `acknowledged` on.
    slots: VecDeque<Slot>,
    taken: u64,
    repeated: u64,
    /// Present for selective repeat.
    recovery: Option<Recovery>,
}

impl Sender {
    /// Nothing has been sent.
    pub fn new(layout: Layout, reliability: Reliability) -> Sender {
        Sender {
            layout,
            next: 0,
            acknowledged: 0,
            slots: VecDeque::new(),
            taken: 0,
            repeated: 0,
            recovery: (reliability == Reliability::SelectiveRepeat).then(Recovery::default),
        }
    }

    /// How the flow's bytes are cut.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The packet to send next, window aside.
    pub fn upcoming(&self) -> Option<u64> {
        let again = self.recovery.as_ref().and_then(|r| r.missing(self.acknowledged, &self.slots));
        again.or_else(|| (self.next < self.layout.packets()).then_some(self.next))
    }

    /// Whether there is a packet to send, window aside.
    pub fn has_more(&self) -> bool {
        self.upcoming().is_some()
    }

    /// Whether everything has been acknowledged.
    pub fn is_done(&self) -> bool {
        self.acknowledged >= self.layout.packets()
    }

    /// Bytes sent and not acknowledged.
    pub fn outstanding_bytes(&self) -> u64 {
        self.layout.position(self.next) - self.layout.position(self.acknowledged)
    }

    /// Bytes acknowledged.
    pub fn acknowledged_bytes(&self) -> u64 {
        self.layout.position(self.acknowledged)
    }

    /// First packet that is not acknowledged.
    pub fn first_unacknowledged(&self) -> u64 {
        self.acknowledged
    }

    /// First packet that was never sent.
    pub fn first_unsent(&self) -> u64 {
        self.acknowledged + self.slots.len() as u64
    }

    /// Packets sent, those sent again included.
    pub fn sent_packets(&self) -> u64 {
        self.taken
    }

    /// Packets sent again.
    pub fn retransmitted(&self) -> u64 {
        self.repeated
    }

    /// Takes the packet to send next: its number and payload bytes.
    pub fn take(&mut self, now: Time) -> Option<(u64, u32)> {
        let number = self.upcoming()?;
        if number == self.next {
            self.next += 1;
        }
        self.taken += 1;
        if let Some(recovery) = &mut self.recovery {
            recovery.repeated(number);
        }
        match self.slots.get_mut((number - self.acknowledged) as usize) {
            Some(slot) => {
                *slot = Slot { sent: now, again: true, ..*slot };
                self.repeated += 1;
            }
            None => self.slots.push_back(Slot { sent: now, again: false, arrived: false }),
        }
        Some((number, self.layout.payload(number)))
    }

    /// Everything below `upto` has arrived. What is returned is absent when that is no news.
    pub fn acknowledge(&mut self, upto: u64) -> Option<Acknowledged> {
        let upto = upto.min(self.acknowledged + self.slots.len() as u64);
        let news = upto.checked_sub(self.acknowledged).filter(|n| *n > 0)?;
        let last = self.slots.drain(..news as usize).next_back()?;
        self.acknowledged = upto;
        self.next = self.next.max(upto);
        if let Some(recovery) = &mut self.recovery {
            recovery.acknowledged(upto);
        }
        Some(Acknowledged { sent: last.sent, ambiguous: last.again })
    }

    /// The receiver misses packets. `arrived` has come all the same, where the receiver keeps such packets.
    pub fn refused(&mut self, arrived: Option<u64>) {
        match (&mut self.recovery, arrived) {
            (None, _) => self.next = self.acknowledged,
            (Some(recovery), Some(number)) => {
                if let Some(slot) =
                    number.checked_sub(self.acknowledged).and_then(|at| self.slots.get_mut(at as usize))
                {
                    slot.arrived = true;
                    recovery.arrived(number, self.acknowledged, self.next);
                }
            }
            (Some(_), None) => {}
        }
    }

    /// The receiver has gone back behind what it had acknowledged.
    pub fn rewind(&mut self, to: u64) {
        while self.acknowledged > to {
            self.acknowledged -= 1;
            self.slots.push_front(Slot { sent: Time::ZERO, again: true, arrived: false });
        }
        self.next = self.acknowledged.min(self.next);
    }

    /// Nothing was heard for too long: everything outstanding that is not known to have arrived is sent again.
    pub fn timed_out(&mut self) {
        match &mut self.recovery {
            None => self.next = self.acknowledged,
            Some(recovery) => recovery.timed_out(self.acknowledged, self.next),
        }
    }
}
