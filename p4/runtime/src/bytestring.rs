//! Bytestrings: P4Runtime's encoding of integers of any width.
//!
//! Source: P4Runtime specification, "Bytestrings". The canonical form is the shortest big-endian one, at least one
//! byte long; any amount of sign extension is accepted.

use p4_lang::ir::{Bits, ScalarKind};

/// Errors of bytestrings. The status for each is `OUT_OF_RANGE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BytestringError {
    /// The bytestring has no bytes.
    #[error("the bytestring is empty")]
    Empty,
    /// The value needs more bits than its type has.
    #[error("the value does not fit into {width} bits")]
    TooWide {
        /// Bits of the type.
        width: u32,
    },
}

/// The canonical form of an unsigned value given as big-endian bytes.
pub fn canonical(bytes: &[u8]) -> &[u8] {
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    match bytes.get(zeros..) {
        Some([]) | None => &[0],
        Some(rest) => rest,
    }
}

/// The canonical form of a value of `bit<w>`.
pub fn encode(bits: &Bits) -> Vec<u8> {
    if bits.width() <= 64 {
        let value = bits.limbs().first().copied().unwrap_or(0);
        return encode_u64(value);
    }
    canonical(&bits.to_be_bytes()).to_vec()
}

/// The canonical form of a number.
pub fn encode_u64(value: u64) -> Vec<u8> {
    canonical(&value.to_be_bytes()).to_vec()
}

/// The canonical form of a value of `int<w>`.
pub fn encode_signed(bits: &Bits) -> Vec<u8> {
    let width = bits.width();
    if width == 0 {
        return vec![0];
    }
    let negative = bit(bits, width - 1);
    let mut bytes = bits.to_be_bytes();
    if negative && !width.is_multiple_of(8) {
        bytes[0] |= 0xff << (width % 8);
    }
    let fill = if negative { 0xff } else { 0 };
    let sign = if negative { 0x80 } else { 0 };
    // A leading byte is redundant if the next one has the same sign.
    let surplus = bytes.windows(2).take_while(|pair| pair[0] == fill && pair[1] & 0x80 == sign).count();
    bytes.split_off(surplus)
}

/// The canonical form of a value of the given kind. A `varbit` keeps its length.
pub fn encode_kind(bits: &Bits, kind: ScalarKind) -> Vec<u8> {
    match kind {
        ScalarKind::Unsigned(_) => encode(bits),
        ScalarKind::Signed(_) => encode_signed(bits),
        ScalarKind::Varbit(_) => bits.to_be_bytes(),
    }
}

/// Decodes a value of `bit<width>`.
///
/// # Errors
/// If the string is empty or the value does not fit.
pub fn decode(bytes: &[u8], width: u32) -> Result<Bits, BytestringError> {
    if bytes.is_empty() {
        return Err(BytestringError::Empty);
    }
    let shortest = canonical(bytes);
    let used = shortest.len() as u64 * 8 - u64::from(shortest[0].leading_zeros());
    if used > u64::from(width) {
        return Err(BytestringError::TooWide { width });
    }
    Ok(Bits::from_be_bytes(width, shortest))
}

/// Decodes a value of `int<width>`.
///
/// # Errors
/// If the string is empty or the value does not fit.
pub fn decode_signed(bytes: &[u8], width: u32) -> Result<Bits, BytestringError> {
    let Some(first) = bytes.first() else { return Err(BytestringError::Empty) };
    let fill = if first & 0x80 != 0 { 0xff } else { 0 };
    let surplus =
        bytes.windows(2).take_while(|pair| pair[0] == fill && (pair[0] ^ pair[1]) & 0x80 == 0).count();
    let shortest = &bytes[surplus..];
    let equal_bits = (shortest[0] ^ fill).leading_zeros();
    // One of the equal leading bits is the sign.
    let used = shortest.len() as u64 * 8 - u64::from(equal_bits) + 1;
    if used > u64::from(width.max(1)) {
        return Err(BytestringError::TooWide { width });
    }
    let missing = (width.div_ceil(8) as usize).saturating_sub(shortest.len());
    let extended: Vec<u8> = std::iter::repeat_n(fill, missing).chain(shortest.iter().copied()).collect();
    Ok(Bits::from_be_bytes(width, &extended))
}

/// Decodes a value of the given kind.
///
/// # Errors
/// If the string is empty or the value does not fit.
pub fn decode_kind(bytes: &[u8], kind: ScalarKind) -> Result<Bits, BytestringError> {
    match kind {
        ScalarKind::Unsigned(width) => decode(bytes, width),
        ScalarKind::Signed(width) => decode_signed(bytes, width),
        ScalarKind::Varbit(width) if bytes.len() as u64 * 8 > u64::from(width) => {
            Err(BytestringError::TooWide { width })
        }
        ScalarKind::Varbit(_) => Ok(Bits::from_be_bytes(bytes.len() as u32 * 8, bytes)),
    }
}

fn bit(bits: &Bits, at: u32) -> bool {
    bits.limbs().get(at as usize / 64).is_some_and(|limb| limb >> (at % 64) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(kind: ScalarKind, bytes: &[u8], expected: Result<&[u8], BytestringError>) {
        let read = decode_kind(bytes, kind).map(|bits| encode_kind(&bits, kind));
        assert_eq!(read, expected.map(<[u8]>::to_vec), "{kind:?} {bytes:02x?}");
    }

    /// The specification's tables of valid and invalid encodings.
    #[test]
    fn examples_of_the_specification_decode_as_specified() {
        use BytestringError::{Empty, TooWide};
        use ScalarKind::{Signed, Unsigned};
        check(Unsigned(8), b"\x63", Ok(b"\x63"));
        check(Unsigned(16), b"\x00\x63", Ok(b"\x63"));
        check(Unsigned(16), b"\x30\x64", Ok(b"\x30\x64"));
        check(Unsigned(16), b"\x00\x30\x64", Ok(b"\x30\x64"));
        check(Unsigned(12), b"\x00\x00\x63", Ok(b"\x63"));
        check(Signed(8), b"\x63", Ok(b"\x63"));
        check(Signed(8), b"\x9d", Ok(b"\x9d"));
        check(Signed(8), b"\xff\x9d", Ok(b"\x9d"));
        check(Signed(12), b"\xfd\x1d", Ok(b"\xfd\x1d"));
        check(Signed(16), b"\x00\x00", Ok(b"\x00"));
        check(Unsigned(8), b"\x01\x63", Err(TooWide { width: 8 }));
        check(Unsigned(8), b"", Err(Empty));
        check(Unsigned(16), b"\x01\x00\x63", Err(TooWide { width: 16 }));
        check(Unsigned(12), b"\x10\x63", Err(TooWide { width: 12 }));
        check(Unsigned(12), b"\x01\x00\x63", Err(TooWide { width: 12 }));
        check(Unsigned(12), b"\x00\x40\x63", Err(TooWide { width: 12 }));
        check(Signed(8), b"\x00\x9d", Err(TooWide { width: 8 }));
        check(Signed(12), b"\x8d\x1d", Err(TooWide { width: 12 }));
        check(Signed(16), b"", Err(Empty));
    }

    #[test]
    fn varbits_keep_their_length() {
        check(ScalarKind::Varbit(16), b"\x00\x05", Ok(b"\x00\x05"));
        check(ScalarKind::Varbit(16), b"\x00\x00\x05", Err(BytestringError::TooWide { width: 16 }));
    }

    proptest! {
        /// Every value decodes from its canonical form and from any sign extension of it, and no shorter string does.
        #[test]
        fn canonical_form_round_trips(
            width in 1u32..300,
            bytes in prop::collection::vec(any::<u8>(), 1..40),
            extension in 0usize..4,
            signed: bool,
        ) {
            let kind = if signed { ScalarKind::Signed(width) } else { ScalarKind::Unsigned(width) };
            let bits = Bits::from_be_bytes(width, &bytes);
            let canonical = encode_kind(&bits, kind);
            let fill = if signed && canonical[0] & 0x80 != 0 { 0xff } else { 0 };
            let mut long = vec![fill; extension];
            long.extend_from_slice(&canonical);
            prop_assert_eq!(decode_kind(&long, kind), Ok(bits.clone()));
            if canonical.len() > 1 {
                prop_assert_ne!(decode_kind(&canonical[1..], kind), Ok(bits));
            }
        }

        /// Decoding returns an error, or a value of the right width whose canonical form decodes to the same value.
        #[test]
        fn any_string_is_decoded_or_rejected(width in 0u32..200, bytes in prop::collection::vec(any::<u8>(), 0..32)) {
            for kind in [ScalarKind::Unsigned(width), ScalarKind::Signed(width)] {
                if let Ok(bits) = decode_kind(&bytes, kind) {
                    prop_assert_eq!(bits.width(), width);
                    prop_assert_eq!(decode_kind(&encode_kind(&bits, kind), kind), Ok(bits));
                }
            }
        }
    }
}
