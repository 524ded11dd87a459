//! Sequence numbers of IPFIX and NetFlow version 9: what was lost in transit.
//!
//! IPFIX counts records (RFC 7011 section 3.1), NetFlow datagrams (RFC 3954 section 5.1). Some exporters of NetFlow count
//! records, too (softflowd), some of them once for several datagrams; their numbers show it.

use super::MAX_REORDERED;
use super::flow_export::Protocol;

/// What was lost before a datagram.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Lost {
    pub(super) records: u64,
    pub(super) datagrams: u64,
}

/// The last sequence number of an observation domain.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sequence {
    last: Option<u32>,
    /// The records since that number; unknown after a set without a template.
    records: Option<u32>,
    /// Whether an exporter of NetFlow counts records.
    counts_records: bool,
}

impl Sequence {
    /// Takes the number of a datagram with so many records; `None` if they are unknown.
    pub(super) fn take(&mut self, protocol: Protocol, sequence: u32, records: Option<u32>) -> Lost {
        let lost = match self.last {
            None => Lost::default(),
            Some(last) => match protocol {
                Protocol::Ipfix => self.lost_records(sequence.wrapping_sub(last)),
                Protocol::NetFlow9 => {
                    let since = sequence.wrapping_sub(last);
                    if since == 0 {
                        let sum = self.records.zip(records).map(|(sum, more)| sum.saturating_add(more));
                        self.records = sum;
                        return Lost::default();
                    }
                    if last.wrapping_sub(sequence) <= MAX_REORDERED {
                        return Lost::default();
                    }
                    self.lost_of_netflow(since)
                }
            },
        };
        (self.last, self.records) = (Some(sequence), records);
        lost
    }

    /// The records that are missing. A difference in the upper half is an old message that arrives late, or a restart.
    fn lost_records(&self, since: u32) -> Lost {
        let missing = self.records.map_or(0, |records| since.wrapping_sub(records));
        Lost { records: if missing < 1 << 31 { u64::from(missing) } else { 0 }, datagrams: 0 }
    }

    fn lost_of_netflow(&mut self, since: u32) -> Lost {
        match since {
            // Of one record, both ways of counting are the same.
            since if self.records == Some(since) => self.counts_records |= since > 1,
            1 => self.counts_records = false,
            since if since >= 1 << 31 => {}
            since if self.counts_records => return self.lost_records(since),
            since => return Lost { records: 0, datagrams: u64::from(since - 1) },
        }
        Lost::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks what is lost before each datagram: its number, its records, and the lost records and datagrams.
    fn check(protocol: Protocol, datagrams: &[(u32, Option<u32>, u64, u64)]) {
        let mut sequence = Sequence::default();
        for (number, records, lost_records, lost_datagrams) in datagrams {
            let lost = sequence.take(protocol, *number, *records);
            assert_eq!((lost.records, lost.datagrams), (*lost_records, *lost_datagrams), "{number}");
        }
    }

    #[test]
    fn ipfix_counts_records() {
        let of = |number, records, lost| (number, Some(records), lost, 0);
        check(Protocol::Ipfix, &[of(7, 3, 0), of(10, 2, 0), of(20, 1, 8), of(2, 1, 0), of(3, 1, 0)]);
        check(Protocol::Ipfix, &[of(u32::MAX, 3, 0), of(2, 2, 0)]);
        check(Protocol::Ipfix, &[(7, None, 0, 0), of(90, 1, 0), of(91, 1, 0)]);
    }

    #[test]
    fn netflow_counts_datagrams() {
        let of = |number, records, lost| (number, Some(records), 0, lost);
        check(Protocol::NetFlow9, &[of(7, 3, 0), of(8, 3, 0), of(9, 1, 0), of(12, 20, 2), of(13, 20, 0)]);
        check(Protocol::NetFlow9, &[of(u32::MAX, 9, 0), of(0, 9, 0), of(1, 9, 0)]);
        // Overtaken: one was late.
        check(Protocol::NetFlow9, &[of(1, 9, 0), of(3, 9, 1), of(2, 9, 0), of(4, 9, 0)]);
        // A restart.
        check(Protocol::NetFlow9, &[of(90_000, 9, 0), of(1, 9, 0), of(2, 9, 0)]);
        check(Protocol::NetFlow9, &[(7, None, 0, 0), (8, None, 0, 0), (10, None, 0, 1)]);
    }

    #[test]
    fn netflow_that_counts_records_is_recognised() {
        let of = |number, records, lost| (number, Some(records), lost, 0);
        check(Protocol::NetFlow9, &[of(0, 10, 0), of(10, 4, 0), of(14, 1, 0), of(15, 7, 0), of(30, 2, 8)]);
        // Datagrams that were sent together have the same number.
        check(Protocol::NetFlow9, &[of(0, 10, 0), of(0, 5, 0), of(15, 4, 0), of(19, 1, 0)]);
    }
}
