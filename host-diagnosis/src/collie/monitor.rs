//! Whether a measurement of a NIC is anomalous (Collie, section 5.2).

use model::host::descriptor::NicPerformance;
use serde::Serialize;

/// The pause ratio above which pauses in a network without congestion are anomalous. Above zero, because a NIC may send
/// a few pauses while connections are set up.
pub const ANOMALOUS_PAUSE_RATIO: f64 = 0.001;

/// How far below both of its specified limits the throughput of an anomalous workload is.
pub const LOW_THROUGHPUT_SHARE: f64 = 0.2;

/// What an anomaly looks like from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Symptom {
    /// The NIC pauses its switch port.
    PauseFrames,
    /// Throughput is below the specification, without pauses.
    LowThroughput,
}

impl Symptom {
    /// Returns the symptom as a phrase for people.
    pub fn text(self) -> &'static str {
        match self {
            Symptom::PauseFrames => "PFC pauses",
            Symptom::LowThroughput => "low throughput without pauses",
        }
    }
}

/// Returns the symptom of an anomalous measurement, in a network without congestion. `None` is a normal measurement:
/// the pause ratio is at most 0.1 %, and bits or packets a second are within 20 % of the specification.
pub fn symptom(performance: &NicPerformance) -> Option<Symptom> {
    if performance.pause_ratio > ANOMALOUS_PAUSE_RATIO {
        return Some(Symptom::PauseFrames);
    }
    let is_low = |measured: f64, specified: f64| measured <= (1.0 - LOW_THROUGHPUT_SHARE) * specified;
    let low = is_low(performance.bits_per_s, performance.specified_bits_per_s)
        && is_low(performance.packets_per_s, performance.specified_packets_per_s);
    low.then_some(Symptom::LowThroughput)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pause_ratio: f64, bits_share: f64, packets_share: f64, expected: Option<Symptom>) {
        let performance = NicPerformance {
            pause_ratio,
            bits_per_s: bits_share * 200e9,
            packets_per_s: packets_share * 200e6,
            specified_bits_per_s: 200e9,
            specified_packets_per_s: 200e6,
            always_backlogged: None,
        };
        assert_eq!(symptom(&performance), expected, "{performance:?}");
    }

    #[test]
    fn col_3_a_pause_ratio_of_0_09_percent_is_normal_and_0_11_percent_is_anomalous() {
        check(0.0009, 1.0, 0.1, None);
        check(0.001, 1.0, 0.1, None);
        check(0.0011, 1.0, 0.1, Some(Symptom::PauseFrames));
    }

    #[test]
    fn throughput_is_low_only_if_bits_and_packets_are_both_a_fifth_below_the_specification() {
        check(0.0, 0.8, 0.8, Some(Symptom::LowThroughput));
        check(0.0, 0.81, 0.1, None);
        check(0.0, 0.1, 0.81, None);
        check(0.0, 0.99, 0.99, None);
    }
}
