//! From readings of sockets to measurements.

use std::collections::BTreeMap;

use model::FlowKey;

use super::retransmissions::TcpSent;
use crate::measurement::Measurement;

/// Data is stalled after this time without progress: receivers may delay an acknowledgement for 500 ms (RFC 9293,
/// section 3.8.6.3).
const STALL_NS: u64 = 500_000_000;

/// One reading of an established TCP socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TcpReading {
    /// The flow of what the socket sends.
    pub flow: FlowKey,
    /// The kernel's number of the socket, which differs for a later socket with the same addresses and ports.
    pub cookie: u64,
    /// DSCP of what it sends.
    pub dscp: u8,
    /// Segments that are sent and not acknowledged.
    pub unacked_segments: u32,
    /// Smoothed round trip (RFC 6298).
    pub rtt_ns: u64,
    /// Minimum round trip of the last minutes (the kernel's `tcp_min_rtt_wlen`), for reports; no base of detection.
    pub min_rtt_ns: Option<u64>,
    /// Bytes that the receiver has acknowledged.
    pub bytes_acked: u64,
    /// What it has sent; absent from kernels before 4.19.
    pub sent: Option<TcpSent>,
}

/// Counters of the sockets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpStats {
    /// Sockets in the last reading.
    pub sockets: u64,
    /// Readings that were a sample of the round trip.
    pub samples: u64,
    /// Sockets that became stalled.
    pub stalls: u64,
    /// Sockets that were not watched because there were too many.
    pub left_out: u64,
}

/// The sockets of a host.
#[derive(Clone, Debug)]
pub struct TcpSockets {
    max_sockets: usize,
    known: BTreeMap<FlowKey, Known>,
    round: u64,
    stats: TcpStats,
}

#[derive(Clone, Copy, Debug)]
struct Known {
    cookie: u64,
    bytes_acked: u64,
    /// Since when data has been outstanding without progress.
    waiting_since_ns: Option<u64>,
    is_stalled: bool,
    round: u64,
}

impl TcpSockets {
    /// Watches at most `max_sockets` sockets; further ones are counted and ignored.
    pub fn new(max_sockets: usize) -> TcpSockets {
        TcpSockets { max_sockets, known: BTreeMap::new(), round: 0, stats: TcpStats::default() }
    }

    /// Handles one reading of all sockets at `now_ns`.
    ///
    /// A socket whose receiver has acknowledged data since the last reading gives a sample. One whose oldest data has
    /// been outstanding for 500 ms or more gives [`Measurement::Sent`] once: the flow has been silent for at least that
    /// long. The first reading of a socket gives no sample, because its round trip may be that of an earlier time. One
    /// that is not in the reading has ended.
    pub fn read(&mut self, now_ns: u64, readings: &[TcpReading]) -> Vec<Measurement> {
        let mut measurements = Vec::new();
        self.round += 1;
        for reading in readings {
            self.read_one(now_ns, reading, &mut measurements);
        }
        let round = self.round;
        self.known.retain(|flow, known| {
            let is_open = known.round == round;
            if !is_open {
                measurements.push(Measurement::Closed { flow: *flow });
            }
            is_open
        });
        self.stats.sockets = self.known.len() as u64;
        measurements
    }

    /// Returns the counters.
    pub fn stats(&self) -> TcpStats {
        self.stats
    }

    fn read_one(&mut self, now_ns: u64, reading: &TcpReading, measurements: &mut Vec<Measurement>) {
        let flow = reading.flow;
        let known = self.known.get_mut(&flow);
        let is_known = known.is_some();
        if let Some(known) = known.filter(|known| known.cookie == reading.cookie) {
            known.round = self.round;
            let measurement = known.read(now_ns, reading);
            self.stats.samples += u64::from(matches!(measurement, Some(Measurement::Acknowledged { .. })));
            self.stats.stalls += u64::from(matches!(measurement, Some(Measurement::Sent { .. })));
            return measurements.extend(measurement);
        }
        if is_known {
            measurements.push(Measurement::Closed { flow });
        } else if self.known.len() >= self.max_sockets {
            self.stats.left_out += 1;
            return;
        }
        measurements.push(Measurement::opened(flow, reading.dscp));
        let known = Known {
            cookie: reading.cookie,
            bytes_acked: reading.bytes_acked,
            waiting_since_ns: (reading.unacked_segments > 0).then_some(now_ns),
            is_stalled: false,
            round: self.round,
        };
        self.known.insert(flow, known);
    }
}

impl Known {
    /// Handles a further reading of the same socket.
    fn read(&mut self, now_ns: u64, reading: &TcpReading) -> Option<Measurement> {
        let flow = reading.flow;
        let is_outstanding = reading.unacked_segments > 0;
        if reading.bytes_acked != self.bytes_acked {
            self.bytes_acked = reading.bytes_acked;
            self.waiting_since_ns = is_outstanding.then_some(now_ns);
            self.is_stalled = false;
            // Data that is outstanding now may have been sent just now: only a stall shows silence.
            let rtt_ns = Some(reading.rtt_ns);
            return Some(Measurement::Acknowledged { flow, rtt_ns, outstanding: false });
        }
        if !is_outstanding {
            self.waiting_since_ns = None;
            return None;
        }
        let since_ns = *self.waiting_since_ns.get_or_insert(now_ns);
        if now_ns.saturating_sub(since_ns) < STALL_NS || self.is_stalled {
            return None;
        }
        self.is_stalled = true;
        Some(Measurement::Sent { flow })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn reading(cookie: u64, bytes_acked: u64, unacked_segments: u32) -> TcpReading {
        TcpReading {
            flow: flow(),
            cookie,
            dscp: 26,
            unacked_segments,
            rtt_ns: 42_000,
            min_rtt_ns: None,
            bytes_acked,
            sent: None,
        }
    }

    fn flow() -> FlowKey {
        "10.0.0.1:40000>10.0.0.2:80/tcp".parse().unwrap()
    }

    #[test]
    fn acknowledged_data_gives_a_sample_and_an_idle_socket_none() {
        let mut sockets = TcpSockets::new(8);
        let opened = Measurement::opened(flow(), 26);
        let sample = Measurement::Acknowledged { flow: flow(), rtt_ns: Some(42_000), outstanding: false };
        assert_eq!(sockets.read(0, &[reading(1, 100, 0)]), [opened]);
        assert_eq!(sockets.read(MS, &[reading(1, 100, 0)]), []);
        assert_eq!(sockets.read(2 * MS, &[reading(1, 900, 2)]), [sample]);
        assert_eq!(sockets.read(3 * MS, &[]), [Measurement::Closed { flow: flow() }]);
        assert_eq!(sockets.stats(), TcpStats { samples: 1, ..TcpStats::default() });
    }

    #[test]
    fn a_stall_is_reported_once_and_later_than_a_delayed_acknowledgement() {
        let mut sockets = TcpSockets::new(8);
        let mut at = |ms: u64, acked, unacked| sockets.read(ms * MS, &[reading(1, acked, unacked)]).len();
        assert_eq!(at(0, 100, 1), 1, "opened");
        assert_eq!(at(499, 100, 1), 0);
        assert_eq!(at(500, 100, 1), 1, "stalled");
        assert_eq!(at(1_500, 100, 1), 0);
        assert_eq!(at(1_600, 200, 1), 1, "acknowledged");
        assert_eq!(at(2_000, 200, 1), 0);
        assert_eq!(at(2_100, 200, 1), 1, "stalled again");
        assert_eq!(sockets.stats().stalls, 2);
    }

    #[test]
    fn another_socket_of_the_same_flow_starts_anew() {
        let mut sockets = TcpSockets::new(8);
        sockets.read(0, &[reading(1, 5_000, 0)]);
        let flow = flow();
        let expected = [Measurement::Closed { flow }, Measurement::opened(flow, 26)];
        assert_eq!(sockets.read(MS, &[reading(2, 0, 0)]), expected);
    }

    #[test]
    fn sockets_beyond_the_limit_are_counted() {
        let mut sockets = TcpSockets::new(0);
        assert_eq!(sockets.read(0, &[reading(1, 0, 0)]), []);
        assert_eq!(sockets.stats().left_out, 1);
    }
}
