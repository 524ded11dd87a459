//! Hash index from names to positions, with open addressing in slots that one vector holds for all tables.
//!
//! An index per table of `indexmap` or `hashbrown` would allocate per table and store each key or its hash again; here
//! the names stay where they are (in [`crate::db`]), and a slot has four bytes. Compare with `benches/check.rs` before
//! replacing it.

use crate::json::scan::word;

/// An empty slot.
pub(crate) const EMPTY: u32 = u32::MAX;

/// The number of slots for `len` names.
pub(crate) fn slots_for(len: usize) -> usize {
    (len * 2).next_power_of_two()
}

/// A hash without protection against crafted collisions: these slow down lookups at most by the length of the input's
/// own tables.
#[inline]
pub(crate) fn hash(name: &str) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let bytes = name.as_bytes();
    let mix = |hash: u64, word: u64| (hash.rotate_left(5) ^ word).wrapping_mul(FACTOR);
    let (mut hash, mut at) = (bytes.len() as u64, 0);
    while let Some(word) = word(bytes, at).filter(|_| at + 8 < bytes.len()) {
        hash = mix(hash, word);
        at += 8;
    }
    // The last eight bytes, which may overlap the previous ones; for a shorter name, all of it.
    let short = || bytes.iter().take(8).fold(0, |word, byte| word << 8 | u64::from(*byte));
    let last = bytes.len().checked_sub(8).and_then(|from| word(bytes, from)).unwrap_or_else(short);
    let hash = mix(hash, last);
    // The low bits of a product do not depend on the high bytes of the word, which hold the end of the name.
    let hash = (hash ^ hash >> 32).wrapping_mul(FACTOR);
    hash ^ hash >> 32
}

/// The index and slot of a name, or the free slot for it.
#[inline]
pub(crate) fn find(slots: &[u32], hash: u64, is: impl Fn(u32) -> bool) -> Result<(u32, usize), usize> {
    let mask = slots.len().wrapping_sub(1);
    let mut at = hash as usize & mask;
    // At least half of the slots are empty, so the loop terminates.
    loop {
        match slots.get(at) {
            Some(&EMPTY) | None => return Err(at),
            Some(&index) if is(index) => return Ok((index, at)),
            Some(_) => at = (at + 1) & mask,
        }
    }
}

/// Finds duplicate names. Its slots are reused from object to object.
#[derive(Debug, Default)]
pub(crate) struct DuplicateFinder {
    slots: Vec<u32>,
}

impl DuplicateFinder {
    /// Calls `found` with the index of each name that occurred before.
    pub(crate) fn find<'n>(
        &mut self,
        len: usize,
        name: impl Fn(usize) -> &'n str,
        mut found: impl FnMut(usize),
    ) {
        if len <= SMALL {
            // A bit per length and last byte: only names with the same bit are compared.
            let mut shapes = 0u64;
            for i in 0..len {
                let this = name(i);
                let last = this.as_bytes().last().copied().unwrap_or_default();
                let shape = 1u64 << (((this.len() as u8).wrapping_mul(7) ^ last) % 64);
                if shapes & shape != 0 && (0..i).any(|j| name(j) == this) {
                    found(i);
                }
                shapes |= shape;
            }
            return;
        }
        self.slots.clear();
        self.slots.resize(slots_for(len), EMPTY);
        for i in 0..len {
            let this = name(i);
            match find(&self.slots, hash(this), |j| name(j as usize) == this) {
                Ok(_) => found(i),
                Err(at) => {
                    if let Some(slot) = self.slots.get_mut(at) {
                        *slot = i as u32;
                    }
                }
            }
        }
    }
}

/// Up to this number, names are compared with each other without an index.
const SMALL: usize = 16;
