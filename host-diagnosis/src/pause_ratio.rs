//! How much of the time an RNIC pauses its switch, and what that means.
//!
//! The pause duration ratio is the time in the paused state divided by the length of the interval. Without congestion
//! in the fabric, more than 0.1 % is an anomaly of the RNIC (Collie, NSDI 2022, section 5), more than 3 %, 30 ms in a
//! second, is a reason to test the inside of the host (Hostping, NSDI 2023, section 5), and a pause that continues
//! for hundreds of milliseconds is a storm (Bai et al., NSDI 2023, section 4).

/// A ratio above this is an anomaly in a fabric without congestion.
pub const ANOMALY_RATIO: f64 = 0.001;
/// A ratio above this is a reason to test the inside of the host.
pub const HOST_TEST_RATIO: f64 = 0.03;
/// A continuous pause of at least this time is a storm: "hundreds of milliseconds" in the source, and the default
/// detection time of SONiC's PFC watchdog.
pub const STORM_NS: u64 = 200_000_000;

/// A step of the ladder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// At most 0.1 %.
    Normal,
    /// More than 0.1 %.
    Anomaly,
    /// More than 3 %.
    HostTest,
    /// A continuous pause of at least [`STORM_NS`].
    Storm,
}

/// Returns the pause duration ratio, 0 to 1; 0 for an empty interval.
pub fn ratio(paused_ns: u64, interval_ns: u64) -> f64 {
    if interval_ns == 0 { 0.0 } else { (paused_ns as f64 / interval_ns as f64).min(1.0) }
}

/// Returns the step of a ratio and of the longest continuous pause.
pub fn step(ratio: f64, longest_ns: u64) -> Step {
    if longest_ns >= STORM_NS {
        Step::Storm
    } else if ratio > HOST_TEST_RATIO {
        Step::HostTest
    } else if ratio > ANOMALY_RATIO {
        Step::Anomaly
    } else {
        Step::Normal
    }
}
