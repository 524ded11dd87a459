//! Finds braces that are not closed.
//!
//! A parser notices a missing `}` only where the rest of the file makes no sense any more, often at its end. As in most
//! compilers, the indentation shows where the brace belongs: before the first line that starts further left than the
//! line of the open brace.

use crate::diagnostic::{Diagnostic, Sink, codes};
use crate::lex::{Tok, Token};
use crate::source::{SourceMap, Span};

/// Words that start a declaration, and never continue one on a new line.
const STARTS: &[&str] = &[
    "header",
    "header_union",
    "struct",
    "enum",
    "control",
    "parser",
    "action",
    "table",
    "state",
    "typedef",
    "extern",
    "package",
    "apply",
];

/// An open brace.
struct Open {
    span: Span,
    /// The column at which its line starts; `None` if it is part of a macro.
    indent: Option<u32>,
}

/// If the program has more `{` than `}`, reports those that are not closed and closes them.
pub(super) fn close_braces(tokens: Vec<Token>, sources: &SourceMap, sink: &mut Sink) -> Vec<Token> {
    let count = |brace: &str| tokens.iter().filter(|token| token.is(brace)).count();
    if count("{") <= count("}") {
        return tokens;
    }
    let mut repair = Repair { sources, sink, open: Vec::new(), out: Vec::with_capacity(tokens.len() + 1) };
    let mut indent = None;
    for token in tokens {
        if token.line_start {
            indent = Some(column(sources, token.span));
            repair.before_line(&token);
        }
        match &token.tok {
            Tok::Punct("{") => repair.open.push(Open { span: token.span, indent }),
            Tok::Punct("}") => drop(repair.open.pop()),
            Tok::Eof => repair.at_end(token.span),
            _ => {}
        }
        repair.out.push(token);
    }
    repair.out
}

struct Repair<'a> {
    sources: &'a SourceMap,
    sink: &'a mut Sink,
    open: Vec<Open>,
    out: Vec<Token>,
}

impl Repair<'_> {
    /// Closes the braces that the first token of a line shows to be unclosed.
    fn before_line(&mut self, token: &Token) {
        let here = column(self.sources, token.span);
        let closes = token.is("}");
        let declares = token.ident().is_some_and(|word| STARTS.contains(&&**word));
        while let Some(Open { span, indent: Some(indent) }) = self.open.last() {
            let outside = if closes { here < *indent } else { declares && here <= *indent };
            if !outside || span.file != token.span.file {
                return;
            }
            let span = *span;
            let text =
                if closes { "this `}` closes an outer block" } else { "expected `}` before this line" };
            self.report(Diagnostic::error(codes::UNEXPECTED_TOKEN, span, NOT_CLOSED).also(token.span, text));
            self.close(token.span);
        }
    }

    /// Reports the braces that are open at the end of the file, the innermost first.
    fn at_end(&mut self, end: Span) {
        let Some(innermost) = self.open.last() else { return };
        let mut diagnostic = Diagnostic::error(codes::UNEXPECTED_TOKEN, innermost.span, NOT_CLOSED);
        for outer in self.open.iter().rev().skip(1).take(MAX_SHOWN_OUTER) {
            diagnostic = diagnostic.also(outer.span, "nor is this one");
        }
        self.report(diagnostic);
        while !self.open.is_empty() {
            self.close(end);
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.sink.push(diagnostic.label("no `}` closes this brace"));
    }

    /// Adds the closing brace of the innermost block.
    fn close(&mut self, before: Span) {
        self.open.pop();
        let span = self.out.last().map_or(before, |token| token.span.tail());
        let tok = Tok::Punct("}");
        self.out.push(Token { tok, span, line_start: false, space: true, hidden: None });
    }
}

/// The maximum number of enclosing braces that are shown with one that is not closed at the end of the file.
const MAX_SHOWN_OUTER: usize = 4;

const NOT_CLOSED: &str = "unclosed `{`";

/// Returns the column of a token, counted from 0.
fn column(sources: &SourceMap, span: Span) -> u32 {
    sources.get(span.file).map_or(0, |file| span.start - file.line_start(span.start).min(span.start))
}
