//! Exact matches: a hash table.

use rustc_hash::FxHashMap;

use super::entries::EntryId;

type Map<K> = FxHashMap<K, EntryId>;

/// Keys of one limb are stored without indirection.
#[derive(Clone, Debug)]
pub(crate) enum ExactMap {
    One(Map<u64>),
    Two(Map<[u64; 2]>),
    Many(Map<Box<[u64]>>),
}

impl ExactMap {
    pub(crate) fn new(limbs: usize) -> ExactMap {
        match limbs {
            1 => ExactMap::One(Map::default()),
            2 => ExactMap::Two(Map::default()),
            _ => ExactMap::Many(Map::default()),
        }
    }

    pub(crate) fn insert(&mut self, key: &[u64], id: EntryId) {
        match (self, key) {
            (ExactMap::One(map), [limb]) => map.insert(*limb, id),
            (ExactMap::Two(map), [a, b]) => map.insert([*a, *b], id),
            (ExactMap::Many(map), key) => map.insert(key.into(), id),
            _ => None,
        };
    }

    pub(crate) fn remove(&mut self, key: &[u64]) {
        match (self, key) {
            (ExactMap::One(map), [limb]) => map.remove(limb),
            (ExactMap::Two(map), [a, b]) => map.remove(&[*a, *b]),
            (ExactMap::Many(map), key) => map.remove(key),
            _ => None,
        };
    }

    #[inline]
    pub(crate) fn get(&self, key: &[u64]) -> Option<EntryId> {
        match (self, key) {
            (ExactMap::One(map), [limb]) => map.get(limb).copied(),
            (ExactMap::Two(map), [a, b]) => map.get(&[*a, *b]).copied(),
            (ExactMap::Many(map), key) => map.get(key).copied(),
            _ => None,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        match self {
            ExactMap::One(map) => map.is_empty(),
            ExactMap::Two(map) => map.is_empty(),
            ExactMap::Many(map) => map.is_empty(),
        }
    }
}
