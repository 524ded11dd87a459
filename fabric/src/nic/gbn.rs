//! Go-back-N, the reliability of most RoCEv2 NICs: the receiver takes packets in order only, and the sender goes
//! back to the first missing one (InfiniBand Architecture Specification, volume 1, section 9.7).
//!
//! Here is the receiver; the sender's part is in [`super::sender`].

use model::Time;
use model::wire::bth::PSN_MASK;

/// The number near `near` whose low 24 bits are `psn`.
pub fn unwrap_psn(psn: u32, near: u64) -> u64 {
    const SPAN: u64 = PSN_MASK as u64 + 1;
    let base = near & !(SPAN - 1) | u64::from(psn & PSN_MASK);
    let candidates = [base.checked_sub(SPAN), Some(base), base.checked_add(SPAN)];
    candidates.into_iter().flatten().min_by_key(|n| n.abs_diff(near)).unwrap_or(base)
}

/// What the receiver answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Everything below has arrived.
    Acknowledge(u64),
    /// This packet is missing.
    Refuse(u64),
    /// A packet is missing; a later one has arrived and is kept.
    RefuseSelectively {
        /// The missing one.
        missing: u64,
        /// The later one.
        arrived: u64,
    },
    /// Nothing.
    Silence,
}

/// The receiving side of one message.
#[derive(Clone, Debug, Default)]
pub struct Receiver {
    expected: u64,
    /// A refusal goes back to the last multiple of this; 0 and 1: to the missing packet.
    chunk_packets: u64,
    since_answer: u64,
    refused: Option<(u64, Time)>,
    /// Packets taken in order.
    pub accepted_packets: u64,
    /// Packets thrown away: out of order or seen before.
    pub discarded_packets: u64,
}

impl Receiver {
    /// A receiver whose refusals go back to the beginning of a chunk, as some NICs do, so that they need not
    /// remember where in a chunk they are.
    pub fn by_chunks(chunk_packets: u64) -> Receiver {
        Receiver { chunk_packets, ..Receiver::default() }
    }

    /// Takes packet `number`. In-order packets are answered every `ack_every` packets and at the end
    /// (`last`); a gap is answered once, and again when `refuse_interval` has passed.
    pub fn take(
        &mut self,
        now: Time,
        number: u64,
        last: bool,
        ack_every: u64,
        refuse_interval: Time,
    ) -> Answer {
        if number == self.expected {
            self.expected += 1;
            self.accepted_packets += 1;
            self.since_answer += 1;
            if self.since_answer < ack_every && !last {
                return Answer::Silence;
            }
            self.since_answer = 0;
            return Answer::Acknowledge(self.expected);
        }
        self.discarded_packets += 1;
        if number < self.expected {
            // The acknowledgement was lost or is late; the sender waits for it.
            return Answer::Acknowledge(self.expected);
        }
        match self.refused {
            Some((packet, until)) if packet == self.expected && now < until => Answer::Silence,
            _ => {
                self.expected -= self.expected % self.chunk_packets.max(1);
                self.refused = Some((self.expected, Time(now.0.saturating_add(refuse_interval.0))));
                Answer::Refuse(self.expected)
            }
        }
    }

    /// The packet it waits for.
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
    use proptest::prelude::*;

    fn sender(bytes: u64, payload: u32) -> Sender {
        Sender::new(Layout::new(bytes, None, payload), Reliability::GoBackN)
    }

    const REFUSE: Time = Time::from_us(500);

    #[test]
    fn the_last_packet_carries_the_rest() {
        let mut sender = sender(2_000_000, 1300);
        assert_eq!(sender.layout().packets(), 1539);
        let sizes: Vec<u32> =
            std::iter::from_fn(|| sender.take(Time::ZERO)).map(|(_, bytes)| bytes).collect();
        assert_eq!((sizes[0], sizes[1538]), (1300, 600));
        assert!(!sender.has_more());
        assert_eq!(sender.outstanding_bytes(), 2_000_000);
    }

    #[test]
    fn a_gap_is_refused_once() {
        let mut receiver = Receiver::default();
        let mut take = |at, number| receiver.take(Time::from_us(at), number, false, 1, REFUSE);
        assert_eq!(take(0, 0), Answer::Acknowledge(1));
        assert_eq!(take(1, 2), Answer::Refuse(1));
        assert_eq!(take(2, 3), Answer::Silence);
        assert_eq!(take(501, 4), Answer::Refuse(1));
        assert_eq!(take(502, 0), Answer::Acknowledge(1));
    }

    #[test]
    fn a_refusal_goes_back_to_the_beginning_of_a_chunk() {
        let mut receiver = Receiver::by_chunks(4);
        let mut sender = sender(10_000, 1000);
        for number in 0..6 {
            assert_eq!(sender.take(Time::ZERO).map(|(n, _)| n), Some(number));
            receiver.take(Time::ZERO, number, false, 1, REFUSE);
        }
        sender.acknowledge(6);
        assert_eq!(receiver.take(Time::ZERO, 7, false, 1, REFUSE), Answer::Refuse(4));
        sender.rewind(4);
        assert_eq!((sender.acknowledged_bytes(), sender.upcoming()), (4_000, Some(4)));
        assert_eq!(receiver.take(Time::ZERO, 4, false, 1, REFUSE), Answer::Acknowledge(5));
    }

    proptest! {
        #[test]
        fn psn_unwraps(near in 0..1u64 << 40, offset in -1_000_000i64..1_000_000) {
            let number = near.saturating_add_signed(offset);
            prop_assert_eq!(unwrap_psn((number & u64::from(PSN_MASK)) as u32, near), number);
        }

        /// Whatever the wire loses, a message arrives whole and in order.
        #[test]
        fn every_message_arrives(losses in prop::collection::vec(any::<bool>(), 0..60), size in 0..40_000u64) {
            let mut losses = losses.into_iter();
            let (mut sender, mut receiver) = (sender(size, 1000), Receiver::default());
            let mut now = Time::ZERO;
            while !sender.is_done() {
                now += Time::from_us(1);
                if !sender.has_more() {
                    sender.timed_out();
                }
                let Some((number, _)) = sender.take(now) else {
                    continue;
                };
                if losses.next().unwrap_or(false) {
                    continue;
                }
                match receiver.take(now, number, number + 1 == sender.layout().packets(), 1, REFUSE) {
                    _ if losses.next().unwrap_or(false) => {}
                    Answer::Acknowledge(upto) => {
                        sender.acknowledge(upto);
                    }
                    Answer::Refuse(missing) => {
                        sender.acknowledge(missing);
                        sender.refused(None);
                    }
                    Answer::RefuseSelectively { .. } | Answer::Silence => {}
                }
            }
            prop_assert_eq!(receiver.expected(), sender.layout().packets());
            prop_assert_eq!(receiver.accepted_packets, sender.layout().packets());
        }
    }
}
