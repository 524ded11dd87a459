//! Sets of small numbers as rows of bits.

use super::effects::Range;

/// One set per row, of numbers below a limit.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    words: usize,
    bits: Vec<u64>,
}

impl Rows {
    pub(super) fn new(rows: usize, limit: usize) -> Rows {
        let words = limit.div_ceil(64);
        Rows { words, bits: vec![0; words * rows] }
    }

    pub(super) fn row(&self, row: usize) -> &[u64] {
        &self.bits[row * self.words..(row + 1) * self.words]
    }

    pub(super) fn row_mut(&mut self, row: usize) -> &mut [u64] {
        &mut self.bits[row * self.words..(row + 1) * self.words]
    }

    pub(super) fn has(&self, row: usize, number: u32) -> bool {
        has(self.row(row), number)
    }
}

pub(super) fn has(row: &[u64], number: u32) -> bool {
    row.get(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
}

pub(super) fn set(row: &mut [u64], number: u32) {
    if let Some(word) = row.get_mut(number as usize / 64) {
        *word |= 1 << (number % 64);
    }
}

pub(super) fn clear(row: &mut [u64], number: u32) {
    if let Some(word) = row.get_mut(number as usize / 64) {
        *word &= !(1 << (number % 64));
    }
}

pub(super) fn set_range(row: &mut [u64], (at, count): Range) {
    (at..at + count).for_each(|limb| set(row, limb));
}

pub(super) fn clear_range(row: &mut [u64], (at, count): Range) {
    (at..at + count).for_each(|limb| clear(row, limb));
}

pub(super) fn union(row: &mut [u64], other: &[u64]) {
    row.iter_mut().zip(other).for_each(|(word, other)| *word |= other);
}

/// Returns the runs of numbers in `from..to`; runs with gaps of at most `gap` numbers are joined.
pub(super) fn runs(row: &[u64], from: u32, to: u32, gap: u32) -> Vec<Range> {
    let mut made: Vec<Range> = Vec::new();
    for number in (from..to).filter(|number| has(row, *number)) {
        match made.last_mut() {
            Some((at, count)) if number - (*at + *count) <= gap => *count = number + 1 - *at,
            _ => made.push((number, 1)),
        }
    }
    made
}
