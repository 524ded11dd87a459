//! Longest-prefix match, optionally with exact components.
//!
//! Updates go to one hash table per prefix length; a lookup tries them from the longest to the shortest. After enough
//! lookups to pay for the construction, all prefixes are converted to [`Intervals`], whose lookup time does not
//! depend on the number of lengths. Entries that change between packets therefore do not cause repeated construction.

use smallvec::SmallVec;

use super::entries::EntryId;
use super::exact::ExactMap;
use super::intervals::{Intervals, Prefix};
use super::key::{KeyShape, Rule};
use crate::limbs;

/// Hash table lookups per prefix after which the construction of intervals pays.
const BUILD_COST: usize = 3;

#[derive(Clone, Debug)]
struct Length {
    bits: u32,
    mask: Vec<u64>,
    entries: ExactMap,
}

/// The intervals, by the width of the whole key.
#[derive(Clone, Debug)]
enum Built {
    /// A key of one component and one limb.
    One(Intervals<u64>),
    Wide(Intervals<u128>),
    /// Keys of more than 128 bits stay in the hash tables.
    Not,
}

/// The prefixes of all lengths.
#[derive(Clone, Debug, Default)]
pub(crate) struct LpmMap {
    /// Longest first.
    lengths: Vec<Length>,
    built: Option<Built>,
    /// All entries by number, for building the intervals.
    rules: Vec<Option<Rule>>,
    /// Hash table lookups since the last change.
    lookups: usize,
}

impl LpmMap {
    pub(crate) fn insert(&mut self, id: EntryId, rule: Rule) {
        let at = self.lengths.partition_point(|l| l.bits > rule.prefix_bits);
        if self.lengths.get(at).is_none_or(|l| l.bits != rule.prefix_bits) {
            let entries = ExactMap::new(rule.value.len());
            self.lengths.insert(at, Length { bits: rule.prefix_bits, mask: rule.mask.clone(), entries });
        }
        if let Some(length) = self.lengths.get_mut(at) {
            length.entries.insert(&rule.value, id);
        }
        if self.rules.len() <= id as usize {
            self.rules.resize(id as usize + 1, None);
        }
        self.rules[id as usize] = Some(rule);
        self.changed();
    }

    pub(crate) fn remove(&mut self, id: EntryId, rule: &Rule) {
        let at = self.lengths.partition_point(|l| l.bits > rule.prefix_bits);
        if let Some(length) = self.lengths.get_mut(at).filter(|l| l.bits == rule.prefix_bits) {
            length.entries.remove(&rule.value);
            if length.entries.is_empty() {
                self.lengths.remove(at);
            }
        }
        if let Some(slot) = self.rules.get_mut(id as usize) {
            *slot = None;
        }
        self.changed();
    }

    fn changed(&mut self) {
        self.built = None;
        self.lookups = 0;
    }

    #[inline]
    pub(crate) fn get(&mut self, shape: &KeyShape, key: &[u64]) -> Option<EntryId> {
        match (&self.built, key) {
            (Some(Built::One(intervals)), [limb]) => intervals.get(*limb),
            (Some(Built::Wide(intervals)), key) => intervals.get(joined(shape, key)),
            _ => self.search(shape, key),
        }
    }

    fn search(&mut self, shape: &KeyShape, key: &[u64]) -> Option<EntryId> {
        if self.built.is_none() {
            self.lookups += self.lengths.len();
            if self.lookups > self.rules.len() * BUILD_COST {
                self.built = Some(self.build(shape));
            }
        }
        let mut masked: SmallVec<[u64; 8]> = SmallVec::from_slice(key);
        self.lengths.iter().find_map(|l| {
            for ((m, k), mask) in masked.iter_mut().zip(key).zip(&l.mask) {
                *m = k & mask;
            }
            l.entries.get(&masked)
        })
    }

    fn build(&self, shape: &KeyShape) -> Built {
        let width: u32 = shape.components.iter().map(|c| c.width).sum();
        if let (1, [only]) = (shape.limbs, shape.components.as_slice()) {
            let all = limbs::low_mask(only.width);
            let prefix = |(id, rule): (EntryId, &Rule)| {
                let (low, mask) = (*rule.value.first()?, *rule.mask.first()?);
                Some(Prefix { low, high: low | !mask & all, id })
            };
            let prefixes: Option<Vec<_>> = self.entries().map(prefix).collect();
            return prefixes.and_then(Intervals::new).map_or(Built::Not, Built::One);
        }
        if width > 128 {
            return Built::Not;
        }
        let all = u128::MAX.checked_shr(128 - width).unwrap_or(0);
        let prefix = |(id, rule): (EntryId, &Rule)| {
            let (low, mask) = (joined(shape, &rule.value), joined(shape, &rule.mask));
            Prefix { low, high: low | !mask & all, id }
        };
        Intervals::new(self.entries().map(prefix).collect()).map_or(Built::Not, Built::Wide)
    }

    fn entries(&self) -> impl Iterator<Item = (EntryId, &Rule)> {
        self.rules.iter().enumerate().filter_map(|(id, rule)| Some((id as EntryId, rule.as_ref()?)))
    }
}

/// Joins a key of at most 128 bits to one number: first the exact components, then the prefix, so that the exact
/// components become part of the prefix.
fn joined(shape: &KeyShape, key: &[u64]) -> u128 {
    use p4_lang::ir::MatchKind;
    let value = |component: &super::key::Component| {
        let low = key.get(component.offset).copied().unwrap_or(0);
        let high = key.get(component.offset + 1).copied().filter(|_| component.limbs() > 1).unwrap_or(0);
        u128::from(low) | u128::from(high) << 64
    };
    let mut made = 0u128;
    for last in [false, true] {
        for component in shape.components.iter().filter(|c| (c.kind == MatchKind::Lpm) == last) {
            made = made.checked_shl(component.width).unwrap_or(0) | value(component);
        }
    }
    made
}
