//! Random numbers in a range, and random decisions, from the seeded generator [`SplitMix64`].

use rand_core::Rng;
use rand_xoshiro::SplitMix64;

/// Returns a number from `low..=high`, uniform except for a bias below 2^-64; `low` for an empty range.
pub(crate) fn between(random: &mut SplitMix64, low: u64, high: u64) -> u64 {
    match high.checked_sub(low).map(|span| span.checked_add(1)) {
        None => low,
        Some(None) => random.next_u64(),
        Some(Some(count)) => low + ((u128::from(random.next_u64()) * u128::from(count)) >> 64) as u64,
    }
}

/// Returns true with probability `numerator / denominator`; false for a denominator of 0.
pub(crate) fn chance(random: &mut SplitMix64, numerator: u128, denominator: u128) -> bool {
    // 64 random bits scaled to the denominator; the bias is below 2^-64.
    u128::from(random.next_u64()).saturating_mul(denominator) >> 64 < numerator && denominator > 0
}

#[cfg(test)]
mod tests {
    use rand_core::SeedableRng;

    use super::*;

    /// The first values of the reference implementation for this seed (`splitmix64.c`, Vigna).
    #[test]
    fn the_sequence_of_a_seed_is_that_of_the_reference_implementation() {
        let mut random = SplitMix64::seed_from_u64(1_234_567);
        let expected = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
        ];
        assert_eq!([(); 4].map(|()| random.next_u64()), expected);
    }

    #[test]
    fn numbers_stay_in_their_range_and_the_probabilities_0_and_1_are_exact() {
        let mut random = SplitMix64::seed_from_u64(1);
        assert_eq!(between(&mut random, 7, 7), 7);
        assert_eq!(between(&mut random, 7, 3), 7);
        assert!((0..100).all(|_| (3..=5).contains(&between(&mut random, 3, 5))));
        assert!((0..100).all(|_| chance(&mut random, 1, 1) && !chance(&mut random, 0, 1)));
        assert!(!chance(&mut random, 1, 0));
    }
}
