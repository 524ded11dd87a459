//! Finds the entry that matches a key.

use super::entries::EntryId;
use super::key::{KeyShape, Rule};

/// The structure that suits a table's strategy.
#[derive(Clone, Debug)]
pub(crate) struct Matcher {
    rules: Vec<(EntryId, Rule)>,
}

impl Matcher {
    pub(crate) fn new(_shape: &KeyShape) -> Matcher {
        Matcher { rules: Vec::new() }
    }

    pub(crate) fn insert(&mut self, _shape: &KeyShape, id: EntryId, rule: Rule) {
        self.rules.push((id, rule));
    }

    pub(crate) fn remove(&mut self, _shape: &KeyShape, id: EntryId, _rule: &Rule) {
        self.rules.retain(|(e, _)| *e != id);
    }

    pub(crate) fn lookup(&mut self, shape: &KeyShape, key: &[u64]) -> Option<EntryId> {
        let matching = self.rules.iter().filter(|(_, rule)| rule.matches(shape, key));
        matching.max_by_key(|(_, rule)| (rule.prefix_bits, rule.priority)).map(|(id, _)| *id)
    }
}
