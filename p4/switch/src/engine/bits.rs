//! Bit fields of a packet, most significant bit first, at any bit offset.

/// Loads `width` (at most 64) bits from bit `at` on; bits beyond the end are zero.
#[inline]
pub(crate) fn load(bytes: &[u8], at: u64, width: u32) -> u64 {
    let first = (at / 8) as usize;
    let lead = (at % 8) as u32;
    if lead + width <= 64
        && let Some(window) = bytes.get(first..).and_then(|rest| rest.first_chunk::<8>())
    {
        let word = u64::from_be_bytes(*window);
        return if width == 0 { 0 } else { word << lead >> (64 - width) };
    }
    load_slowly(bytes, first, lead, width)
}

/// Loads near the end of the bytes, or a field that spans nine bytes.
fn load_slowly(bytes: &[u8], first: usize, lead: u32, width: u32) -> u64 {
    if width == 0 {
        return 0;
    }
    let mut window = [0u8; 16];
    for (target, byte) in window.iter_mut().take(9).zip(bytes.iter().skip(first)) {
        *target = *byte;
    }
    let word = u128::from_be_bytes(window);
    (word << lead >> (128 - width)) as u64
}

/// Loads `width` bits from bit `at` on as limbs, least significant first.
pub(crate) fn load_limbs(bytes: &[u8], at: u64, width: u32, target: &mut [u64]) {
    let mut left = width;
    for limb in target {
        let take = left.min(64);
        left -= take;
        *limb = load(bytes, at + u64::from(left), take);
    }
}

/// Stores `width` (at most 64) bits at bit `at`, byte by byte; bits beyond the end are ignored.
pub(crate) fn store(bytes: &mut [u8], at: u32, width: u32, value: u64) {
    let (mut at, mut left) = (at, width);
    while left > 0 {
        let lead = at % 8;
        let take = (8 - lead).min(left);
        let part = (value >> (left - take)) as u8 & (0xff >> (8 - take));
        let shift = 8 - lead - take;
        if let Some(byte) = bytes.get_mut((at / 8) as usize) {
            *byte = *byte & !(0xff >> (8 - take) << shift) | part << shift;
        }
        at += take;
        left -= take;
    }
}

/// Appends fields of any width to a byte string.
#[derive(Clone, Debug, Default)]
pub(crate) struct BitWriter {
    pub(crate) bytes: Vec<u8>,
    /// The last `pending` bits, fewer than 64, that do not fill a word yet.
    word: u64,
    pending: u32,
}

impl BitWriter {
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.word = 0;
        self.pending = 0;
    }

    /// Whether nothing was written.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty() && self.pending == 0
    }

    /// Whether the output ends at a byte boundary. If so, pending bits are written.
    #[inline]
    pub(crate) fn is_aligned(&mut self) -> bool {
        if self.pending != 0 && self.pending.is_multiple_of(8) {
            self.finish();
        }
        self.pending == 0
    }

    /// Appends `width` (at most 64) bits; the higher bits of `value` must be zero.
    #[inline]
    pub(crate) fn push(&mut self, value: u64, width: u32) {
        let room = 64 - self.pending;
        if width < room {
            self.word = self.word << width | value;
            self.pending += width;
            return;
        }
        let rest = width - room;
        // `room` is 1 to 64; two shifts avoid a shift by 64.
        let word = self.word << (room - 1) << 1 | value >> rest;
        self.bytes.extend_from_slice(&word.to_be_bytes());
        self.word = value & crate::limbs::low_mask(rest);
        self.pending = rest;
    }

    /// Appends the low `width` bits of limbs.
    pub(crate) fn push_limbs(&mut self, value: &[u64], width: u32) {
        let partial = width % 64;
        let full = (width / 64) as usize;
        if partial > 0
            && let Some(limb) = value.get(full)
        {
            self.push(limb & crate::limbs::low_mask(partial), partial);
        }
        for limb in value.iter().take(full).rev() {
            self.push(*limb, 64);
        }
    }

    /// Pads with zero bits to a whole byte.
    pub(crate) fn finish(&mut self) {
        let bytes = self.pending.div_ceil(8);
        let word = if self.pending == 0 { 0 } else { self.word << (64 - self.pending) };
        self.bytes.extend_from_slice(&word.to_be_bytes()[..bytes as usize]);
        self.word = 0;
        self.pending = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns one bit.
    fn bit_of(bytes: &[u8], at: u64) -> u64 {
        bytes.get((at / 8) as usize).map_or(0, |b| u64::from(b >> (7 - at % 8) & 1))
    }

    proptest! {
        #[test]
        fn a_stored_field_is_loaded_unchanged(mut bytes: Vec<u8>, at in 0u32..200, width in 0u32..=64, value: u64) {
            let before = bytes.clone();
            let value = value & crate::limbs::low_mask(width);
            store(&mut bytes, at, width, value);
            for bit in 0..bytes.len() as u64 * 8 {
                let inside = bit.checked_sub(u64::from(at)).filter(|i| *i < u64::from(width));
                let expected = match inside {
                    Some(i) => value >> (u64::from(width) - 1 - i) & 1,
                    None => bit_of(&before, bit),
                };
                prop_assert_eq!(bit_of(&bytes, bit), expected);
            }
        }

        #[test]
        fn load_equals_bit_by_bit_access(bytes: Vec<u8>, at in 0u64..200, width in 0u32..=64) {
            let expected = (0..u64::from(width)).fold(0u64, |v, i| v << 1 | bit_of(&bytes, at + i));
            prop_assert_eq!(load(&bytes, at, width), expected);
        }

        #[test]
        fn written_fields_are_read_back(fields: Vec<(u64, u64, u8)>) {
            let mut writer = BitWriter::default();
            let width = |w: u8| u32::from(w) % 129;
            for (low, high, w) in &fields {
                let mut limbs = [*low, *high, 0];
                crate::limbs::trim(&mut limbs, width(*w));
                writer.push_limbs(&limbs, width(*w));
            }
            writer.finish();
            let mut at = 0;
            for (low, high, w) in &fields {
                let mut expected = [*low, *high, 0];
                crate::limbs::trim(&mut expected, width(*w));
                let mut read = [0; 3];
                load_limbs(&writer.bytes, at, width(*w), &mut read);
                prop_assert_eq!(read, expected);
                at += u64::from(width(*w));
            }
            prop_assert_eq!(writer.bytes.len() as u64, at.div_ceil(8));
        }
    }
}
