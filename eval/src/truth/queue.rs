//! The periods in which a port had a queue, split between lasting shallow and deep queues.
//!
//! A flow at line rate has two or three packets queued at a port of the same rate all the time. A burst on top of that
//! shallow queue is a period of its own.

use model::Time;

/// An uninterrupted period in which a port had a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Busy {
    pub(super) from: Time,
    pub(super) until: Time,
    pub(super) peak_bytes: u64,
}

impl Busy {
    /// Whether this is a lasting queue that is shallow compared with the other one.
    pub(super) fn is_shallow_next_to(&self, other: &Busy) -> bool {
        self.peak_bytes < other.peak_bytes / SHALLOW_PART
            && self.until.saturating_sub(self.from) >= LASTS_AT_END
    }

    /// Whether the next queue of the same port was split from this one, or one of the two is shallow compared with the
    /// other.
    pub(super) fn is_apart_from(&self, next: &Busy) -> bool {
        self.until == next.from || self.is_shallow_next_to(next) || next.is_shallow_next_to(self)
    }
}

/// A queue is shallow compared with another below this fraction (1/n) of the other's peak ...
const SHALLOW_PART: u64 = 4;
/// ... and is a separate one if it stays so for at least this long ...
const LASTS: Time = Time::from_us(100);
/// ... or this long where the port is empty before or after it.
const LASTS_AT_END: Time = Time::from_us(50);

/// The lengths of a present queue, each with its time.
#[derive(Debug, Default)]
pub(super) struct Standing {
    lengths: Vec<(Time, u64)>,
}

impl Standing {
    /// Adds the length from `at` on. Up to `empty` bytes count as no queue. Returns the queues that are over.
    pub(super) fn follow(&mut self, bytes: u64, empty: u64, at: Time) -> Vec<Busy> {
        if bytes <= empty {
            return self.end(at);
        }
        self.lengths.push((at, bytes));
        Vec::new()
    }

    /// The queues of the period that ends at `at`, in order.
    pub(super) fn end(&mut self, at: Time) -> Vec<Busy> {
        let lengths = std::mem::take(&mut self.lengths);
        let mut found = Vec::new();
        let mut rest = vec![(lengths.as_slice(), at)];
        while let Some((lengths, until)) = rest.pop() {
            let Some(peak) = (0..lengths.len()).max_by_key(|n| (lengths[*n].1, std::cmp::Reverse(*n))) else {
                continue;
            };
            let (first, last) = deep(lengths, peak, until);
            let (from, to) = (time_of(lengths, first, until), time_of(lengths, last, until));
            found.push(Busy { from, until: to, peak_bytes: lengths[peak].1 });
            rest.push((&lengths[..first], from));
            rest.push((&lengths[last..], until));
        }
        found.sort_by_key(|busy| busy.from);
        found
    }
}

/// The range around the peak without a lasting shallow period: its first length, and the first after it.
fn deep(lengths: &[(Time, u64)], peak: usize, until: Time) -> (usize, usize) {
    let shallow = lengths[peak].1 / SHALLOW_PART;
    let mut since: Option<usize> = None;
    let (mut first, mut last) = (0, lengths.len());
    for n in 0..=lengths.len() {
        let is_shallow = lengths.get(n).is_some_and(|(_, bytes)| *bytes < shallow);
        if is_shallow {
            since.get_or_insert(n);
            continue;
        }
        let Some(began) = since.take() else { continue };
        let lasts = if began == 0 || n == lengths.len() { LASTS_AT_END } else { LASTS };
        let (from, to) = standing(lengths, began, n, until);
        if time_of(lengths, to, until).saturating_sub(time_of(lengths, from, until)) < lasts {
            continue;
        }
        if n <= peak {
            first = to;
        } else {
            last = from;
            break;
        }
    }
    (first, last)
}

/// The stable part of a shallow period, without the rise to and the fall from deep queues: from the first to the last
/// time at which the length is at most twice the mean.
fn standing(lengths: &[(Time, u64)], began: usize, ended: usize, until: Time) -> (usize, usize) {
    let length = |n: usize| time_of(lengths, n + 1, until).saturating_sub(lengths[n].0).0;
    let (mut waited, mut time) = (0_u128, 0_u128);
    for (n, (_, bytes)) in lengths.iter().enumerate().take(ended).skip(began) {
        waited += u128::from(*bytes) * u128::from(length(n));
        time += u128::from(length(n));
    }
    let stands = |n: &usize| u128::from(lengths[*n].1) * time <= 2 * waited;
    let from = (began..ended).find(stands).unwrap_or(began);
    let to = (began..ended).rev().find(stands).map_or(ended, |n| n + 1);
    (from, to)
}

/// The start time of a length; for the one after the last: the end.
fn time_of(lengths: &[(Time, u64)], n: usize, until: Time) -> Time {
    lengths.get(n).map_or(until, |(at, _)| *at)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// These lengths, each with the time in us from which it applies, give the expected queues.
    fn check(lengths: &[(u64, u64)], expected: &[(u64, u64, u64)]) {
        let mut standing = Standing::default();
        let found: Vec<Busy> =
            lengths.iter().flat_map(|(us, bytes)| standing.follow(*bytes, 8, Time::from_us(*us))).collect();
        let queue = |(from, until, peak_bytes): &(u64, u64, u64)| Busy {
            from: Time::from_us(*from),
            until: Time::from_us(*until),
            peak_bytes: *peak_bytes,
        };
        assert_eq!(found, expected.iter().map(queue).collect::<Vec<_>>());
    }

    #[test]
    fn a_burst_on_top_of_a_shallow_queue_is_a_separate_queue() {
        check(&[(0, 10), (150, 200), (160, 20), (200, 0)], &[(0, 150, 10), (150, 200, 200)]);
        check(&[(0, 200), (10, 12), (300, 0)], &[(0, 10, 200), (10, 300, 12)]);
        check(
            &[(0, 300), (10, 12), (200, 400), (210, 9), (400, 0)],
            &[(0, 10, 300), (10, 200, 12), (200, 210, 400), (210, 400, 9)],
        );
        // The rise belongs to the burst. An empty queue before or after counts as shallow.
        check(
            &[(0, 10), (60, 30), (62, 60), (64, 200), (70, 30), (72, 10), (125, 0)],
            &[(0, 60, 10), (60, 72, 200), (72, 125, 10)],
        );
    }

    #[test]
    fn a_short_dip_belongs_to_the_queue() {
        check(&[(0, 10), (49, 200), (60, 12), (100, 180), (130, 0)], &[(0, 130, 200)]);
        check(&[(0, 13), (500, 50), (600, 0)], &[(0, 600, 50)]);
        check(&[(0, 10), (5, 0), (10, 5), (20, 9), (25, 8)], &[(0, 5, 10), (20, 25, 9)]);
    }

    #[test]
    fn a_long_shallow_queue_is_separate_from_a_deep_one() {
        let queue = |from_us, until_us, peak_bytes| Busy {
            from: Time::from_us(from_us),
            until: Time::from_us(until_us),
            peak_bytes,
        };
        let check = |first: Busy, next: Busy, apart| {
            assert_eq!(first.is_apart_from(&next), apart, "{first:?} {next:?}")
        };
        check(queue(0, 60, 10), queue(70, 90, 200), true);
        check(queue(0, 20, 200), queue(30, 90, 10), true);
        check(queue(0, 20, 10), queue(30, 90, 200), false);
        check(queue(0, 60, 60), queue(70, 90, 200), false);
        // The end of one is the beginning of the other: they were split.
        check(queue(0, 60, 60), queue(60, 90, 200), true);
    }
}
