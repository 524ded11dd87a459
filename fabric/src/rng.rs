//! The seeded generator behind everything random in a run: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).

use model::Time;

/// The generator. Equal seeds give equal sequences on every machine.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// A generator for `seed`; `stream` separates users of one seed, so that adding one does not shift others.
    pub(crate) fn new(seed: u64, stream: u64) -> Random {
        let mut random = Random(seed ^ stream.wrapping_mul(0xd6e8_feb8_6659_fd93));
        random.next();
        random
    }

    /// The next 64 random bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below `limit`, 0 when the limit is 0.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(limit)) >> 64) as u64
    }

    /// A time below `limit`, zero when the limit is zero.
    pub(crate) fn time_below(&mut self, limit: Time) -> Time {
        Time(self.below(limit.0))
    }

    /// True in so many of 10^12 cases, which keeps small loss rates exact.
    pub(crate) fn chance_ppt(&mut self, parts_per_trillion: u64) -> bool {
        parts_per_trillion > 0 && self.below(1_000_000_000_000) < parts_per_trillion
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_of_one_seed_differ_and_repeat() {
        let draw = |seed, stream| Random::new(seed, stream).next();
        assert_eq!(draw(1, 2), draw(1, 2));
        assert_ne!(draw(1, 2), draw(1, 3));
        assert_ne!(draw(1, 2), draw(2, 2));
    }

    #[test]
    fn limits_hold() {
        let mut random = Random::new(7, 0);
        assert!((0..1000).all(|_| random.below(10) < 10));
        assert_eq!(random.below(0), 0);
        assert!(!random.chance_ppt(0));
    }
}
