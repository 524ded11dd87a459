//! Caches a value that is computed from the fields of an entry, for all entries with the same fields.

use crate::db::{ConfigDb, Entry};

/// A value for each distinct set of fields.
#[derive(Debug)]
pub(crate) struct FieldCache<T> {
    /// Indices into `values`, by the first field.
    slots: Vec<u32>,
    values: Vec<T>,
}

const NONE: u32 = u32::MAX;

impl<T> FieldCache<T> {
    /// An empty cache for the entries of one configuration.
    pub(crate) fn new(db: &ConfigDb<'_>) -> Self {
        Self { slots: vec![NONE; db.fields.len()], values: Vec::new() }
    }

    /// Returns the cached value for the fields of an entry, or computes it with `make`, which may depend only on the
    /// fields.
    #[inline]
    pub(crate) fn get(&mut self, entry: &Entry<'_>, make: impl FnOnce() -> T) -> Option<&T> {
        let mut index = self.values.len();
        // Entries without fields have no first field as a key.
        let slot =
            if entry.fields.is_empty() { None } else { self.slots.get_mut(entry.fields.start as usize) };
        match slot {
            Some(slot) if *slot != NONE => index = *slot as usize,
            Some(slot) => *slot = index as u32,
            None => {}
        }
        if index == self.values.len() {
            self.values.push(make());
        }
        self.values.get(index)
    }
}
