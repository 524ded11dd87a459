//! Scans eight bytes at a time for the end of a string or of white space.
//!
//! The tests for a byte in a word are those of "Bit Twiddling Hacks" (S. E. Anderson): their lowest match is exact, and
//! only that one is used.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;
const SPACES: u64 = ONES * b' ' as u64;

#[inline]
pub(crate) fn word(bytes: &[u8], at: usize) -> Option<u64> {
    let eight: [u8; 8] = bytes.get(at..at.checked_add(8)?)?.try_into().ok()?;
    Some(u64::from_le_bytes(eight))
}

#[inline]
fn zero_bytes(word: u64) -> u64 {
    word.wrapping_sub(ONES) & !word & HIGH
}

/// The offset of the first quote, backslash or control character from `at` on; the end if there is none.
#[inline]
pub(super) fn plain_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(word) = word(bytes, at) {
        let quote = zero_bytes(word ^ (ONES * u64::from(b'"')));
        let backslash = zero_bytes(word ^ (ONES * u64::from(b'\\')));
        let control = word.wrapping_sub(SPACES) & !word & HIGH;
        let found = quote | backslash | control;
        if found != 0 {
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().position(|b| matches!(b, b'"' | b'\\' | 0..0x20)).unwrap_or(rest.len())
}

/// The offset of the first byte from `at` on that is neither a space nor a line end.
#[inline]
pub(super) fn blank_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(at) {
        at += 1;
        while let Some(word) = word(bytes, at) {
            let run = (word ^ SPACES).trailing_zeros() as usize / 8;
            at += run;
            if run < 8 {
                break;
            }
        }
    }
    at
}

/// Whether a short text contains the byte.
#[inline]
pub(crate) fn has(text: &str, byte: u8) -> bool {
    let bytes = text.as_bytes();
    let is_in = |word: u64| zero_bytes(word ^ (ONES * u64::from(byte))) != 0;
    let mut at = 0;
    while let Some(word) = word(bytes, at) {
        if is_in(word) {
            return true;
        }
        at += 8;
    }
    // The last eight bytes, which may overlap those before.
    match bytes.len().checked_sub(8).and_then(|from| word(bytes, from)) {
        Some(word) => is_in(word),
        None => bytes.contains(&byte),
    }
}
