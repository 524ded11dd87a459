//! A recursive-descent parser with recovery.
//!
//! P4 needs to know which names are types: `(a)(b)` is a cast only if `a` is one. The parser therefore tracks
//! declared names by scope, as the specification's grammar does.

mod annotation;
mod decl;
mod expr;
mod stmt;
mod table;
mod types;

use std::collections::{BTreeMap, BTreeSet};

use super::ast::{Decl, Expr, ExprKind, Ident, Unit};
use crate::diagnostic::{Code, Diagnostic, Sink, codes};
use crate::lex::{Name, Tok, Token};
use crate::source::Span;

/// How deeply expressions, types and statements may nest.
const MAX_DEPTH: u32 = 120;

/// How many tokens may be read while trying out, for each token of the file and for the file.
const TRIED_PER_TOKEN: usize = 20;
const TRIED_AT_LEAST: usize = 100_000;

/// Words that are not identifiers (specification, section 6.4.1 and the grammar's `nonTypeName`).
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

/// Parses a program; what cannot be parsed is reported and left out.
pub(crate) fn parse(tokens: Vec<Token>, sink: &mut Sink) -> Unit {
    let tokens = annotation::take_foreign(tokens, sink);
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

/// Where the lexer and the preprocessor have left something out.
fn left_out(sink: &Sink) -> Vec<Span> {
    let lexical =
        [codes::UNEXPECTED_CHARACTER, codes::UNTERMINATED, codes::BAD_NUMBER, codes::BAD_MACRO_CALL];
    let faults = sink.list.iter().filter(|d| lexical.contains(&d.code));
    let mut spans: Vec<Span> = faults.map(|d| d.primary.span).collect();
    spans.sort_by_key(|span| (span.file, span.start));
    spans
}

/// What a name stands for, as far as the grammar cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NameKind {
    Type,
    Other,
}

/// What is tried out where only what follows tells what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Trial {
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
    /// Where tokens are missing because something is wrong with them, in order.
    left_out: Vec<Span>,
    scopes: Vec<BTreeMap<Name, NameKind>>,
    depth: u32,
    /// While trying out: errors only set `failed`.
    speculating: bool,
    failed: bool,
    /// Where what was tried out is known to fail, as long as no other name is declared. What stands inside of a
    /// failed attempt is parsed again: without this memory, each level of nesting would double the time.
    failures: BTreeSet<(usize, Trial)>,
    /// How many tokens were read while trying out.
    tried: usize,
    /// Whether `>` ends the expression that is read: it stands between angle brackets.
    angle: bool,
    /// Types that the declaration that is read declares in place.
    in_place: Vec<Decl>,
}

impl<'a> Parser<'a> {
    fn new(tokens: Vec<Token>, sink: &'a mut Sink) -> Parser<'a> {
        let left_out = left_out(sink);
        Parser {
            tokens,
            at: 0,
            sink,
            left_out,
            scopes: vec![BTreeMap::new()],
            depth: 0,
            speculating: false,
            failed: false,
            failures: BTreeSet::new(),
            tried: 0,
            angle: false,
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

    /// Where the token before this one ended.
    fn previous(&self) -> Span {
        self.tokens[self.at.saturating_sub(1).min(self.tokens.len() - 1)].span
    }

    fn bump(&mut self) -> Token {
        let token = self.peek().clone();
        if token.tok != Tok::Eof {
            self.at += 1;
            self.tried += usize::from(self.speculating);
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

    /// Whether the next `count` tokens are `>` without anything between them.
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
        } else if diagnostic.code != codes::UNEXPECTED_TOKEN || !self.follows_gap() {
            self.sink.push(diagnostic);
        }
    }

    /// Whether something was left out in front of this token: that it does not fit here is no other fault.
    fn follows_gap(&self) -> bool {
        let (before, here) = (self.previous(), self.span());
        let first = self.left_out.partition_point(|s| (s.file, s.start) < (before.file, before.start));
        let gap = self.left_out.get(first);
        gap.is_some_and(|s| s.file == here.file && s.start < here.start.max(1) && before.file == here.file)
    }

    /// Reports that something else should stand here.
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
            // What stands in the way is found here, but the semicolon belongs where the statement ended.
            let found = self.describe();
            let span = self.span();
            let missing = self.previous().tail();
            let diagnostic =
                Diagnostic::error(codes::UNEXPECTED_TOKEN, span, format!("expected `;`, found {found}"));
            self.report(match self.peek().line_start || self.at("}") {
                true => diagnostic
                    .label("not expected here")
                    .also(missing, "`;` is missing here")
                    .suggest("add it", missing, ";"),
                false => diagnostic.label("expected `;`"),
            });
        } else {
            self.expected(&format!("`{punct}`"));
        }
        false
    }

    /// A name; keywords are refused, words that are only keywords in places are accepted.
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

    /// Skips to the next `;` (which is eaten) or closing brace of this level (which is not).
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

    /// A list up to `close`, items separated by commas; reports and recovers inside.
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

    /// Runs a parser that may nest; beyond the limit it is not run.
    fn nested<T>(&mut self, fallback: T, run: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= MAX_DEPTH {
            let span = self.span();
            self.error(codes::TOO_LARGE, span, "this nests too deeply");
            // Nothing after it can be understood.
            self.at = self.tokens.len() - 1;
            return fallback;
        }
        self.depth += 1;
        let value = run(self);
        self.depth -= 1;
        value
    }

    /// Reads what stands in brackets of its own, where `>` is an operator again.
    fn bracketed<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.angle, false);
        let value = run(self);
        self.angle = outer;
        value
    }

    /// Tries something out: when it fails, nothing has happened.
    fn attempt<T>(&mut self, trial: Trial, run: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.failures.contains(&(self.at, trial)) {
            return None;
        }
        if self.tried > TRIED_AT_LEAST + TRIED_PER_TOKEN * self.tokens.len() {
            let span = self.span();
            self.error(
                codes::TOO_LARGE,
                span,
                "too much has to be read again and again to tell types from values",
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
            self.failures.insert((at, trial));
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
