//! Longest-prefix match by intervals: one lookup, whatever the number of prefix lengths.
//!
//! An interval begins where the longest matching prefix changes. A directory divides the keys between the first and
//! the last boundary into equal parts and limits the binary search to the intervals of one part; with evenly
//! distributed prefixes a part holds about one boundary. Sources: Gupta, Lin and McKeown, "Routing lookups in
//! hardware at memory access speeds", INFOCOM 1998 (directory); Lampson, Srinivasan and Varghese, "IP lookups using
//! multiway and multicolumn search", INFOCOM 1998 (intervals).

use super::entries::EntryId;

/// A prefix: the keys from `low` to `high`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prefix<K> {
    pub(crate) low: K,
    pub(crate) high: K,
    pub(crate) id: EntryId,
}

/// An integer type of keys.
pub(crate) trait Key: Copy + Ord + Default {
    /// Returns the next key, if there is one.
    fn next(self) -> Option<Self>;
    /// Returns `(self - base) >> shift`, saturated to an index.
    fn part(self, base: Self, shift: u32) -> usize;
    /// Number of bits up to the highest set bit.
    fn bits(self) -> u32;
    /// Returns `self - base`.
    fn distance(self, base: Self) -> Self;
}

macro_rules! key {
    ($type:ty) => {
        impl Key for $type {
            #[inline]
            fn next(self) -> Option<Self> {
                self.checked_add(1)
            }
            #[inline]
            fn part(self, base: Self, shift: u32) -> usize {
                (self.wrapping_sub(base) >> shift) as usize
            }
            fn bits(self) -> u32 {
                Self::BITS - self.leading_zeros()
            }
            fn distance(self, base: Self) -> Self {
                self.wrapping_sub(base)
            }
        }
    };
}

key!(u64);
key!(u128);

/// The keys from `start` to the next interval have the same entry.
#[derive(Clone, Copy, Debug)]
struct Interval<K> {
    start: K,
    id: Option<EntryId>,
}

/// All intervals, in ascending order.
#[derive(Clone, Debug)]
pub(crate) struct Intervals<K> {
    /// The first one starts at zero.
    intervals: Vec<Interval<K>>,
    /// For each part of the keys between `first` and `last`: the interval in which it starts, and one more at the
    /// end.
    directory: Vec<u32>,
    /// Start of the second interval, and of the last one.
    first: K,
    last: K,
    shift: u32,
}

impl<K: Key> Intervals<K> {
    /// Builds the intervals of prefixes that are pairwise disjoint or nested. `None` if there are more than can be
    /// indexed.
    pub(crate) fn new(mut prefixes: Vec<Prefix<K>>) -> Option<Intervals<K>> {
        // Of prefixes with equal start the longer (inner) one comes second.
        prefixes.sort_by(|a, b| a.low.cmp(&b.low).then(b.high.cmp(&a.high)));
        let mut made = Intervals {
            intervals: vec![Interval { start: K::default(), id: None }],
            directory: Vec::new(),
            first: K::default(),
            last: K::default(),
            shift: 0,
        };
        let mut open: Vec<Prefix<K>> = Vec::new();
        for prefix in prefixes {
            made.close(&mut open, |around| around.high < prefix.low);
            made.begin(prefix.low, Some(prefix.id));
            open.push(prefix);
        }
        made.close(&mut open, |_| true);
        u32::try_from(made.intervals.len()).ok()?;
        made.divide();
        Some(made)
    }

    /// Closes the innermost open prefixes while `ended` holds; the enclosing prefix continues.
    fn close(&mut self, open: &mut Vec<Prefix<K>>, ended: impl Fn(&Prefix<K>) -> bool) {
        while let Some(inner) = open.pop_if(|prefix| ended(prefix)) {
            if let Some(after) = inner.high.next() {
                self.begin(after, open.last().map(|around| around.id));
            }
        }
    }

    fn begin(&mut self, start: K, id: Option<EntryId>) {
        match self.intervals.last_mut() {
            Some(before) if before.start == start => before.id = id,
            Some(before) if before.id == id => {}
            _ => self.intervals.push(Interval { start, id }),
        }
    }

    fn divide(&mut self) {
        let start = |interval: Option<&Interval<K>>| interval.map_or(K::default(), |i| i.start);
        self.first = start(self.intervals.get(1));
        self.last = start(self.intervals.last());
        let parts = self.intervals.len().next_power_of_two();
        let span = self.last.distance(self.first).bits();
        self.shift = span.saturating_sub(parts.ilog2());
        let parts = self.last.part(self.first, self.shift) + 2;
        let mut next = 1;
        for part in 0..parts {
            while self.intervals.get(next).is_some_and(|i| i.start.part(self.first, self.shift) < part) {
                next += 1;
            }
            // The part may start inside the preceding interval.
            self.directory.push(next as u32 - 1);
        }
    }

    /// Returns the entry of the longest prefix that matches a key.
    #[inline]
    pub(crate) fn get(&self, key: K) -> Option<EntryId> {
        if key < self.first {
            return self.intervals.first()?.id;
        }
        if key >= self.last {
            return self.intervals.last()?.id;
        }
        let part = key.part(self.first, self.shift);
        let (from, to) = (*self.directory.get(part)? as usize, *self.directory.get(part + 1)? as usize);
        let inside = self.intervals.get(from..=to)?;
        let at = match inside {
            [_] => 0,
            [_, second] => usize::from(second.start <= key),
            _ => inside.partition_point(|interval| interval.start <= key).saturating_sub(1),
        };
        inside.get(at)?.id
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(prefixes: &[(u64, u32)], keys: &[u64]) {
        let mut unique: Vec<Prefix<u64>> = Vec::new();
        for (value, length) in prefixes {
            let host = u64::MAX.checked_shr(*length).unwrap_or(0);
            let (low, high) = (value & !host, value | host);
            if unique.iter().all(|p| (p.low, p.high) != (low, high)) {
                unique.push(Prefix { low, high, id: unique.len() as EntryId });
            }
        }
        let narrow = Intervals::new(unique.clone()).unwrap();
        let wide = |p: &Prefix<u64>| Prefix { low: u128::from(p.low), high: u128::from(p.high), id: p.id };
        let wide = Intervals::new(unique.iter().map(wide).collect()).unwrap();
        let edges =
            unique.iter().flat_map(|p| [p.low, p.high, p.low.wrapping_sub(1), p.high.wrapping_add(1)]);
        for key in keys.iter().copied().chain(edges) {
            let holds = |p: &&Prefix<u64>| p.low <= key && key <= p.high;
            let expected = unique.iter().filter(holds).min_by_key(|p| p.high - p.low).map(|p| p.id);
            assert_eq!(narrow.get(key), expected, "{key:#x} in {unique:x?}");
            assert_eq!(wide.get(u128::from(key)), expected, "{key:#x} in {unique:x?}");
        }
    }

    proptest! {
        #[test]
        fn the_longest_prefix_is_found(
            prefixes in prop::collection::vec((any::<u64>(), 0u32..=64), 0..60),
            near in prop::collection::vec((0u64..512, 50u32..=64), 0..60),
            keys in prop::collection::vec(any::<u64>(), 20),
        ) {
            check(&prefixes, &keys);
            check(&near, &keys);
            let both: Vec<_> = prefixes.iter().chain(&near).copied().collect();
            check(&both, &keys);
        }
    }

    #[test]
    fn prefixes_at_the_ends_of_the_key_range_are_found() {
        check(&[], &[0, 1, u64::MAX]);
        check(&[(0, 0)], &[0, u64::MAX]);
        check(&[(0, 64), (u64::MAX, 64)], &[1, u64::MAX - 1]);
        check(&[(0, 0), (0, 1), (u64::MAX, 1), (u64::MAX, 63)], &[0, 1 << 63, u64::MAX]);
    }
}
