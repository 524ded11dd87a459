//! A small seeded generator for marking decisions: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).

/// The generator.
#[derive(Clone, Debug)]
pub(super) struct SplitMix64(u64);

impl SplitMix64 {
    pub(super) fn new(seed: u64) -> SplitMix64 {
        SplitMix64(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// True in `numerator` of `denominator` cases. A denominator of 0 is never true.
    pub(super) fn chance(&mut self, numerator: u128, denominator: u128) -> bool {
        // 64 random bits scaled into the denominator; the bias is below 2^-64.
        u128::from(self.next()).saturating_mul(denominator) >> 64 < numerator && denominator > 0
    }
}
