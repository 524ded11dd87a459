//! Longest prefixes: one hash table for each length that occurs, the longest first.
//!
//! Exact components beside the prefix are part of each hash table's key.

use smallvec::SmallVec;

use super::entries::EntryId;
use super::exact::ExactMap;
use super::key::Rule;

#[derive(Clone, Debug)]
struct Length {
    bits: u32,
    mask: Vec<u64>,
    entries: ExactMap,
}

/// Prefixes of all lengths.
#[derive(Clone, Debug, Default)]
pub(crate) struct LpmMap {
    /// Longest first.
    lengths: Vec<Length>,
}

impl LpmMap {
    pub(crate) fn insert(&mut self, id: EntryId, rule: &Rule) {
        let at = self.lengths.partition_point(|l| l.bits > rule.prefix_bits);
        if self.lengths.get(at).is_none_or(|l| l.bits != rule.prefix_bits) {
            let entries = ExactMap::new(rule.value.len());
            self.lengths.insert(at, Length { bits: rule.prefix_bits, mask: rule.mask.clone(), entries });
        }
        if let Some(length) = self.lengths.get_mut(at) {
            length.entries.insert(&rule.value, id);
        }
    }

    pub(crate) fn remove(&mut self, rule: &Rule) {
        let at = self.lengths.partition_point(|l| l.bits > rule.prefix_bits);
        if let Some(length) = self.lengths.get_mut(at).filter(|l| l.bits == rule.prefix_bits) {
            length.entries.remove(&rule.value);
            if length.entries.is_empty() {
                self.lengths.remove(at);
            }
        }
    }

    pub(crate) fn get(&self, key: &[u64]) -> Option<EntryId> {
        if let [limb] = key {
            return self.lengths.iter().find_map(|l| l.entries.get(&[limb & l.mask.first()?]));
        }
        let mut masked: SmallVec<[u64; 8]> = SmallVec::from_slice(key);
        self.lengths.iter().find_map(|l| {
            for ((m, k), mask) in masked.iter_mut().zip(key).zip(&l.mask) {
                *m = k & mask;
            }
            l.entries.get(&masked)
        })
    }
}
