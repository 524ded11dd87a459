//! Source texts, and spans and positions in them.

use std::fmt;

/// A file's text with the name that messages use.
#[derive(Clone, Copy, Debug)]
pub struct SourceText<'a> {
    /// Path, or `-` for standard input.
    pub name: &'a str,
    /// The whole text.
    pub text: &'a str,
}

/// A range of bytes in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// From byte offsets; texts are shorter than 4 GiB ([`crate::json::MAX_BYTES`]).
    pub(crate) fn new(start: usize, end: usize) -> Self {
        Self { start: start as u32, end: end as u32 }
    }

    /// The span moved by `bytes`.
    #[inline]
    pub(crate) fn behind(self, bytes: u32) -> Self {
        Self { start: self.start.saturating_add(bytes), end: self.end.saturating_add(bytes) }
    }
}

/// A line and column, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// The position of byte `offset`.
pub fn position(text: &str, offset: u32) -> Position {
    let mut at = (offset as usize).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let before = &text[..at];
    let line_start = before.rfind('\n').map_or(0, |i| i + 1);
    let line = before.bytes().filter(|b| *b == b'\n').count() as u32 + 1;
    Position { line, column: before[line_start..].chars().count() as u32 + 1 }
}

/// The line that contains byte `offset`, without its line end, and the offset of its start.
pub fn line_at(text: &str, offset: u32) -> (&str, u32) {
    let mut at = (offset as usize).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let start = text[..at].rfind('\n').map_or(0, |i| i + 1);
    let end = text[at..].find('\n').map_or(text.len(), |i| at + i);
    (text[start..end].trim_end_matches('\r'), start as u32)
}
