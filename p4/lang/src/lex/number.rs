//! Integer literals: `10`, `0xff`, `0b1010_1010`, `0o17`, `8w255`, `4s7`, `16w0xBEEF`.

use num_bigint::BigInt;
use num_traits::Num as _;

use super::IntLiteral;
use crate::diagnostic::{Code, codes};

/// The value of a literal; the checker verifies that the value fits its width.
pub(crate) type Number = IntLiteral;

/// Parses a literal.
pub(crate) fn parse(text: &str) -> Result<Number, (Code, String)> {
    let width_end = text.find(['w', 's']).filter(|end| {
        let digits = &text[..*end];
        digits.bytes().all(|b| b.is_ascii_digit() || b == b'_') && !digits.is_empty()
    });
    let (width, digits) = match width_end {
        Some(end) => {
            let width = text[..end].replace('_', "").parse::<u32>().ok().filter(|w| *w <= MAX_WIDTH);
            let Some(width) = width else {
                return Err((codes::BAD_NUMBER, format!("the width of `{text}` is too large")));
            };
            (Some((width, text.as_bytes()[end] == b's')), &text[end + 1..])
        }
        None => (None, text),
    };
    Ok(Number { value: value(digits, text)?, width })
}

/// The maximum width that the front end supports.
pub(crate) const MAX_WIDTH: u32 = 1 << 16;

/// The maximum number of digits: those of the widest value in binary.
const MAX_DIGITS: usize = MAX_WIDTH as usize;

/// The maximum number of decimal digits: those of the widest value. Conversion from decimal takes quadratic time.
const MAX_DECIMAL_DIGITS: usize = 20_000;

fn value(digits: &str, literal: &str) -> Result<BigInt, (Code, String)> {
    let (radix, rest) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &digits[2..]),
        [b'0', b'b' | b'B', ..] => (2, &digits[2..]),
        [b'0', b'o' | b'O', ..] => (8, &digits[2..]),
        [b'0', b'd' | b'D', ..] => (10, &digits[2..]),
        _ => (10, digits),
    };
    let clean: String = rest.chars().filter(|c| *c != '_').collect();
    if clean.is_empty() {
        return Err((codes::BAD_NUMBER, format!("number `{literal}` has no digits")));
    }
    if clean.len() > if radix == 10 { MAX_DECIMAL_DIGITS } else { MAX_DIGITS } {
        return Err((codes::BAD_NUMBER, "number has too many digits".to_owned()));
    }
    if let Some(bad) = clean.chars().find(|c| !c.is_digit(radix)) {
        return Err((codes::BAD_NUMBER, format!("invalid digit `{bad}` in base {radix} number `{literal}`")));
    }
    BigInt::from_str_radix(&clean, radix)
        .map_err(|_| (codes::BAD_NUMBER, format!("invalid number `{literal}`")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_base_and_width_is_read_and_malformed_numbers_are_errors() {
        let check = |text: &str, value: i64, width: Option<(u32, bool)>| {
            assert_eq!(parse(text), Ok(Number { value: value.into(), width }), "{text}");
        };
        check("10", 10, None);
        check("1_000", 1000, None);
        check("0xfF_00", 0xff00, None);
        check("0B1010", 10, None);
        check("0o17", 15, None);
        check("0d17", 17, None);
        check("8w255", 255, Some((8, false)));
        check("4s0b0111", 7, Some((4, true)));
        check("16w0xBEEF", 0xbeef, Some((16, false)));
        for bad in ["0x", "8w", "12ab", "0b12", "8w0xg", "99999999999w1"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
