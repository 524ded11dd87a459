//! JSON (RFC 8259) with the place of every key and value, that never stops at the first problem.
//!
//! Values borrow from the text; only strings with escapes are copied. Nodes live in one arena, the members of an
//! object beside each other. What a person would mean is understood and reported: a missing or trailing comma, a
//! comment, a template that was never rendered, a value without quotes.

use std::borrow::Cow;
use std::ops::Range;

use crate::source::Span;

/// The longest text that is read.
pub const MAX_BYTES: usize = 1 << 30;
/// The deepest nesting that is read.
pub const MAX_DEPTH: u32 = 64;
/// Problems reported for one text; the rest is summarised by [`Json::problems_left_out`].
pub const MAX_PROBLEMS: usize = 100;

/// A parsed text.
#[derive(Debug, Default)]
pub struct Json<'a> {
    nodes: Vec<Node<'a>>,
    /// The outermost value; `None` for a text without any.
    pub root: Option<Node<'a>>,
    /// What is wrong with the text.
    pub problems: Vec<Problem>,
    /// Problems beyond [`MAX_PROBLEMS`].
    pub problems_left_out: usize,
}

/// Something wrong with the text itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where.
    pub span: Span,
    /// What was found and what was expected.
    pub message: String,
}

/// A value, with its key when it is a member of an object.
#[derive(Clone, Debug)]
pub struct Node<'a> {
    /// The key, empty for an element of an array.
    pub key: Cow<'a, str>,
    /// Place of the key with its quotes.
    pub key_span: Span,
    /// The value.
    pub value: Value<'a>,
    /// Place of the value with its quotes or brackets.
    pub span: Span,
}

/// What a node holds.
#[derive(Clone, Debug)]
pub enum Value<'a> {
    /// `null`, or nothing where a value belongs.
    Null,
    /// A number, `true` or `false`, as written.
    Bare(&'a str),
    /// A string, unescaped.
    Text(Cow<'a, str>),
    /// An array: its elements in the arena.
    Array(Range<u32>),
    /// An object: its members in the arena.
    Object(Range<u32>),
}

impl<'a> Json<'a> {
    /// The members or elements of a value; none for anything else.
    pub fn children(&self, value: &Value<'a>) -> &[Node<'a>] {
        match value {
            Value::Array(range) | Value::Object(range) => {
                self.nodes.get(range.start as usize..range.end as usize).unwrap_or_default()
            }
            _ => &[],
        }
    }
}

/// Reads a text.
pub fn parse(text: &str) -> Json<'_> {
    let mut parser = Parser {
        text,
        bytes: text.as_bytes(),
        at: 0,
        json: Json::default(),
        pending: Vec::with_capacity(256),
        depth: 0,
    };
    parser.json.nodes.reserve(text.len() / 40);
    parser.document();
    parser.json
}

struct Parser<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    json: Json<'a>,
    /// Members of the objects that are still open; a closed object moves its own to the arena.
    pending: Vec<Node<'a>>,
    depth: u32,
}

impl<'a> Parser<'a> {
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
        let (value, span) = self.value();
        self.json.root = Some(Node { key: Cow::Borrowed(""), key_span: Span::default(), value, span });
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
        if self.json.problems.len() == MAX_PROBLEMS {
            self.json.problems_left_out += 1;
            return;
        }
        self.json.problems.push(Problem { span: Span::new(start, end), message });
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn end_of_line(&self) -> usize {
        let rest = &self.bytes[self.at..];
        self.at + rest.iter().position(|b| *b == b'\n' || *b == b'\r').unwrap_or(rest.len())
    }

    /// Skips white space, and comments and templates with a report.
    #[inline]
    fn blank(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\n' | b'\r' | b'\t' => self.at += 1,
                b'/' | b'#' => self.comment(byte),
                b'{' if matches!(self.bytes.get(self.at + 1), Some(b'{' | b'%' | b'#')) => self.template(),
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
        self.problem(start, self.at, "JSON has no comments".into());
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
            // `{{` of an object in an object without a key: leave it to the caller.
            self.at += 1;
            self.problem(start, start + 1, "an object where a key belongs".into());
            return;
        };
        self.at = end;
        self.problem(start, end, "a template expression that was not rendered".into());
    }

    fn value(&mut self) -> (Value<'a>, Span) {
        let start = self.at;
        let value = match self.peek() {
            Some(b'"') => Value::Text(self.string()),
            Some(b'{') => self.container(b'}'),
            Some(b'[') => self.container(b']'),
            Some(b'\'') => Value::Text(Cow::Borrowed(self.single_quoted())),
            _ => self.bare(),
        };
        (value, Span::new(start, self.at))
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

    /// A number, a literal, or whatever else stands there up to the next delimiter.
    fn bare(&mut self) -> Value<'a> {
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
                self.problem(start, end, "a value is missing here".into());
                Value::Null
            }
            "null" => Value::Null,
            "true" | "false" => Value::Bare(word),
            _ if is_number(word) => Value::Bare(word),
            _ => {
                let shown: String = word.chars().take(40).collect();
                self.problem(
                    start,
                    self.at,
                    format!("`{shown}` is no JSON value; a string needs double quotes"),
                );
                Value::Text(Cow::Borrowed(word))
            }
        }
    }

    fn container(&mut self, close: u8) -> Value<'a> {
        let open_at = self.at;
        self.at += 1;
        if self.depth == MAX_DEPTH {
            self.problem(open_at, open_at + 1, format!("nested deeper than {MAX_DEPTH} levels"));
            self.at = self.bytes.len();
            return Value::Null;
        }
        self.depth += 1;
        let first = self.pending.len();
        loop {
            self.blank();
            match self.peek() {
                None => {
                    let what = if close == b'}' { "object" } else { "array" };
                    self.problem(open_at, open_at + 1, format!("this {what} is never closed"));
                    break;
                }
                Some(byte) if byte == close => {
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
                    self.problem(self.at, self.at + 1, "a comma with nothing before it".into());
                    self.at += 1;
                    continue;
                }
                _ => {}
            }
            if close == b'}' {
                self.member();
            } else {
                let (value, span) = self.value();
                self.pending.push(Node { key: Cow::Borrowed(""), key_span: Span::default(), value, span });
            }
            self.separator(close);
        }
        self.depth -= 1;
        let begin = self.json.nodes.len() as u32;
        self.json.nodes.extend(self.pending.drain(first..));
        let range = begin..self.json.nodes.len() as u32;
        if close == b'}' { Value::Object(range) } else { Value::Array(range) }
    }

    /// The comma between members, or what stands in its place.
    fn separator(&mut self, close: u8) {
        let after = self.at;
        self.blank();
        match self.peek() {
            Some(b',') => {
                let comma = self.at;
                self.at += 1;
                self.blank();
                if self.peek() == Some(close) {
                    self.problem(
                        comma,
                        comma + 1,
                        "a trailing comma; JSON allows none before a closing bracket".into(),
                    );
                }
            }
            Some(b'}' | b']') | None => {}
            Some(_) => self.problem(after, after, "expected `,` between members".into()),
        }
    }

    fn member(&mut self) {
        let key_start = self.at;
        let key = match self.peek() {
            Some(b'"') => self.string(),
            Some(b'\'') => Cow::Borrowed(self.single_quoted()),
            Some(b'{' | b'[' | b':') => {
                self.problem(self.at, self.at + 1, "a member without a key".into());
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
                self.pending.push(Node { key, key_span, value: Value::Null, span });
                return;
            }
        }
        let (value, span) = self.value();
        self.pending.push(Node { key, key_span, value, span });
    }

    /// A string; `at` is on its opening quote.
    #[inline]
    fn string(&mut self) -> Cow<'a, str> {
        let start = self.at + 1;
        let mut at = start;
        while let Some(byte) = self.bytes.get(at) {
            match byte {
                b'"' => {
                    self.at = at + 1;
                    return Cow::Borrowed(&self.text[start..at]);
                }
                b'\\' => return Cow::Owned(self.escaped(start, at)),
                b'\n' | b'\r' => break,
                0..0x20 => {
                    self.problem(at, at + 1, "a control character in a string must be escaped".into());
                    at += 1;
                }
                _ => at += 1,
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

    /// One escape at `at`; returns the place behind it.
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
                self.problem(at, at + 1, "`\\` starts no known escape here".into());
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
