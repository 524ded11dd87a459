//! The order in which Lua 5.1, the script engine of Redis, iterates over a table of strings with `pairs`.
//!
//! SONiC's script prints the profiles in this order. It depends on the hashes of the names, on the insertion order and
//! on the growth of the table. Sources: Lua 5.1 lstring.c (string hash), ltable.c (main positions, free nodes from the
//! end, growth to powers of two).

/// A table whose keys are strings.
#[derive(Default)]
struct Table<'k> {
    nodes: Vec<Node<'k>>,
    /// All nodes from this index on are in use.
    free: usize,
}

#[derive(Clone, Copy, Default)]
struct Node<'k> {
    key: Option<(&'k str, u32)>,
    /// The next node of the collision chain.
    next: Option<usize>,
}

/// Lua's string hash, which skips bytes of long strings.
fn hash(key: &[u8]) -> u32 {
    let length = key.len();
    let step = (length >> 5) + 1;
    let mut hash = length as u32;
    let mut at = length;
    while at >= step {
        let byte = key.get(at - 1).copied().unwrap_or_default();
        hash ^= (hash << 5).wrapping_add(hash >> 2).wrapping_add(u32::from(byte));
        at -= step;
    }
    hash
}

impl<'k> Table<'k> {
    fn wanted(&self, hash: u32) -> usize {
        hash as usize & (self.nodes.len() - 1)
    }

    fn free_place(&mut self) -> Option<usize> {
        while self.free > 0 {
            self.free -= 1;
            if self.nodes[self.free].key.is_none() {
                return Some(self.free);
            }
        }
        None
    }

    /// Inserts a new key. A key outside its main position is moved; a key in its main position stays.
    fn insert(&mut self, key: (&'k str, u32)) {
        if self.nodes.is_empty() {
            return self.grow(key);
        }
        let place = self.wanted(key.1);
        let Some(there) = self.nodes[place].key else {
            self.nodes[place].key = Some(key);
            return;
        };
        let Some(free) = self.free_place() else { return self.grow(key) };
        let of_there = self.wanted(there.1);
        if of_there == place {
            self.nodes[free] = Node { key: Some(key), next: self.nodes[place].next };
            self.nodes[place].next = Some(free);
            return;
        }
        let mut before = of_there;
        while let Some(next) = self.nodes[before].next.filter(|next| *next != place) {
            before = next;
        }
        self.nodes[before].next = Some(free);
        self.nodes[free] = self.nodes[place];
        self.nodes[place] = Node { key: Some(key), next: None };
    }

    /// Grows the table and re-inserts all keys, from the last node to the first, before the new one.
    fn grow(&mut self, key: (&'k str, u32)) {
        let old = std::mem::take(&mut self.nodes);
        let size = (old.iter().filter(|n| n.key.is_some()).count() + 1).next_power_of_two();
        (self.nodes, self.free) = (vec![Node::default(); size], size);
        old.iter().rev().filter_map(|n| n.key).for_each(|key| self.insert(key));
        self.insert(key);
    }
}

/// Returns the keys in the order of `pairs`, if they are inserted in the given order with `prefix` prepended.
pub(super) fn pairs<'k>(prefix: &str, keys: impl Iterator<Item = &'k str>) -> Vec<&'k str> {
    let mut table = Table::default();
    for key in keys {
        table.insert((key, hash(format!("{prefix}{key}").as_bytes())));
    }
    table.nodes.iter().filter_map(|node| node.key).map(|(key, _)| key).collect()
}
