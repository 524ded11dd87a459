//! Functions beside the blocks: those that store and load the values that a packet carries from ingress to egress, packed into
//! words by their widths, and the one that clears the frame for the next packet.

use cranelift_codegen::ir::{InstBuilder, MemFlagsData, types};
use cranelift_module::Module;

use super::lower::Lower;
use super::value::Known::{Constant, Value};
use crate::engine::code::At;
use crate::engine::optimise::effects::Range;

/// A limb in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Packed {
    pub(super) limb: At,
    pub(super) width: u32,
    pub(super) word: usize,
    /// Its lowest bit in the word.
    pub(super) low: u32,
}

/// Words that are searched for space, the latest ones.
const SEARCHED: usize = 64;

/// Places limbs of the given widths in words, the widest first, each in the first word with space.
pub(super) fn pack(limbs: &[(At, u32)]) -> Vec<Packed> {
    let mut sorted = limbs.to_vec();
    sorted.sort_by_key(|(limb, width)| (std::cmp::Reverse(*width), *limb));
    let mut used: Vec<u32> = Vec::new();
    let mut packed = Vec::new();
    for (limb, width) in sorted {
        let first = used.len().saturating_sub(SEARCHED);
        let fits = used.iter().skip(first).position(|used| used + width <= 64);
        let word = fits.map_or(used.len(), |found| first + found);
        if word == used.len() {
            used.push(0);
        }
        packed.push(Packed { limb, width, word, low: used[word] });
        used[word] += width;
    }
    packed.sort_by_key(|packed| (packed.word, packed.low));
    packed
}

impl Lower<'_, '_, '_> {
    /// Compiles the function that stores the values; its second argument points to the words.
    pub(super) fn store_carried(mut self, packed: &[Packed]) {
        for of_word in packed.chunk_by(|a, b| a.word == b.word) {
            let mut word = Constant(0);
            for one in of_word {
                // The limb has no more bits than its width: it is a value of the program.
                let value = self.get(one.limb);
                let value = self.left(value, one.low);
                word = self.or(word, value);
            }
            let word = self.ir(word);
            self.b.ins().store(MemFlagsData::trusted(), word, self.pass, of_word[0].word as i32 * 8);
        }
        self.finish();
    }

    /// Compiles the function that loads the values.
    pub(super) fn load_carried(mut self, packed: &[Packed]) {
        for of_word in packed.chunk_by(|a, b| a.word == b.word) {
            let at = of_word[0].word as i32 * 8;
            let word = self.b.ins().load(types::I64, MemFlagsData::trusted(), self.pass, at);
            for one in of_word {
                let value = self.right(Value(word), one.low);
                let value =
                    if one.low + one.width == 64 { value } else { self.keep(value, 64 - one.width as u8) };
                self.put(one.limb, value);
            }
        }
        self.finish();
    }

    /// Compiles the function that clears limbs before the parser; it has no second argument.
    pub(super) fn clear(mut self, ranges: &[Range]) {
        // Other processors need not have vectors of 16 bytes.
        if cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
            let zeros = self.b.func.dfg.constants.insert(vec![0; 16].into());
            let pair = self.b.ins().vconst(types::I8X16, zeros);
            for (at, count) in ranges {
                let end = at + count;
                (*at..end - count % 2).step_by(2).for_each(|at| self.put_pair(at, pair));
                if count % 2 == 1 {
                    self.put(end - 1, Constant(0));
                }
            }
        } else {
            ranges.iter().flat_map(|(at, count)| *at..at + count).for_each(|at| self.put(at, Constant(0)));
        }
        self.finish();
    }

    fn finish(mut self) {
        let nothing = self.b.ins().iconst(types::I64, 0);
        self.b.ins().return_(&[nothing]);
        self.b.seal_all_blocks();
        self.b.finalize(self.module.target_config());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limbs_share_words_without_overlap() {
        let packed = pack(&[(1, 1), (2, 48), (3, 64), (4, 16), (5, 1)]);
        let places: Vec<(At, usize, u32)> = packed.iter().map(|one| (one.limb, one.word, one.low)).collect();
        assert_eq!(places, [(3, 0, 0), (2, 1, 0), (4, 1, 48), (1, 2, 0), (5, 2, 1)]);
    }
}
