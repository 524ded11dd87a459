//! The rules for slow RDMA operations and for slow jobs: the host's half of the question.
//!
//! Round trips are measured from the departure of a packet. They are normal however long an operation waits before the NIC
//! sends it, or before the application polls its completion. An operation is slow if it took much longer than its slowest
//! round trip and the time that the host's link, or the rate that congestion control and window allow, needed for everything
//! that was sent from post to poll: it waited while the host had time for it. The rule leaves out operations that a pause or a
//! loss held up: slow round trips and missing ACKs show these.
//!
//! A job whose iterations each end with an operation is slow if several iterations in a row took much longer than it states. It
//! may compute too long, so that none of its operations is slow.

use std::collections::VecDeque;

use crate::rule::exceeds;
use crate::settings::Settings;

/// The interval between polls of a flow that stays slow doubles up to this factor: 4 s by default.
const MOST_DOUBLINGS: u32 = 10;

/// An RDMA operation that is complete. Times are nanoseconds of the host's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// When the application posted it; of a transfer of a job, when its data was ready.
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

/// The end of an iteration of a job: the application polled the completion of its operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Iteration {
    /// When it ended, in nanoseconds of the host's clock.
    pub ended_ns: u64,
    /// How long an iteration takes, as the job states: alone, or as fast as it could compute.
    pub expected_ns: u64,
    /// Whether a pause or a loss held up packets of its operation, or congestion control made it take longer.
    pub is_held_up: bool,
}

/// Iterations in a row whose mean counts, at least: several, because the time of one varies. A choice.
const LEAST_ITERATIONS: usize = 4;
/// ... and at most, so that the times that are kept are bounded.
const MOST_ITERATIONS: usize = 1_024;

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
    /// When the latest iterations ended, without one that the network held up in between.
    ended_ns: VecDeque<u64>,
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
        self.is_due(settings, operation.polled_ns)
    }

    /// Takes the end of an iteration into account. Returns the mean time of the latest ones, and when the first of them began, if
    /// the flow is to be polled for them.
    pub(crate) fn iterated(&mut self, settings: &Settings, iteration: &Iteration) -> Option<(u64, u64)> {
        if iteration.is_held_up {
            self.ended_ns.clear();
        }
        self.ended_ns.push_back(iteration.ended_ns);
        let since = |from_ns: &u64| iteration.ended_ns.saturating_sub(*from_ns);
        // Short iterations are counted for longer: the time of a few varies with single packets.
        let is_enough = |count: usize, from_ns: &u64| {
            count >= LEAST_ITERATIONS && since(from_ns) >= settings.min_silence_ns || count >= MOST_ITERATIONS
        };
        while self.ended_ns.get(1).is_some_and(|second| is_enough(self.ended_ns.len() - 2, second)) {
            self.ended_ns.pop_front();
        }
        let count = self.ended_ns.len() - 1;
        let first_ns = *self.ended_ns.front().filter(|first| is_enough(count, first))?;
        let mean_ns = since(&first_ns) / count as u64;
        let percent = u128::from(settings.iteration_percent);
        let is_slow = u128::from(mean_ns) * 100 > u128::from(iteration.expected_ns) * percent;
        (is_slow && self.is_due(settings, iteration.ended_ns)).then_some((mean_ns, first_ns))
    }

    fn is_due(&self, settings: &Settings, now_ns: u64) -> bool {
        let interval_ns = settings.flow_interval_ns.saturating_mul(1 << self.polls.min(MOST_DOUBLINGS));
        self.polled_ns.is_none_or(|polled_ns| now_ns.saturating_sub(polled_ns) >= interval_ns)
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

    /// Iterations that end at these times, in us, are slow from the last one on, and none before it is.
    #[track_caller]
    fn check_iterations(ended_us: &[u64], expected_us: u64, mean_us: Option<u64>) {
        let settings = Settings::default();
        let mut watch = OperationWatch::default();
        let mut found = ended_us.iter().map(|at| {
            let (ended_ns, expected_ns) = (at * 1_000, expected_us * 1_000);
            watch.iterated(&settings, &Iteration { ended_ns, expected_ns, is_held_up: false })
        });
        let last = found.by_ref().enumerate().find_map(|(at, slow)| slow.map(|(mean_ns, _)| (at, mean_ns)));
        assert_eq!(last, mean_us.map(|mean_us| (ended_us.len() - 1, mean_us * 1_000)), "{ended_us:?}");
    }

    #[test]
    fn a_job_is_slow_if_several_iterations_take_longer_than_it_states() {
        check_iterations(&[0, 120, 240, 360, 480], 100, Some(120));
        check_iterations(&[0, 110, 220, 330, 440, 550], 100, None);
        check_iterations(&[0, 100, 200, 300, 375, 550], 100, None);
        check_iterations(&[0, 100, 200, 300, 400, 576], 100, Some(119));
        check_iterations(&[0, 200, 400, 600], 100, None);
        check_iterations(&[0, 2, 4, 6, 8], 1, None);
        check_iterations(&(0..=25).map(|at| 2 * at).collect::<Vec<u64>>(), 1, Some(2));
    }

    #[test]
    fn iterations_that_the_network_held_up_do_not_count() {
        let settings = Settings::default();
        let mut watch = OperationWatch::default();
        for at in 1..20 {
            let iteration =
                Iteration { ended_ns: at * 200_000, expected_ns: 100_000, is_held_up: at % 4 == 0 };
            assert_eq!(watch.iterated(&settings, &iteration), None, "{at}");
        }
    }

    #[test]
    fn kept_round_trips_are_bounded_and_the_slowest_stays() {
        let mut kept = SlowestRoundTrips::default();
        (0..1_000).for_each(|at_ns| kept.add(at_ns, 10_000 - at_ns));
        assert_eq!((kept.0.len(), kept.since(0)), (ROUND_TRIPS, Some(10_000)));
    }
}
