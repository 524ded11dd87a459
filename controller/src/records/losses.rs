//! What loss counters gain from one read to the next.

use std::collections::{BTreeMap, VecDeque};

use model::{LossReason, LossRecord};

use crate::layout::LossCounter;

/// Gains of a switch's counters that are kept: the latest.
const GAINS: usize = 256;
/// How long a gain is kept, in switch time: longer than a verdict's victim is slow before its first poll, which is its
/// retransmission timeout (seconds at most).
const KEPT_NS: u64 = 60_000_000_000;

/// Place and reason of a counter.
type Key = (Option<u16>, Option<u16>, Option<u8>, LossReason);

/// The counters of a switch.
#[derive(Clone, Debug, Default)]
pub(super) struct Losses {
    /// The last value of each counter, and the time of its last loss.
    known: BTreeMap<Key, (u64, u64)>,
    gains: VecDeque<LossRecord>,
}

impl Losses {
    /// Adds a read. `since_ns` is when the counters were read before, if that is known.
    pub(super) fn read(&mut self, switch: &str, since_ns: Option<u64>, counters: &[LossCounter]) {
        for counter in counters {
            let key = (counter.ingress_port, counter.egress_port, counter.priority, counter.reason);
            let before = self.known.insert(key, (counter.packets, counter.last_ns));
            let gain = match before {
                Some((packets, _)) if packets == counter.packets => continue,
                // A counter that has become smaller has wrapped or been cleared: at least its present value is new.
                Some((packets, _)) => counter.packets.checked_sub(packets).unwrap_or(counter.packets),
                None => counter.packets,
            };
            let earliest_ns = before.map(|(_, last_ns)| last_ns).max(since_ns).unwrap_or(0);
            let from_ns = counter.first_ns.max(earliest_ns).min(counter.last_ns);
            if self.gains.len() == GAINS {
                self.gains.pop_front();
            }
            self.gains.push_back(LossRecord {
                switch: switch.to_string(),
                ingress_port: counter.ingress_port,
                egress_port: counter.egress_port,
                priority: counter.priority,
                reason: counter.reason,
                packets: gain,
                lost_ns: (from_ns, counter.last_ns),
            });
        }
        let newest_ns = self.gains.iter().map(|gain| gain.lost_ns.1).max().unwrap_or(0);
        self.gains.retain(|gain| newest_ns.saturating_sub(gain.lost_ns.1) <= KEPT_NS);
    }

    /// What was lost, as far as it is kept.
    pub(super) fn records(&self) -> impl Iterator<Item = &LossRecord> {
        self.gains.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a counter at these times (`None`: unknown) with these packets, first and last losses; compares packets and
    /// times of the records.
    fn check(reads: &[(Option<u64>, u64, u64, u64)], expected: &[(u64, (u64, u64))]) {
        let mut losses = Losses::default();
        for (since_ns, packets, first_ns, last_ns) in reads.iter().copied() {
            let counter = LossCounter {
                ingress_port: Some(1),
                egress_port: Some(2),
                priority: Some(3),
                reason: LossReason::Lossy,
                packets,
                first_ns,
                last_ns,
            };
            losses.read("a", since_ns, &[counter]);
        }
        let found: Vec<(u64, (u64, u64))> =
            losses.records().map(|loss| (loss.packets, loss.lost_ns)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_gain_lies_between_two_reads() {
        let first = (None, 5, 100, 200);
        check(&[first, (Some(1_000), 5, 100, 200)], &[(5, (100, 200))]);
        check(&[first, (Some(1_000), 7, 100, 1_500)], &[(5, (100, 200)), (2, (1_000, 1_500))]);
        // The time of the last read is not known: after the last loss of that time.
        check(&[first, (None, 7, 100, 1_500)], &[(5, (100, 200)), (2, (200, 1_500))]);
        // The switch has cleared its counter.
        check(&[first, (Some(1_000), 1, 1_200, 1_200)], &[(5, (100, 200)), (1, (1_200, 1_200))]);
        // Too long ago.
        let late_ns = 201 + KEPT_NS;
        check(&[first, (Some(1_000), 6, 100, late_ns)], &[(1, (1_000, late_ns))]);
    }

    #[test]
    fn the_number_of_records_is_limited() {
        let reads: Vec<(Option<u64>, u64, u64, u64)> =
            (1..=GAINS as u64 + 10).map(|at| (Some(at), at, 1, at)).collect();
        let expected: Vec<(u64, (u64, u64))> = (11..=GAINS as u64 + 10).map(|at| (1, (at, at))).collect();
        check(&reads, &expected);
    }
}
