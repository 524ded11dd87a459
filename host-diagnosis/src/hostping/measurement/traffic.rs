//! Which RNICs are busy, and what their services transfer during a test.

use model::host::RnicCounters;

use crate::median::median;

/// An RNIC is idle below this share of its line rate (Hostping, section 5: 5 %).
const IDLE_SHARE: f64 = 0.05;

/// Counters of an RNIC at one time during a test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// When they were read, in ns.
    pub at_ns: u64,
    /// Bytes that the physical port has received; absent if the driver does not count them without loopback traffic, of
    /// which the test consists.
    pub received_bytes: Option<u64>,
    /// Share of the last second in which the PCIe link took no write although the RNIC had one, in percent.
    pub stalled_percent: Option<u64>,
}

/// Returns the RNICs that carry at least 5 % of their line rate in either direction, by their counters over an interval in
/// which no test runs.
pub fn busy(counters: &RnicCounters, interval_ns: u64) -> Vec<String> {
    let is_busy = |received_bytes: u64, sent_bytes: u64, line_rate_bps: u64| {
        let bits_per_s = received_bytes.max(sent_bytes) as f64 * 8e9 / interval_ns.max(1) as f64;
        bits_per_s >= IDLE_SHARE * line_rate_bps as f64
    };
    let found = counters.nics.iter().filter(|nic| {
        nic.wire.is_some_and(|wire| is_busy(wire.received_bytes, wire.sent_bytes, nic.line_rate_bps))
    });
    // A further port of a device is `mlx4_0/2`; the topology has devices.
    let mut names: Vec<String> =
        found.map(|nic| nic.nic.split('/').next().unwrap_or_default().to_string()).collect();
    names.dedup();
    names
}

/// What services received during tests, in bits per second: the median between two samples in a row of the same test,
/// because the samples before and after the messages of a test see services alone. `None` without counters.
pub(super) fn service_bits_per_s<'s>(tests: impl Iterator<Item = &'s [Sample]>) -> Option<u64> {
    median(tests.flat_map(|samples| samples.windows(2).filter_map(rate)))
}

fn rate(pair: &[Sample]) -> Option<u64> {
    let [before, after] = pair else { return None };
    let bytes = after.received_bytes?.checked_sub(before.received_bytes?)?;
    let elapsed_ns = after.at_ns.checked_sub(before.at_ns).filter(|elapsed_ns| *elapsed_ns > 0)?;
    Some((bytes as f64 * 8e9 / elapsed_ns as f64) as u64)
}

/// The share of a test in which the PCIe link took no write: that of the last second, which lies within the test. `None` if
/// the test was shorter, or the driver does not count it.
pub(super) fn stalled_share(samples: &[Sample]) -> Option<f64> {
    let (first, last) = samples.first().zip(samples.last())?;
    let is_long = last.at_ns.saturating_sub(first.at_ns) > 1_500_000_000;
    last.stalled_percent.filter(|percent| is_long && *percent <= 100).map(|percent| percent as f64 / 100.0)
}

#[cfg(test)]
mod tests {
    use model::host::counters::{NicCounters, WireCounters};

    use super::*;

    #[test]
    fn an_rnic_is_busy_from_a_twentieth_of_its_line_rate_on() {
        let nic = |name: &str, received_bytes: u64, sent_bytes: u64| NicCounters {
            nic: name.to_string(),
            line_rate_bps: 100_000_000_000,
            wire: Some(WireCounters { received_bytes, sent_bytes, ..WireCounters::default() }),
            ..NicCounters::default()
        };
        // 5 Gb/s for half a second are 312.5 MB.
        let nics =
            vec![nic("mlx5_0", 312_000_000, 0), nic("mlx5_1", 0, 313_000_000), nic("mlx4_0/2", 1 << 30, 0)];
        let silent = NicCounters { nic: "mlx5_3".into(), line_rate_bps: 1, ..NicCounters::default() };
        let nics = RnicCounters { nics: nics.into_iter().chain([silent]).collect() };
        assert_eq!(busy(&nics, 500_000_000), ["mlx5_1", "mlx4_0"]);
    }

    #[test]
    fn service_traffic_is_the_median_over_the_samples_of_all_tests() {
        let sample = |ms: u64, received_bytes: u64| Sample {
            at_ns: ms * 1_000_000,
            received_bytes: Some(received_bytes),
            stalled_percent: Some(40),
        };
        // 80 Gb/s before the messages of the test, 40 Gb/s during it.
        let one = [
            sample(0, 0),
            sample(100, 1_000_000_000),
            sample(200, 1_500_000_000),
            sample(300, 2_000_000_000),
        ];
        let other = [sample(1000, 9_000_000_000), sample(1100, 9_500_000_000)];
        assert_eq!(service_bits_per_s([&one[..], &other[..]].into_iter()), Some(40_000_000_000));
        let unknown = [Sample { received_bytes: None, ..one[0] }, one[1]];
        assert_eq!(service_bits_per_s([&unknown[..]].into_iter()), None);
        assert_eq!((stalled_share(&one), stalled_share(&[one[0], sample(2000, 0)])), (None, Some(0.4)));
    }
}
