//! What is made of the fields of entries, once for all entries that repeat one text.

use crate::db::{ConfigDb, Entry};

/// A value for each distinct set of fields that was looked at.
#[derive(Debug)]
pub(crate) struct FieldCache<T> {
    /// Index into `made` by the first field.
    slots: Vec<u32>,
    made: Vec<T>,
}

const NONE: u32 = u32::MAX;

impl<T> FieldCache<T> {
    /// For the entries of one configuration.
    pub(crate) fn new(db: &ConfigDb<'_>) -> Self {
        Self { slots: vec![NONE; db.fields.len()], made: Vec::new() }
    }

    /// What was made of the fields of that entry, or else what `make` makes of them now; it may look at nothing of the
    /// entry but its fields.
    #[inline]
    pub(crate) fn get(&mut self, entry: &Entry<'_>, make: impl FnOnce() -> T) -> Option<&T> {
        let mut index = self.made.len();
        // Entries without fields have no first one to be told by.
        let slot =
            if entry.fields.is_empty() { None } else { self.slots.get_mut(entry.fields.start as usize) };
        match slot {
            Some(slot) if *slot != NONE => index = *slot as usize,
            Some(slot) => *slot = index as u32,
            None => {}
        }
        if index == self.made.len() {
            self.made.push(make());
        }
        self.made.get(index)
    }
}
