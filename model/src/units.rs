//! Time and rate as integers.
//!
//! A nanosecond is too coarse for serialisation at 100 Gb/s (one byte takes 80 ps), so time is counted in
//! picoseconds. An unsigned 64-bit count covers 213 days.

use std::fmt;
use std::ops::{Add, AddAssign, Sub};

use serde::{Deserialize, Serialize};

/// A point in time, or a duration, in picoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(transparent)]
pub struct Time(pub u64);

impl Time {
    /// The start of a run.
    pub const ZERO: Time = Time(0);
    /// A time later than any event.
    pub const MAX: Time = Time(u64::MAX);

    /// Creates a time of `ns` nanoseconds.
    pub const fn from_ns(ns: u64) -> Time {
        Time(ns * 1_000)
    }

    /// Creates a time of `us` microseconds.
    pub const fn from_us(us: u64) -> Time {
        Time(us * 1_000_000)
    }

    /// Creates a time of `ms` milliseconds.
    pub const fn from_ms(ms: u64) -> Time {
        Time(ms * 1_000_000_000)
    }

    /// Creates a time of `seconds`, rounded to the nearest picosecond. Negative and non-finite values become zero.
    pub fn from_secs_f64(seconds: f64) -> Time {
        Time((seconds * 1e12).round() as u64)
    }

    /// Returns whole nanoseconds, rounded down.
    pub const fn as_ns(self) -> u64 {
        self.0 / 1_000
    }

    /// Returns seconds, for people; not for arithmetic that must be exact.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e12
    }

    /// Returns the difference, or zero if `earlier` is later.
    pub const fn saturating_sub(self, earlier: Time) -> Time {
        Time(self.0.saturating_sub(earlier.0))
    }
}

impl Add for Time {
    type Output = Time;
    fn add(self, other: Time) -> Time {
        Time(self.0 + other.0)
    }
}

impl AddAssign for Time {
    fn add_assign(&mut self, other: Time) {
        self.0 += other.0;
    }
}

impl Sub for Time {
    type Output = Time;
    fn sub(self, other: Time) -> Time {
        Time(self.0 - other.0)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            ps if ps >= 1_000_000_000_000 => write!(f, "{:.6} s", ps as f64 / 1e12),
            ps if ps >= 1_000_000_000 => write!(f, "{:.3} ms", ps as f64 / 1e9),
            ps if ps >= 1_000_000 => write!(f, "{:.3} us", ps as f64 / 1e6),
            ps if ps >= 1_000 => write!(f, "{:.3} ns", ps as f64 / 1e3),
            ps => write!(f, "{ps} ps"),
        }
    }
}

/// Returns a time of `ns` nanoseconds as text for people: `950 ns`, `25.0 us`, `1.250 ms`.
pub fn readable_ns(ns: u64) -> String {
    match ns {
        ns if ns >= 1_000_000 => format!("{:.3} ms", ns as f64 / 1e6),
        ns if ns >= 1_000 => format!("{:.1} us", ns as f64 / 1e3),
        ns => format!("{ns} ns"),
    }
}

/// Returns a count with its noun, which takes an `s` in the plural: `1 packet`, `2 packets`.
pub fn counted(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// A link or sending rate in bits per second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(transparent)]
pub struct Rate(pub u64);

impl Rate {
    /// Creates a rate of `gbps` gigabits per second.
    pub const fn from_gbps(gbps: u64) -> Rate {
        Rate(gbps * 1_000_000_000)
    }

    /// Returns the serialisation time of `bytes`, rounded up to a picosecond. A rate of zero never finishes.
    pub const fn serialisation(self, bytes: u64) -> Time {
        if self.0 == 0 {
            return Time::MAX;
        }
        const BIT_PS_PER_BYTE: u64 = 8_000_000_000_000;
        // The product overflows u64 beyond 2.3 MB; no frame is that long, and wide divisions are slow.
        match bytes.checked_mul(BIT_PS_PER_BYTE) {
            Some(bit_ps) => Time(bit_ps.div_ceil(self.0)),
            None => {
                let bit_ps = bytes as u128 * BIT_PS_PER_BYTE as u128;
                Time(bit_ps.div_ceil(self.0 as u128) as u64)
            }
        }
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            bps if bps >= 1_000_000_000 => write!(f, "{} Gb/s", bps as f64 / 1e9),
            bps if bps >= 1_000_000 => write!(f, "{} Mb/s", bps as f64 / 1e6),
            bps => write!(f, "{bps} b/s"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_and_counts_are_readable() {
        let shown = [950, 25_040, 1_250_000].map(readable_ns);
        assert_eq!(shown, ["950 ns", "25.0 us", "1.250 ms"]);
        assert_eq!([counted(0, "packet"), counted(1, "packet")], ["0 packets", "1 packet"]);
    }

    #[test]
    fn a_byte_at_100_gbps_takes_80_ps() {
        assert_eq!(Rate::from_gbps(100).serialisation(1), Time(80));
        assert_eq!(Rate::from_gbps(100).serialisation(1348), Time(107_840));
        assert_eq!(Rate::from_gbps(50).serialisation(200_000_000), Time(32_000_000_000));
    }
}
