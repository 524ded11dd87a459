//! The lexer.

use std::rc::Rc;

use super::{Tok, Token, number};
use crate::diagnostic::codes;
use crate::source::{FileId, Span};

/// Punctuation, longest first.
const PUNCTUATION: &[&str] = &[
    "|+|=", "|-|=", "<<=", "&&&", "|+|", "|-|", "...", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<",
    "&&", "||", "==", "!=", "<=", ">=", "++", "..", "##", "+:", "(", ")", "{", "}", "[", "]", "<", ">", ";",
    ":", ",", ".", "@", "=", "+", "-", "*", "/", "%", "&", "|", "^", "~", "!", "?", "#",
];

/// The maximum number of multi-line strings that the lexer reads again because one may lack its closing quote: each
/// time it reads the rest of the file.
const MAX_STRING_REPAIRS: usize = 16;

/// Returns all tokens of a file, at most `limit` and one more; the last one is [`Tok::Eof`].
pub(crate) fn lex(file: FileId, text: &str, limit: usize) -> Vec<Token> {
    let mut lexer = Lexer {
        file,
        text,
        limit,
        at: 0,
        begin: 0,
        line_start: true,
        space: false,
        tokens: Vec::new(),
        long: None,
        repairs: 0,
    };
    lexer.run();
    lexer.tokens
}

struct Lexer<'a> {
    file: FileId,
    text: &'a str,
    limit: usize,
    at: usize,
    /// The offset at which the current token starts.
    begin: usize,
    line_start: bool,
    space: bool,
    tokens: Vec<Token>,
    /// The index of the first token that is a multi-line string.
    long: Option<usize>,
    /// How many strings were read again.
    repairs: usize,
}

impl Lexer<'_> {
    fn run(&mut self) {
        loop {
            self.skip_space();
            if self.tokens.len() > self.limit {
                self.at = self.text.len();
            }
            self.begin = self.at;
            let tok = self.token();
            let end = tok == Tok::Eof;
            let span = Span { file: self.file, start: self.begin as u32, end: self.at as u32 };
            let (line_start, space) = (self.line_start, self.space);
            self.tokens.push(Token { tok, span, line_start, space, hidden: None });
            self.line_start = false;
            self.space = false;
            if end {
                return;
            }
        }
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let skipped = match rest.as_bytes() {
                [b'\n', ..] => {
                    self.line_start = true;
                    1
                }
                [b' ' | b'\t' | b'\r' | 0x0b | 0x0c, ..] => 1,
                [b'\\', b'\n', ..] => 2,
                [b'\\', b'\r', b'\n', ..] => 3,
                [b'/', b'/', ..] => rest.find('\n').unwrap_or(rest.len()),
                [b'/', b'*', ..] => match rest[2..].find("*/") {
                    Some(end) => end + 4,
                    None => return,
                },
                _ if rest.starts_with('\u{feff}') => 3,
                _ => return,
            };
            self.space = true;
            self.at += skipped;
        }
    }

    fn token(&mut self) -> Tok {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return Tok::Eof };
        if rest.starts_with("/*") {
            self.at = self.text.len();
            return Tok::Bad(codes::UNTERMINATED, "unterminated comment".into());
        }
        if first.is_ascii_alphabetic() || first == '_' {
            return Tok::Ident(self.take_while(|c| c.is_ascii_alphanumeric() || c == '_').into());
        }
        if first.is_ascii_digit() {
            let text = self.take_while(|c| c.is_ascii_alphanumeric() || c == '_');
            return match number::parse(text) {
                Ok(number) => Tok::Int(Rc::new(number)),
                Err((code, message)) => Tok::Bad(code, message.into()),
            };
        }
        if first == '"' {
            return self.string();
        }
        if let Some(punct) = PUNCTUATION.iter().find(|p| rest.starts_with(**p)) {
            self.at += punct.len();
            return Tok::Punct(punct);
        }
        self.at += first.len_utf8();
        Tok::Bad(codes::UNEXPECTED_CHARACTER, format!("unknown character `{}`", first.escape_debug()).into())
    }

    fn take_while(&mut self, accept: impl Fn(char) -> bool) -> &str {
        let start = self.at;
        let rest = self.rest();
        self.at += rest.find(|c| !accept(c)).unwrap_or(rest.len());
        &self.text[start..self.at]
    }

    fn string(&mut self) -> Tok {
        let mut value = String::new();
        let mut chars = self.text[self.at + 1..].char_indices();
        let start = self.at + 1;
        let mut lines = 0;
        while let Some((i, c)) = chars.next() {
            match c {
                '"' => {
                    self.at = start + i + 1;
                    if lines > 0 {
                        self.long = self.long.or(Some(self.tokens.len()));
                    }
                    return Tok::Str(value.into());
                }
                '\\' => match chars.next() {
                    Some((_, 'n')) => value.push('\n'),
                    Some((_, 'r')) => value.push('\r'),
                    Some((_, 't')) => value.push('\t'),
                    Some((_, '\n')) | None => {}
                    Some((_, other)) => value.push(other),
                },
                c => {
                    lines += usize::from(c == '\n');
                    value.push(c);
                }
            }
        }
        self.unclosed()
    }

    /// Handles an unterminated string. If a multi-line string precedes it, that one probably lacks its closing quote:
    /// the lexer then reports that string, and continues at the end of its line.
    fn unclosed(&mut self) -> Tok {
        self.repairs += 1;
        let may_repair = self.repairs <= MAX_STRING_REPAIRS;
        let first = self.long.filter(|_| may_repair).and_then(|i| self.tokens.get(i).cloned());
        if let (Some(first), Some(at)) = (first, self.long.take()) {
            self.tokens.truncate(at);
            self.at = first.span.start as usize;
            (self.line_start, self.space) = (first.line_start, first.space);
        }
        self.begin = self.at;
        let rest = &self.text[self.at..];
        self.at += rest.find('\n').unwrap_or(rest.len());
        Tok::Bad(codes::UNTERMINATED, "unterminated string literal".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let tokens = lex(FileId(0), text, 100);
        let shown: Vec<String> = tokens
            .iter()
            .filter(|t| t.tok != Tok::Eof)
            .map(|t| match &t.tok {
                Tok::Ident(n) => n.to_string(),
                Tok::Int(n) => format!("{}{:?}", n.value, n.width),
                Tok::Str(s) => format!("{s:?}"),
                Tok::Punct(p) => (*p).to_owned(),
                Tok::Bad(code, _) => format!("bad {}", code.id),
                Tok::PragmaEnd | Tok::Eof => String::new(),
            })
            .collect();
        assert_eq!(shown, expected, "{text}");
    }

    #[test]
    fn text_is_split_into_the_expected_tokens() {
        check("a|+|b &&& c", &["a", "|+|", "b", "&&&", "c"]);
        check("bit<bit<8>>", &["bit", "<", "bit", "<", "8None", ">", ">"]);
        check("1..5 ...", &["1None", "..", "5None", "..."]);
        check("8w3/*x\n*/\"a\\\"b\"//c\n+:", &["3Some((8, false))", "\"a\\\"b\"", "+:"]);
        check("x\\\ny", &["x", "y"]);
        check("$ /*", &["bad E0001", "bad E0002"]);
        check("\"abc\n1", &["bad E0002", "1None"]);
        check("\"a\nb\" c", &["\"a\\nb\"", "c"]);
        // The first string lacks its closing quote.
        check("\"a; 1\n2 \"b\" \"c\"", &["bad E0002", "2None", "\"b\"", "\"c\""]);
    }
}
