//! A JSON (RFC 8259) reader with the span of every key and value, which continues after syntax errors.
//!
//! The reader calls [`Events`], so that a configuration is read into tables without a tree ([`crate::input`]);
//! [`parse`] builds a tree. Values borrow from the text; only strings with escapes are copied. Common errors are
//! reported and then accepted: a missing or trailing comma, a comment, a template that was not rendered, a value
//! without quotes.

pub(crate) mod edit;
pub(crate) mod scan;
mod tree;

use std::borrow::Cow;

pub use tree::{Json, Node, Value, parse};

use crate::source::Span;

/// The longest text that is read.
pub const MAX_BYTES: usize = 1 << 30;
/// The deepest nesting that is read.
pub const MAX_DEPTH: u32 = 64;
/// The most problems reported for one text; [`Json::problems_left_out`] counts the rest.
pub const MAX_PROBLEMS: usize = 100;

/// The end of the message about an object or array whose end is missing: the text is incomplete.
pub(crate) const NEVER_CLOSED: &str = "is never closed";

/// A syntax error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Its position.
    pub span: Span,
    /// What was found and what was expected.
    pub message: String,
}

/// Problems of one text.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    pub(crate) problems: Vec<Problem>,
    /// The number of problems beyond [`MAX_PROBLEMS`].
    pub(crate) left_out: usize,
}

impl Problems {
    fn count(&self) -> usize {
        self.problems.len() + self.left_out
    }
}

/// The key of a member; empty for an element of an array.
#[derive(Debug, Default)]
pub(crate) struct Key<'a> {
    pub(crate) text: Cow<'a, str>,
    /// Its span with the quotes.
    pub(crate) span: Span,
}

/// A value without members.
#[derive(Debug)]
pub(crate) enum Scalar<'a> {
    /// `null`, or a missing value.
    Null,
    /// A number, `true` or `false`, as written.
    Bare(&'a str),
    /// A string, unescaped.
    Text(Cow<'a, str>),
}

/// Receives the values of a text while it is read.
pub(crate) trait Events<'a> {
    /// Called at the start of an object or array.
    fn open(&mut self, key: Key<'a>, is_object: bool);
    /// Called at an object that starts at byte `at`. If its text is known, takes its key and returns the number of
    /// bytes to skip.
    fn known(&mut self, _key: &mut Key<'a>, _text: &'a [u8], _at: usize) -> Option<usize> {
        None
    }
    /// Called at the end of the innermost open object or array, with its span including the brackets, and whether it
    /// had no problems.
    fn close(&mut self, span: Span, is_sound: bool);
    /// Called for a value without members.
    fn scalar(&mut self, key: Key<'a>, scalar: Scalar<'a>, span: Span);
    /// Whether to stop reading.
    fn has_enough(&self) -> bool {
        false
    }
}

/// Reads a text.
pub(crate) fn read<'a, E: Events<'a>>(text: &'a str, events: E) -> (E, Problems) {
    let problems = Problems::default();
    let mut reader =
        Reader { text, bytes: text.as_bytes(), at: 0, events, problems, depth: 0, is_too_deep: false };
    reader.document();
    (reader.events, reader.problems)
}

struct Reader<'a, E> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    events: E,
    problems: Problems,
    depth: u32,
    /// Whether the rest of the text was skipped because of its depth.
    is_too_deep: bool,
}

impl<'a, E: Events<'a>> Reader<'a, E> {
    fn document(&mut self) {
        if self.bytes.len() > MAX_BYTES {
            self.problem(0, 0, "the text is longer than 1 GiB and was not read".into());
            return;
        }
        if self.text.starts_with('\u{feff}') {
            self.at = '\u{feff}'.len_utf8();
        }
        self.blank();
        if self.at == self.bytes.len() {
            self.problem(self.at, self.at, "the text is empty; expected `{`".into());
            return;
        }
        self.value(Key::default());
        if self.events.has_enough() {
            return;
        }
        self.blank();
        if self.at < self.bytes.len() {
            let message = match self.bytes[self.at] {
                b'}' | b']' => "a closing bracket without an opening one".to_string(),
                _ => "text after the end of the JSON value".to_string(),
            };
            self.problem(self.at, self.end_of_line(), message);
        }
    }

    fn problem(&mut self, start: usize, end: usize, message: String) {
        if self.problems.problems.len() == MAX_PROBLEMS {
            self.problems.left_out += 1;
            return;
        }
        self.problems.problems.push(Problem { span: Span::new(start, end), message });
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn end_of_line(&self) -> usize {
        let rest = &self.bytes[self.at..];
        self.at + rest.iter().position(|b| *b == b'\n' || *b == b'\r').unwrap_or(rest.len())
    }

    /// Skips white space, and reports and skips comments and templates.
    #[inline(always)]
    fn blank(&mut self) {
        // In most cases the next token follows at once, or after one space.
        match self.bytes.get(self.at) {
            Some(b'"' | b':' | b',' | b'}') => {}
            Some(b' ') if self.bytes.get(self.at + 1) == Some(&b'"') => self.at += 1,
            _ => self.blank_run(),
        }
    }

    fn blank_run(&mut self) {
        loop {
            self.at = scan::blank_end(self.bytes, self.at);
            match self.peek() {
                Some(byte @ (b'/' | b'#')) => self.comment(byte),
                Some(b'{') if matches!(self.bytes.get(self.at + 1), Some(b'{' | b'%' | b'#')) => {
                    self.template();
                }
                _ => return,
            }
        }
    }

    fn comment(&mut self, first: u8) {
        let start = self.at;
        let second = self.bytes.get(self.at + 1).copied();
        if first == b'/' && second == Some(b'*') {
            let rest = &self.text[self.at..];
            self.at += rest.find("*/").map_or(rest.len(), |i| i + 2);
        } else {
            self.at = self.end_of_line();
        }
        self.problem(start, self.at, "comments are not allowed in JSON".into());
    }

    fn template(&mut self) {
        let start = self.at;
        let close = match self.bytes[self.at + 1] {
            b'{' => "}}",
            b'%' => "%}",
            _ => "#}",
        };
        let rest = &self.text[self.at..];
        let line = self.end_of_line();
        let found = rest.find(close).map(|i| self.at + i + 2).filter(|end| close == "#}" || *end <= line);
        let Some(end) = found else {
            // `{{` of an object that lacks a key: handled by the caller.
            self.at += 1;
            self.problem(start, start + 1, "expected a key, found an object".into());
            return;
        };
        self.at = end;
        self.problem(start, end, "a template expression that was not rendered".into());
    }

    fn value(&mut self, key: Key<'a>) {
        let start = self.at;
        let scalar = match self.peek() {
            Some(b'"') => Scalar::Text(self.string()),
            Some(b'{') => return self.container(key, b'}'),
            Some(b'[') => return self.container(key, b']'),
            Some(b'\'') => Scalar::Text(Cow::Borrowed(self.single_quoted())),
            _ => self.bare(),
        };
        self.events.scalar(key, scalar, Span::new(start, self.at));
    }

    fn single_quoted(&mut self) -> &'a str {
        let start = self.at;
        let line = self.end_of_line();
        let inner = &self.bytes[start + 1..line];
        let end = inner.iter().position(|b| *b == b'\'').map_or(line, |i| start + 1 + i);
        self.at = (end + 1).min(line);
        self.problem(start, self.at, "strings need double quotes".into());
        self.text.get(start + 1..end).unwrap_or_default()
    }

    /// Reads a number, a literal, or any other text up to the next delimiter.
    fn bare(&mut self) -> Scalar<'a> {
        let start = self.at;
        while let Some(byte) = self.peek() {
            if matches!(byte, b',' | b'}' | b']' | b'{' | b'[' | b':' | b'"' | b'\n' | b'\r' | b' ' | b'\t') {
                break;
            }
            self.at += 1;
        }
        let word = &self.text[start..self.at];
        match word {
            "" => {
                let end = (start + 1).min(self.bytes.len());
                self.problem(start, end, "expected a value".into());
                // Skip the byte, so that the reader makes progress.
                self.at += usize::from(self.peek() == Some(b':'));
                Scalar::Null
            }
            "null" => Scalar::Null,
            "true" | "false" => Scalar::Bare(word),
            _ if is_number(word) => Scalar::Bare(word),
            _ => {
                // Any other word may be a secret.
                let shown = match word {
                    "True" | "False" | "None" | "NaN" => format!("`{word}`"),
                    _ => "this word".to_string(),
                };
                let message = format!("{shown} is not a JSON value; a string needs double quotes");
                self.problem(start, self.at, message);
                Scalar::Text(Cow::Borrowed(word))
            }
        }
    }

    fn container(&mut self, mut key: Key<'a>, close: u8) {
        let open_at = self.at;
        if close == b'}'
            && let Some(length) = self.events.known(&mut key, self.bytes, open_at)
        {
            self.at += length;
            return;
        }
        self.at += 1;
        let problems = self.problems.count();
        if self.depth == MAX_DEPTH {
            self.problem(open_at, open_at + 1, format!("nested deeper than {MAX_DEPTH} levels"));
            self.at = self.bytes.len();
            self.is_too_deep = true;
            return self.events.scalar(key, Scalar::Null, Span::new(open_at, self.at));
        }
        self.depth += 1;
        self.events.open(key, close == b'}');
        let mut comma = None;
        while !self.events.has_enough() {
            self.blank();
            match self.peek() {
                None if self.is_too_deep => break,
                None => {
                    let what = if close == b'}' { "object" } else { "array" };
                    self.problem(open_at, open_at + 1, format!("this {what} {NEVER_CLOSED}"));
                    break;
                }
                Some(byte) if byte == close => {
                    if let Some(comma) = comma {
                        let message = "trailing comma before a closing bracket";
                        self.problem(comma, comma + 1, message.into());
                    }
                    self.at += 1;
                    break;
                }
                Some(b'}' | b']') => {
                    let expected = char::from(close);
                    self.problem(self.at, self.at + 1, format!("expected `{expected}` to close the bracket"));
                    self.at += 1;
                    break;
                }
                Some(b',') => {
                    self.problem(self.at, self.at + 1, "unexpected comma".into());
                    self.at += 1;
                    continue;
                }
                _ => {}
            }
            if close == b'}' {
                self.member();
            } else {
                self.value(Key::default());
            }
            comma = self.separator();
        }
        self.depth -= 1;
        self.events.close(Span::new(open_at, self.at), self.problems.count() == problems);
    }

    /// Reads the comma between members, or reports what is there instead. Returns the offset of the comma.
    fn separator(&mut self) -> Option<usize> {
        let after = self.at;
        self.blank();
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                return Some(self.at - 1);
            }
            Some(b'}' | b']') | None => {}
            Some(_) => self.problem(after, after, "expected `,` between members".into()),
        }
        None
    }

    fn member(&mut self) {
        let key_start = self.at;
        let key = match self.peek() {
            Some(b'"') => self.string(),
            Some(b'\'') => Cow::Borrowed(self.single_quoted()),
            Some(b'{' | b'[' | b':') => {
                self.problem(self.at, self.at + 1, "expected a key before `:`".into());
                Cow::Borrowed("")
            }
            _ => {
                let start = self.at;
                while self
                    .peek()
                    .is_some_and(|b| !matches!(b, b':' | b',' | b'}' | b'\n' | b'\r' | b'{' | b'['))
                {
                    self.at += 1;
                }
                let word = self.text[start..self.at].trim_end();
                self.problem(start, self.at, "a key needs double quotes".into());
                Cow::Borrowed(word)
            }
        };
        let key_span = Span::new(key_start, self.at);
        self.blank();
        if self.peek() == Some(b':') {
            self.at += 1;
            self.blank();
        } else {
            self.problem(self.at, self.at, "expected `:` after the key".into());
            if matches!(self.peek(), Some(b',' | b'}' | b']') | None) {
                let span = Span::new(self.at, self.at);
                return self.events.scalar(Key { text: key, span: key_span }, Scalar::Null, span);
            }
        }
        self.value(Key { text: key, span: key_span });
    }

    /// Reads a string; `at` is at its opening quote.
    #[inline]
    fn string(&mut self) -> Cow<'a, str> {
        let start = self.at + 1;
        let mut at = start;
        loop {
            at = scan::plain_end(self.bytes, at);
            match self.bytes.get(at) {
                Some(b'"') => {
                    self.at = at + 1;
                    return Cow::Borrowed(&self.text[start..at]);
                }
                Some(b'\\') => return Cow::Owned(self.escaped(start, at)),
                None | Some(b'\n' | b'\r') => break,
                Some(_) => {
                    self.problem(at, at + 1, "a control character in a string must be escaped".into());
                    at += 1;
                }
            }
        }
        self.problem(start - 1, at, "this string is never closed".into());
        self.at = at;
        Cow::Borrowed(&self.text[start..at])
    }

    fn escaped(&mut self, start: usize, mut at: usize) -> String {
        let mut text = self.text[start..at].to_string();
        loop {
            let rest = &self.text[at..];
            let run = rest.find(['"', '\\', '\n', '\r']).unwrap_or(rest.len());
            text.push_str(&rest[..run]);
            at += run;
            match self.bytes.get(at) {
                Some(b'"') => {
                    self.at = at + 1;
                    return text;
                }
                Some(b'\\') => at = self.escape(at, &mut text),
                _ => {
                    self.problem(start - 1, at, "this string is never closed".into());
                    self.at = at;
                    return text;
                }
            }
        }
    }

    /// Reads an escape at `at`; returns the offset after it.
    fn escape(&mut self, at: usize, text: &mut String) -> usize {
        let simple = match self.bytes.get(at + 1) {
            Some(b'n') => '\n',
            Some(b't') => '\t',
            Some(b'r') => '\r',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(c @ (b'"' | b'\\' | b'/')) => char::from(*c),
            Some(b'u') => return self.unicode_escape(at, text),
            _ => {
                self.problem(at, at + 1, "unknown escape sequence".into());
                text.push('\\');
                return at + 1;
            }
        };
        text.push(simple);
        at + 2
    }

    fn unicode_escape(&mut self, at: usize, text: &mut String) -> usize {
        let unit = |at: usize| {
            let digits =
                self.text.get(at + 2..at + 6).filter(|_| self.text.get(at..at + 2) == Some("\\u"))?;
            digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok())?
        };
        let units: Vec<u16> = [unit(at), unit(at + 6)].into_iter().map_while(|u| u).collect();
        match char::decode_utf16(units).next() {
            Some(Ok(c)) => {
                text.push(c);
                at + if c.len_utf16() == 2 { 12 } else { 6 }
            }
            _ => {
                self.problem(
                    at,
                    (at + 2).min(self.bytes.len()),
                    "`\\u` needs four hexadecimal digits of a character".into(),
                );
                text.push('\u{fffd}');
                at + 2
            }
        }
    }
}

/// RFC 8259 section 6.
fn is_number(word: &str) -> bool {
    let body = word.strip_prefix('-').unwrap_or(word);
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    let (mantissa, exponent) = match body.split_once(['e', 'E']) {
        Some((m, e)) => (m, Some(e.strip_prefix(['+', '-']).unwrap_or(e))),
        None => (body, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((w, f)) => (w, Some(f)),
        None => (mantissa, None),
    };
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(digits)
}
