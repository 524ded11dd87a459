//! The named fields of a register element.

use super::error::LayoutProblem;

/// Bit range of a field: `width` bits from bit `low` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Lowest bit.
    pub low: u32,
    /// Number of bits, at most 128.
    pub width: u32,
}

impl Slice {
    /// Returns the field's value in `word` (big-endian). Leading bytes that `word` omits are zero.
    pub fn get(self, word: &[u8]) -> u128 {
        // The field may start at any bit of its first byte, so 128 bits take up to 17 bytes.
        let first = (self.low / 8) as usize;
        let last = ((self.low + self.width - 1) / 8) as usize;
        let shift = self.low % 8;
        let byte = |i: usize| word.len().checked_sub(i + 1).map_or(0, |at| u128::from(word[at]));
        let mut value = byte(first) >> shift;
        for i in first + 1..=last {
            let place = 8 * (i - first) as u32 - shift;
            if place < 128 {
                value |= byte(i) << place;
            }
        }
        if self.width < 128 { value & ((1 << self.width) - 1) } else { value }
    }

    /// Writes the low bits of `value` to the field in `word` (big-endian, of the element's full length).
    pub fn set(self, word: &mut [u8], value: u128) {
        for bit in 0..self.width {
            let at = self.low + bit;
            let Some(index) = word.len().checked_sub((at / 8) as usize + 1) else { return };
            let mask = 1 << (at % 8);
            if value >> bit & 1 == 1 {
                word[index] |= mask;
            } else {
                word[index] &= !mask;
            }
        }
    }
}

/// The fields of an element.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Word {
    width: u32,
    fields: Vec<(String, Slice)>,
}

impl Word {
    /// Parses the `@fields` annotation of the register `register`, whose elements have `width` bits.
    ///
    /// # Errors
    /// If the annotation is missing or malformed, or if its widths do not add up to `width`.
    pub fn parse(register: &str, width: u32, annotations: &[String]) -> Result<Word, LayoutProblem> {
        let body = annotations.iter().find_map(|a| argument(a, "fields")).ok_or_else(|| {
            LayoutProblem::MissingAnnotation { register: register.to_string(), annotation: "@fields" }
        })?;
        let bad = |why: String| LayoutProblem::BadAnnotation {
            register: register.to_string(),
            text: body.to_string(),
            why,
        };
        let mut fields = Vec::new();
        let mut high = width;
        for part in body.split(',') {
            let (name, bits) =
                part.split_once(':').ok_or_else(|| bad(format!("`{part}` is not `name:bits`")))?;
            let (name, bits) = (name.trim(), bits.trim());
            let bits: u32 = bits
                .parse()
                .ok()
                .filter(|bits| (1..=128).contains(bits))
                .ok_or_else(|| bad(format!("`{bits}` bits for `{name}`; expected 1 to 128")))?;
            if fields.iter().any(|(known, _)| known == name) {
                return Err(bad(format!("field `{name}` appears twice")));
            }
            high = high
                .checked_sub(bits)
                .ok_or_else(|| bad(format!("the fields take more than the element's {width} bits")))?;
            fields.push((name.to_string(), Slice { low: high, width: bits }));
        }
        if high != 0 {
            return Err(bad(format!("the fields leave {high} of the element's {width} bits unnamed")));
        }
        Ok(Word { width, fields })
    }

    /// Returns the bit range of field `name`.
    pub fn field(&self, name: &str) -> Option<Slice> {
        self.fields.iter().find(|(known, _)| known == name).map(|(_, slice)| *slice)
    }

    /// Returns names and bit ranges of all fields, most significant first.
    pub fn fields(&self) -> &[(String, Slice)] {
        &self.fields
    }

    /// Bits of an element.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Bytes of an element.
    pub fn bytes(&self) -> usize {
        self.width.div_ceil(8) as usize
    }
}

/// Returns the text inside `@name(...)` without quotes, or `None` for a different annotation.
pub(crate) fn argument<'a>(annotation: &'a str, name: &str) -> Option<&'a str> {
    let body = annotation.trim().strip_prefix('@')?.strip_prefix(name)?.trim_start();
    let body = body.strip_prefix('(')?.trim_end().strip_suffix(')')?.trim();
    Some(body.strip_prefix('"').and_then(|b| b.strip_suffix('"')).unwrap_or(body))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check_error(annotation: &str, width: u32, expected: &str) {
        let error = Word::parse("r", width, &[annotation.to_string()]).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn errors_name_the_register_and_the_mistake() {
        check_error("@other(1)", 8, "register `r` has no @fields annotation");
        check_error(
            "@fields(\"a:4\")",
            8,
            "register `r`, @fields(\"a:4\"): the fields leave 4 of the element's 8 bits unnamed",
        );
        check_error(
            "@fields(\"a:9\")",
            8,
            "register `r`, @fields(\"a:9\"): the fields take more than the element's 8 bits",
        );
        check_error("@fields(\"a\")", 8, "register `r`, @fields(\"a\"): `a` is not `name:bits`");
        check_error(
            "@fields(\"a:x\")",
            8,
            "register `r`, @fields(\"a:x\"): `x` bits for `a`; expected 1 to 128",
        );
        check_error("@fields(\"a:4,a:4\")", 8, "register `r`, @fields(\"a:4,a:4\"): field `a` appears twice");
    }

    proptest! {
        #[test]
        fn a_field_reads_back_the_value_written(
            fields in prop::collection::vec((1u32..=128, any::<u128>()), 1..12), short: bool
        ) {
            let width = fields.iter().map(|(w, _)| w).sum();
            let text: Vec<_> = fields.iter().enumerate().map(|(i, (w, _))| format!("f{i}:{w}")).collect();
            let word = Word::parse("r", width, &[format!("@fields(\"{}\")", text.join(","))]).unwrap();
            let mut bytes = vec![0; word.bytes()];
            for (i, (_, value)) in fields.iter().enumerate() {
                word.field(&format!("f{i}")).unwrap().set(&mut bytes, *value);
            }
            let leading = if short { bytes.iter().take_while(|b| **b == 0).count() } else { 0 };
            for (i, (w, value)) in fields.iter().enumerate() {
                let mask = if *w == 128 { u128::MAX } else { (1 << w) - 1 };
                prop_assert_eq!(word.field(&format!("f{i}")).unwrap().get(&bytes[leading..]), value & mask);
            }
        }
    }
}
