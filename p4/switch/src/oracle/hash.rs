//! Hash and checksum algorithms of v1model, implemented bit by bit as they are defined.
//!
//! Sources: RFC 1071 for the Internet checksum; Williams, "A painless guide to CRC error detection algorithms", for
//! the parametrised CRC.

use p4_lang::ir::HashAlgorithm;

use super::value::{Value, bytes_of_bits};
use crate::engine::context::CustomCrc;
use crate::engine::hash::CrcParameters;

/// Concatenates values and pads them with zero bits to a whole byte.
pub(super) fn bytes_of(values: &[Value]) -> Vec<u8> {
    let bits: Vec<bool> = values.iter().flat_map(Value::to_bit_list).collect();
    bytes_of_bits(&bits)
}

/// Computes any algorithm except [`HashAlgorithm::Random`], which does not depend on the data and is 0 here.
pub(super) fn compute(algorithm: HashAlgorithm, bytes: &[u8], custom: &CustomCrc) -> u64 {
    match algorithm {
        HashAlgorithm::Crc16 => crc(16, &CrcParameters::CRC16, bytes),
        HashAlgorithm::Crc32 => crc(32, &CrcParameters::CRC32, bytes),
        HashAlgorithm::Crc16Custom => crc(16, custom.crc16.parameters(), bytes),
        HashAlgorithm::Crc32Custom => crc(32, custom.crc32.parameters(), bytes),
        HashAlgorithm::Identity => bytes.iter().take(8).fold(0, |value, byte| value << 8 | u64::from(*byte)),
        HashAlgorithm::Csum16 => internet_checksum(bytes),
        HashAlgorithm::Xor16 => words(bytes).fold(0, |sum, word| sum ^ word),
        HashAlgorithm::Random => 0,
    }
}

/// Returns 16-bit words; an odd last byte is the high byte of a word.
fn words(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.chunks(2).map(|pair| u64::from(pair[0]) << 8 | u64::from(pair.get(1).copied().unwrap_or(0)))
}

/// Returns the ones' complement of the ones' complement sum.
fn internet_checksum(bytes: &[u8]) -> u64 {
    let sum = words(bytes).fold(0, |sum: u64, word| {
        let sum = sum + word;
        // End-around carry.
        if sum > 0xffff { sum - 0xffff } else { sum }
    });
    0xffff - sum
}

/// Computes the remainder of the message divided by the polynomial, bit by bit.
fn crc(width: u32, parameters: &CrcParameters, bytes: &[u8]) -> u64 {
    let mask = (1u64 << width) - 1;
    let mut register = u64::from(parameters.initial) & mask;
    for byte in bytes {
        let byte = if parameters.reflect_in { byte.reverse_bits() } else { *byte };
        for at in (0..8).rev() {
            let out = register >> (width - 1) & 1;
            register = register << 1 & mask;
            if out != u64::from(byte >> at & 1) {
                register ^= u64::from(parameters.polynomial) & mask;
            }
        }
    }
    if parameters.reflect_out {
        register = (0..width).fold(0, |value, at| value << 1 | register >> at & 1);
    }
    (register ^ u64::from(parameters.final_xor)) & mask
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::engine::hash as fast;

    proptest! {
        #[test]
        fn equals_the_table_driven_algorithms(
            bytes: Vec<u8>,
            polynomial: u32, initial: u32, final_xor: u32, reflect_in: bool, reflect_out: bool,
        ) {
            let parameters = CrcParameters { polynomial, initial, final_xor, reflect_in, reflect_out };
            let custom = CustomCrc {
                crc16: fast::Crc::new(16, parameters),
                crc32: fast::Crc::new(32, parameters),
            };
            let plain = |algorithm| compute(algorithm, &bytes, &custom);
            let catalogued_16 = crc::Crc::<u16>::new(&crc::CRC_16_ARC).checksum(&bytes);
            let catalogued_32 = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC).checksum(&bytes);
            prop_assert_eq!(plain(HashAlgorithm::Crc16), u64::from(catalogued_16));
            prop_assert_eq!(plain(HashAlgorithm::Crc32), u64::from(catalogued_32));
            prop_assert_eq!(plain(HashAlgorithm::Crc16), fast::crc16(&bytes));
            prop_assert_eq!(plain(HashAlgorithm::Crc32), fast::crc32(&bytes));
            prop_assert_eq!(plain(HashAlgorithm::Crc16Custom), u64::from(custom.crc16.compute(&bytes)));
            prop_assert_eq!(plain(HashAlgorithm::Crc32Custom), u64::from(custom.crc32.compute(&bytes)));
            prop_assert_eq!(plain(HashAlgorithm::Csum16), fast::csum16(&bytes));
            prop_assert_eq!(plain(HashAlgorithm::Xor16), fast::xor16(&bytes));
            prop_assert_eq!(plain(HashAlgorithm::Identity), fast::identity(&bytes));
        }
    }
}
