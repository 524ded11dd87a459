//! Secrets that a configuration contains next to what the rules check: passwords, keys of servers and users, communities.
//!
//! A text with syntax errors is read leniently: what follows the name of a secret on a line is hidden if its end is unclear.

mod words;

use std::borrow::Cow;
use std::ops::Range;

use crate::finding::Finding;

/// Names of fields with secrets contain one of these words: `passkey` of TACACS+ and RADIUS servers, `password`, the
/// `secret` of users, keys of SNMPv3, BGP and MACsec.
const WORDS: [&str; 10] = [
    "passkey",
    "pass_key",
    "password",
    "passwd",
    "passphrase",
    "secret",
    "auth_key",
    "_cak",
    "community",
    "private_key",
];

/// Tables whose keys are secrets, or the names of users.
const KEY_TABLES: [&str; 2] = ["snmp_community", "snmp_user"];

/// A table whose values are secrets.
const VALUE_TABLE: &str = "ntp_key";

/// Further words before a secret in a command: `key 7 0822455D0A16`.
const COMMAND_WORDS: [&str; 3] = ["key-string", "pre-shared-key", " key "];

/// The secrets of one text.
#[derive(Debug)]
pub(crate) struct Secrets<'t> {
    text: &'t str,
    /// In the order of the text; they may overlap.
    ranges: Vec<Range<usize>>,
}

impl<'t> Secrets<'t> {
    /// Finds the secrets of a text in any input format.
    pub(crate) fn of(text: &'t str) -> Self {
        if !words::has_stem(text.as_bytes()) {
            return Self { text, ranges: Vec::new() };
        }
        let is_json = text.trim_start_matches('\u{feff}').trim_start().starts_with(['{', '[', '/', '#']);
        let mut ranges = if is_json { Scan::new(text).ranges() } else { Vec::new() };
        if !is_json || crate::device::system_of(text).is_some() {
            ranges.extend(of_commands(text));
        }
        ranges.sort_by_key(|range| range.start);
        Self { text, ranges }
    }

    /// A line of the text, which starts at byte `start`, with `*` instead of the characters of its secrets. Positions stay
    /// the same.
    pub(crate) fn hidden<'l>(&self, line: &'l str, start: usize) -> Cow<'l, str> {
        let end = start + line.len();
        let own: Vec<&Range<usize>> = self.ranges.iter().filter(|r| r.start < end && r.end > start).collect();
        if own.is_empty() {
            return Cow::Borrowed(line);
        }
        let is_secret = |at: usize| own.iter().any(|range| range.contains(&(start + at)));
        let shown = |(at, c): (usize, char)| if is_secret(at) && !c.is_whitespace() { '*' } else { c };
        Cow::Owned(line.char_indices().map(shown).collect())
    }

    /// Replaces the secrets that a message quotes.
    fn redact(&self, message: &mut String) {
        for secret in self.ranges.iter().filter_map(|range| self.text.get(range.clone())) {
            for before in ["`", "|", ":"] {
                let quoted = format!("{before}{secret}`");
                if !secret.is_empty() && message.contains(&quoted) {
                    *message = message.replace(&quoted, &format!("{before}***`"));
                }
            }
        }
    }
}

/// Hides the secrets in the messages of findings about the text, which quote parts of tables that no rule knows.
pub(crate) fn redact(findings: &mut [Finding], text: &str) {
    let mut secrets = None;
    for finding in findings.iter_mut().filter(|f| matches!(f.code, "SRC001" | "SRC003")) {
        secrets.get_or_insert_with(|| Secrets::of(text)).redact(&mut finding.message);
    }
}

/// Whether one of the words is in a name. Large files have a name for each of a million values: nothing is allocated.
fn is_secret_name(name: &str) -> bool {
    let name = name.as_bytes();
    if !words::has_stem(name) {
        return false;
    }
    let is_at = |(at, byte): (usize, &u8)| {
        WORDS.iter().map(|word| word.as_bytes()).any(|word| {
            word.first().is_some_and(|first| first.eq_ignore_ascii_case(byte))
                && name.get(at..at + word.len()).is_some_and(|part| part.eq_ignore_ascii_case(word))
        })
    };
    name.iter().enumerate().any(is_at)
}

/// What a bracket encloses.
#[derive(Debug, Default)]
struct Level {
    is_object: bool,
    /// Whether its keys are secrets.
    hides_keys: bool,
    /// Whether all values in it are secrets.
    hides_values: bool,
    /// The last key.
    key: Range<usize>,
    /// Whether the colon behind the key was read, but not yet the comma.
    is_value: bool,
}

/// A walk over the tokens of JSON, valid or not.
struct Scan<'t> {
    text: &'t str,
    levels: Vec<Level>,
    found: Vec<Range<usize>>,
}

impl<'t> Scan<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, levels: vec![Level::default()], found: Vec::new() }
    }

    fn ranges(mut self) -> Vec<Range<usize>> {
        let bytes = self.text.as_bytes();
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            at = match byte {
                b'"' => {
                    let end = string_end(bytes, at + 1);
                    let is_closed = bytes.get(end) == Some(&b'"');
                    self.token(at + 1..end, is_closed && is_at_end_of_value(bytes, end + 1));
                    end + usize::from(is_closed)
                }
                b'{' | b'[' => {
                    self.open(*byte == b'{');
                    at + 1
                }
                b'}' | b']' => {
                    if self.levels.len() > 1 {
                        self.levels.pop();
                    }
                    at + 1
                }
                b':' | b',' => {
                    if let Some(level) = self.levels.last_mut() {
                        level.is_value = *byte == b':';
                    }
                    at + 1
                }
                byte if byte.is_ascii_whitespace() => at + 1,
                _ => {
                    let end = bare_end(bytes, at);
                    let is_number = bytes[at..end].iter().all(u8::is_ascii_digit);
                    self.token(at..end, is_number && is_at_end_of_value(bytes, end));
                    end
                }
            };
        }
        self.found
    }

    fn open(&mut self, is_object: bool) {
        let Some(level) = self.levels.last() else { return };
        let name = if level.is_value { self.text.get(level.key.clone()).unwrap_or_default() } else { "" };
        let name = name.to_ascii_lowercase();
        let is_key_table = KEY_TABLES.iter().any(|table| name.contains(table));
        let hides_values = level.hides_values
            || is_key_table
            || name.contains(VALUE_TABLE)
            || (!is_object && is_secret_name(&name));
        let hides_keys = is_object && is_key_table && !name.contains('|');
        self.levels.push(Level { is_object, hides_keys, hides_values, ..Level::default() });
    }

    /// Takes a string or a word without quotes. `is_clean`: the value ends with it.
    fn token(&mut self, range: Range<usize>, is_clean: bool) {
        let Some(level) = self.levels.last_mut() else { return };
        let text = self.text.get(range.clone()).unwrap_or_default();
        if level.is_object && !level.is_value {
            let is_of =
                |table: &str| text.get(..table.len()).is_some_and(|start| start.eq_ignore_ascii_case(table));
            if level.hides_keys {
                self.found.push(range.clone());
            } else if KEY_TABLES.iter().any(|table| is_of(table))
                && let Some(bar) = text.find(['|', ':'])
            {
                self.found.push(range.start + bar + 1..range.end);
            }
            level.key = range;
            return;
        }
        let is_named = level.is_value && is_secret_name(self.text.get(level.key.clone()).unwrap_or_default());
        if is_named && !is_clean {
            let rest = self.text.get(range.start..).unwrap_or_default();
            self.found.push(range.start..range.start + rest.find('\n').unwrap_or(rest.len()));
        }
        if is_named || level.hides_values {
            self.found.push(range);
        }
    }
}

/// The end of a string: its closing quote, or the end of the line.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' | b'\n' | b'\r' => return at,
            b'\\' if bytes.get(at + 1).is_some_and(|next| !matches!(next, b'\n' | b'\r')) => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn bare_end(bytes: &[u8], start: usize) -> usize {
    let is_end =
        |b: &u8| matches!(b, b',' | b'}' | b']' | b'{' | b'[' | b':' | b'"') || b.is_ascii_whitespace();
    let rest = bytes.get(start..).unwrap_or_default();
    start + rest.iter().position(is_end).unwrap_or(rest.len()).max(1)
}

/// Whether a comma, a closing bracket or the end of the line follows.
fn is_at_end_of_value(bytes: &[u8], at: usize) -> bool {
    let rest = bytes.get(at..).unwrap_or_default();
    rest.iter()
        .find(|b| **b != b' ' && **b != b'\t')
        .is_none_or(|b| matches!(b, b',' | b'}' | b']' | b'\n' | b'\r'))
}

/// The words of a part of a text, without quotes and colons.
fn words(text: &str, part: Range<usize>) -> Vec<Range<usize>> {
    let words = text.get(part.clone()).unwrap_or_default();
    let is_between = |c: char| c.is_whitespace() || matches!(c, ':' | '"' | '\'');
    let of = |word: &str| {
        let start = part.start + (word.as_ptr() as usize - words.as_ptr() as usize);
        start..start + word.len()
    };
    words.split(is_between).filter(|word| !word.is_empty()).map(of).collect()
}

/// The secrets of a text of commands or YAML: what follows a word on its line, or the indented lines behind it.
fn of_commands(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut inside: Option<usize> = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.trim_end().len();
        let indent = line.len() - line.trim_start().len();
        if inside.is_some_and(|outer| indent > outer) {
            found.extend(words(text, start..end));
        } else {
            inside = None;
            let lower = line.to_ascii_lowercase();
            let word = |word: &&str| lower.find(*word).map(|at| at + word.len());
            if let Some(behind) = WORDS.iter().chain(&COMMAND_WORDS).filter_map(word).min() {
                found.extend(words(text, start + behind..end));
                inside = line.trim_end().ends_with(':').then_some(indent);
            }
        }
        start += line.len();
    }
    found
}
