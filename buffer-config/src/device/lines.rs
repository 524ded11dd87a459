//! Running configurations of EOS and NX-OS: commands, each with the commands that are indented below it.

use std::fmt;

use super::{Device, Remark};
use crate::source::Span;

/// The deepest nesting that is kept; deeper commands belong to the last block. Real configurations have at most four
/// levels.
const MAX_DEPTH: usize = 12;

/// A word and its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word<'a> {
    pub(super) text: &'a str,
    pub(super) span: Span,
}

/// A command with its block.
#[derive(Clone, Debug, Default)]
pub(super) struct Command<'a> {
    pub(super) words: Vec<Word<'a>>,
    /// The whole line without its indentation.
    pub(super) span: Span,
    pub(super) block: Vec<Command<'a>>,
}

impl<'a> Command<'a> {
    /// The rest of the words if the command begins with these.
    pub(super) fn after(&self, begin: &[&str]) -> Option<&[Word<'a>]> {
        let (head, rest) = self.words.split_at_checked(begin.len())?;
        head.iter().zip(begin).all(|(word, expected)| word.text == *expected).then_some(rest)
    }

    /// Whether the command consists of these words.
    pub(super) fn is(&self, words: &[&str]) -> bool {
        self.after(words).is_some_and(<[Word<'_>]>::is_empty)
    }

    /// The word after `name`, anywhere in the command.
    pub(super) fn value(&self, name: &str) -> Option<Word<'a>> {
        let at = self.words.iter().position(|word| word.text == name)?;
        self.words.get(at + 1).copied()
    }

    /// The text after the first `count` words, as written.
    pub(super) fn text_after<'t>(&self, text: &'t str, count: usize) -> &'t str {
        let start = self.words.get(count).map_or(self.span.end, |word| word.span.start);
        text.get(start as usize..self.span.end as usize).unwrap_or_default().trim_end()
    }
}

/// The most banners without an end for which one is looked for: each search reads the rest of the text.
const MAX_UNCLOSED: usize = 16;

/// Reads a running configuration. Comments begin with `!`; the text of a banner is skipped. A banner that never ends is
/// reported, and the lines after it are read as commands.
pub(super) fn read<'a>(text: &'a str, device: &mut Device) -> Vec<Command<'a>> {
    let mut unclosed = 0;
    let mut root: Vec<Command<'_>> = Vec::new();
    // Open blocks, outermost first: their indentation and command.
    let mut open: Vec<(usize, Command<'_>)> = Vec::new();
    let mut banner: Option<BannerEnd<'_>> = None;
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let start = offset;
        offset += line.len();
        let body = line.trim_end();
        if let Some(end) = banner {
            if end.is_in(body) {
                banner = None;
            }
            continue;
        }
        let shown = body.trim_start_matches(['\u{feff}', ' ', '\t']);
        if shown.is_empty() || shown.starts_with('!') {
            continue;
        }
        let at = start + body.len() - shown.len();
        let words = words(shown, at);
        if let Some(end) = banner_end(shown).filter(|_| unclosed < MAX_UNCLOSED) {
            if text.get(offset..).unwrap_or_default().lines().any(|line| end.is_in(line.trim_end())) {
                banner = Some(end);
            } else {
                unclosed += 1;
                let message =
                    format!("the banner has no end: expected {end}; what follows is read as commands");
                device.remark(Remark::new("SRC001", Span::new(at, at + shown.len()), "/banner", message));
            }
        }
        let indent = shown_indent(body, shown);
        while open.last().is_some_and(|(level, _)| *level >= indent) || open.len() >= MAX_DEPTH {
            close(&mut open, &mut root);
        }
        open.push((indent, Command { words, span: Span::new(at, at + shown.len()), block: Vec::new() }));
    }
    while !open.is_empty() {
        close(&mut open, &mut root);
    }
    root
}

fn close<'a>(open: &mut Vec<(usize, Command<'a>)>, root: &mut Vec<Command<'a>>) {
    if let Some((_, command)) = open.pop() {
        open.last_mut().map_or(root, |(_, parent)| &mut parent.block).push(command);
    }
}

fn shown_indent(body: &str, shown: &str) -> usize {
    body.trim_start_matches('\u{feff}').len() - shown.len()
}

fn words(line: &str, at: usize) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut offset = 0;
    for part in line.split([' ', '\t']) {
        if !part.is_empty() {
            words.push(Word { text: part, span: Span::new(at + offset, at + offset + part.len()) });
        }
        offset += part.len() + 1;
    }
    words
}

/// What ends a banner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BannerEnd<'a> {
    /// The line `EOF` (EOS).
    Line,
    /// The delimiter with which its text begins (NX-OS).
    Delimiter(&'a str),
}

impl BannerEnd<'_> {
    fn is_in(self, line: &str) -> bool {
        match self {
            Self::Line => line == "EOF",
            Self::Delimiter(mark) => line.contains(mark),
        }
    }
}

impl fmt::Display for BannerEnd<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line => out.write_str("a line `EOF`"),
            Self::Delimiter(mark) => write!(out, "`{}`", mark.escape_debug()),
        }
    }
}

/// What ends the banner that a command begins; `None` if it is no banner, or ends in the same line.
///
/// The delimiter is any character, also the control character that configurations show as `^C`.
fn banner_end(line: &str) -> Option<BannerEnd<'_>> {
    let rest = line.strip_prefix("banner")?.strip_prefix([' ', '\t'])?.trim_start();
    let (_, text) = rest.split_once([' ', '\t']).unwrap_or((rest, ""));
    let text = text.trim_start();
    let Some(first) = text.chars().next() else { return Some(BannerEnd::Line) };
    let length = if text.starts_with("^C") { "^C".len() } else { first.len_utf8() };
    let (mark, text) = text.split_at(length);
    (!text.contains(mark)).then_some(BannerEnd::Delimiter(mark))
}
