//! Reads `{TABLE: {key: {field: value}}}` in one pass.

use std::borrow::Cow;

use super::repeats::Repeats;
use crate::db::{ConfigDb, Entry, Stored, escape};
use crate::json::{self, Events, Key, Scalar};
use crate::key_index::DuplicateFinder;
use crate::source::Span;

/// The table names that are accepted.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Names {
    /// Only names that cannot be keys of another format.
    #[default]
    Plain,
    /// All names.
    Any,
}

/// Reads the nested format; `None` if a name belongs to another format.
pub(super) fn load(text: &str, names: Names) -> Option<ConfigDb<'_>> {
    let mut tables = Tables { names, ..Tables::default() };
    // Typical files have at least this many bytes per distinct field and per entry, so the vectors rarely grow.
    tables.db.fields.reserve(text.len() / 48);
    tables.db.entries.reserve(text.len() / 80);
    tables.db.slots.reserve(text.len() / 24);
    let (tables, problems) = json::read(text, tables);
    if tables.is_other_form {
        return None;
    }
    let mut db = tables.db;
    // Syntax errors come first, then values that do not fit the format.
    let of_tables = std::mem::replace(&mut db.problems, problems.problems);
    for problem in of_tables {
        db.problem(problem.span, problem.message);
    }
    Some(db)
}

/// A field that is written as a list.
struct List<'a> {
    key: Key<'a>,
    /// Its elements, joined by commas; `None` before the first.
    text: Option<String>,
}

#[derive(Default)]
struct Tables<'a> {
    db: ConfigDb<'a>,
    names: Names,
    is_other_form: bool,
    /// The number of open objects and arrays.
    depth: u32,
    /// From this depth on, the open objects and arrays are invalid and were reported.
    skipped: Option<u32>,
    table: Key<'a>,
    table_start: u32,
    entry: Key<'a>,
    entry_start: u32,
    /// The number of remarks before the entry began.
    entry_remarks: usize,
    repeats: Repeats,
    list: Option<List<'a>>,
    table_names: Vec<(Span, Cow<'a, str>)>,
    twice: DuplicateFinder,
}

impl<'a> Tables<'a> {
    fn table_name(&mut self, key: &Key<'a>) {
        if self.names == Names::Plain && key.text.bytes().any(|b| b == b'|' || b == b':') {
            self.is_other_form = true;
        }
        self.table_names.push((key.span, key.text.clone()));
    }

    fn field(&mut self, key: Key<'a>, value: Cow<'a, str>, span: Span, is_list: bool) {
        let (name, is_marked) = list_name(key.text);
        if is_marked {
            self.db.written.insert(key.span.start, format!("{}@", escape(&name)).into());
        }
        let is_list = is_list || is_marked;
        self.db.fields.push(Stored { name, name_span: key.span, value, span, is_list });
    }

    fn end_of_entry(&mut self, span: Span, is_sound: bool) {
        let key = std::mem::take(&mut self.entry);
        let mut end = self.db.fields.len() as u32;
        let fields = self.db.fields.get(self.entry_start as usize..).unwrap_or_default();
        let name = |i: usize| fields.get(i).map_or("", |f| f.name.as_ref());
        let duplicates = &mut self.db.duplicates;
        self.twice.find(fields.len(), name, |i| {
            if let Some(field) = fields.get(i) {
                duplicates.push((field.name_span, field.name.to_string()));
            }
        });
        // Redis has no hashes without fields, so SONiC writes a NULL field.
        if matches!(fields, [only] if only.name == "NULL") {
            self.db.fields.pop();
            end = self.entry_start;
        }
        let fields = self.entry_start..end;
        if is_sound && self.remarks() == self.entry_remarks {
            self.repeats.keep(span, fields.clone());
        }
        self.db.entries.push(Entry {
            key: key.text,
            key_span: key.span,
            span,
            fields,
            behind: 0,
            pointer: None,
        });
    }

    /// The number of problems and duplicates so far.
    fn remarks(&self) -> usize {
        self.db.problems.len() + self.db.duplicates.len()
    }

    fn end_of_table(&mut self) {
        self.repeats.clear();
        let key = std::mem::take(&mut self.table);
        let mut twice = Vec::new();
        self.db.add_table(key.text, key.span, self.table_start, |entry| {
            twice.push((entry.key_span, entry.key.to_string()));
        });
        self.db.duplicates.append(&mut twice);
    }

    fn end_of_root(&mut self) {
        let names = &self.table_names;
        let duplicates = &mut self.db.duplicates;
        let name = |i: usize| names.get(i).map_or("", |(_, name)| name.as_ref());
        self.twice.find(names.len(), name, |i| {
            if let Some((span, name)) = names.get(i) {
                duplicates.push((*span, name.to_string()));
            }
        });
    }
}

impl<'a> Events<'a> for Tables<'a> {
    fn open(&mut self, key: Key<'a>, is_object: bool) {
        let level = self.depth;
        self.depth += 1;
        if self.skipped.is_some() {
            return;
        }
        match (level, is_object) {
            (0, true) => {}
            (0, false) => self.is_other_form = true,
            (1, true) => {
                self.table_name(&key);
                self.table = key;
                self.table_start = self.db.entries.len() as u32;
            }
            (2, true) => {
                self.entry = key;
                self.entry_start = self.db.fields.len() as u32;
                self.entry_remarks = self.remarks();
            }
            (3, false) => self.list = Some(List { key, text: None }),
            _ => {
                // The span is known when it closes.
                self.skipped = Some(level);
                if level == 1 {
                    self.table_name(&key);
                    self.table = key;
                } else if level == 2 {
                    self.entry = key;
                } else {
                    self.list = self.list.take().or(Some(List { key, text: None }));
                }
            }
        }
    }

    fn known(&mut self, key: &mut Key<'a>, text: &'a [u8], at: usize) -> Option<usize> {
        if self.depth != 2 || self.skipped.is_some() {
            return None;
        }
        let repeat = self.repeats.find(text, at)?;
        let Key { text: key, span: key_span } = std::mem::take(key);
        let (span, fields, behind) = (repeat.span, repeat.fields, repeat.behind);
        self.db.entries.push(Entry { key, key_span, span, fields, behind, pointer: None });
        Some((span.end - span.start) as usize)
    }

    fn close(&mut self, span: Span, is_sound: bool) {
        self.depth = self.depth.saturating_sub(1);
        let level = self.depth;
        if let Some(from) = self.skipped {
            if level > from {
                return;
            }
            self.skipped = None;
            let message = match level {
                1 => {
                    let table = std::mem::take(&mut self.table).text;
                    if table.starts_with('_') {
                        return;
                    }
                    format!("table `{table}` is not an object of entries")
                }
                2 => {
                    let key = std::mem::take(&mut self.entry).text;
                    format!("`{}|{key}` is not an object of fields", self.table.text)
                }
                3 => {
                    let name = self.list.take().map(|list| list.key.text).unwrap_or_default();
                    let (name, _) = list_name(name);
                    format!(
                        "`{}|{}` `{name}` is an object; fields hold strings",
                        self.table.text, self.entry.text
                    )
                }
                _ => "a list may contain only strings and numbers".to_string(),
            };
            return self.db.problem(span, message);
        }
        match level {
            0 => self.end_of_root(),
            1 => self.end_of_table(),
            2 => self.end_of_entry(span, is_sound),
            _ => {
                if let Some(List { key, text }) = self.list.take() {
                    self.field(key, Cow::Owned(text.unwrap_or_default()), span, true);
                }
            }
        }
    }

    fn scalar(&mut self, key: Key<'a>, scalar: Scalar<'a>, span: Span) {
        if self.skipped.is_some() {
            return;
        }
        let is_null = matches!(scalar, Scalar::Null);
        match self.depth {
            0 => self.db.problem(span, "expected an object of tables".into()),
            1 => {
                self.table_name(&key);
                if !key.text.starts_with('_') {
                    self.db.problem(span, format!("table `{}` is not an object of entries", key.text));
                }
            }
            2 if is_null => {
                let fields = self.db.fields.len() as u32;
                let (key, key_span, fields) = (key.text, key.span, fields..fields);
                self.db.entries.push(Entry { key, key_span, span, fields, behind: 0, pointer: None });
            }
            2 => {
                let message = format!("`{}|{}` is not an object of fields", self.table.text, key.text);
                self.db.problem(span, message);
            }
            3 => {
                let value = match scalar {
                    Scalar::Null => Cow::Borrowed(""),
                    // `config load` writes Python's words.
                    Scalar::Bare("true") => Cow::Borrowed("True"),
                    Scalar::Bare("false") => Cow::Borrowed("False"),
                    Scalar::Bare(word) => Cow::Borrowed(word),
                    Scalar::Text(text) => text,
                };
                self.field(key, value, span, false);
            }
            _ => {
                let word: &str = match &scalar {
                    Scalar::Null => {
                        return self.db.problem(span, "a list may contain only strings and numbers".into());
                    }
                    Scalar::Bare(word) => word,
                    Scalar::Text(text) => text,
                };
                match self.list.as_mut().map(|list| &mut list.text) {
                    Some(Some(text)) => {
                        text.push(',');
                        text.push_str(word);
                    }
                    Some(first) => *first = Some(word.to_string()),
                    None => {}
                }
            }
        }
    }

    fn has_enough(&self) -> bool {
        self.is_other_form
    }
}

/// In Redis, the field `name@` holds a list, joined by commas. Returns the name, and whether it had the mark.
fn list_name(key: Cow<'_, str>) -> (Cow<'_, str>, bool) {
    match key {
        Cow::Borrowed(text) => match text.strip_suffix('@') {
            Some(name) => (Cow::Borrowed(name), true),
            None => (key, false),
        },
        Cow::Owned(mut text) => {
            let is_marked = text.ends_with('@');
            text.truncate(text.len() - usize::from(is_marked));
            (Cow::Owned(text), is_marked)
        }
    }
}
