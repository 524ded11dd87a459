//! Hash and checksum algorithms of v1model, over bytes.
//!
//! The parameters are those of the reference switch (p4lang/behavioral-model, `calculations.cpp`): CRC-16/ARC and
//! CRC-32/ISO-HDLC of the CRC catalogue. The custom algorithms have the same parameters by default.

/// Parameters of a cyclic redundancy check (Williams, "A painless guide to CRC error detection algorithms").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CrcParameters {
    /// The polynomial without its highest term, most significant bit first.
    pub polynomial: u32,
    /// Initial value of the register.
    pub initial: u32,
    /// Value that is XORed into the result.
    pub final_xor: u32,
    /// Whether the bits of each input byte are reflected.
    pub reflect_in: bool,
    /// Whether the result is reflected.
    pub reflect_out: bool,
}

impl CrcParameters {
    /// CRC-16/ARC.
    pub const CRC16: CrcParameters =
        CrcParameters { polynomial: 0x8005, initial: 0, final_xor: 0, reflect_in: true, reflect_out: true };
    /// CRC-32/ISO-HDLC, the CRC of Ethernet.
    pub const CRC32: CrcParameters = CrcParameters {
        polynomial: 0x04c1_1db7,
        initial: 0xffff_ffff,
        final_xor: 0xffff_ffff,
        reflect_in: true,
        reflect_out: true,
    };
}

/// A CRC of 16 or 32 bits with its lookup tables.
#[derive(Clone, Debug)]
pub(crate) struct Crc {
    width: u32,
    parameters: CrcParameters,
    /// Contribution of a byte to the register after 0 to 7 more zero bytes, for a register that is kept reflected. If
    /// input bytes are not reflected, only the first table is used.
    tables: [[u32; 256]; 8],
}

impl Crc {
    pub(crate) const fn new(width: u32, parameters: CrcParameters) -> Crc {
        let mut tables = [[0; 256]; 8];
        let mut index = 0;
        while index < 256 {
            tables[0][index] = if parameters.reflect_in {
                reflected_entry(width, parameters.polynomial, index as u32)
            } else {
                plain_entry(width, parameters.polynomial, index as u32)
            };
            index += 1;
        }
        let mut later = 1;
        while later < 8 {
            let mut index = 0;
            while index < 256 {
                let before = tables[later - 1][index];
                tables[later][index] = before >> 8 ^ tables[0][(before & 0xff) as usize];
                index += 1;
            }
            later += 1;
        }
        Crc { width, parameters, tables }
    }

    pub(crate) fn parameters(&self) -> &CrcParameters {
        &self.parameters
    }

    pub(crate) fn compute(&self, bytes: &[u8]) -> u32 {
        let p = &self.parameters;
        let mask = u32::MAX >> (32 - self.width);
        let mut register = p.initial & mask;
        if p.reflect_in {
            register = reflect(register, self.width);
            let (words, rest) = bytes.as_chunks::<8>();
            for word in words {
                register = self.word(register, u64::from_le_bytes(*word));
            }
            register = self.rest(register, rest);
            register = reflect(register, self.width);
        } else {
            for byte in bytes {
                let index = (register >> (self.width - 8) ^ u32::from(*byte)) & 0xff;
                register = (register << 8 ^ self.tables[0][index as usize]) & mask;
            }
        }
        let out = if p.reflect_out { reflect(register, self.width) } else { register };
        (out ^ p.final_xor) & mask
    }
}

impl Crc {
    /// Returns a reflected register after eight more bytes, the first one in the low bits (Kounavis and Berry, "Novel
    /// table lookup-based algorithms for high-performance CRC generation", 2008).
    #[inline]
    fn word(&self, register: u32, word: u64) -> u32 {
        let word = word ^ u64::from(register);
        let tables = &self.tables;
        let part = |table: usize, byte: u32| tables[table][(word >> (8 * byte) & 0xff) as usize];
        part(7, 0) ^ part(6, 1) ^ part(5, 2) ^ part(4, 3) ^ part(3, 4) ^ part(2, 5) ^ part(1, 6) ^ part(0, 7)
    }

    /// Returns a reflected register after some more bytes.
    #[inline]
    fn rest(&self, mut register: u32, bytes: &[u8]) -> u32 {
        for byte in bytes {
            let index = (register ^ u32::from(*byte)) & 0xff;
            register = register >> 8 ^ self.tables[0][index as usize];
        }
        register
    }
}

const fn plain_entry(width: u32, polynomial: u32, index: u32) -> u32 {
    let top = 1 << (width - 1);
    let mut register = index << (width - 8);
    let mut bit = 0;
    while bit < 8 {
        register = if register & top != 0 { register << 1 ^ polynomial } else { register << 1 };
        bit += 1;
    }
    register & (u32::MAX >> (32 - width))
}

const fn reflected_entry(width: u32, polynomial: u32, index: u32) -> u32 {
    let polynomial = reflect(polynomial, width);
    let mut register = index;
    let mut bit = 0;
    while bit < 8 {
        register = if register & 1 != 0 { register >> 1 ^ polynomial } else { register >> 1 };
        bit += 1;
    }
    register
}

const fn reflect(value: u32, width: u32) -> u32 {
    value.reverse_bits() >> (32 - width)
}

static CRC16: Crc = Crc::new(16, CrcParameters::CRC16);
static CRC32: Crc = Crc::new(32, CrcParameters::CRC32);

pub(crate) fn crc16(bytes: &[u8]) -> u64 {
    u64::from(CRC16.compute(bytes))
}

pub(crate) fn crc32(bytes: &[u8]) -> u64 {
    u64::from(CRC32.compute(bytes))
}

/// Computes [`crc32`] of the first `bytes` bytes of limbs, from the highest byte of the last limb on.
pub(crate) fn crc32_limbs(limbs: &[u64], bytes: usize) -> u64 {
    // The initial register is all ones and input is reflected, so the register is kept reflected.
    let mut register = CRC32.parameters.initial;
    let mut left = bytes;
    for limb in limbs.iter().rev() {
        register = match left.checked_sub(8) {
            Some(_) => CRC32.word(register, limb.swap_bytes()),
            None => CRC32.rest(register, &limb.to_be_bytes()[..left]),
        };
        left = left.saturating_sub(8);
    }
    u64::from(register ^ CRC32.parameters.final_xor)
}

/// Computes [`csum16`] of limbs: the words are an even number, and their order does not matter.
pub(crate) fn csum16_limbs(limbs: &[u64]) -> u64 {
    let halves: u64 = limbs.iter().map(|limb| (limb >> 32) + (limb & 0xffff_ffff)).sum();
    let mut sum = halves;
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !sum & 0xffff
}

/// Computes [`csum16`] of limbs built from pieces at their positions: 64-bit words may be rotated and carries added
/// back, because 2^16 - 1 divides 2^64 - 1.
#[inline]
pub(crate) fn csum16_pieces(pieces: impl Iterator<Item = u64>) -> u64 {
    let mut sum = 0u64;
    for piece in pieces {
        let (more, carry) = sum.overflowing_add(piece);
        sum = more + u64::from(carry);
    }
    csum16_limbs(&[sum])
}

/// Computes [`xor16`] of limbs.
pub(crate) fn xor16_limbs(limbs: &[u64]) -> u64 {
    let all = limbs.iter().fold(0, |sum, limb| sum ^ limb);
    let half = all >> 32 ^ all;
    (half >> 16 ^ half) & 0xffff
}

/// Computes the Internet checksum (RFC 1071): the ones' complement of the ones' complement sum of 16-bit words. An
/// odd last byte is the high byte of a word.
pub(crate) fn csum16(bytes: &[u8]) -> u64 {
    let mut sum = 0u64;
    let mut chunks = bytes.chunks_exact(4);
    for chunk in &mut chunks {
        if let Some(word) = chunk.first_chunk::<4>() {
            sum += u64::from(u32::from_be_bytes(*word));
        }
    }
    for (i, byte) in chunks.remainder().iter().enumerate() {
        sum += u64::from(*byte) << (8 * (3 - i));
    }
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !sum & 0xffff
}

/// Computes the XOR of all 16-bit words. An odd last byte is the high byte of a word.
pub(crate) fn xor16(bytes: &[u8]) -> u64 {
    let word = |chunk: &[u8]| {
        u64::from(chunk.first().copied().unwrap_or(0)) << 8 | u64::from(chunk.get(1).copied().unwrap_or(0))
    };
    bytes.chunks(2).fold(0, |sum, chunk| sum ^ word(chunk))
}

/// Returns the first eight bytes as a number.
pub(crate) fn identity(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).fold(0, |value, byte| value << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The bytes are padded with zeros to whole limbs.
        #[test]
        fn hashes_of_limbs_equal_hashes_of_their_bytes(bytes in prop::collection::vec(any::<u8>(), 1..70)) {
            let mut limbs: Vec<u64> = bytes
                .chunks(8)
                .map(|chunk| {
                    let mut word = [0; 8];
                    word[..chunk.len()].copy_from_slice(chunk);
                    u64::from_be_bytes(word)
                })
                .collect();
            limbs.reverse();
            prop_assert_eq!(crc32_limbs(&limbs, bytes.len()), crc32(&bytes));
            prop_assert_eq!(csum16_limbs(&limbs), csum16(&bytes));
            let halves = limbs.iter().flat_map(|limb| [limb & 0xff_ffff, limb & !0xff_ffff]);
            prop_assert_eq!(csum16_pieces(halves), csum16(&bytes));
            prop_assert_eq!(xor16_limbs(&limbs), xor16(&bytes));
        }

        #[test]
        fn eight_bytes_at_a_time_equal_one_byte_at_a_time(bytes: Vec<u8>) {
            for crc in [&CRC16, &CRC32] {
                let start = reflect(crc.parameters.initial & (u32::MAX >> (32 - crc.width)), crc.width);
                let slow = crc.rest(start, &bytes) ^ crc.parameters.final_xor;
                prop_assert_eq!(crc.compute(&bytes), slow);
            }
        }
    }

    /// Check values of the CRC catalogue and of RFC 1071, section 3.
    #[test]
    fn check_values_of_the_standards_are_computed() {
        assert_eq!(crc16(b"123456789"), 0xbb3d);
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        let ccitt = CrcParameters {
            polynomial: 0x1021,
            initial: 0xffff,
            final_xor: 0,
            reflect_in: false,
            reflect_out: false,
        };
        assert_eq!(Crc::new(16, ccitt).compute(b"123456789"), 0x29b1);
        let bzip2 = CrcParameters { reflect_in: false, reflect_out: false, ..CrcParameters::CRC32 };
        assert_eq!(Crc::new(32, bzip2).compute(b"123456789"), 0xfc89_1918);
        assert_eq!(csum16(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]), !0xddf2 & 0xffff);
        assert_eq!(csum16(&[0x12]), !0x1200 & 0xffff);
        assert_eq!(xor16(&[0x12, 0x34, 0x56]), 0x4434);
        assert_eq!(identity(&[1, 2, 3]), 0x01_0203);
    }
}
