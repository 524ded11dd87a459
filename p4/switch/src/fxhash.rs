//! A quick hash for keys that the control plane chooses: multiply and rotate, as in Firefox and rustc.
//!
//! It is the same in every process, so nothing depends on a random seed.

use std::hash::Hasher;

/// The hasher.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FxHasher {
    state: u64,
}

const MULTIPLIER: u64 = 0xf135_7aea_2e62_a9c5;

impl FxHasher {
    fn mix(&mut self, word: u64) {
        self.state = (self.state.wrapping_add(word)).wrapping_mul(MULTIPLIER);
    }
}

impl Hasher for FxHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.mix(u64::from_le_bytes(word));
        }
        self.mix(bytes.len() as u64);
    }

    fn write_u8(&mut self, word: u8) {
        self.mix(u64::from(word));
    }

    fn write_u32(&mut self, word: u32) {
        self.mix(u64::from(word));
    }

    fn write_u64(&mut self, word: u64) {
        self.mix(word);
    }

    fn write_usize(&mut self, word: usize) {
        self.mix(word as u64);
    }

    fn finish(&self) -> u64 {
        // The table takes its bucket from the low bits, which a product mixes least.
        self.state.rotate_left(26)
    }
}
