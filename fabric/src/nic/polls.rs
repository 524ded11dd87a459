//! When the application of a host polls its completion queues: at once, or not while its threads do other work.

use model::Time;
use scenario::nic::PollGapModel;

/// Gaps between polls in a period of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PollGaps {
    /// When the first one begins.
    pub start: Time,
    /// None begins from here on.
    pub end: Time,
    /// How long they are, and how often they begin.
    pub model: PollGapModel,
}

impl PollGaps {
    /// When the application polls a completion that is generated at a time.
    pub(crate) fn polled(&self, completed: Time) -> Time {
        if completed < self.start || self.end <= completed {
            return completed;
        }
        let into = (completed - self.start).0 % self.model.interval.0.max(1);
        let left = self.model.gap.0.saturating_sub(into);
        Time(completed.0.saturating_add(left))
    }

    /// The gaps that overlap a period: when they begin, in order.
    pub fn begins(&self, (from, to): (Time, Time)) -> impl DoubleEndedIterator<Item = Time> + use<> {
        let (start, interval) = (self.start.0, self.model.interval.0.max(1));
        let ends_first = start.saturating_add(self.model.gap.0);
        let over = if from.0 < ends_first { 0 } else { (from.0 - ends_first) / interval + 1 };
        let begun = to.0.min(self.end.0).saturating_sub(start).div_ceil(interval);
        (over..begun).map(move |n| Time(start.saturating_add(n.saturating_mul(interval))))
    }
}

/// When the application polls a completion that is generated at `completed`, with all gaps of its threads.
pub(crate) fn polled(gaps: &[PollGaps], completed: Time) -> Time {
    gaps.iter().map(|gaps| gaps.polled(completed)).max().unwrap_or(completed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gaps() -> PollGaps {
        let us = Time::from_us;
        PollGaps { start: us(100), end: us(400), model: PollGapModel { gap: us(60), interval: us(100) } }
    }

    #[test]
    fn completions_wait_to_the_end_of_a_gap() {
        let check = |completed, expected| {
            assert_eq!(gaps().polled(Time::from_us(completed)), Time::from_us(expected), "{completed}");
        };
        check(99, 99);
        check(100, 160);
        check(159, 160);
        check(160, 160);
        check(199, 199);
        check(310, 360);
        check(400, 400);
    }

    #[test]
    fn gaps_of_a_period_are_those_that_overlap_it() {
        let check = |from, to, expected: &[u64]| {
            let found: Vec<Time> = gaps().begins((Time::from_us(from), Time::from_us(to))).collect();
            let expected: Vec<Time> = expected.iter().copied().map(Time::from_us).collect();
            assert_eq!(found, expected, "{from} to {to}");
        };
        check(0, 1_000, &[100, 200, 300]);
        check(0, 100, &[]);
        check(0, 101, &[100]);
        check(159, 200, &[100]);
        check(160, 200, &[]);
        check(230, 350, &[200, 300]);
        check(361, 900, &[]);
    }
}
