//! Go-back-N, the reliability of most RoCEv2 NICs: the receiver accepts packets in order only, and the sender
//! retransmits from the first missing one (InfiniBand Architecture Specification, volume 1, section 9.7).
//!
//! This is the receiver; the sender is in [`super::sender`].

use model::Time;
use model::wire::bth::PSN_MASK;

/// The packet number closest to `near` whose low 24 bits are `psn`.
pub fn unwrap_psn(psn: u32, near: u64) -> u64 {
    const SPAN: u64 = PSN_MASK as u64 + 1;
    let base = near & !(SPAN - 1) | u64::from(psn & PSN_MASK);
    let candidates = [base.checked_sub(SPAN), Some(base), base.checked_add(SPAN)];
    candidates.into_iter().flatten().min_by_key(|n| n.abs_diff(near)).unwrap_or(base)
}

/// The receiver's reply to a data packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// ACK: all packets below this one have arrived.
    Ack(u64),
    /// NAK: this packet is missing.
    Nak(u64),
    /// A NAK for selective repeat: a packet is missing; a later one has arrived and is kept.
    SelectiveNak {
        /// The missing one.
        missing: u64,
        /// The later one.
        arrived: u64,
    },
    /// No reply.
    Nothing,
}

/// The receiving side of one flow.
#[derive(Clone, Debug, Default)]
pub struct Receiver {
    expected: u64,
    /// A NAK names the last multiple of this; 0 and 1: the missing packet itself.
    chunk_packets: u64,
    since_reply: u64,
    /// The packet of the last NAK, and when that NAK may be repeated.
    nak_sent: Option<(u64, Time)>,
    /// Packets accepted in order.
    pub accepted_packets: u64,
    /// Packets discarded: out of order or duplicate.
    pub discarded_packets: u64,
}

impl Receiver {
    /// A receiver whose NAKs name the first packet of a chunk, as those of some NICs do, which keep no state about the
    /// position within a chunk.
    pub fn by_chunks(chunk_packets: u64) -> Receiver {
        Receiver { chunk_packets, ..Receiver::default() }
    }

    /// Processes packet `number`. In-order packets are acknowledged every `ack_every` packets and at the end (`last`).
    /// A missing packet is reported once, and again after `nak_interval`.
    pub fn take(&mut self, now: Time, number: u64, last: bool, ack_every: u64, nak_interval: Time) -> Reply {
        if number == self.expected {
            self.expected += 1;
            self.accepted_packets += 1;
            self.since_reply += 1;
            if self.since_reply < ack_every && !last {
                return Reply::Nothing;
            }
            self.since_reply = 0;
            return Reply::Ack(self.expected);
        }
        self.discarded_packets += 1;
        if number < self.expected {
            // A duplicate: the ACK was lost or is late, so it is sent again.
            return Reply::Ack(self.expected);
        }
        match self.nak_sent {
            Some((packet, until)) if packet == self.expected && now < until => Reply::Nothing,
            _ => {
                self.expected -= self.expected % self.chunk_packets.max(1);
                self.nak_sent = Some((self.expected, Time(now.0.saturating_add(nak_interval.0))));
                Reply::Nak(self.expected)
            }
        }
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
    use proptest::prelude::*;

    fn sender(bytes: u64, payload: u32) -> Sender {
        Sender::new(Layout::new(bytes, None, payload), Reliability::GoBackN)
    }

    const NAK_INTERVAL: Time = Time::from_us(500);

    #[test]
    fn the_last_packet_has_the_remaining_bytes() {
        let mut sender = sender(2_000_000, 1300);
        assert_eq!(sender.layout().packets(), 1539);
        let sizes: Vec<u32> =
            std::iter::from_fn(|| sender.take(Time::ZERO)).map(|(_, bytes)| bytes).collect();
        assert_eq!((sizes[0], sizes[1538]), (1300, 600));
        assert!(!sender.has_more());
        assert_eq!(sender.outstanding_bytes(), 2_000_000);
    }

    #[test]
    fn a_gap_causes_one_nak_per_interval() {
        let mut receiver = Receiver::default();
        let mut take = |at, number| receiver.take(Time::from_us(at), number, false, 1, NAK_INTERVAL);
        assert_eq!(take(0, 0), Reply::Ack(1));
        assert_eq!(take(1, 2), Reply::Nak(1));
        assert_eq!(take(2, 3), Reply::Nothing);
        assert_eq!(take(501, 4), Reply::Nak(1));
        assert_eq!(take(502, 0), Reply::Ack(1));
    }

    #[test]
    fn a_nak_names_the_first_packet_of_the_chunk() {
        let mut receiver = Receiver::by_chunks(4);
        let mut sender = sender(10_000, 1000);
        for number in 0..6 {
            assert_eq!(sender.take(Time::ZERO).map(|(n, _)| n), Some(number));
            receiver.take(Time::ZERO, number, false, 1, NAK_INTERVAL);
        }
        sender.acknowledge(6);
        assert_eq!(receiver.take(Time::ZERO, 7, false, 1, NAK_INTERVAL), Reply::Nak(4));
        sender.rewind(Time::ZERO, 4);
        assert_eq!((sender.acknowledged_bytes(), sender.upcoming()), (4_000, Some(4)));
        assert_eq!(receiver.take(Time::ZERO, 4, false, 1, NAK_INTERVAL), Reply::Ack(5));
    }

    proptest! {
        #[test]
        fn a_psn_unwraps_to_the_nearest_packet_number(near in 0..1u64 << 40, offset in -1_000_000i64..1_000_000) {
            let number = near.saturating_add_signed(offset);
            prop_assert_eq!(unwrap_psn((number & u64::from(PSN_MASK)) as u32, near), number);
        }

        /// A flow is delivered completely and in order for every pattern of losses.
        #[test]
        fn every_flow_is_delivered_despite_losses(
            losses in prop::collection::vec(any::<bool>(), 0..60), size in 0..40_000u64,
        ) {
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
                match receiver.take(now, number, number + 1 == sender.layout().packets(), 1, NAK_INTERVAL) {
                    _ if losses.next().unwrap_or(false) => {}
                    Reply::Ack(upto) => {
                        sender.acknowledge(upto);
                    }
                    Reply::Nak(missing) => {
                        sender.acknowledge(missing);
                        sender.nak_received(None);
                    }
                    Reply::SelectiveNak { .. } | Reply::Nothing => {}
                }
            }
            prop_assert_eq!(receiver.expected(), sender.layout().packets());
            prop_assert_eq!(receiver.accepted_packets, sender.layout().packets());
        }
    }
}
