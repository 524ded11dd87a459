//! Retransmissions of TCP connections between two readings, for the report about the host.

use std::collections::BTreeMap;

use model::FlowKey;
use model::host::transport::{LossRecovery, Retransmission};

use super::sockets::TcpReading;

/// Connections in a report: those that retransmitted most bytes.
const REPORTED: usize = 64;
const NS_PER_S: f64 = 1e9;

/// What a socket has sent since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpSent {
    /// Bytes of payload, retransmissions included (RFC 4898, `tcpEStatsPerfHCDataOctetsOut`).
    pub bytes: u64,
    /// Bytes of it that were retransmissions.
    pub retransmitted_bytes: u64,
    /// Segments with data, retransmissions included.
    pub segments: u32,
    /// Segments of it that were retransmissions.
    pub retransmitted_segments: u32,
}

/// Returns the connections that retransmitted between two readings `elapsed_ns` apart, those with most retransmitted bytes
/// first; at most 64. A connection that is in one reading only, or is of a kernel before 4.19, is left out.
///
/// The share of lost packets is that of retransmitted segments, which also has those that were not lost (RFC 5682).
pub fn retransmissions(before: &[TcpReading], after: &[TcpReading], elapsed_ns: u64) -> Vec<Retransmission> {
    let earlier: BTreeMap<(FlowKey, u64), &TcpReading> =
        before.iter().map(|reading| ((reading.flow, reading.cookie), reading)).collect();
    let mut found: Vec<(u64, Retransmission)> = after
        .iter()
        .filter_map(|now| between(earlier.get(&(now.flow, now.cookie))?, now, elapsed_ns))
        .collect();
    found.sort_by_key(|(bytes, connection)| (std::cmp::Reverse(*bytes), connection.flow));
    found.truncate(REPORTED);
    found.into_iter().map(|(_, connection)| connection).collect()
}

/// The retransmitted bytes of a connection and its record; `None` without any.
fn between(before: &TcpReading, after: &TcpReading, elapsed_ns: u64) -> Option<(u64, Retransmission)> {
    let (then, now) = (before.sent?, after.sent?);
    let bytes = now.retransmitted_bytes.checked_sub(then.retransmitted_bytes).filter(|bytes| *bytes > 0)?;
    let sent = now.bytes.checked_sub(then.bytes)?;
    let segments = now.segments.wrapping_sub(then.segments);
    let retransmitted = now.retransmitted_segments.wrapping_sub(then.retransmitted_segments);
    let rate = |bytes: u64| bytes as f64 * 8.0 * NS_PER_S / elapsed_ns as f64;
    let acknowledged = after.bytes_acked.checked_sub(before.bytes_acked)?;
    let connection = Retransmission {
        flow: after.flow,
        raw_bits_per_s: rate(sent),
        // Data of an earlier interval may be acknowledged in this one.
        goodput_bits_per_s: rate(acknowledged.min(sent)),
        loss_ratio: (segments > 0).then(|| (f64::from(retransmitted) / f64::from(segments)).min(1.0)),
        recovery: LossRecovery::SelectiveRepeat,
        is_lossless: None,
        records: Vec::new(),
    };
    (elapsed_ns > 0).then_some((bytes, connection))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(port: u16, cookie: u64, acked: u64, sent: Option<TcpSent>) -> TcpReading {
        TcpReading {
            flow: format!("10.0.0.1:{port}>10.0.0.2:80/tcp").parse().unwrap(),
            cookie,
            dscp: 0,
            unacked_segments: 0,
            rtt_ns: 1,
            min_rtt_ns: None,
            bytes_acked: acked,
            sent,
        }
    }

    fn sent(
        bytes: u64,
        retransmitted_bytes: u64,
        segments: u32,
        retransmitted_segments: u32,
    ) -> Option<TcpSent> {
        Some(TcpSent { bytes, retransmitted_bytes, segments, retransmitted_segments })
    }

    #[test]
    fn rates_are_those_between_two_readings() {
        let before = [reading(1, 1, 1_000, sent(2_000, 100, 10, 1)), reading(2, 2, 0, sent(50, 10, 1, 1))];
        let after =
            [reading(1, 1, 81_000, sent(102_000, 20_100, 110, 21)), reading(2, 2, 9, sent(59, 10, 2, 1))];
        let [found] = &retransmissions(&before, &after, 1_000_000_000)[..] else { panic!("one connection") };
        assert_eq!(found.flow.sport, 1);
        assert_eq!((found.raw_bits_per_s, found.goodput_bits_per_s), (800_000.0, 640_000.0));
        assert_eq!((found.loss_ratio, found.recovery), (Some(0.2), LossRecovery::SelectiveRepeat));
    }

    #[test]
    fn another_socket_of_the_flow_and_old_kernels_have_no_record() {
        let check = |before: TcpReading, after: TcpReading, elapsed_ns| {
            assert_eq!(retransmissions(&[before], &[after], elapsed_ns), []);
        };
        let later = || reading(1, 1, 9_000, sent(9_000, 5_000, 9, 5));
        check(reading(1, 7, 0, sent(0, 0, 0, 0)), later(), 1);
        check(reading(1, 1, 0, None), later(), 1);
        check(reading(1, 1, 0, sent(0, 0, 0, 0)), later(), 0);
        check(reading(1, 1, 0, sent(0, 9_000, 0, 0)), later(), 1);
    }

    #[test]
    fn the_report_has_the_connections_that_retransmit_most() {
        let before: Vec<TcpReading> = (1..=100).map(|port| reading(port, 1, 0, sent(0, 0, 0, 0))).collect();
        let after: Vec<TcpReading> =
            (1..=100).map(|port| reading(port, 1, 0, sent(1_000, u64::from(port), 2, 1))).collect();
        let found = retransmissions(&before, &after, 1);
        assert_eq!((found.len(), found[0].flow.sport, found[63].flow.sport), (64, 100, 37));
    }
}
