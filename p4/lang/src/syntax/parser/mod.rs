//! A recursive-descent parser with error recovery.
//!
//! P4 is not context-free: `(a)(b)` is a cast only if `a` is a type. The parser therefore tracks declared names by
//! scope, as the grammar of the specification does.

mod annotation;
mod braces;
mod decl;
mod expr;
mod stmt;
mod table;
mod types;

use std::collections::{BTreeMap, BTreeSet};

use super::ast::{Decl, Expr, ExprKind, Ident, Unit};
use crate::diagnostic::{Code, Diagnostic, Sink, codes};
use crate::lex::{Name, Tok, Token};
use crate::source::{SourceMap, Span};

/// The maximum nesting of expressions, types and statements.
const MAX_DEPTH: u32 = 120;

/// The maximum number of tokens that speculative parsing may read: per token of the file, and for a whole file.
const SPECULATIVE_TOKENS_PER_TOKEN: usize = 20;
const MIN_SPECULATIVE_TOKENS: usize = 100_000;

/// Words that are not identifiers (specification, section 6.4.1, and `nonTypeName` of the grammar).
const RESERVED: &[&str] = &[
    "abstract",
    "action",
    "bit",
    "bool",
    "break",
    "const",
    "continue",
    "control",
    "default",
    "else",
    "enum",
    "error",
    "exit",
    "extern",
    "false",
    "for",
    "header",
    "header_union",
    "if",
    "in",
    "inout",
    "int",
    "match_kind",
    "out",
    "package",
    "parser",
    "return",
    "select",
    "string",
    "struct",
    "switch",
    "table",
    "this",
    "transition",
    "true",
    "tuple",
    "typedef",
    "value_set",
    "varbit",
    "void",
];

/// Parses a program; reports and skips what it cannot parse.
pub(crate) fn parse(tokens: Vec<Token>, sources: &SourceMap, sink: &mut Sink) -> Unit {
    let tokens = annotation::remove_unknown_characters(tokens, sink);
    let tokens = braces::close_braces(tokens, sources, sink);
    Parser::new(tokens, sink).unit()
}

/// Parses the body of an annotation as a list of expressions.
pub(crate) fn parse_list(mut tokens: Vec<Token>, end: Span, sink: &mut Sink) -> Vec<Expr> {
    tokens.push(Token { tok: Tok::Eof, span: end, line_start: false, space: true, hidden: None });
    let mut parser = Parser::new(tokens, sink);
    let mut items = Vec::new();
    while !parser.at_end() {
        items.push(parser.expr());
        if !parser.eat(",") && !parser.at_end() {
            parser.expected("`,`");
            break;
        }
    }
    items
}

/// Returns where the lexer and the preprocessor dropped tokens.
fn dropped(sink: &Sink) -> Vec<Span> {
    let lexical =
        [codes::UNEXPECTED_CHARACTER, codes::UNTERMINATED, codes::BAD_NUMBER, codes::BAD_MACRO_CALL];
    let faults = sink.kept().iter().filter(|d| lexical.contains(&d.code));
    let mut spans: Vec<Span> = faults.map(|d| d.primary.span).collect();
    spans.sort_by_key(|span| (span.file, span.start));
    spans
}

/// What the grammar needs to know about a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NameKind {
    Type,
    Other,
}

/// A construct that is parsed speculatively, because only later tokens show what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Speculation {
    Cast,
    CallTypeArgs,
    ForIn,
    Function,
    KeySets,
    ResultType,
    State,
}

struct Parser<'a> {
    tokens: Vec<Token>,
    at: usize,
    sink: &'a mut Sink,
    /// Where erroneous tokens were dropped, in order.
    dropped: Vec<Span>,
    scopes: Vec<BTreeMap<Name, NameKind>>,
    depth: u32,
    /// During speculative parsing: errors only set `failed`.
    speculating: bool,
    failed: bool,
    /// Positions where speculative parsing is known to fail, valid until another name is declared. The content of a
    /// failed attempt is parsed again; without this memo, the time would double with each level of nesting.
    failures: BTreeSet<(usize, Speculation)>,
    /// The number of tokens read speculatively.
    speculated: usize,
    /// Whether `>` ends the current expression, because it is inside angle brackets.
    angle: bool,
    /// The tokens of the last expression in parentheses: the position of the first, and that after the last.
    parenthesized: Option<(usize, usize)>,
    /// Types that the current declaration declares in place.
    in_place: Vec<Decl>,
}

impl<'a> Parser<'a> {
    fn new(tokens: Vec<Token>, sink: &'a mut Sink) -> Parser<'a> {
        let dropped = dropped(sink);
        Parser {
            tokens,
            at: 0,
            sink,
            dropped,
            scopes: vec![BTreeMap::new()],
            depth: 0,
            speculating: false,
            failed: false,
            failures: BTreeSet::new(),
            speculated: 0,
            angle: false,
            parenthesized: None,
            in_place: Vec::new(),
        }
    }
}

impl Parser<'_> {
    fn unit(&mut self) -> Unit {
        let mut decls: Vec<Decl> = Vec::new();
        while !self.at_end() {
            let before = self.at;
            if self.eat(";") {
                continue;
            }
            let decl = self.top_level();
            decls.append(&mut self.in_place);
            decls.extend(decl);
            if self.at == before {
                self.bump();
            }
        }
        Unit { decls }
    }

    // --- tokens ---

    fn peek(&self) -> &Token {
        self.peek_at(0)
    }

    fn peek_at(&self, ahead: usize) -> &Token {
        let last = self.tokens.len() - 1;
        &self.tokens[(self.at + ahead).min(last)]
    }

    fn at_end(&self) -> bool {
        self.peek().tok == Tok::Eof
    }

    fn span(&self) -> Span {
        self.peek().span
    }

    /// Returns the end of the previous token.
    fn previous(&self) -> Span {
        self.tokens[self.at.saturating_sub(1).min(self.tokens.len() - 1)].span
    }

    fn bump(&mut self) -> Token {
        let token = self.peek().clone();
        if token.tok != Tok::Eof {
            self.at += 1;
            self.speculated += usize::from(self.speculating);
        }
        token
    }

    fn at(&self, punct: &str) -> bool {
        self.peek().is(punct)
    }

    fn at_word(&self, word: &str) -> bool {
        self.peek().ident().is_some_and(|n| &**n == word)
    }

    fn word(&self) -> Option<Name> {
        self.peek().ident().cloned()
    }

    fn eat(&mut self, punct: &str) -> bool {
        let here = self.at(punct);
        if here {
            self.bump();
        }
        here
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let here = self.at_word(word);
        if here {
            self.bump();
        }
        here
    }

    /// Returns whether the next two tokens are `first` and `second` without white space between them.
    fn adjacent(&self, first: &str, second: &str) -> bool {
        let (a, b) = (self.peek(), self.peek_at(1));
        a.is(first) && b.is(second) && !b.space && !b.line_start
    }

    fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        if self.speculating {
            self.failed = true;
        } else {
            self.sink.push(Diagnostic::error(code, span, message));
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.speculating {
            self.failed = true;
        } else if diagnostic.code != codes::UNEXPECTED_TOKEN || !self.follows_dropped_token() {
            self.sink.push(diagnostic);
        }
    }

    /// Returns whether a token was dropped before this one: that this one does not fit is then no error of its own.
    fn follows_dropped_token(&self) -> bool {
        let (before, here) = (self.previous(), self.span());
        let first = self.dropped.partition_point(|s| (s.file, s.start) < (before.file, before.start));
        let gap = self.dropped.get(first);
        gap.is_some_and(|s| s.file == here.file && s.start < here.start.max(1) && before.file == here.file)
    }

    /// Reports that something else was expected here.
    fn expected(&mut self, what: &str) {
        if matches!(self.peek().tok, Tok::Bad(..)) && !self.speculating {
            return;
        }
        let found = self.describe();
        let span = self.span();
        self.report(
            Diagnostic::error(codes::UNEXPECTED_TOKEN, span, format!("expected {what}, found {found}"))
                .label(format!("expected {what}")),
        );
    }

    fn describe(&self) -> String {
        match &self.peek().tok {
            Tok::Ident(name) if RESERVED.contains(&&**name) => format!("keyword `{name}`"),
            Tok::Ident(name) => format!("`{name}`"),
            Tok::Int(_) => "a number".to_owned(),
            Tok::Str(_) => "a string".to_owned(),
            Tok::Punct(p) => format!("`{p}`"),
            Tok::Bad(..) => "an invalid token".to_owned(),
            Tok::PragmaEnd => "the end of the line".to_owned(),
            Tok::Eof => "the end of the file".to_owned(),
        }
    }

    fn expect(&mut self, punct: &str) -> bool {
        if self.eat(punct) {
            return true;
        }
        if punct == ";" && !self.speculating {
            // The error is found at the next token, but the semicolon belongs at the end of the statement.
            let found = self.describe();
            let span = self.span();
            let missing = self.previous().tail();
            let diagnostic =
                Diagnostic::error(codes::UNEXPECTED_TOKEN, span, format!("expected `;`, found {found}"));
            self.report(match self.peek().line_start || self.at("}") {
                true => diagnostic
                    .label("unexpected token")
                    .also(missing, "expected `;` here")
                    .suggest("add `;`", missing, ";"),
                false => diagnostic.label("expected `;`"),
            });
        } else {
            self.expected(&format!("`{punct}`"));
        }
        false
    }

    /// Parses a name. Reserved words are rejected; contextual keywords are accepted.
    fn ident(&mut self, what: &str) -> Option<Ident> {
        let span = self.span();
        match self.word() {
            Some(name) if !RESERVED.contains(&&*name) && &*name != "_" => {
                self.bump();
                Some(Ident { name, span })
            }
            _ => {
                self.expected(what);
                None
            }
        }
    }

    // --- recovery ---

    /// Skips to the next `;`, which is consumed, or to the closing brace of this level, which is not.
    fn skip_statement(&mut self) {
        let mut depth = 0usize;
        let first = self.at;
        while !self.at_end() {
            let start_of_decl =
                self.at > first && depth == 0 && self.peek().line_start && self.starts_declaration();
            if start_of_decl {
                return;
            }
            match &self.peek().tok {
                Tok::Punct("{" | "(" | "[") => depth += 1,
                Tok::Punct("}") if depth == 0 => return,
                Tok::Punct("}") => {
                    depth -= 1;
                    if depth == 0 {
                        self.bump();
                        return;
                    }
                }
                Tok::Punct(")" | "]") => depth = depth.saturating_sub(1),
                Tok::Punct(";") if depth == 0 => {
                    self.bump();
                    return;
                }
                _ => {}
            }
            self.bump();
        }
    }

    fn starts_declaration(&self) -> bool {
        const STARTS: &[&str] = &[
            "header",
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
            "const",
            "header_union",
            "apply",
            "if",
            "else",
            "return",
            "switch",
            "transition",
        ];
        let word = self.peek().ident();
        self.at > 0 && word.is_some_and(|w| STARTS.contains(&&**w)) && self.tokens[self.at - 1].is(";")
    }

    /// Parses a comma-separated list up to `close`; reports errors and recovers inside.
    fn comma_list<T>(&mut self, close: &str, mut item: impl FnMut(&mut Self) -> Option<T>) -> Vec<T> {
        let mut items = Vec::new();
        while !self.at(close) && !self.at_end() {
            let before = self.at;
            match item(self) {
                Some(value) => items.push(value),
                None => self.skip_to_comma(close),
            }
            if self.eat(",") {
                continue;
            }
            if self.at(close) || self.at(";") || self.at("}") {
                break;
            }
            self.expected(&format!("`,` or `{close}`"));
            if self.speculating {
                break;
            }
            self.skip_to_comma(close);
            if !self.eat(",") && self.at == before {
                break;
            }
        }
        items
    }

    fn skip_to_comma(&mut self, close: &str) {
        let mut depth = 0usize;
        while !self.at_end() {
            if depth == 0 && (self.at(",") || self.at(close) || self.at(";") || self.at("}")) {
                return;
            }
            match &self.peek().tok {
                Tok::Punct("{" | "(" | "[") => depth += 1,
                Tok::Punct("}" | ")" | "]") => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.bump();
        }
    }

    /// Runs a parser that may recurse; beyond the limit it is not run.
    fn nested<T>(&mut self, fallback: T, run: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= MAX_DEPTH {
            let span = self.span();
            self.error(codes::TOO_LARGE, span, "nested too deeply");
            // The rest of the file cannot be parsed.
            self.at = self.tokens.len() - 1;
            return fallback;
        }
        self.depth += 1;
        let value = run(self);
        self.depth -= 1;
        value
    }

    /// Parses a bracketed construct, in which `>` is an operator again.
    fn bracketed<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.angle, false);
        let value = run(self);
        self.angle = outer;
        value
    }

    /// Parses speculatively: on failure the state is unchanged.
    fn attempt<T>(&mut self, kind: Speculation, run: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.failures.contains(&(self.at, kind)) {
            return None;
        }
        if self.speculated > MIN_SPECULATIVE_TOKENS + SPECULATIVE_TOKENS_PER_TOKEN * self.tokens.len() {
            let span = self.span();
            self.error(
                codes::TOO_LARGE,
                span,
                "too much lookahead is needed to distinguish types from values",
            );
            self.at = self.tokens.len() - 1;
            return None;
        }
        let (at, speculating, failed) = (self.at, self.speculating, self.failed);
        self.speculating = true;
        self.failed = false;
        let value = run(self);
        let ok = !self.failed;
        self.speculating = speculating;
        self.failed = failed;
        if !ok || value.is_none() {
            self.at = at;
            self.failures.insert((at, kind));
            return None;
        }
        value
    }

    // --- names ---

    fn declare(&mut self, name: &Ident, kind: NameKind) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.name.clone(), kind);
        }
        self.failures.clear();
    }

    fn is_type_name(&self, name: &str) -> bool {
        let found = self.scopes.iter().rev().find_map(|s| s.get(name));
        found == Some(&NameKind::Type)
    }

    fn is_declared(&self, name: &str) -> bool {
        self.scopes.iter().any(|s| s.contains_key(name))
    }

    fn scoped<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.push(BTreeMap::new());
        let value = run(self);
        self.scopes.pop();
        value
    }

    fn bad_expr(&self) -> Expr {
        Expr { kind: ExprKind::Bad, span: self.span() }
    }
}
