//! Ternary, range and optional matches: the matching entry with the highest priority.
//!
//! Every entry has one bit; bits are ordered by priority. For each byte of the key a table maps the 256 values to the
//! entries that match them; a range component maps its elementary intervals instead. The first bit that is set in all
//! tables is the result (Lakshman and Stiliadis, "High-speed policy-based packet forwarding", SIGCOMM 1998). The
//! tables are built after enough linear lookups to pay for the construction, so that entries that change between
//! packets do not cause repeated construction.

use super::entries::EntryId;
use super::key::{Component, KeyShape, Rule};
use crate::limbs;

/// Up to this number of entries linear search is as fast as the tables.
const SMALL: usize = 8;
/// Cost of building the tables, in comparisons per entry and key byte.
const BUILD_COST: usize = 24;

/// A test of the key: of one byte, or of the interval that contains the value of a range component.
#[derive(Clone, Debug)]
enum Test {
    Byte {
        limb: usize,
        shift: u32,
    },
    Range {
        component: Component,
        /// The lowest value of each interval, ascending; the first interval starts at zero.
        starts: Vec<Vec<u64>>,
    },
    /// A range component of one limb, stored without indirection.
    Interval {
        limb: usize,
        starts: Vec<u64>,
    },
}

/// The bit tables.
#[derive(Clone, Debug)]
struct Built {
    /// Number of words in a row of bits.
    words: usize,
    /// The tests, and the row of the first value of each.
    tests: Vec<(Test, usize)>,
    rows: Vec<u64>,
}

/// Entries by priority.
#[derive(Clone, Debug, Default)]
pub(crate) struct PriorityList {
    /// Highest priority first; of equal priorities the oldest first.
    rules: Vec<(EntryId, Rule)>,
    built: Option<Built>,
    /// Comparisons made since the last change.
    comparisons: usize,
}

impl PriorityList {
    pub(crate) fn insert(&mut self, id: EntryId, rule: Rule) {
        let at = self.rules.partition_point(|(_, r)| r.priority >= rule.priority);
        self.rules.insert(at, (id, rule));
        self.changed();
    }

    pub(crate) fn remove(&mut self, id: EntryId, rule: &Rule) {
        let first = self.rules.partition_point(|(_, r)| r.priority > rule.priority);
        let found = self.rules.iter().skip(first).position(|(e, _)| *e == id);
        if let Some(at) = found {
            self.rules.remove(first + at);
        }
        self.changed();
    }

    fn changed(&mut self) {
        self.built = None;
        self.comparisons = 0;
    }

    pub(crate) fn get(&mut self, shape: &KeyShape, key: &[u64]) -> Option<EntryId> {
        if let Some(built) = &self.built {
            let at = built.first(key)?;
            return self.rules.get(at).map(|(id, _)| *id);
        }
        let found = self.rules.iter().position(|(_, rule)| rule.matches(shape, key));
        if self.rules.len() > SMALL {
            self.comparisons += found.unwrap_or(self.rules.len());
            if self.comparisons > self.rules.len() * shape.limbs * BUILD_COST {
                self.built = Some(Built::new(shape, &self.rules));
            }
        }
        found.and_then(|at| self.rules.get(at)).map(|(id, _)| *id)
    }
}

impl Built {
    fn new(shape: &KeyShape, rules: &[(EntryId, Rule)]) -> Built {
        let words = rules.len().div_ceil(64);
        let mut built = Built { words, tests: Vec::new(), rows: Vec::new() };
        for (index, component) in shape.components.iter().enumerate() {
            built.add_bytes(component, rules);
            if rules.iter().any(|(_, rule)| rule.ranges.iter().any(|(c, ..)| *c == index)) {
                built.add_range(index, component, rules);
            }
        }
        built
    }

    fn add_row(&mut self, allowed: impl Iterator<Item = bool>) {
        let start = self.rows.len();
        self.rows.resize(start + self.words, 0);
        for (at, allowed) in allowed.enumerate() {
            self.rows[start + at / 64] |= u64::from(allowed) << (at % 64);
        }
    }

    fn next_row(&self) -> usize {
        self.rows.len().checked_div(self.words).unwrap_or(0)
    }

    fn add_bytes(&mut self, component: &Component, rules: &[(EntryId, Rule)]) {
        for byte in 0..component.width.div_ceil(8) {
            let (limb, shift) = (component.offset + (byte / 8) as usize, byte % 8 * 8);
            let part = |value: u64| value >> shift & 0xff;
            if rules.iter().all(|(_, rule)| part(rule.mask[limb]) == 0) {
                continue;
            }
            self.tests.push((Test::Byte { limb, shift }, self.next_row()));
            for value in 0..256 {
                self.add_row(rules.iter().map(|(_, r)| value & part(r.mask[limb]) == part(r.value[limb])));
            }
        }
    }

    fn add_range(&mut self, index: usize, component: &Component, rules: &[(EntryId, Rule)]) {
        let range = |rule: &Rule| rule.ranges.iter().find(|(c, ..)| *c == index).cloned();
        let zero = vec![0; component.limbs()];
        let mut starts = vec![zero];
        for (_, low, high) in rules.iter().filter_map(|(_, rule)| range(rule)) {
            starts.push(low);
            let mut after = high;
            // No interval follows the largest value.
            if !limbs::add(&mut after, &[1]) {
                starts.push(after);
            }
        }
        starts.sort_by(|a, b| limbs::compare(a, b));
        starts.dedup();
        let first_row = self.next_row();
        for start in &starts {
            self.add_row(rules.iter().map(|(_, rule)| {
                range(rule).is_none_or(|(_, low, high)| {
                    limbs::compare(&low, start).is_le() && limbs::compare(start, &high).is_le()
                })
            }));
        }
        let test = match component.limbs() {
            1 => {
                Test::Interval { limb: component.offset, starts: starts.iter().flatten().copied().collect() }
            }
            _ => Test::Range { component: component.clone(), starts },
        };
        self.tests.push((test, first_row));
    }

    /// Returns the first entry that passes all tests.
    fn first(&self, key: &[u64]) -> Option<usize> {
        let mut rows: smallvec::SmallVec<[&[u64]; 24]> = smallvec::SmallVec::new();
        for (test, first_row) in &self.tests {
            let value = match test {
                Test::Byte { limb, shift } => (key[*limb] >> shift & 0xff) as usize,
                Test::Interval { limb, starts } => starts.partition_point(|start| *start <= key[*limb]) - 1,
                Test::Range { component, starts } => {
                    let value = &key[component.offset..component.offset + component.limbs()];
                    starts.partition_point(|start| limbs::compare(start, value).is_le()) - 1
                }
            };
            let at = (first_row + value) * self.words;
            rows.push(&self.rows[at..at + self.words]);
        }
        for word in 0..self.words {
            let mut all = u64::MAX;
            for row in &rows {
                all &= row[word];
                if all == 0 {
                    break;
                }
            }
            if all != 0 {
                return Some(word * 64 + all.trailing_zeros() as usize);
            }
        }
        None
    }
}
