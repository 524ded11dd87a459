//! Random draws of the generator. Only basic arithmetic is used, so that a seed gives the same scenario on every
//! machine.

use crate::random::Random;

/// A stream of draws.
#[derive(Clone, Debug)]
pub(super) struct Dice(Random);

impl Dice {
    /// The draws of one attempt at one seed.
    pub(super) fn new(seed: u64, attempt: u64) -> Dice {
        Dice(Random::new(seed, 0x6765_6e65 << 32 | attempt))
    }

    /// A number from 0 to below 1.
    fn unit(&mut self) -> f64 {
        (self.0.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// True with probability `p`.
    pub(super) fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    /// An integer from `low` to `high`, both included.
    pub(super) fn integer(&mut self, low: u64, high: u64) -> u64 {
        low + self.0.below(high.max(low) - low + 1)
    }

    /// A number between `low` and `high`, evenly.
    pub(super) fn even(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// A number between `low` and `high` whose logarithm is evenly distributed, so that every order of magnitude is
    /// equally likely. Octaves are exactly even; within one the distribution is linear.
    pub(super) fn log(&mut self, low: f64, high: f64) -> f64 {
        let high = high.max(low);
        exp2(self.even(log2(low), log2(high))).clamp(low, high)
    }

    /// One of several values.
    pub(super) fn one<T: Clone>(&mut self, values: &[T]) -> Option<T> {
        values.get(self.0.below(values.len() as u64) as usize).cloned()
    }

    /// One of several values, by weight. The list is not empty.
    pub(super) fn weighted<T: Clone>(&mut self, values: &[(T, u64)]) -> T {
        let mut at = self.0.below(values.iter().map(|(_, weight)| weight).sum());
        let found = values.iter().find(|(_, weight)| match at.checked_sub(*weight) {
            Some(rest) => {
                at = rest;
                false
            }
            None => true,
        });
        found.unwrap_or(&values[0]).0.clone()
    }

    /// `count` different values in random order; fewer if there are fewer.
    pub(super) fn some<T: Clone>(&mut self, values: &[T], count: usize) -> Vec<T> {
        let mut rest = values.to_vec();
        let mut drawn = Vec::new();
        while drawn.len() < count && !rest.is_empty() {
            drawn.push(rest.swap_remove(self.0.below(rest.len() as u64) as usize));
        }
        drawn
    }
}

/// A piecewise linear binary logarithm of a number above 0: exact at powers of two, inverse to [`exp2`].
fn log2(x: f64) -> f64 {
    let bits = x.to_bits();
    let exponent = (bits >> 52) as i64 - 1023;
    let mantissa = f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52);
    exponent as f64 + mantissa - 1.0
}

/// The inverse of [`log2`].
fn exp2(x: f64) -> f64 {
    let whole = x.floor();
    let power = f64::from_bits(((whole as i64 + 1023).clamp(1, 2046) as u64) << 52);
    power * (1.0 + x - whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithm_and_power_are_inverse() {
        for x in [1.0, 3.0, 0.1, 1e-9, 7e12] {
            assert!((exp2(log2(x)) / x - 1.0).abs() < 1e-12, "{x}");
        }
    }

    #[test]
    fn every_octave_is_equally_likely() {
        let mut dice = Dice::new(1, 0);
        let mut octaves = [0; 4];
        for _ in 0..4000 {
            octaves[log2(dice.log(1.0, 15.999)).floor() as usize] += 1;
        }
        assert!(octaves.iter().all(|count| (900..1100).contains(count)), "{octaves:?}");
    }

    #[test]
    fn some_values_are_different() {
        let mut dice = Dice::new(1, 0);
        let mut drawn = dice.some(&[1, 2, 3, 4, 5], 9);
        drawn.sort_unstable();
        assert_eq!(drawn, [1, 2, 3, 4, 5]);
    }
}
