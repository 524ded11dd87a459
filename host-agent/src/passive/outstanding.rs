//! Matches the data of one connection with its cumulative acknowledgements.
//!
//! Sequence numbers of `BITS` bits wrap: RoCEv2 counts packets in 24 bits, TCP bytes in 32. Data is identified by the
//! number after its last one, so that an acknowledgement up to `n` covers data that ends at or before `n`.
//!
//! An acknowledgement of retransmitted data cannot be matched to one of the transmissions (Karn's rule; RFC 6298,
//! section 3), so that it gives no sample.

use std::collections::VecDeque;

/// Data that one connection may have outstanding and that is recorded; of more, the oldest is forgotten and gives no
/// sample. The windows of NICs are below a thousand packets.
pub const MAX_OUTSTANDING: usize = 4096;

/// Records whose memory an idle connection keeps: with many connections, few have full windows at the same time.
const KEPT: usize = 64;

/// The outstanding data of a connection.
#[derive(Clone, Debug)]
pub struct Outstanding<const BITS: u32> {
    /// In the order of the sequence numbers.
    records: VecDeque<Sent>,
    /// The number after the newest data, and up to which data is acknowledged; absent: nothing was sent yet.
    next: Option<u32>,
    acknowledged: u32,
}

/// Data that has been sent.
#[derive(Clone, Copy, Debug)]
struct Sent {
    end: u32,
    time_ns: u64,
    is_retransmitted: bool,
}

/// What an acknowledgement says about the data that it covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acknowledged {
    /// The newest data that it covers was sent once, this long ago.
    RoundTrip {
        /// The time.
        rtt_ns: u64,
    },
    /// It covers data that was sent more than once, last this long ago.
    Retransmitted {
        /// The time.
        since_sent_ns: u64,
    },
    /// It covers data whose transmission was not recorded.
    Unrecorded,
    /// It covers no new data.
    Nothing,
}

impl<const BITS: u32> Default for Outstanding<BITS> {
    fn default() -> Outstanding<BITS> {
        Outstanding { records: VecDeque::new(), next: None, acknowledged: 0 }
    }
}

impl<const BITS: u32> Outstanding<BITS> {
    const MASK: u32 = if BITS == 32 { u32::MAX } else { (1 << BITS) - 1 };
    /// A jump by more than this is a new connection with the same addresses: more than any window, less than the half
    /// of the number space in which order is defined.
    const RESTART: u32 = 1 << (BITS - 3);
    /// A jump back by more than this is a new connection, too: RoCEv2 sends no packet again that left so many packets
    /// ago. TCP windows have up to 2^30 bytes.
    const RESTART_BACK: u32 = if BITS == 24 { MAX_OUTSTANDING as u32 } else { Self::RESTART };

    /// Distance from `a` forward to `b`.
    fn forward(a: u32, b: u32) -> u32 {
        b.wrapping_sub(a) & Self::MASK
    }

    /// Whether `a` is before `b` or equal to it, in serial number arithmetic (RFC 1982).
    fn is_at_most(a: u32, b: u32) -> bool {
        Self::forward(a, b) < 1 << (BITS - 1)
    }

    /// Records data from number `start` up to and without `end`. Returns whether no other data was outstanding.
    pub fn sent(&mut self, start: u32, end: u32, now_ns: u64) -> bool {
        let (start, end) = (start & Self::MASK, end & Self::MASK);
        let was_idle = !self.is_outstanding();
        let Some(next) = self.next else {
            (self.next, self.acknowledged) = (Some(end), start);
            self.push(end, now_ns);
            return true;
        };
        let distance = Self::forward(next, end);
        if distance > Self::RESTART && Self::forward(end, next) > Self::RESTART_BACK {
            *self = Outstanding::default();
            return self.sent(start, end, now_ns);
        }
        if distance != 0 && Self::is_at_most(next, end) {
            // Part of a new segment may be old data (TCP after a partial acknowledgement).
            self.retransmitted(start, next, now_ns);
            self.next = Some(end);
            self.push(end, now_ns);
        } else {
            self.retransmitted(start, end, now_ns);
        }
        was_idle && self.is_outstanding()
    }

    fn push(&mut self, end: u32, now_ns: u64) {
        if self.records.len() == MAX_OUTSTANDING {
            self.records.pop_front();
        }
        self.records.push_back(Sent { end, time_ns: now_ns, is_retransmitted: false });
    }

    /// Marks the records that contain data from `start` to `end`, which is sent again. TCP may split and merge segments
    /// when it does. Data that was acknowledged in the meantime has no record.
    fn retransmitted(&mut self, start: u32, end: u32, now_ns: u64) {
        let base = self.acknowledged;
        if Self::is_at_most(end, base) {
            return;
        }
        // Records are sorted relative to what is acknowledged, and each begins where the one before ends.
        let from = if Self::is_at_most(start, base) { 0 } else { Self::forward(base, start) };
        let to = Self::forward(base, end);
        let first = self.records.partition_point(|sent| Self::forward(base, sent.end) <= from);
        let mut begin = match first.checked_sub(1).and_then(|before| self.records.get(before)) {
            Some(before) => Self::forward(base, before.end),
            None => 0,
        };
        for sent in self.records.iter_mut().skip(first).take_while(|sent| {
            let overlaps = begin < to;
            begin = Self::forward(base, sent.end);
            overlaps
        }) {
            sent.time_ns = now_ns;
            sent.is_retransmitted = true;
        }
    }

    /// Handles an acknowledgement of everything before number `upto`. If that is beyond what was seen, packets were sent
    /// that are not recorded as data (RDMA READ requests, atomic operations, SYN and FIN), and all data is acknowledged.
    pub fn acknowledged(&mut self, upto: u32, now_ns: u64) -> Acknowledged {
        let upto = upto & Self::MASK;
        let Some(next) = self.next else { return Acknowledged::Nothing };
        if upto == self.acknowledged || !Self::is_at_most(self.acknowledged, upto) {
            return Acknowledged::Nothing;
        }
        if !Self::is_at_most(upto, next) {
            if Self::forward(next, upto) > Self::RESTART {
                return Acknowledged::Nothing;
            }
            self.next = Some(upto);
        }
        let mut newest: Option<Sent> = None;
        let mut is_retransmitted = false;
        while let Some(sent) = self.records.front().copied().filter(|sent| Self::is_at_most(sent.end, upto)) {
            self.records.pop_front();
            is_retransmitted |= sent.is_retransmitted;
            let last_ns = newest.map_or(0, |sent: Sent| sent.time_ns).max(sent.time_ns);
            newest = Some(if is_retransmitted { Sent { time_ns: last_ns, ..sent } } else { sent });
        }
        self.acknowledged = upto;
        if self.records.is_empty() {
            self.records.shrink_to(KEPT);
        }
        match newest {
            Some(sent) if is_retransmitted => {
                Acknowledged::Retransmitted { since_sent_ns: now_ns.saturating_sub(sent.time_ns) }
            }
            // A clock that was set back gives no sample.
            Some(sent) if sent.end == upto && now_ns > sent.time_ns => {
                Acknowledged::RoundTrip { rtt_ns: now_ns.saturating_sub(sent.time_ns) }
            }
            _ => Acknowledged::Unrecorded,
        }
    }

    /// Whether data is unacknowledged.
    pub fn is_outstanding(&self) -> bool {
        self.next.is_some_and(|next| next != self.acknowledged)
    }

    /// Whether an acknowledgement up to `upto` would cover new data.
    pub fn covers(&self, upto: u32) -> bool {
        let upto = upto & Self::MASK;
        self.next.is_some_and(|next| {
            upto != self.acknowledged
                && Self::is_at_most(self.acknowledged, upto)
                && Self::is_at_most(upto, next)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Roce = Outstanding<24>;

    #[test]
    fn a_round_trip_is_that_of_the_newest_acknowledged_data() {
        let mut data = Roce::default();
        assert!(data.sent(0xff_fffe, 0xff_ffff, 10));
        assert!(!data.sent(0xff_ffff, 0, 20));
        assert!(!data.sent(0, 1, 30));
        assert_eq!(data.acknowledged(0, 100), Acknowledged::RoundTrip { rtt_ns: 80 });
        assert!(data.is_outstanding());
        assert_eq!(data.acknowledged(0, 101), Acknowledged::Nothing);
        assert_eq!(data.acknowledged(1, 110), Acknowledged::RoundTrip { rtt_ns: 80 });
        assert!(!data.is_outstanding());
    }

    #[test]
    fn retransmitted_data_gives_no_sample() {
        let mut data = Roce::default();
        for psn in 0..3 {
            data.sent(psn, psn + 1, u64::from(psn));
        }
        data.sent(1, 2, 50);
        data.sent(2, 3, 51);
        assert_eq!(data.acknowledged(1, 60), Acknowledged::RoundTrip { rtt_ns: 60 });
        assert_eq!(data.acknowledged(3, 90), Acknowledged::Retransmitted { since_sent_ns: 39 });
    }

    #[test]
    fn an_acknowledgement_that_covers_a_retransmission_and_new_data_gives_no_sample() {
        let mut data = Roce::default();
        data.sent(0, 1, 0);
        data.sent(0, 1, 40);
        data.sent(1, 2, 41);
        assert_eq!(data.acknowledged(2, 50), Acknowledged::Retransmitted { since_sent_ns: 9 });
    }

    #[test]
    fn a_new_connection_with_the_same_addresses_starts_anew() {
        let mut data = Roce::default();
        data.sent(5, 6, 0);
        assert!(data.sent(0x80_0005, 0x80_0006, 10));
        assert_eq!(data.acknowledged(6, 20), Acknowledged::Nothing);
        assert_eq!(data.acknowledged(0x80_0006, 30), Acknowledged::RoundTrip { rtt_ns: 20 });
    }

    #[test]
    fn a_connection_that_begins_again_a_little_earlier_starts_anew() {
        let mut data = Roce::default();
        for psn in 0..20_000 {
            data.sent(psn, psn + 1, 0);
            data.acknowledged(psn + 1, 1);
        }
        assert!(data.sent(0, 1, 10));
        assert_eq!(data.acknowledged(1, 30), Acknowledged::RoundTrip { rtt_ns: 20 });
    }

    #[test]
    fn a_retransmission_with_other_boundaries_marks_what_it_overlaps() {
        let mut data = Outstanding::<32>::default();
        data.sent(1000, 2000, 0);
        data.sent(2000, 3000, 1);
        data.sent(3000, 4000, 2);
        // Split: the second half of the first segment and the first half of the second one.
        data.sent(1500, 2500, 50);
        assert_eq!(data.acknowledged(2000, 60), Acknowledged::Retransmitted { since_sent_ns: 10 });
        assert_eq!(data.acknowledged(3000, 70), Acknowledged::Retransmitted { since_sent_ns: 20 });
        assert_eq!(data.acknowledged(4000, 80), Acknowledged::RoundTrip { rtt_ns: 78 });
    }

    #[test]
    fn an_acknowledgement_of_packets_that_were_not_recorded_ends_the_wait() {
        let mut data = Roce::default();
        data.sent(5, 6, 0);
        // An RDMA READ request took number 6.
        assert_eq!(data.acknowledged(7, 20), Acknowledged::Unrecorded);
        assert!(!data.is_outstanding());
        data.sent(7, 8, 30);
        assert_eq!(data.acknowledged(8, 40), Acknowledged::RoundTrip { rtt_ns: 10 });
    }

    #[test]
    fn a_clock_that_is_set_back_gives_no_sample() {
        let mut data = Roce::default();
        data.sent(5, 6, 1000);
        assert_eq!(data.acknowledged(6, 900), Acknowledged::Unrecorded);
    }

    #[test]
    fn memory_is_bounded() {
        let mut data = Roce::default();
        for psn in 0..2 * MAX_OUTSTANDING as u32 {
            data.sent(psn, psn + 1, u64::from(psn));
        }
        assert_eq!(data.records.len(), MAX_OUTSTANDING);
        assert_eq!(data.acknowledged(1, 0), Acknowledged::Unrecorded);
    }

    /// What happens on a connection with a window of 64 packets.
    #[derive(Clone, Debug)]
    enum Step {
        Send,
        /// Sends again from this far back.
        Resend(u8),
        /// The acknowledgement up to this far back arrives; may be lost, late or repeated.
        Acknowledge(u8),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            Just(Step::Send),
            (0..64u8).prop_map(Step::Resend),
            (0..64u8).prop_map(Step::Acknowledge)
        ];
        prop::collection::vec(step, 0..400)
    }

    proptest! {
        /// Checked against a plain model with numbers that do not wrap.
        #[test]
        fn samples_are_those_of_data_that_was_sent_once(start: u32, steps in steps()) {
            let start = u64::from(start);
            let wire = |number: u64| (number & 0xff_ffff) as u32;
            let mut data = Roce::default();
            let mut sent: Vec<(u64, bool)> = Vec::new();
            let mut acknowledged = 0;
            for (now_ns, step) in (1u64..).zip(steps) {
                match step {
                    Step::Send if sent.len() - acknowledged < 64 => {
                        let number = start + sent.len() as u64;
                        data.sent(wire(number), wire(number + 1), now_ns);
                        sent.push((now_ns, false));
                    }
                    Step::Resend(back) if acknowledged < sent.len() => {
                        let from = sent.len().saturating_sub(usize::from(back) + 1).max(acknowledged);
                        let number = start + from as u64;
                        data.sent(wire(number), wire(number + 1), now_ns);
                        sent[from] = (now_ns, true);
                    }
                    Step::Acknowledge(back) if !sent.is_empty() => {
                        let upto = sent.len().saturating_sub(usize::from(back));
                        let result = data.acknowledged(wire(start + upto as u64), now_ns);
                        if upto <= acknowledged {
                            prop_assert_eq!(result, Acknowledged::Nothing);
                            continue;
                        }
                        let covered = &sent[acknowledged..upto];
                        let expected = match covered.iter().any(|(_, again)| *again) {
                            false => Acknowledged::RoundTrip { rtt_ns: now_ns - covered[covered.len() - 1].0 },
                            true => {
                                let last = covered.iter().map(|(time_ns, _)| *time_ns).max().unwrap();
                                Acknowledged::Retransmitted { since_sent_ns: now_ns - last }
                            }
                        };
                        prop_assert_eq!(result, expected);
                        acknowledged = upto;
                    }
                    _ => {}
                }
                prop_assert_eq!(data.is_outstanding(), acknowledged < sent.len());
            }
        }

        #[test]
        fn no_numbers_make_it_panic(numbers: Vec<(u32, u32, bool)>) {
            let mut roce = Roce::default();
            let mut tcp = Outstanding::<32>::default();
            for (a, b, is_data) in numbers {
                if is_data {
                    roce.sent(a, b, 1);
                    tcp.sent(a, b, 1);
                } else {
                    roce.acknowledged(a, 2);
                    tcp.acknowledged(a, 2);
                }
            }
        }
    }
}
