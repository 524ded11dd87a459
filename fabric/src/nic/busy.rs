//! How long a link, or the rate limiter of a flow, has been busy: what an operation waits for at least.

use std::collections::VecDeque;

use model::Time;

/// Samples that are kept, at most.
const SAMPLES: usize = 4_096;
/// Samples closer than this are left out, so that they cover at least 4 ms. An interval counts as busy for up to this much
/// longer.
const RESOLUTION: Time = Time::from_us(1);

/// Busy time, added up since the beginning of the run, with its past values.
#[derive(Clone, Debug, Default)]
pub(crate) struct BusyTime(VecDeque<(Time, Time)>);

impl BusyTime {
    /// Records how long it has been busy up to now.
    pub(crate) fn record(&mut self, now: Time, busy: Time) {
        if self.0.back().is_some_and(|(last, _)| now.saturating_sub(*last) < RESOLUTION) {
            return;
        }
        if self.0.len() == SAMPLES {
            self.0.pop_front();
        }
        self.0.push_back((now, busy));
    }

    /// How long it was busy from a time until it had been for `busy`, at most; `None` before the first sample that is kept.
    pub(crate) fn since(&self, from: Time, busy: Time) -> Option<Time> {
        let after = self.0.partition_point(|(at, _)| *at <= from);
        let (_, known) = self.0.get(after.checked_sub(1)?)?;
        Some(busy.saturating_sub(*known))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_busy_time_is_that_since_the_last_sample_before() {
        let ns = Time::from_ns;
        let mut link = BusyTime::default();
        for (at, busy) in [(10_000, 0), (10_500, 400), (20_000, 5_000), (30_000, 5_000)] {
            link.record(ns(at), ns(busy));
        }
        let check = |from, expected: Option<u64>| {
            assert_eq!(link.since(ns(from), ns(6_000)), expected.map(ns), "{from}");
        };
        check(9_999, None);
        check(10_000, Some(6_000));
        check(19_999, Some(6_000));
        check(20_000, Some(1_000));
        check(40_000, Some(1_000));
    }

    #[test]
    fn samples_are_bounded() {
        let mut link = BusyTime::default();
        (0..10_000).for_each(|at| link.record(Time::from_us(at), Time::ZERO));
        assert_eq!(link.0.len(), SAMPLES);
        assert_eq!(link.since(Time::ZERO, Time::ZERO), None);
    }
}
