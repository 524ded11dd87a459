//! Looks up the entry that matches a key, with the structure for the table's method.

use super::entries::EntryId;
use super::exact::ExactMap;
use super::key::{KeyShape, Method, Rule};
use super::lpm::LpmMap;
use super::priority::PriorityList;

/// The lookup structure of a table.
#[derive(Clone, Debug)]
pub(crate) enum Matcher {
    Exact(ExactMap),
    Lpm(LpmMap),
    Priority(PriorityList),
}

impl Matcher {
    pub(crate) fn new(shape: &KeyShape) -> Matcher {
        match shape.method {
            Method::Exact => Matcher::Exact(ExactMap::new(shape.limbs)),
            Method::Lpm => Matcher::Lpm(LpmMap::default()),
            Method::Priority => Matcher::Priority(PriorityList::default()),
        }
    }

    pub(crate) fn insert(&mut self, id: EntryId, rule: Rule) {
        match self {
            Matcher::Exact(map) => map.insert(&rule.value, id),
            Matcher::Lpm(map) => map.insert(id, rule),
            Matcher::Priority(list) => list.insert(id, rule),
        }
    }

    pub(crate) fn remove(&mut self, id: EntryId, rule: &Rule) {
        match self {
            Matcher::Exact(map) => map.remove(&rule.value),
            Matcher::Lpm(map) => map.remove(id, rule),
            Matcher::Priority(list) => list.remove(id, rule),
        }
    }

    #[inline]
    pub(crate) fn lookup(&mut self, shape: &KeyShape, key: &[u64]) -> Option<EntryId> {
        match self {
            Matcher::Exact(map) => map.get(key),
            Matcher::Lpm(map) => map.get(shape, key),
            Matcher::Priority(list) => list.get(shape, key),
        }
    }
}

#[cfg(test)]
mod tests {
    use p4_lang::ir::{Bits, MatchKind};
    use proptest::prelude::*;

    use super::super::key::Component;
    use super::*;
    use crate::control::{EntryKey, FieldMatch};
    use crate::limbs;

    fn shape(kinds: &[(MatchKind, u32)]) -> KeyShape {
        let mut offset = 0;
        let components = kinds
            .iter()
            .map(|(kind, width)| {
                let at = offset;
                offset += limbs::count(*width);
                Component { name: "k".to_owned(), width: *width, kind: *kind, offset: at }
            })
            .collect();
        KeyShape::of(components)
    }

    fn wanted(kind: MatchKind, width: u32, a: u128, b: u128) -> FieldMatch {
        // Few distinct values, so that keys and entries match often.
        let spread = |v: u128| Bits::new(width, v.wrapping_mul(0x0101_0101_0101_0101_0101_0101_0101_0101));
        let both = |x: &Bits, y: &Bits| {
            Bits::from_limbs(width, x.limbs().iter().zip(y.limbs()).map(|(x, y)| x & y).collect())
        };
        match kind {
            MatchKind::Exact | MatchKind::Selector => FieldMatch::Exact(spread(a % 3)),
            MatchKind::Optional if b.is_multiple_of(2) => FieldMatch::Any,
            MatchKind::Optional => FieldMatch::Exact(spread(a % 3)),
            MatchKind::Lpm => {
                let prefix_bits = (b % u128::from(width + 1)) as u32;
                let mask = super::super::key::prefix_mask(width, prefix_bits);
                FieldMatch::Lpm { value: both(&spread(a % 3), &mask), prefix_bits }
            }
            MatchKind::Ternary => {
                let mask = spread(b % 5);
                FieldMatch::Ternary { value: both(&spread(a % 3), &mask), mask }
            }
            MatchKind::Range => {
                let (x, y) = (spread(a % 4), spread(b % 4));
                let ordered = limbs::compare(x.limbs(), y.limbs()).is_le();
                let (low, high) = if ordered { (x, y) } else { (y, x) };
                FieldMatch::Range { low, high }
            }
        }
    }

    /// Looks up an entry by linear search.
    fn linear_search(rules: &[(EntryId, Rule)], shape: &KeyShape, key: &[u64]) -> Option<(u32, i32)> {
        let matching = rules.iter().filter(|(_, rule)| rule.matches(shape, key));
        matching.map(|(_, rule)| (rule.prefix_bits, rule.priority)).max_by_key(|(prefix, priority)| {
            if shape.method == Method::Lpm { i64::from(*prefix) } else { i64::from(*priority) }
        })
    }

    fn check(
        kinds: &[(MatchKind, u32)],
        entries: &[(Vec<(u128, u128)>, i32)],
        removed: &[bool],
        keys: &[Vec<u128>],
    ) {
        let shape = shape(kinds);
        let mut matcher = Matcher::new(&shape);
        let mut rules: Vec<(EntryId, Rule)> = Vec::new();
        let mut seen = std::collections::BTreeSet::new();
        for (id, (parts, priority)) in entries.iter().enumerate() {
            let parts = kinds.iter().zip(parts);
            let matches = parts.map(|((kind, width), (a, b))| wanted(*kind, *width, *a, *b)).collect();
            let priority = if shape.needs_priority() { *priority } else { 0 };
            let Ok(key) = shape.canonical(&EntryKey { matches, priority }) else { panic!("a valid entry") };
            if !seen.insert(key.clone()) {
                continue;
            }
            let rule = shape.rule(&key);
            matcher.insert(id as EntryId, rule.clone());
            rules.push((id as EntryId, rule));
        }
        for (at, gone) in removed.iter().enumerate().rev() {
            if *gone && at < rules.len() {
                let (id, rule) = rules.remove(at);
                matcher.remove(id, &rule);
            }
        }
        // Repeated often enough to trigger the construction of intervals and bit tables.
        for _ in 0..40 {
            for parts in keys {
                let mut key = vec![0; shape.limbs];
                for (component, part) in shape.components.iter().zip(parts) {
                    let value = Bits::new(
                        component.width,
                        (part % 4).wrapping_mul(0x0101_0101_0101_0101_0101_0101_0101_0101),
                    );
                    let end = component.offset + component.limbs();
                    limbs::copy(&mut key[component.offset..end], value.limbs());
                }
                let found = matcher.lookup(&shape, &key).and_then(|id| {
                    rules.iter().find(|(e, _)| *e == id).map(|(_, rule)| {
                        assert!(rule.matches(&shape, &key));
                        (rule.prefix_bits, rule.priority)
                    })
                });
                let expected = linear_search(&rules, &shape, &key);
                if shape.method == Method::Lpm {
                    assert_eq!(found.map(|f| f.0), expected.map(|e| e.0));
                } else {
                    assert_eq!(found.map(|f| f.1), expected.map(|e| e.1));
                }
            }
        }
    }

    fn kind() -> impl Strategy<Value = (MatchKind, u32)> {
        let kinds = prop_oneof![
            Just(MatchKind::Exact),
            Just(MatchKind::Lpm),
            Just(MatchKind::Ternary),
            Just(MatchKind::Range),
            Just(MatchKind::Optional)
        ];
        (kinds, 1u32..=128)
    }

    proptest! {
        #[test]
        fn a_lookup_equals_a_linear_search(
            kinds in prop::collection::vec(kind(), 1..4),
            entries in prop::collection::vec((prop::collection::vec((0u128..60, 0u128..60), 4), 1i32..6), 0..40),
            removed in prop::collection::vec(any::<bool>(), 10),
            keys in prop::collection::vec(prop::collection::vec(any::<u128>(), 4), 8),
        ) {
            check(&kinds, &entries, &removed, &keys);
        }
    }
}
