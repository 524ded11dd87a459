//! Selective repeat, as in NICs for lossy networks: the receiver keeps out-of-order packets, and the sender retransmits
//! only what is missing.
//!
//! The receiver replies to every out-of-order packet with a NAK that carries the number of the missing packet and, in
//! place of the message sequence number, that of the received one (the cumulative and the selective acknowledgement of
//! Mittal et al., "Revisiting Network Support for RDMA", SIGCOMM 2018, section 3.1, and of SRNIC, NSDI 2023). The
//! sender is in recovery from the first NAK until everything that was outstanding then has arrived. In recovery it
//! retransmits once each missing packet below the highest one known to have arrived.

use std::collections::VecDeque;

use super::gbn::Reply;
use super::sender::Slot;

/// How far ahead of the next in-order packet a packet may be; beyond that it is discarded.
pub const MAX_AHEAD: u64 = 1 << 16;

/// The recovery state of a sender.
#[derive(Clone, Debug, Default)]
pub(super) struct Recovery {
    /// Packets below this one count as lost unless they are known to have arrived.
    lost_below: u64,
    /// Packets below this one have been retransmitted in this recovery.
    retransmitted_below: u64,
    /// In recovery until this packet is acknowledged.
    until: Option<u64>,
}

impl Recovery {
    /// The first packet to retransmit.
    pub(super) fn missing(&self, acknowledged: u64, slots: &VecDeque<Slot>) -> Option<u64> {
        self.until?;
        let from = self.retransmitted_below.max(acknowledged);
        (from..self.lost_below).find(|n| {
            n.checked_sub(acknowledged).and_then(|at| slots.get(at as usize)).is_some_and(|s| !s.arrived)
        })
    }

    /// A packet is sent, for the first time or again.
    pub(super) fn sent(&mut self, number: u64) {
        if number < self.lost_below {
            self.retransmitted_below = self.retransmitted_below.max(number + 1);
        }
    }

    /// Packet `number` has arrived although earlier ones have not; `next` is the first one never sent.
    pub(super) fn arrived(&mut self, number: u64, acknowledged: u64, next: u64) {
        if self.until.is_none() {
            self.until = Some(next);
            self.retransmitted_below = acknowledged;
        }
        self.lost_below = self.lost_below.max(number);
    }

    /// Everything outstanding counts as lost.
    pub(super) fn timed_out(&mut self, acknowledged: u64, next: u64) {
        *self = Recovery { lost_below: next, retransmitted_below: acknowledged, until: Some(next) };
    }

    /// Everything below `upto` has arrived.
    pub(super) fn acknowledged(&mut self, upto: u64) {
        if self.until.is_some_and(|until| upto >= until) {
            self.until = None;
        }
    }
}

/// The receiving side of one flow.
#[derive(Clone, Debug, Default)]
pub struct Receiver {
    expected: u64,
    /// Which of the packets from `expected` on have arrived.
    ahead: VecDeque<bool>,
    since_reply: u64,
    /// Packets accepted, each once.
    pub accepted_packets: u64,
    /// Packets discarded: duplicate, or too far ahead.
    pub discarded_packets: u64,
}

impl Receiver {
    /// Processes packet `number`. In-order packets are acknowledged every `ack_every` packets, at the end (`last`) and
    /// when they fill a gap. Every out-of-order packet causes a NAK immediately.
    pub fn take(&mut self, number: u64, last: bool, ack_every: u64) -> Reply {
        let Some(distance) = number.checked_sub(self.expected) else {
            self.discarded_packets += 1;
            return Reply::Ack(self.expected);
        };
        if distance >= MAX_AHEAD {
            self.discarded_packets += 1;
            return Reply::Nothing;
        }
        let at = distance as usize;
        if self.ahead.len() <= at {
            self.ahead.resize(at + 1, false);
        }
        match std::mem::replace(&mut self.ahead[at], true) {
            true => self.discarded_packets += 1,
            false => self.accepted_packets += 1,
        }
        if distance > 0 {
            return Reply::SelectiveNak { missing: self.expected, arrived: number };
        }
        let mut advanced = 0;
        while self.ahead.front() == Some(&true) {
            self.ahead.pop_front();
            advanced += 1;
        }
        self.expected += advanced;
        self.since_reply += advanced;
        if self.since_reply < ack_every && !last && advanced == 1 && self.ahead.is_empty() {
            return Reply::Nothing;
        }
        self.since_reply = 0;
        Reply::Ack(self.expected)
    }

    /// The next packet in order.
    pub fn expected(&self) -> u64 {
        self.expected
    }
}

#[cfg(test)]
mod tests {
    use scenario::nic::Reliability;

    use super::*;
    use crate::nic::message::Layout;
    use crate::nic::sender::Sender;
    use model::Time;
    use proptest::prelude::*;

    fn sender(packets: u64) -> Sender {
        Sender::new(Layout::new(packets * 1000, None, 1000), Reliability::SelectiveRepeat)
    }

    #[test]
    fn only_missing_packets_are_retransmitted() {
        let (mut sender, mut receiver) = (sender(10), Receiver::default());
        let mut order = Vec::new();
        while let Some((number, _)) = sender.take(Time::ZERO) {
            let seen = order.contains(&number);
            order.push(number);
            if !seen && [1, 4, 5].contains(&number) {
                continue;
            }
            match receiver.take(number, number == 9, 1) {
                Reply::Ack(upto) => {
                    sender.acknowledge(upto);
                }
                Reply::SelectiveNak { missing, arrived } => {
                    sender.acknowledge(missing);
                    sender.nak_received(Some(arrived));
                }
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(order, [0, 1, 2, 1, 3, 4, 5, 6, 4, 5, 7, 8, 9]);
        assert_eq!(sender.retransmitted(), 3);
    }

    #[test]
    fn a_timeout_retransmits_packets_without_ack_or_selective_nak() {
        let mut sender = sender(4);
        while sender.take(Time::ZERO).is_some() {}
        sender.nak_received(Some(2));
        sender.timed_out();
        let again: Vec<u64> = std::iter::from_fn(|| sender.take(Time::ZERO)).map(|(n, _)| n).collect();
        assert_eq!(again, [0, 1, 3]);
    }

    #[test]
    fn packets_too_far_ahead_are_discarded() {
        let mut receiver = Receiver::default();
        assert_eq!(receiver.take(MAX_AHEAD, false, 1), Reply::Nothing);
        assert_eq!(
            receiver.take(MAX_AHEAD - 1, false, 1),
            Reply::SelectiveNak { missing: 0, arrived: MAX_AHEAD - 1 }
        );
        assert_eq!((receiver.accepted_packets, receiver.discarded_packets), (1, 1));
    }

    proptest! {
        /// A flow is delivered completely for every pattern of losses, and each packet is accepted once.
        #[test]
        fn every_flow_is_delivered_despite_losses(
            losses in prop::collection::vec(any::<bool>(), 0..80), packets in 1..60u64,
        ) {
            let mut losses = losses.into_iter();
            let (mut sender, mut receiver) = (sender(packets), Receiver::default());
            for _ in 0..10_000 {
                if sender.is_done() {
                    break;
                }
                let Some((number, _)) = sender.take(Time::ZERO) else {
                    sender.timed_out();
                    continue;
                };
                if losses.next().unwrap_or(false) {
                    continue;
                }
                match receiver.take(number, number + 1 == packets, 1) {
                    _ if losses.next().unwrap_or(false) => {}
                    Reply::Ack(upto) => {
                        sender.acknowledge(upto);
                    }
                    Reply::SelectiveNak { missing, arrived } => {
                        sender.acknowledge(missing);
                        sender.nak_received(Some(arrived));
                    }
                    Reply::Nak(_) | Reply::Nothing => {}
                }
            }
            prop_assert!(sender.is_done());
            prop_assert_eq!((receiver.expected(), receiver.accepted_packets), (packets, packets));
        }
    }
}
