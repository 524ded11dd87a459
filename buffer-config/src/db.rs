//! CONFIG_DB as tables, entries and fields with their spans, independent of the file's format.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::json::Problem;
use crate::key_index;
use crate::source::Span;

/// All tables of one configuration.
#[derive(Debug, Default)]
pub struct ConfigDb<'a> {
    /// Tables in the order of the file.
    pub tables: Vec<Table<'a>>,
    pub(crate) entries: Vec<Entry<'a>>,
    /// Fields of all entries; those of an entry that repeats another's text are stored once ([`Entry::fields`]).
    pub(crate) fields: Vec<Stored<'a>>,
    /// Entries by key, for all tables.
    pub(crate) slots: Vec<u32>,
    /// Syntax errors, and values that do not fit the format.
    pub problems: Vec<Problem>,
    /// Duplicate names in an object: SONiC uses the last value.
    pub duplicates: Vec<(Span, String)>,
    /// The format of the file.
    pub form: InputFormat,
    /// The start of all JSON pointers: the namespace in a file for several chips, otherwise empty.
    pub(crate) prefix: Box<str>,
    /// Steps of the JSON pointers of fields whose written name differs from their name, by the first byte of the stored
    /// name: lists marked with `@`, names with a YANG module, rows of YANG maps.
    pub(crate) written: BTreeMap<u32, Box<str>>,
}

/// The format of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InputFormat {
    /// `{TABLE: {key: {field: value}}}`.
    #[default]
    Nested,
    /// `{"TABLE|key": {field: value}}`, a Redis dump.
    Flat,
    /// `[{"TABLE:key": {...}, "OP": "SET"}]`.
    Swssconfig,
    /// `{"sonic-x:sonic-x": {"sonic-x:X": {"X_LIST": [...]}}}`.
    Yang,
}

/// One table.
#[derive(Debug)]
pub struct Table<'a> {
    /// Its name, e.g. `BUFFER_POOL`.
    pub name: Cow<'a, str>,
    /// Span of its name.
    pub span: Span,
    pub(crate) entries: Range<u32>,
    /// Earlier copies of entries whose key is repeated. SONiC ignores them.
    replaced: Range<u32>,
    slots: Range<u32>,
}

/// One entry of a table.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    /// Its key, parts joined by `|`.
    pub key: Cow<'a, str>,
    /// Span of the key.
    pub key_span: Span,
    /// Span of the object with the fields.
    pub span: Span,
    /// Its fields among those of all entries. Entries of a table with equal text share one range.
    pub(crate) fields: Range<u32>,
    /// The distance of its fields from the stored spans: 0 for the first entry with this text.
    pub(crate) behind: u32,
    /// JSON pointer of the entry, if it is not `/TABLE/key`.
    pub(crate) pointer: Option<Box<str>>,
}

impl Entry<'_> {
    /// The key up to its last `|` and the rest: an owner and a number or range, as in `Ethernet0|3-4`.
    pub fn owner_and_numbers(&self) -> Option<(&str, &str)> {
        let bar = self.key.bytes().rposition(|b| b == b'|')?;
        Some((self.key.get(..bar)?, self.key.get(bar + 1..)?))
    }
}

/// One field of an entry.
#[derive(Clone, Copy, Debug)]
pub struct Field<'d> {
    /// Its name.
    pub name: &'d str,
    /// Span of the name.
    pub name_span: Span,
    /// Its value as text; the elements of a list are joined by commas.
    pub value: &'d str,
    /// Span of the value.
    pub span: Span,
    /// Whether it was written as a list.
    pub is_list: bool,
}

/// A stored field, with the spans of its first occurrence.
#[derive(Clone, Debug)]
pub(crate) struct Stored<'a> {
    pub(crate) name: Cow<'a, str>,
    pub(crate) name_span: Span,
    pub(crate) value: Cow<'a, str>,
    pub(crate) span: Span,
    pub(crate) is_list: bool,
}

impl Stored<'_> {
    #[inline]
    fn seen(&self, behind: u32) -> Field<'_> {
        Field {
            name: &self.name,
            name_span: self.name_span.behind(behind),
            value: &self.value,
            span: self.span.behind(behind),
            is_list: self.is_list,
        }
    }
}

/// The fields of an entry, in the order of the file.
#[derive(Clone, Debug)]
pub struct Fields<'d, 'a> {
    stored: std::slice::Iter<'d, Stored<'a>>,
    behind: u32,
}

impl<'d> Iterator for Fields<'d, '_> {
    type Item = Field<'d>;

    #[inline]
    fn next(&mut self) -> Option<Field<'d>> {
        self.stored.next().map(|field| field.seen(self.behind))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.stored.size_hint()
    }
}

impl DoubleEndedIterator for Fields<'_, '_> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        self.stored.next_back().map(|field| field.seen(self.behind))
    }
}

impl ExactSizeIterator for Fields<'_, '_> {}

impl<'a> ConfigDb<'a> {
    /// The table with this name; the last one if the name is duplicate, as in SONiC.
    pub fn table(&self, name: &str) -> Option<&Table<'a>> {
        self.tables.iter().rev().find(|table| table.name == name)
    }

    /// The tables that SONiC loads, in the order of the file: of duplicates, the last.
    pub fn loaded_tables(&self) -> impl Iterator<Item = &Table<'a>> {
        let is_last =
            |i: usize, table: &Table<'a>| self.tables.iter().skip(i + 1).all(|t| t.name != table.name);
        self.tables.iter().enumerate().filter(move |(i, table)| is_last(*i, table)).map(|(_, table)| table)
    }

    /// Earlier copies of entries whose key is repeated in the table. SONiC ignores them.
    pub(crate) fn replaced_entries_of(&self, table: &Table<'a>) -> &[Entry<'a>] {
        let range = table.replaced.start as usize..table.replaced.end as usize;
        self.entries.get(range).unwrap_or_default()
    }

    /// The entries of a table, in the order of the file.
    pub fn entries_of(&self, table: &Table<'a>) -> &[Entry<'a>] {
        self.entries.get(table.entries.start as usize..table.entries.end as usize).unwrap_or_default()
    }

    /// The entries of the table with this name; empty if there is no such table.
    pub fn rows(&self, name: &str) -> &[Entry<'a>] {
        self.table(name).map(|table| self.entries_of(table)).unwrap_or_default()
    }

    /// The entry with this key.
    pub fn row(&self, table: &str, key: &str) -> Option<&Entry<'a>> {
        self.row_of(self.table(table)?, key)
    }

    /// The entry with this key; the last one if the key is duplicate, as in SONiC.
    pub fn row_of(&self, table: &Table<'a>, key: &str) -> Option<&Entry<'a>> {
        self.position(table, key).and_then(|i| self.entries.get(i as usize))
    }

    /// The index of the entry with this key in its table.
    pub(crate) fn index_of(&self, table: &Table<'a>, key: &str) -> Option<usize> {
        self.position(table, key).map(|i| (i - table.entries.start) as usize)
    }

    fn position(&self, table: &Table<'a>, key: &str) -> Option<u32> {
        let slots = self.slots.get(table.slots.start as usize..table.slots.end as usize)?;
        key_index::find(slots, key_index::hash(key), |i| {
            self.entries.get(i as usize).is_some_and(|e| e.key == key)
        })
        .ok()
        .map(|(index, _)| index)
    }

    /// Makes a table of all entries from `start` on. Calls `twice` for each duplicate key; the last entry replaces
    /// earlier ones, except in swssconfig arrays, whose operations add fields to an entry.
    pub(crate) fn add_table(
        &mut self,
        name: Cow<'a, str>,
        span: Span,
        start: u32,
        mut twice: impl FnMut(&Entry<'a>),
    ) {
        let end = self.entries.len() as u32;
        let first_slot = self.slots.len();
        self.slots.resize(first_slot + key_index::slots_for((end - start) as usize), key_index::EMPTY);
        let mut replaced = Vec::new();
        self.index(start..end, first_slot, |earlier, entry| {
            twice(entry);
            replaced.push(earlier);
        });
        let mut live = end;
        if !replaced.is_empty() && self.form != InputFormat::Swssconfig {
            live = self.move_to_end(start, &replaced);
            self.slots.get_mut(first_slot..).unwrap_or_default().fill(key_index::EMPTY);
            self.index(start..live, first_slot, |_, _| {});
        }
        let slots = first_slot as u32..self.slots.len() as u32;
        self.tables.push(Table { name, span, entries: start..live, replaced: live..end, slots });
    }

    /// Enters entries in the slots. Calls `twice` with the index of the earlier entry for each duplicate key.
    fn index(&mut self, entries: Range<u32>, first_slot: usize, mut twice: impl FnMut(u32, &Entry<'a>)) {
        let slots = self.slots.get_mut(first_slot..).unwrap_or_default();
        for index in entries {
            let Some(entry) = self.entries.get(index as usize) else { continue };
            let is = |i: u32| self.entries.get(i as usize).is_some_and(|e| e.key == entry.key);
            let found = key_index::find(slots, key_index::hash(&entry.key), is);
            if let Ok((earlier, _)) = found {
                twice(earlier, entry);
            }
            let at = found.map_or_else(|at| at, |(_, at)| at);
            if let Some(slot) = slots.get_mut(at) {
                *slot = index;
            }
        }
    }

    /// Moves the entries with these indices behind all others from `start` on. Returns the index of the first of them.
    fn move_to_end(&mut self, start: u32, moved: &[u32]) -> u32 {
        let moved: BTreeSet<u32> = moved.iter().copied().collect();
        let mut index = start;
        let (behind, kept): (Vec<_>, Vec<_>) = self.entries.drain(start as usize..).partition(|_| {
            index += 1;
            moved.contains(&(index - 1))
        });
        self.entries.extend(kept);
        let first = self.entries.len() as u32;
        self.entries.extend(behind);
        first
    }

    /// The fields of an entry, in the order of the file.
    pub fn fields_of<'d>(&'d self, entry: &Entry<'a>) -> Fields<'d, 'a> {
        Fields { stored: self.stored_of(entry).iter(), behind: entry.behind }
    }

    fn stored_of(&self, entry: &Entry<'a>) -> &[Stored<'a>] {
        self.fields.get(entry.fields.start as usize..entry.fields.end as usize).unwrap_or_default()
    }

    fn stored(&self, entry: &Entry<'a>, name: &str) -> Option<&Stored<'a>> {
        self.stored_of(entry).iter().rev().find(|field| field.name == name)
    }

    /// A field of an entry; the last one if the name is duplicate, as in SONiC.
    pub fn field(&self, entry: &Entry<'a>, name: &str) -> Option<Field<'_>> {
        self.stored(entry, name).map(|field| field.seen(entry.behind))
    }

    /// The value of a field of an entry.
    pub fn value(&self, table: &str, key: &str, field: &str) -> Option<&str> {
        self.field(self.row(table, key)?, field).map(|f| f.value)
    }

    /// JSON pointer (RFC 6901) of an entry or of one of its fields.
    pub fn pointer(&self, table: &str, entry: &Entry<'a>, field: Option<&str>) -> String {
        let mut pointer = match &entry.pointer {
            Some(pointer) => format!("{}{pointer}", self.prefix),
            None => format!("{}/{}/{}", self.prefix, escape(table), escape(&entry.key)),
        };
        if let Some(name) = field {
            pointer.push('/');
            match self.stored(entry, name).and_then(|f| self.written.get(&f.name_span.start)) {
                Some(steps) => pointer.push_str(steps),
                None => pointer.push_str(&escape(name)),
            }
        }
        pointer
    }

    pub(crate) fn problem(&mut self, span: Span, message: String) {
        if self.problems.len() < crate::json::MAX_PROBLEMS {
            self.problems.push(Problem { span, message });
        }
    }
}

/// Escapes one step of a JSON pointer.
pub(crate) fn escape(step: &str) -> Cow<'_, str> {
    if step.contains(['~', '/']) {
        Cow::Owned(step.replace('~', "~0").replace('/', "~1"))
    } else {
        Cow::Borrowed(step)
    }
}
