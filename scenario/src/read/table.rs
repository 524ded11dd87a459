//! Reads a TOML table key by key, and collects all problems.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::draw::Draws;
use super::units::exceeded;
use crate::problem::Problem;

/// Loads a file that a scenario refers to: takes its name and returns its path and text, or an error.
pub(super) type Load<'l> = &'l mut dyn FnMut(&str) -> Result<(String, String), String>;

/// The text being read, with the draws and problems so far.
pub(super) struct Reader<'t> {
    pub(super) file: &'t str,
    pub(super) text: &'t str,
    pub(super) problems: Vec<Problem>,
    pub(super) draws: Draws,
    /// The version of the format that the text states.
    pub(super) version: u32,
}

impl Reader<'_> {
    pub(super) fn problem(&mut self, span: &Range<usize>, message: impl Into<String>) {
        self.problems.push(Problem::at(self.file, self.text, span.start, message));
    }
}

impl Reader<'_> {
    /// Reports something that texts of an older version cannot contain.
    pub(super) fn needs_version(&mut self, version: u32, what: &str, span: &Range<usize>) {
        if self.version < version {
            let own = self.version;
            let message =
                format!("{what} needs `version = {version}` at the top of the file, which has version {own}");
            self.problem(span, message);
        }
    }
}

/// A value with its position.
#[derive(Clone, Debug)]
pub(super) struct Placed<T> {
    pub(super) value: T,
    pub(super) span: Range<usize>,
}

/// A table whose keys are read one by one; keys that are never read are unknown.
pub(super) struct Section<'d> {
    name: String,
    table: Option<&'d DeTable<'d>>,
    pub(super) span: Range<usize>,
    known: BTreeSet<&'static str>,
}

impl<'d> Section<'d> {
    pub(super) fn new(name: &str, table: &'d DeTable<'d>, span: Range<usize>) -> Section<'d> {
        Section { name: name.to_string(), table: Some(table), span, known: BTreeSet::new() }
    }

    fn take(&mut self, key: &'static str) -> Option<&'d Spanned<DeValue<'d>>> {
        self.known.insert(key);
        self.table?.get(key)
    }

    fn what(&self, key: &str) -> String {
        if self.name.is_empty() { format!("`{key}`") } else { format!("`{key}` of {}", self.name) }
    }

    /// Reports a missing key, unless it is present and was reported for its value.
    pub(super) fn missing(&self, reader: &mut Reader<'_>, key: &str) {
        if self.table.is_some_and(|table| table.contains_key(key)) {
            return;
        }
        reader.problem(&self.span, format!("{} is missing", self.what(key)));
    }

    /// A value that `read` accepts; `expected` describes it.
    fn value<T>(
        &mut self,
        reader: &mut Reader<'_>,
        key: &'static str,
        expected: &str,
        read: impl FnOnce(&DeValue<'_>) -> Option<T>,
    ) -> Option<Placed<T>> {
        let spanned = self.take(key)?;
        match read(spanned.get_ref()) {
            Some(value) => Some(Placed { value, span: spanned.span() }),
            None => {
                reader.problem(&spanned.span(), format!("{} must be {expected}", self.what(key)));
                None
            }
        }
    }

    pub(super) fn text(&mut self, reader: &mut Reader<'_>, key: &'static str) -> Option<Placed<String>> {
        self.value(reader, key, "a text", |value| value.as_str().map(str::to_string))
    }

    pub(super) fn flag(&mut self, reader: &mut Reader<'_>, key: &'static str) -> Option<bool> {
        self.value(reader, key, "true or false", |value| value.as_bool()).map(|placed| placed.value)
    }

    /// A text with a unit, parsed by `parse`.
    pub(super) fn quantity<T>(
        &mut self,
        reader: &mut Reader<'_>,
        key: &'static str,
        expected: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let spanned = self.take(key)?;
        let written = match spanned.get_ref() {
            DeValue::Integer(number) => Some(number.as_str()),
            other => other.as_str(),
        };
        let found = written.and_then(&parse);
        if found.is_none() {
            let message = match written.and_then(exceeded) {
                Some(most) => format!("{} is too large; the maximum is {most}", self.what(key)),
                None => format!("{} must be {expected}", self.what(key)),
            };
            reader.problem(&spanned.span(), message);
        }
        found
    }

    /// The position of the value of a key, if present.
    pub(super) fn given(&self, key: &str) -> Option<Range<usize>> {
        self.table.and_then(|table| table.get(key)).map(Spanned::span)
    }

    /// The position of the value of a key, or of the table if the key is absent.
    pub(super) fn place(&self, key: &str) -> Range<usize> {
        self.given(key).unwrap_or(self.span.clone())
    }

    /// An integer in a range.
    pub(super) fn integer<T: TryFrom<i64> + PartialOrd + Display>(
        &mut self,
        reader: &mut Reader<'_>,
        key: &'static str,
        range: std::ops::RangeInclusive<T>,
    ) -> Option<T> {
        let expected = format!("an integer from {} to {}", range.start(), range.end());
        let read = |value: &DeValue<'_>| {
            let number = value.as_integer()?;
            let number = i64::from_str_radix(number.as_str(), number.radix()).ok()?;
            T::try_from(number).ok().filter(|n| range.contains(n))
        };
        self.value(reader, key, &expected, read).map(|placed| placed.value)
    }

    /// A number from 0 to 1.
    pub(super) fn fraction(&mut self, reader: &mut Reader<'_>, key: &'static str) -> Option<f64> {
        let read = |value: &DeValue<'_>| {
            let text = match value {
                DeValue::Float(number) => number.as_str(),
                DeValue::Integer(number) => number.as_str(),
                _ => return None,
            };
            text.parse::<f64>().ok().filter(|p| (0.0..=1.0).contains(p))
        };
        self.value(reader, key, "a number from 0 to 1", read).map(|placed| placed.value)
    }

    /// A number above 0.
    pub(super) fn positive(&mut self, reader: &mut Reader<'_>, key: &'static str) -> Option<f64> {
        let read = |value: &DeValue<'_>| {
            let text = match value {
                DeValue::Float(number) => number.as_str(),
                DeValue::Integer(number) => number.as_str(),
                _ => return None,
            };
            text.parse::<f64>().ok().filter(|p| *p > 0.0 && p.is_finite())
        };
        self.value(reader, key, "a number above 0", read).map(|placed| placed.value)
    }

    /// A list of texts.
    pub(super) fn texts(
        &mut self,
        reader: &mut Reader<'_>,
        key: &'static str,
    ) -> Option<Vec<Placed<String>>> {
        let items = self.take(key)?;
        let Some(array) = items.get_ref().as_array() else {
            reader.problem(&items.span(), format!("{} must be a list of texts", self.what(key)));
            return None;
        };
        let mut texts = Vec::new();
        for item in array.iter() {
            match item.get_ref().as_str() {
                Some(text) => texts.push(Placed { value: text.to_string(), span: item.span() }),
                None => reader.problem(&item.span(), format!("{} must hold texts only", self.what(key))),
            }
        }
        Some(texts)
    }

    /// A text, or a list of texts.
    pub(super) fn texts_or_text(
        &mut self,
        reader: &mut Reader<'_>,
        key: &'static str,
    ) -> Option<Vec<Placed<String>>> {
        if self.is_text(key) { Some(vec![self.text(reader, key)?]) } else { self.texts(reader, key) }
    }

    /// Whether the value of a key is a text.
    pub(super) fn is_text(&self, key: &str) -> bool {
        self.table.and_then(|table| table.get(key)).is_some_and(|value| value.get_ref().is_str())
    }

    /// Whether a key is present.
    pub(super) fn has(&mut self, key: &'static str) -> bool {
        self.known.insert(key);
        self.table.is_some_and(|table| table.contains_key(key))
    }

    /// A list of integers from 0 to 7 as a bit set.
    pub(super) fn priorities(&mut self, reader: &mut Reader<'_>, key: &'static str) -> Option<u8> {
        self.value(reader, key, "a list of priorities from 0 to 7", |value| {
            value.as_array()?.iter().try_fold(0u8, |set, item| {
                let priority: u8 = item.get_ref().as_integer()?.as_str().parse().ok()?;
                (priority < 8).then(|| set | 1 << priority)
            })
        })
        .map(|placed| placed.value)
    }

    /// A table within this one; `None` when it is absent.
    pub(super) fn section(&mut self, reader: &mut Reader<'_>, key: &'static str) -> Option<Section<'d>> {
        let spanned = self.take(key)?;
        match spanned.get_ref().as_table() {
            Some(table) => Some(Section::new(&format!("[{key}]"), table, spanned.span())),
            None => {
                reader.problem(&spanned.span(), format!("{} must be a table", self.what(key)));
                None
            }
        }
    }

    /// A list of tables.
    pub(super) fn sections(&mut self, reader: &mut Reader<'_>, key: &'static str) -> Vec<Section<'d>> {
        let Some(spanned) = self.take(key) else {
            return Vec::new();
        };
        let Some(array) = spanned.get_ref().as_array() else {
            reader.problem(&spanned.span(), format!("{} must be a list of tables", self.what(key)));
            return Vec::new();
        };
        let mut sections = Vec::new();
        for (index, item) in array.iter().enumerate() {
            match item.get_ref().as_table() {
                Some(table) => {
                    sections.push(Section::new(&format!("{key} {}", index + 1), table, item.span()));
                }
                None => reader.problem(&item.span(), format!("{} must hold tables only", self.what(key))),
            }
        }
        sections
    }

    /// All tables within this one, under any name.
    pub(super) fn named_sections(&self, reader: &mut Reader<'_>) -> Vec<(Placed<String>, Section<'d>)> {
        let mut sections = Vec::new();
        for (key, value) in self.table.into_iter().flat_map(|table| table.iter()) {
            let name = key.get_ref().to_string();
            match value.get_ref().as_table() {
                Some(table) => {
                    let section = Section::new(&format!("`{name}`"), table, value.span());
                    sections.push((Placed { value: name, span: key.span() }, section));
                }
                None => reader.problem(&value.span(), format!("`{name}` must be a table")),
            }
        }
        sections
    }

    /// All keys and values of a table of numbers or texts, as written; values of other types are absent.
    pub(super) fn entries(&self) -> Vec<(Placed<String>, Placed<Option<String>>)> {
        let entry = |(key, value): (&Spanned<std::borrow::Cow<'d, str>>, &Spanned<DeValue<'d>>)| {
            let written = match value.get_ref() {
                DeValue::Integer(number) => Some(number.as_str().to_string()),
                other => other.as_str().map(str::to_string),
            };
            let key = Placed { value: key.get_ref().to_string(), span: key.span() };
            (key, Placed { value: written, span: value.span() })
        };
        self.table.into_iter().flat_map(|table| table.iter()).map(entry).collect()
    }

    /// Reports every key that was not read.
    pub(super) fn finish(self, reader: &mut Reader<'_>) {
        for (key, _) in self.table.into_iter().flat_map(|table| table.iter()) {
            if !self.known.contains(key.get_ref().as_ref()) {
                let known: Vec<&str> = self.known.iter().copied().collect();
                let message =
                    format!("unknown key {}; known are {}", self.what(key.get_ref()), known.join(", "));
                reader.problem(&key.span(), message);
            }
        }
    }
}
