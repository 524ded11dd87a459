//! The sending side of a flow: which packets have been sent and acknowledged, and which to send or retransmit next.
//!
//! Packets are numbered from 0 without wrapping; the PSN on the wire is the low 24 bits.

use std::collections::VecDeque;

use model::Time;
use scenario::nic::Reliability;

use super::message::Layout;
use super::selective::Recovery;

/// A packet that was sent and is not acknowledged cumulatively.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    /// When it was last sent.
    sent: Time,
    /// Whether that was a retransmission.
    is_retransmission: bool,
    /// Whether a selective NAK has reported its arrival.
    pub(super) arrived: bool,
}

/// The effect of an ACK that covers new packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acknowledged {
    /// When the last of the acknowledged packets was sent.
    pub sent: Time,
    /// Whether one of the acknowledged packets was sent more than once, so that the ACK cannot be matched to one of the
    /// transmissions and gives no RTT sample (RFC 6298, section 3; Karn and Partridge, SIGCOMM 1987).
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
    sent: u64,
    retransmitted: u64,
    /// Present for selective repeat.
    recovery: Option<Recovery>,
}

impl Sender {
    /// A sender that has sent nothing yet.
    pub fn new(layout: Layout, reliability: Reliability) -> Sender {
        Sender {
            layout,
            next: 0,
            acknowledged: 0,
            slots: VecDeque::new(),
            sent: 0,
            retransmitted: 0,
            recovery: (reliability == Reliability::SelectiveRepeat).then(Recovery::default),
        }
    }

    /// How the flow's bytes are divided into packets.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The packet to send next, if the window allows it.
    pub fn upcoming(&self) -> Option<u64> {
        let lost = self.recovery.as_ref().and_then(|r| r.missing(self.acknowledged, &self.slots));
        lost.or_else(|| (self.next < self.layout.packets()).then_some(self.next))
    }

    /// Whether there is a packet to send, if the window allows it.
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

    /// When the oldest packet that is not acknowledged was last sent.
    pub fn oldest_sent(&self) -> Option<Time> {
        self.slots.iter().map(|slot| slot.sent).min()
    }

    /// Packets sent, retransmissions included.
    pub fn sent_packets(&self) -> u64 {
        self.sent
    }

    /// Packets retransmitted.
    pub fn retransmitted(&self) -> u64 {
        self.retransmitted
    }

    /// Takes the packet to send next: its number and payload bytes.
    pub fn take(&mut self, now: Time) -> Option<(u64, u32)> {
        let number = self.upcoming()?;
        if number == self.next {
            self.next += 1;
        }
        self.sent += 1;
        if let Some(recovery) = &mut self.recovery {
            recovery.sent(number);
        }
        match self.slots.get_mut((number - self.acknowledged) as usize) {
            Some(slot) => {
                *slot = Slot { sent: now, is_retransmission: true, ..*slot };
                self.retransmitted += 1;
            }
            None => self.slots.push_back(Slot { sent: now, is_retransmission: false, arrived: false }),
        }
        Some((number, self.layout.payload(number)))
    }

    /// All packets below `upto` have arrived. Returns `None` if that was known.
    pub fn acknowledge(&mut self, upto: u64) -> Option<Acknowledged> {
        let upto = upto.min(self.acknowledged + self.slots.len() as u64);
        let news = upto.checked_sub(self.acknowledged).filter(|n| *n > 0)?;
        let ambiguous = self.slots.range(..news as usize).any(|slot| slot.is_retransmission);
        let last = self.slots.drain(..news as usize).next_back()?;
        self.acknowledged = upto;
        self.next = self.next.max(upto);
        if let Some(recovery) = &mut self.recovery {
            recovery.acknowledged(upto);
        }
        Some(Acknowledged { sent: last.sent, ambiguous })
    }

    /// A NAK has arrived. With selective repeat, `arrived` is the out-of-order packet that the receiver has kept.
    pub fn nak_received(&mut self, arrived: Option<u64>) {
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

    /// The receiver has discarded packets that it had acknowledged. They were sent before `now`.
    pub fn rewind(&mut self, now: Time, to: u64) {
        while self.acknowledged > to {
            self.acknowledged -= 1;
            self.slots.push_front(Slot { sent: now, is_retransmission: true, arrived: false });
        }
        self.next = self.acknowledged.min(self.next);
    }

    /// The retransmission timeout has expired: all outstanding packets that are not known to have arrived are
    /// retransmitted.
    pub fn timed_out(&mut self) {
        match &mut self.recovery {
            None => self.next = self.acknowledged,
            Some(recovery) => recovery.timed_out(self.acknowledged, self.next),
        }
    }
}
