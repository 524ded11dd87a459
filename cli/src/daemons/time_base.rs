//! The network time of a store: nanoseconds since a fixed wall clock, divided by the scale of a slowed-down network.

/// Converts between wall clocks and network time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TimeBase {
    /// Wall clock at network time 0, in nanoseconds since 1970.
    pub(crate) zero_ns: u64,
    /// Nanoseconds of wall-clock time for one of network time.
    pub(crate) scale: u64,
}

impl TimeBase {
    /// Returns the network time at a wall clock; 0 before its start.
    pub(crate) fn network_ns(self, wall_ns: u64) -> u64 {
        wall_ns.saturating_sub(self.zero_ns) / self.scale.max(1)
    }

    /// Returns the wall clock at a network time.
    #[cfg(test)]
    pub(crate) fn wall_ns(self, network_ns: u64) -> u64 {
        self.zero_ns.saturating_add(network_ns.saturating_mul(self.scale))
    }

    /// Returns what to add to the network time of a clock that starts at the wall clock `zero_ns`.
    pub(crate) fn shift_ns(self, zero_ns: i64) -> i64 {
        let wall_ns = i128::from(zero_ns) - i128::from(self.zero_ns);
        let shift = wall_ns / i128::from(self.scale.max(1));
        i64::try_from(shift).unwrap_or(if shift < 0 { i64::MIN } else { i64::MAX })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_with_different_zeros_agree() {
        let base = TimeBase { zero_ns: 1_000_000, scale: 10 };
        assert_eq!((base.network_ns(1_000_500), base.wall_ns(50)), (50, 1_000_500));
        assert_eq!(base.network_ns(0), 0);
        // A switch that started 200 ns of wall-clock time later shows 30 at the same moment.
        assert_eq!(30 + base.shift_ns(1_000_200), 50);
        assert_eq!(base.shift_ns(999_900), -10);
    }
}
