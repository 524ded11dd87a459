//! Hash and checksum algorithms of v1model over bytes.
//!
//! Parameters are those of the reference switch (p4lang/behavioral-model, `calculations.cpp`): CRC-16/ARC and
//! CRC-32/ISO-HDLC in the terms of the CRC catalogue; the custom ones start with the same parameters.

/// Parameters of a cyclic redundancy check (Williams, "A painless guide to CRC error detection algorithms").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CrcParameters {
    /// The polynomial, most significant bit first, its highest term left out.
    pub polynomial: u32,
    /// Start of the register.
    pub initial: u32,
    /// What the result is combined with.
    pub final_xor: u32,
    /// Whether bytes come in least significant bit first.
    pub reflect_in: bool,
    /// Whether the result goes out least significant bit first.
    pub reflect_out: bool,
}

impl CrcParameters {
    /// CRC-16/ARC.
    pub const CRC16: CrcParameters =
        CrcParameters { polynomial: 0x8005, initial: 0, final_xor: 0, reflect_in: true, reflect_out: true };
    /// CRC-32/ISO-HDLC, that of Ethernet.
    pub const CRC32: CrcParameters = CrcParameters {
        polynomial: 0x04c1_1db7,
        initial: 0xffff_ffff,
        final_xor: 0xffff_ffff,
        reflect_in: true,
        reflect_out: true,
    };
}

/// A check of 16 or 32 bits with its table.
#[derive(Clone, Debug)]
pub(crate) struct Crc {
    width: u32,
    parameters: CrcParameters,
    /// For a register that is kept reflected when bytes come in reflected.
    table: [u32; 256],
}

impl Crc {
    pub(crate) const fn new(width: u32, parameters: CrcParameters) -> Crc {
        let mut table = [0; 256];
        let mut index = 0;
        while index < 256 {
            table[index] = if parameters.reflect_in {
                reflected_entry(width, parameters.polynomial, index as u32)
            } else {
                plain_entry(width, parameters.polynomial, index as u32)
            };
            index += 1;
        }
        Crc { width, parameters, table }
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
            for byte in bytes {
                let index = (register ^ u32::from(*byte)) & 0xff;
                register = register >> 8 ^ self.table[index as usize];
            }
            register = reflect(register, self.width);
        } else {
            for byte in bytes {
                let index = (register >> (self.width - 8) ^ u32::from(*byte)) & 0xff;
                register = (register << 8 ^ self.table[index as usize]) & mask;
            }
        }
        let out = if p.reflect_out { reflect(register, self.width) } else { register };
        (out ^ p.final_xor) & mask
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

/// The Internet checksum (RFC 1071): ones' complement of the ones' complement sum of 16-bit words; an odd last
/// byte is the high one of a word.
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

/// All 16-bit words combined by exclusive or; an odd last byte is the high one of a word.
pub(crate) fn xor16(bytes: &[u8]) -> u64 {
    let word = |chunk: &[u8]| {
        u64::from(chunk.first().copied().unwrap_or(0)) << 8 | u64::from(chunk.get(1).copied().unwrap_or(0))
    };
    bytes.chunks(2).fold(0, |sum, chunk| sum ^ word(chunk))
}

/// The first eight bytes as a number.
pub(crate) fn identity(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).fold(0, |value, byte| value << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Check values of the CRC catalogue and of RFC 1071, section 3.
    #[test]
    fn known_values() {
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
