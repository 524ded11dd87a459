//! The times in which a port had a queue, cut where a deep one begins or ends that lasts beside a shallow one.
//!
//! A flow at line rate on its way into a port of the same rate has two or three packets waiting all the time. That
//! is no queue that anybody made, and a burst that joins it is what happened.

use model::Time;

/// An uninterrupted time in which a port had a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Busy {
    pub(super) from: Time,
    pub(super) until: Time,
    pub(super) peak_bytes: u64,
}

/// A queue is shallow beside another while it is less than one part in so many of that one's peak ...
const SHALLOW_PART: u64 = 4;
/// ... and is one of its own if it stays so for at least so long.
const LASTS: Time = Time::from_us(100);

/// A queue while it stands: its lengths, each from when on.
#[derive(Debug, Default)]
pub(super) struct Standing {
    lengths: Vec<(Time, u64)>,
}

impl Standing {
    /// Takes the length from `at` on. While no more than `empty` bytes wait there is no queue; returns those that are over.
    pub(super) fn follow(&mut self, bytes: u64, empty: u64, at: Time) -> Vec<Busy> {
        if bytes <= empty {
            return self.end(at);
        }
        self.lengths.push((at, bytes));
        Vec::new()
    }

    /// The queues of this time, which is over at `at`; in order.
    pub(super) fn end(&mut self, at: Time) -> Vec<Busy> {
        let lengths = std::mem::take(&mut self.lengths);
        let mut found = Vec::new();
        let mut rest = vec![(lengths.as_slice(), at)];
        while let Some((lengths, until)) = rest.pop() {
            let Some(peak) = (0..lengths.len()).max_by_key(|n| (lengths[*n].1, std::cmp::Reverse(*n))) else {
                continue;
            };
            let (first, last) = deep(lengths, peak, until);
            let time_of = |n: usize| lengths.get(n).map_or(until, |(at, _)| *at);
            let (from, to) = (time_of(first), time_of(last));
            found.push(Busy { from, until: to, peak_bytes: lengths[peak].1 });
            rest.push((&lengths[..first], from));
            rest.push((&lengths[last..], until));
        }
        found.sort_by_key(|busy| busy.from);
        found
    }
}

/// The stretch around the peak that no lasting shallow time interrupts: its first length, and the first after it.
fn deep(lengths: &[(Time, u64)], peak: usize, until: Time) -> (usize, usize) {
    let shallow = lengths[peak].1 / SHALLOW_PART;
    let mut since: Option<usize> = None;
    let (mut first, mut last) = (0, lengths.len());
    for n in 0..=lengths.len() {
        let (at, is_shallow) = lengths.get(n).map_or((until, false), |(at, bytes)| (*at, *bytes < shallow));
        if is_shallow {
            since.get_or_insert(n);
            continue;
        }
        let Some(began) = since.take() else { continue };
        if at.saturating_sub(lengths[began].0) < LASTS {
            continue;
        }
        if n <= peak {
            first = n;
        } else {
            last = began;
            break;
        }
    }
    (first, last)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The queues of lengths that hold from their times (in microseconds) on, the last of which ends it.
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
    fn a_burst_on_top_of_a_standing_queue_is_one_of_its_own() {
        check(&[(0, 10), (150, 200), (160, 20), (200, 0)], &[(0, 150, 10), (150, 200, 200)]);
        check(&[(0, 200), (10, 12), (300, 0)], &[(0, 10, 200), (10, 300, 12)]);
        check(
            &[(0, 300), (10, 12), (200, 400), (210, 9), (400, 0)],
            &[(0, 10, 300), (10, 200, 12), (200, 210, 400), (210, 400, 9)],
        );
    }

    #[test]
    fn a_short_dip_belongs_to_the_queue() {
        check(&[(0, 10), (50, 200), (60, 12), (100, 180), (130, 0)], &[(0, 130, 200)]);
        check(&[(0, 13), (500, 50), (600, 0)], &[(0, 600, 50)]);
        check(&[(0, 10), (5, 0), (10, 5), (20, 9), (25, 8)], &[(0, 5, 10), (20, 25, 9)]);
    }
}
