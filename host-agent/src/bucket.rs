//! A token bucket in integers: exact for any time between calls.

/// Allows `rate` tokens a second on average and `burst` at once.
#[derive(Clone, Debug)]
pub struct TokenBucket {
    rate: u64,
    /// Tokens times 10^9, so that a nanosecond adds exactly `rate`.
    level: u128,
    capacity: u128,
    updated_ns: u64,
}

const TOKEN: u128 = 1_000_000_000;

impl TokenBucket {
    /// Creates a full bucket.
    pub fn new(rate: u32, burst: u32) -> TokenBucket {
        let capacity = u128::from(burst) * TOKEN;
        TokenBucket { rate: u64::from(rate), level: capacity, capacity, updated_ns: 0 }
    }

    /// Takes a token at `now_ns`, if there is one. Time that runs backwards adds nothing.
    pub fn take(&mut self, now_ns: u64) -> bool {
        self.take_above(now_ns, 0)
    }

    /// Takes a token at `now_ns`, if that leaves `reserve` tokens.
    pub fn take_above(&mut self, now_ns: u64, reserve: u32) -> bool {
        let passed = now_ns.saturating_sub(self.updated_ns);
        self.updated_ns = self.updated_ns.max(now_ns);
        self.level = (self.level + u128::from(passed) * u128::from(self.rate)).min(self.capacity);
        if self.level < u128::from(reserve) * TOKEN + TOKEN {
            return false;
        }
        self.level -= TOKEN;
        true
    }

    /// Returns when [`TokenBucket::take_above`] succeeds next.
    pub fn available_ns(&self, reserve: u32) -> u64 {
        let needed = u128::from(reserve) * TOKEN + TOKEN;
        let lacking = needed.saturating_sub(self.level).div_ceil(u128::from(self.rate.max(1)));
        self.updated_ns.saturating_add(u64::try_from(lacking).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_next_token_is_available_when_it_has_been_earned() {
        let mut bucket = TokenBucket::new(1_000, 1);
        assert_eq!((bucket.available_ns(0), bucket.take(500), bucket.available_ns(0)), (0, true, 1_000_500));
        assert!(!bucket.take(1_000_499) && bucket.take(bucket.available_ns(0)));
    }

    #[test]
    fn a_reserve_is_left_to_others() {
        let mut bucket = TokenBucket::new(1_000, 3);
        assert!(bucket.take_above(0, 2) && !bucket.take_above(0, 2) && bucket.take(0));
        assert_eq!((bucket.available_ns(0), bucket.available_ns(2)), (0, 2_000_000));
        assert!(!bucket.take_above(1_999_999, 2) && bucket.take_above(2_000_000, 2));
    }

    proptest! {
        #[test]
        fn at_most_burst_plus_rate_tokens_are_taken(
            rate in 1u32..5_000, burst in 1u32..20, gaps in prop::collection::vec(0u64..3_000_000, 1..300)
        ) {
            let mut bucket = TokenBucket::new(rate, burst);
            let (mut now, mut taken) = (0, 0u64);
            for gap in gaps {
                now += gap;
                taken += u64::from(bucket.take(now));
                let earned = u128::from(now) * u128::from(rate) / TOKEN;
                prop_assert!(u128::from(taken) <= u128::from(burst) + earned);
            }
        }
    }
}
