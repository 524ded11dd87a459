//! Samples of ports and records of flows, rolled up by the second and by the minute until they are stored.

use std::collections::BTreeMap;
use std::ops::Range;

use model::PortRef;
use serde::Serialize;
use store::{FlowRollup, Resolution, Rollup, RollupKey};
use utoipa::ToSchema;

use crate::limits::PENDING_ROLLUPS;
use crate::priorities::Priorities;
use crate::series::PortSample;

/// What a port did in one second or minute of the wall clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PortInterval {
    /// Start of the interval, in nanoseconds since 1970.
    pub wall_ns: u64,
    /// Start of the interval, as RFC 3339 text.
    pub time: String,
    /// Switch time of the latest sample in the interval, in nanoseconds.
    pub time_ns: u64,
    /// Number of samples in the interval.
    pub samples: u64,
    /// Switch time that the samples cover; less than the interval's length if samples are missing.
    pub interval_ns: u64,
    /// Time within `interval_ns` during which a priority of the port was paused.
    pub paused_ns: u64,
    /// The priorities that PFC paused at some time within the interval.
    #[schema(value_type = Vec<u8>)]
    pub paused_priorities: Priorities,
    /// Rate at which the port sent on average over `interval_ns`, in bits per second.
    pub tx_bps: u64,
    /// The most bytes in the port's queues at a sample.
    pub queue_max_bytes: u64,
    /// Bytes in the port's queues, averaged over the samples.
    pub queue_mean_bytes: u64,
}

impl PortInterval {
    pub(crate) fn new(wall_ns: u64, rollup: &Rollup) -> PortInterval {
        let mut paused_priorities = Priorities::default();
        (0..8)
            .filter(|bit| rollup.priorities & (1 << bit) != 0)
            .for_each(|bit| paused_priorities.insert(bit));
        PortInterval {
            wall_ns,
            time: crate::wall_clock::rfc3339(wall_ns),
            time_ns: rollup.time_ns,
            samples: rollup.samples,
            interval_ns: rollup.interval_ns,
            paused_ns: rollup.paused_ns,
            paused_priorities,
            tx_bps: mul_div(rollup.tx_bytes, 8 * 1_000_000_000, rollup.interval_ns),
            queue_max_bytes: rollup.queue_max_bytes,
            queue_mean_bytes: rollup.queue_sum_bytes / rollup.samples.max(1),
        }
    }
}

/// A sum of parts of an interval.
pub(crate) trait Sum: Default {
    /// Adds another part of the same interval.
    fn add(&mut self, part: &Self);
}

impl Sum for Rollup {
    fn add(&mut self, part: &Rollup) {
        Rollup::add(self, part);
    }
}

impl Sum for FlowRollup {
    fn add(&mut self, part: &FlowRollup) {
        FlowRollup::add(self, part);
    }
}

/// Sums that are not stored yet, by port or flow and interval.
#[derive(Debug)]
pub(crate) struct Pending<K, S> {
    sums: BTreeMap<K, S>,
}

impl<K, S> Default for Pending<K, S> {
    fn default() -> Pending<K, S> {
        Pending { sums: BTreeMap::new() }
    }
}

impl<K: Ord, S: Sum> Pending<K, S> {
    /// Takes all sums, to store them.
    pub(crate) fn take(&mut self) -> BTreeMap<K, S> {
        std::mem::take(&mut self.sums)
    }

    /// Takes sums back that were not stored.
    pub(crate) fn restore(&mut self, sums: BTreeMap<K, S>) {
        for (key, sum) in sums {
            self.merge(key, &sum);
        }
    }

    /// Returns the sums of a range of intervals.
    pub(crate) fn range(&self, range: Range<K>) -> impl Iterator<Item = (&K, &S)> {
        self.sums.range(range)
    }

    /// Adds a part of an interval. Returns whether it was added: at the limit [`PENDING_ROLLUPS`] no interval is added, which
    /// happens only while the store fails.
    pub(crate) fn merge(&mut self, key: K, part: &S) -> bool {
        if self.sums.len() >= PENDING_ROLLUPS && !self.sums.contains_key(&key) {
            return false;
        }
        self.sums.entry(key).or_default().add(part);
        true
    }
}

/// The sums of ports that are not stored yet.
pub(crate) type PendingPorts = Pending<RollupKey, Rollup>;

impl PendingPorts {
    /// Adds a sample at `wall_ns` to its second and its minute. Returns whether it was added, see
    /// [`Pending::merge`].
    pub(crate) fn add(&mut self, sample: &PortSample, wall_ns: u64) -> bool {
        let point = &sample.point;
        let part = Rollup {
            time_ns: point.time_ns,
            samples: 1,
            interval_ns: point.interval_ns,
            paused_ns: point.paused_ns.min(point.interval_ns),
            priorities: point.paused_priorities.iter().fold(0, |bits, priority| bits | 1 << priority),
            tx_bytes: mul_div(point.tx_bps, point.interval_ns, 8 * 1_000_000_000),
            queue_max_bytes: point.queue_bytes,
            queue_sum_bytes: point.queue_bytes,
        };
        let mut is_added = true;
        for resolution in Resolution::ALL {
            let wall_ns = resolution.start_ns(wall_ns);
            is_added &= self.merge(RollupKey { resolution, port: sample.port.clone(), wall_ns }, &part);
        }
        is_added
    }

    /// Adds what is not stored yet of `port` to `stored`, for intervals that start in `since_ns..until_ns`.
    pub(crate) fn complete(
        &self,
        port: &PortRef,
        resolution: Resolution,
        (since_ns, until_ns): (u64, u64),
        stored: &mut BTreeMap<u64, Rollup>,
    ) {
        let key = |wall_ns| RollupKey { resolution, port: port.clone(), wall_ns };
        for (key, sum) in self.range(key(since_ns)..key(until_ns.max(since_ns))) {
            stored.entry(key.wall_ns).or_default().add(sum);
        }
    }
}

/// Returns `a * b / c`, at most the greatest number; 0 if `c` is 0.
pub(crate) fn mul_div(a: u64, b: u64, c: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    u64::try_from(product.checked_div(u128::from(c)).unwrap_or(0)).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::series::PortPoint;

    const SECOND_NS: u64 = 1_000_000_000;

    fn sample(port: u16, time_ns: u64, tx_bps: u64) -> PortSample {
        let mut paused_priorities = Priorities::default();
        paused_priorities.insert(3);
        let point = PortPoint {
            time_ns,
            interval_ns: SECOND_NS / 10,
            queue_bytes: time_ns,
            paused_ns: SECOND_NS / 40,
            paused_priorities,
            tx_bps,
            ..PortPoint::default()
        };
        PortSample { port: PortRef::new("sw1", port), point }
    }

    fn of(pending: &PendingPorts, resolution: Resolution) -> Vec<PortInterval> {
        let mut found = BTreeMap::new();
        pending.complete(&PortRef::new("sw1", 1), resolution, (0, u64::MAX), &mut found);
        found.iter().map(|(wall_ns, rollup)| PortInterval::new(*wall_ns, rollup)).collect()
    }

    #[test]
    fn samples_are_added_to_their_second_and_minute() {
        let mut pending = PendingPorts::default();
        for (time_ns, wall_ns, tx_bps) in
            [(10, 59 * SECOND_NS, 100), (30, 59 * SECOND_NS + 7, 300), (50, 61 * SECOND_NS, 800)]
        {
            assert!(pending.add(&sample(1, time_ns, tx_bps * 1_000_000_000), wall_ns));
        }
        pending.add(&sample(2, 10, 0), 59 * SECOND_NS);
        let seconds = of(&pending, Resolution::Second);
        let starts: Vec<_> =
            seconds.iter().map(|second| (second.wall_ns / SECOND_NS, second.samples)).collect();
        assert_eq!(starts, [(59, 2), (61, 1)]);
        let first = &seconds[0];
        assert_eq!((first.time_ns, first.interval_ns, first.paused_ns), (30, SECOND_NS / 5, SECOND_NS / 20));
        assert_eq!((first.tx_bps, first.queue_max_bytes, first.queue_mean_bytes), (200_000_000_000, 30, 20));
        assert_eq!(first.paused_priorities.iter().collect::<Vec<_>>(), [3]);
        let minutes: Vec<_> =
            of(&pending, Resolution::Minute).iter().map(|m| (m.wall_ns / SECOND_NS, m.samples)).collect();
        assert_eq!(minutes, [(0, 2), (60, 1)]);
    }

    #[test]
    fn sums_that_were_not_stored_are_added_to_later_ones() {
        let mut pending = PendingPorts::default();
        pending.add(&sample(1, 10, 0), 5);
        let taken = pending.take();
        assert!(of(&pending, Resolution::Second).is_empty());
        pending.add(&sample(1, 20, 0), 6);
        pending.restore(taken);
        assert_eq!(of(&pending, Resolution::Second)[0].samples, 2);
    }

    #[test]
    fn at_the_limit_only_known_intervals_continue() {
        let mut pending = PendingPorts::default();
        for n in 0..PENDING_ROLLUPS as u64 {
            pending.add(&sample(1, n, 0), n * 60 * SECOND_NS);
        }
        assert_eq!(pending.sums.len(), PENDING_ROLLUPS);
        assert!(!pending.add(&sample(1, 1, 0), u64::MAX));
        assert!(pending.add(&sample(1, 1, 0), 1));
    }

    #[test]
    fn extreme_samples_do_not_overflow() {
        let mut pending = PendingPorts::default();
        let point = PortPoint {
            tx_bps: u64::MAX,
            interval_ns: u64::MAX,
            queue_bytes: u64::MAX,
            ..PortPoint::default()
        };
        let extreme = PortSample { port: PortRef::new("sw1", 1), point };
        pending.add(&extreme, u64::MAX);
        pending.add(&extreme, u64::MAX);
        assert_eq!(pending.sums.len(), 2);
        assert_eq!(mul_div(7, 3, 0), 0);
    }
}
