//! A histogram of latencies with a bounded relative error.

use serde::Serialize;

/// Buckets of each power of two: a quantile is at most a sixteenth above the latency.
const SUB_BUCKETS: u32 = 16;
const SUB_BITS: u32 = SUB_BUCKETS.trailing_zeros();

/// Counts of latencies. Buckets are exact below 16 ns; above, each power of two has 16.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Histogram {
    counts: std::collections::BTreeMap<u32, u64>,
    count: u64,
    max_ns: u64,
}

impl Histogram {
    /// Counts a latency.
    pub fn record(&mut self, latency_ns: u64) {
        *self.counts.entry(bucket(latency_ns)).or_insert(0) += 1;
        self.count += 1;
        self.max_ns = self.max_ns.max(latency_ns);
    }

    /// Number of latencies.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The largest latency, in nanoseconds.
    pub fn max_ns(&self) -> u64 {
        self.max_ns
    }

    /// The smallest upper bound of a bucket that at least `share` (0 to 1) of the latencies do not exceed, in nanoseconds.
    /// `None` without latencies.
    pub fn quantile_ns(&self, share: f64) -> Option<u64> {
        let wanted = ((share.clamp(0.0, 1.0) * self.count as f64).ceil() as u64).max(1);
        let mut seen = 0;
        for (bucket, count) in &self.counts {
            seen += count;
            if seen >= wanted {
                return Some(upper_bound(*bucket).min(self.max_ns));
            }
        }
        None
    }

    /// Adds the counts of another histogram.
    pub fn merge(&mut self, other: &Histogram) {
        for (bucket, count) in &other.counts {
            *self.counts.entry(*bucket).or_insert(0) += count;
        }
        self.count += other.count;
        self.max_ns = self.max_ns.max(other.max_ns);
    }
}

fn bucket(value: u64) -> u32 {
    if value < u64::from(SUB_BUCKETS) {
        return value as u32;
    }
    let exponent = value.ilog2();
    let within = (value >> (exponent - SUB_BITS)) as u32 - SUB_BUCKETS;
    (exponent - SUB_BITS + 1) * SUB_BUCKETS + within
}

fn upper_bound(bucket: u32) -> u64 {
    if bucket < SUB_BUCKETS {
        return bucket.into();
    }
    let shift = bucket / SUB_BUCKETS - 1;
    let within = u64::from(bucket % SUB_BUCKETS + SUB_BUCKETS);
    // The last bucket ends at the largest number.
    let next = u128::from(within + 1) << shift;
    u64::try_from(next - 1).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn quantiles_of_known_latencies() {
        let mut histogram = Histogram::default();
        (1..=100).for_each(|us| histogram.record(us * 1_000));
        assert_eq!(histogram.count(), 100);
        let p50 = histogram.quantile_ns(0.5).unwrap();
        assert!((50_000..=50_000 + 50_000 / 16).contains(&p50), "{p50}");
        assert_eq!(histogram.quantile_ns(1.0), Some(100_000));
        assert_eq!(Histogram::default().quantile_ns(0.5), None);
    }

    proptest! {
        #[test]
        fn a_latency_is_in_its_bucket_with_an_error_of_a_sixteenth(value: u64) {
            let bound = upper_bound(bucket(value));
            prop_assert!(bound >= value);
            prop_assert!(bound - value <= value / 16);
        }

        #[test]
        fn buckets_are_in_the_order_of_latencies(a: u64, b: u64) {
            prop_assert!((a <= b) == (bucket(a) <= bucket(b)) || bucket(a) == bucket(b));
        }

        #[test]
        fn merged_histograms_count_all_latencies(a: Vec<u64>, b: Vec<u64>) {
            let of = |values: &[u64]| {
                let mut histogram = Histogram::default();
                values.iter().for_each(|value| histogram.record(*value));
                histogram
            };
            let mut merged = of(&a);
            merged.merge(&of(&b));
            prop_assert_eq!(merged, of(&[a, b].concat()));
        }
    }
}
