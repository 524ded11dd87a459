//! The rule for slow RDMA operations: the host's half of the question.
//!
//! Round trips are measured from the departure of a packet. They are normal however long an operation waits before the NIC
//! sends it, or before the application polls its completion. An operation is slow if it took much longer than its slowest
//! round trip and the time that the host's link, or the rate that congestion control and window allow, needed for everything
//! that was sent from post to poll: it waited while the host had time for it. The rule leaves out operations that a pause or a
//! loss held up: slow round trips and missing ACKs show these.

use std::collections::VecDeque;

use crate::rule::exceeds;
use crate::settings::Settings;

/// The interval between polls of a flow that stays slow doubles up to this factor: 4 s by default.
const MOST_DOUBLINGS: u32 = 10;

/// An RDMA operation that is complete. Times are nanoseconds of the host's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// When the application posted it.
    pub posted_ns: u64,
    /// When the application polled its completion.
    pub polled_ns: u64,
    /// The time that its bytes take on the slowest link of its path, or that the host's link or the flow's rate needed for
    /// what was sent meanwhile, whichever is longest.
    pub busy_ns: u64,
    /// Whether a pause or a loss held up packets of the flow meanwhile.
    pub is_held_up: bool,
}

impl Operation {
    pub(crate) fn took_ns(&self) -> u64 {
        self.polled_ns.saturating_sub(self.posted_ns)
    }

    /// The time that it should take at most with this round trip.
    pub(crate) fn expected_ns(&self, rtt_ns: u64) -> u64 {
        rtt_ns.saturating_add(self.busy_ns)
    }
}

/// Round trips that are kept for the next operation, at most. Those left out are shorter than all that are kept and follow
/// them.
const ROUND_TRIPS: usize = 64;

/// The slowest round trips of a flow since its last operation was posted: each is slower than all later ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct SlowestRoundTrips(VecDeque<(u64, u64)>);

impl SlowestRoundTrips {
    pub(crate) fn add(&mut self, now_ns: u64, rtt_ns: u64) {
        while self.0.back().is_some_and(|(_, later_ns)| *later_ns <= rtt_ns) {
            self.0.pop_back();
        }
        if self.0.len() < ROUND_TRIPS {
            self.0.push_back((now_ns, rtt_ns));
        }
    }

    /// The slowest one that was measured from a time on; forgets those before.
    pub(crate) fn since(&mut self, from_ns: u64) -> Option<u64> {
        while self.0.front().is_some_and(|(at_ns, _)| *at_ns < from_ns) {
            self.0.pop_front();
        }
        self.0.front().map(|(_, rtt_ns)| *rtt_ns)
    }
}

/// The operations of one flow.
#[derive(Clone, Debug, Default)]
pub(crate) struct OperationWatch {
    /// Absent before the first operation: most flows are none.
    round_trips: Option<SlowestRoundTrips>,
    /// When the flow was last polled for a slow one, and how often since one was not slow.
    polled_ns: Option<u64>,
    polls: u32,
}

impl OperationWatch {
    /// A round trip was measured.
    pub(crate) fn measured(&mut self, now_ns: u64, rtt_ns: u64) {
        if let Some(round_trips) = &mut self.round_trips {
            round_trips.add(now_ns, rtt_ns);
        }
    }

    /// The time that an operation should take at most on a path with this base round trip.
    pub(crate) fn expected_ns(&mut self, operation: &Operation, base_ns: u64) -> u64 {
        let slowest_ns = self.round_trips.get_or_insert_default().since(operation.posted_ns);
        operation.expected_ns(slowest_ns.unwrap_or(base_ns).max(base_ns))
    }

    /// Takes an operation into account. Returns whether the flow is to be polled for it.
    pub(crate) fn completed(&mut self, settings: &Settings, operation: &Operation, expected_ns: u64) -> bool {
        if operation.is_held_up {
            return false;
        }
        if !exceeds(settings, settings.operation_percent, (expected_ns, operation.took_ns())) {
            self.polls = 0;
            return false;
        }
        let interval_ns = settings.flow_interval_ns.saturating_mul(1 << self.polls.min(MOST_DOUBLINGS));
        self.polled_ns.is_none_or(|polled_ns| operation.polled_ns.saturating_sub(polled_ns) >= interval_ns)
    }

    /// A poll for slow operations was sent.
    pub(crate) fn polled(&mut self, now_ns: u64) {
        self.polled_ns = Some(now_ns);
        self.polls = self.polls.saturating_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_round_trip_since_a_time_is_kept() {
        let mut kept = SlowestRoundTrips::default();
        for (at_ns, rtt_ns) in [(10, 5), (20, 9), (30, 7), (40, 8), (50, 2)] {
            kept.add(at_ns, rtt_ns);
        }
        let mut check = |from_ns, expected| assert_eq!(kept.since(from_ns), expected, "{from_ns}");
        check(0, Some(9));
        check(20, Some(9));
        check(21, Some(8));
        check(41, Some(2));
        check(51, None);
    }

    #[test]
    fn kept_round_trips_are_bounded_and_the_slowest_stays() {
        let mut kept = SlowestRoundTrips::default();
        (0..1_000).for_each(|at_ns| kept.add(at_ns, 10_000 - at_ns));
        assert_eq!((kept.0.len(), kept.since(0)), (ROUND_TRIPS, Some(10_000)));
    }
}
