//! Constant values of any width.

/// A value of `width` bits, least significant limb first; bits beyond the width are zero. Signed values are in two's
/// complement.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bits {
    width: u32,
    limbs: Vec<u64>,
}

impl Bits {
    /// Creates a value from limbs, least significant first; excess bits are truncated.
    pub fn from_limbs(width: u32, mut limbs: Vec<u64>) -> Bits {
        let count = width.div_ceil(64) as usize;
        limbs.resize(count, 0);
        if !width.is_multiple_of(64)
            && let Some(top) = limbs.last_mut()
        {
            *top &= (1 << (width % 64)) - 1;
        }
        Bits { width, limbs }
    }

    /// Creates a value from an integer; excess bits are truncated.
    pub fn new(width: u32, value: u128) -> Bits {
        Bits::from_limbs(width, vec![value as u64, (value >> 64) as u64])
    }

    /// Creates a value from big-endian bytes; excess bits are truncated.
    pub fn from_be_bytes(width: u32, bytes: &[u8]) -> Bits {
        let mut limbs = vec![0u64; bytes.len().div_ceil(8)];
        for (i, byte) in bytes.iter().rev().enumerate() {
            limbs[i / 8] |= u64::from(*byte) << (8 * (i % 8));
        }
        Bits::from_limbs(width, limbs)
    }

    /// Creates a value with all bits set.
    pub fn ones(width: u32) -> Bits {
        Bits::from_limbs(width, vec![u64::MAX; width.div_ceil(64) as usize])
    }

    /// Returns the width in bits.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Returns the `width.div_ceil(64)` limbs, least significant first.
    pub fn limbs(&self) -> &[u64] {
        &self.limbs
    }

    /// Returns the value, if it fits into 128 bits.
    pub fn to_u128(&self) -> Option<u128> {
        if self.limbs.iter().skip(2).any(|l| *l != 0) {
            return None;
        }
        let limb = |i: usize| u128::from(self.limbs.get(i).copied().unwrap_or(0));
        Some(limb(1) << 64 | limb(0))
    }

    /// Returns the `width.div_ceil(8)` bytes in big-endian order.
    pub fn to_be_bytes(&self) -> Vec<u8> {
        (0..self.width.div_ceil(8) as usize)
            .rev()
            .map(|i| (self.limbs[i / 8] >> (8 * (i % 8))) as u8)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excess_high_bits_are_discarded() {
        let bits = Bits::from_be_bytes(12, &[0xff, 0xab, 0xcd]);
        assert_eq!(bits.to_be_bytes(), [0x0b, 0xcd]);
        assert_eq!(bits.to_u128(), Some(0xbcd));
        assert_eq!(Bits::ones(65).limbs(), [u64::MAX, 1]);
    }
}
