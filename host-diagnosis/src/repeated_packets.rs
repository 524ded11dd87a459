//! Packets that a flow sent more than once, from the sequence ranges that switches record.

use model::telemetry::FlowRecord;

/// The number of packet sequence numbers of RoCEv2.
const PSN_COUNT: u64 = 1 << 24;

/// What sequence ranges show about repetitions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Repetition {
    /// Packets of all records.
    pub packets: u64,
    /// The least number of them that repeat a sequence number of another one.
    pub repeated: u64,
    /// Records whose range begins at or before the end of an earlier record.
    pub returns: usize,
}

impl Repetition {
    /// The share of packets that are repetitions, 0 to 1.
    pub fn share(&self) -> f64 {
        if self.packets == 0 { 0.0 } else { self.repeated as f64 / self.packets as f64 }
    }
}

/// Counts repetitions in records of one flow at one egress port, in the order of epochs. A range in which the sender went
/// back ends before its largest sequence number, so that new packets may be counted as repeated, at most one window for
/// each record.
pub fn repetition(records: &[FlowRecord]) -> Repetition {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    let (mut packets, mut returns) = (0, 0);
    let (mut last, mut furthest) = (None::<u64>, 0_u64);
    for record in records.iter().filter(|record| record.packets > 0) {
        packets += record.packets;
        let first = unwrap_psn(last, record.psn_first);
        let end = unwrap_psn(Some(first), record.psn_last);
        if last.is_some() && first <= furthest {
            returns += 1;
        }
        ranges.push((first.min(end), first.max(end)));
        last = Some(end);
        furthest = furthest.max(first.max(end));
    }
    let repeated = packets.saturating_sub(union_length(&mut ranges));
    Repetition { packets, repeated, returns }
}

/// The sequence number without wraps that is closest to the previous one.
fn unwrap_psn(previous: Option<u64>, psn: u32) -> u64 {
    let psn = u64::from(psn) % PSN_COUNT;
    // A start in the second period leaves room for going back.
    let near = previous.unwrap_or(PSN_COUNT + psn);
    let base = near / PSN_COUNT * PSN_COUNT + psn;
    let candidates = [base.checked_sub(PSN_COUNT), Some(base), base.checked_add(PSN_COUNT)];
    candidates.into_iter().flatten().min_by_key(|candidate| candidate.abs_diff(near)).unwrap_or(base)
}

fn union_length(ranges: &mut [(u64, u64)]) -> u64 {
    ranges.sort_unstable();
    let (mut total, mut end) = (0, None::<u64>);
    for (first, last) in ranges.iter() {
        let from = end.map_or(*first, |end| (*first).max(end + 1));
        if *last >= from {
            total += last - from + 1;
        }
        end = Some(end.map_or(*last, |end| end.max(*last)));
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(ranges: &[(u32, u32, u64)], repeated: u64, returns: usize) {
        let records: Vec<FlowRecord> = ranges
            .iter()
            .enumerate()
            .map(|(epoch, (psn_first, psn_last, packets))| FlowRecord {
                flow: "10.0.0.1:10000>10.0.0.2:4791/udp".parse().unwrap(),
                epoch: epoch as u64,
                ingress_port: None,
                egress_port: 1,
                priority: Some(3),
                packets: *packets,
                bytes: None,
                queued_packets: None,
                depth_sum: 0,
                paused_packets: 0,
                psn_first: *psn_first,
                psn_last: *psn_last,
                seen_ns: None,
                queued_ns: None,
                evicted: false,
            })
            .collect();
        let found = repetition(&records);
        assert_eq!((found.repeated, found.returns), (repeated, returns), "{ranges:?}");
    }

    #[test]
    fn packets_in_order_are_not_repetitions() {
        check(&[(0, 99, 100), (100, 199, 100)], 0, 0);
        check(&[(0xff_fff0, 15, 32), (16, 31, 16)], 0, 0);
    }

    #[test]
    fn a_range_that_returns_is_a_repetition() {
        check(&[(0, 99, 100), (50, 149, 100)], 50, 1);
        check(&[(0xff_fff0, 15, 32), (0xff_fff8, 23, 32)], 24, 1);
    }

    #[test]
    fn more_packets_than_sequence_numbers_are_repetitions() {
        check(&[(0, 24, 100)], 75, 0);
    }

    #[test]
    fn lost_packets_upstream_are_not_repetitions() {
        check(&[(0, 99, 90), (100, 199, 95)], 0, 0);
    }
}
