//! The offset of a sender's clock from the server's, from the times of pings (RFC 5905, sections 8 and 10).
//!
//! The offset of one exchange is off by at most half of its round trip, so the estimate is that of the exchange with
//! the shortest round trip among the latest ones.

use std::collections::VecDeque;

/// Number of exchanges that are considered (RFC 5905, section 10: the clock filter has eight stages).
pub const STAGES: usize = 8;

/// What to add to the sender's clock to get the server's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockOffset {
    /// Nanoseconds to add.
    pub offset_ns: i64,
    /// Maximum error: half of the round trip.
    pub error_ns: u64,
}

impl ClockOffset {
    /// Converts a time of the sender's clock.
    pub fn to_server_ns(self, time_ns: u64) -> u64 {
        time_ns.saturating_add_signed(self.offset_ns)
    }
}

/// The four times of an exchange, in nanoseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// The sender's clock when it sent the ping.
    pub sent_ns: u64,
    /// The server's clock when the ping arrived.
    pub received_ns: u64,
    /// The server's clock when it replied.
    pub replied_ns: u64,
    /// The sender's clock when the reply arrived.
    pub returned_ns: u64,
}

impl Exchange {
    /// Returns the offset; `None` if the times contradict each other, e.g. because a clock was set in between.
    pub fn offset(&self) -> Option<ClockOffset> {
        let away = i128::from(self.returned_ns) - i128::from(self.sent_ns);
        let inside = i128::from(self.replied_ns) - i128::from(self.received_ns);
        let round_trip = away - inside;
        if away < 0 || inside < 0 || round_trip < 0 {
            return None;
        }
        let there = i128::from(self.received_ns) - i128::from(self.sent_ns);
        let back = i128::from(self.replied_ns) - i128::from(self.returned_ns);
        Some(ClockOffset {
            offset_ns: i64::try_from((there + back) / 2).ok()?,
            error_ns: u64::try_from((round_trip + 1) / 2).ok()?,
        })
    }
}

/// The latest exchanges.
#[derive(Clone, Debug, Default)]
pub struct ClockFilter {
    latest: VecDeque<ClockOffset>,
}

impl ClockFilter {
    /// Adds an exchange; one whose times contradict each other is ignored.
    pub fn add(&mut self, exchange: &Exchange) {
        if let Some(offset) = exchange.offset() {
            if self.latest.len() == STAGES {
                self.latest.pop_front();
            }
            self.latest.push_back(offset);
        }
    }

    /// Returns the best estimate; `None` before the first exchange.
    pub fn estimate(&self) -> Option<ClockOffset> {
        self.latest.iter().copied().min_by_key(|offset| offset.error_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn exchange(offset_ns: i64, there_ns: u64, inside_ns: u64, back_ns: u64) -> Exchange {
        let sent_ns: u64 = 1_700_000_000_000_000_000;
        let arrived = sent_ns + there_ns;
        Exchange {
            sent_ns,
            received_ns: arrived.saturating_add_signed(offset_ns),
            replied_ns: (arrived + inside_ns).saturating_add_signed(offset_ns),
            returned_ns: arrived + inside_ns + back_ns,
        }
    }

    proptest! {
        #[test]
        fn the_offset_is_within_its_error(
            offset_ns in -1_000_000_000_000_i64..1_000_000_000_000,
            there_ns in 0..1_000_000_000_u64,
            inside_ns in 0..1_000_000_u64,
            back_ns in 0..1_000_000_000_u64,
        ) {
            let found = exchange(offset_ns, there_ns, inside_ns, back_ns).offset().unwrap();
            prop_assert!(found.offset_ns.abs_diff(offset_ns) <= found.error_ns);
        }

        #[test]
        fn no_times_make_it_panic(sent_ns: u64, received_ns: u64, replied_ns: u64, returned_ns: u64) {
            let _ = Exchange { sent_ns, received_ns, replied_ns, returned_ns }.offset();
        }
    }

    #[test]
    fn the_shortest_of_the_latest_round_trips_counts() {
        let mut filter = ClockFilter::default();
        assert_eq!(filter.estimate(), None);
        filter.add(&exchange(50_000_000, 900_000, 1_000, 100_000));
        filter.add(&exchange(50_000_000, 20_000, 1_000, 20_000));
        let estimate = ClockOffset { offset_ns: 50_000_000, error_ns: 20_000 };
        assert_eq!(filter.estimate(), Some(estimate));
        for _ in 0..STAGES {
            filter.add(&exchange(40_000_000, 90_000, 1_000, 90_000));
        }
        assert_eq!(filter.estimate().map(|e| e.offset_ns), Some(40_000_000));
    }
}
