//! The C preprocessor as P4 uses it (specification 1.2.5, section 6.2): `#include`, object-like and function-like
//! `#define`, `#undef`, `#if` and related directives, `#error`, `#warning`, `#line`, `#pragma`.
//!
//! It works on tokens, so every token keeps its source location.

mod condition;
mod macros;

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use crate::Options;
use crate::budget::Budget;
use crate::diagnostic::{Diagnostic, Sink, codes};
use crate::lex::{Name, Tok, Token, lex};
use crate::source::{FileId, MAX_FILE_BYTES, NotIncluded, SourceLoader, SourceMap, Span, builtin, resolve};

use macros::Macro;

/// The maximum nesting of includes.
const MAX_INCLUDE_DEPTH: usize = 100;
/// The maximum nesting of macro calls in the arguments of others.
const MAX_CALL_DEPTH: usize = 200;
/// The maximum number of tokens after expansion.
const MAX_TOKENS: usize = 4_000_000;
/// The units of work for preprocessing a program. A byte of source text is one unit, and of text that `#` and `##`
/// produce; a token that is read, or passed to a macro, is [`TOKEN_WORK`].
const WORK: u64 = MAX_FILE_BYTES;
/// The work of a token that is read from a file or passed to a macro.
const TOKEN_WORK: usize = 3;
/// The work of a token that a macro produces; each name in its hide set is one unit more.
const EXPANSION_WORK: usize = 8;
/// The work of an included file, besides its text.
const FILE_WORK: usize = 2_000;

const TOO_MUCH_TEXT: &str = "the program includes too many files or too much text";
const TOO_MUCH_EXPANSION: &str = "the program expands too many macros";

/// Preprocesses a file and its includes; the last token is [`Tok::Eof`]. Returns `None` if a limit is exceeded
/// (reported).
pub(crate) fn preprocess(
    main: &str,
    loader: &dyn SourceLoader,
    options: &Options,
    sources: &mut SourceMap,
    sink: &mut Sink,
) -> Option<Vec<Token>> {
    let mut pp = Preprocessor {
        loader,
        includes: &options.includes,
        sources,
        sink,
        macros: BTreeMap::new(),
        out: Vec::new(),
        depth: 0,
        call_depth: 0,
        budget: Budget::new(WORK, &options.cancel),
        exhausted: false,
    };
    pp.predefine(&options.defines);
    match loader.load(main) {
        Some(text) => pp.file(main, &text, false),
        None => {
            let file = pp.sources.add(main, "");
            let span = Span { file, start: 0, end: 0 };
            pp.sink.push(Diagnostic::error(codes::NO_SUCH_FILE, span, format!("file not found: `{main}`")));
        }
    }
    let last = pp.out.last().map_or(Span::default(), |t| t.span.tail());
    let eof = Token { tok: Tok::Eof, span: last, line_start: true, space: true, hidden: None };
    pp.out.push(eof);
    (!pp.exhausted).then_some(pp.out)
}

/// An open `#if`.
struct Conditional {
    /// Where it starts.
    span: Span,
    /// Whether the current branch is active.
    active: bool,
    /// Whether a branch has been active.
    taken: bool,
    /// Whether the enclosing text is active.
    enclosing: bool,
    /// Whether `#else` has been seen.
    has_else: bool,
}

struct Preprocessor<'a> {
    loader: &'a dyn SourceLoader,
    includes: &'a [String],
    sources: &'a mut SourceMap,
    sink: &'a mut Sink,
    macros: BTreeMap<Name, Rc<Macro>>,
    out: Vec<Token>,
    depth: usize,
    /// The nesting of the macro call whose arguments are being expanded.
    call_depth: usize,
    budget: Budget,
    /// Whether a limit is exceeded (reported): nothing more is read or expanded.
    exhausted: bool,
}

impl Preprocessor<'_> {
    fn error(&mut self, code: crate::diagnostic::Code, span: Span, message: impl Into<String>) {
        if !self.exhausted {
            self.sink.push(Diagnostic::error(code, span, message));
        }
    }

    fn predefine(&mut self, defines: &[(String, String)]) {
        if defines.is_empty() {
            return;
        }
        let file = self.sources.add("<command line>", "");
        for (name, value) in defines {
            let mut body = lex(file, value, MAX_TOKENS);
            body.pop();
            for token in &mut body {
                token.span = Span { file, start: 0, end: 0 };
            }
            self.macros.insert(name.as_str().into(), Rc::new(Macro::object(Span::default(), body)));
        }
    }

    fn file(&mut self, path: &str, text: &str, library: bool) {
        let file = self.sources.add(path, text);
        if library {
            self.sources.mark_library(file);
        }
        let start = Span { file, start: 0, end: 0 };
        if !self.spend(FILE_WORK + text.len(), start, TOO_MUCH_TEXT) {
            return;
        }
        let tokens: VecDeque<Token> = lex(file, text, MAX_TOKENS).into();
        if tokens.len() > MAX_TOKENS + 1 {
            self.report_limit(start, TOO_MUCH_TEXT);
        } else if self.spend(TOKEN_WORK * tokens.len(), start, TOO_MUCH_TEXT) {
            self.run(file, path, tokens);
        }
    }

    /// Takes units of work; returns false if the program needs too much. This is reported once, with `limit`.
    fn spend(&mut self, units: usize, span: Span, limit: &str) -> bool {
        if !self.exhausted && !self.budget.spend(units) {
            self.report_limit(span, self.budget.reason(limit).to_owned());
        }
        !self.exhausted
    }

    /// Reports once that a limit is exceeded; the rest of the program is not read.
    fn report_limit(&mut self, span: Span, message: impl Into<String>) {
        self.error(codes::TOO_LARGE, span, message);
        self.exhausted = true;
    }

    fn run(&mut self, file: FileId, path: &str, mut tokens: VecDeque<Token>) {
        let mut open: Vec<Conditional> = Vec::new();
        while let Some(token) = tokens.pop_front() {
            let active = open.last().is_none_or(|c| c.active);
            if token.tok == Tok::Eof || self.exhausted {
                break;
            }
            if token.line_start && token.is("#") {
                let line = take_line(&mut tokens);
                self.directive(file, path, token.span, line, &mut open);
            } else if active {
                tokens.push_front(token);
                self.text(&mut tokens);
            }
        }
        if self.exhausted {
            return;
        }
        for conditional in open {
            self.error(
                codes::UNBALANCED_CONDITIONAL,
                conditional.span,
                "conditional directive without `#endif`",
            );
        }
    }

    /// Processes one token, which may be a macro.
    fn text(&mut self, tokens: &mut VecDeque<Token>) {
        let Some(token) = tokens.pop_front() else { return };
        if token.is("@") && tokens.front().is_some_and(|t| t.ident().is_some_and(|n| &**n == "pragma")) {
            let end = token.span;
            self.emit(token);
            let line = take_line(tokens);
            for token in self.expand_all(line) {
                self.emit(token);
            }
            let end = self.out.last().map_or(end, |t| t.span.tail());
            let tok = Tok::PragmaEnd;
            self.emit(Token { tok, span: end, line_start: false, space: false, hidden: None });
            return;
        }
        if self.expand_one(&token, tokens) {
            return;
        }
        self.emit(token);
    }

    fn emit(&mut self, token: Token) {
        if self.out.len() >= MAX_TOKENS {
            self.report_limit(token.span, "program is too large after macro expansion");
            return;
        }
        if let Tok::Bad(code, message) = &token.tok {
            let (code, message) = (*code, message.to_string());
            // Annotations may contain any character; the parser reports unknown characters elsewhere.
            if code != codes::UNEXPECTED_CHARACTER {
                self.error(code, token.span, message);
            }
        }
        self.out.push(token);
    }

    fn directive(
        &mut self,
        file: FileId,
        path: &str,
        hash: Span,
        line: Vec<Token>,
        open: &mut Vec<Conditional>,
    ) {
        let Some((first, rest)) = line.split_first() else { return };
        let active = open.last().is_none_or(|c| c.active);
        let Some(name) = first.ident() else {
            if active && !matches!(first.tok, Tok::Int(_)) {
                self.error(codes::BAD_DIRECTIVE, first.span, "not a preprocessor directive");
            }
            return;
        };
        let whole = hash.to(line.last().map_or(hash, |t| t.span));
        match &**name {
            "if" | "ifdef" | "ifndef" => {
                let value = active && self.condition(name, whole, rest);
                open.push(Conditional {
                    span: whole,
                    active: value,
                    taken: value,
                    enclosing: active,
                    has_else: false,
                });
            }
            "elif" | "else" | "endif" => self.branch(name, whole, rest, open),
            _ if !active => {}
            "define" => self.define(whole, rest),
            "undef" => match rest.first().and_then(Token::ident) {
                Some(name) => {
                    self.macros.remove(name);
                }
                None => self.error(codes::BAD_DIRECTIVE, whole, "`#undef` needs a macro name"),
            },
            "include" => self.include(path, whole, rest.to_vec()),
            "error" | "warning" => {
                let from = rest.first().map_or(whole.tail(), |t| t.span);
                let text = self.sources.text(from.to(whole.tail())).trim().to_owned();
                if &**name == "error" {
                    self.error(codes::USER_ERROR, whole, format!("#error {text}"));
                } else {
                    self.sink.push(Diagnostic::warning(
                        codes::USER_WARNING,
                        whole,
                        format!("#warning {text}"),
                    ));
                }
            }
            "line" => self.line(file, whole, rest),
            "pragma" | "ident" => {}
            other => {
                let message = format!("unknown directive `#{other}`");
                self.error(codes::BAD_DIRECTIVE, first.span, message);
            }
        }
    }

    fn branch(&mut self, name: &str, whole: Span, rest: &[Token], open: &mut Vec<Conditional>) {
        let Some(mut top) = open.pop() else {
            let message = format!("`#{name}` without `#if`");
            self.error(codes::UNBALANCED_CONDITIONAL, whole, message);
            return;
        };
        if name == "endif" {
            return;
        }
        if top.has_else {
            let message = format!("`#{name}` after `#else`");
            self.error(codes::UNBALANCED_CONDITIONAL, whole, message);
        }
        let may = top.enclosing && !top.taken;
        top.active = may && (name == "else" || self.condition("if", whole, rest));
        top.taken |= top.active;
        top.has_else |= name == "else";
        open.push(top);
    }

    fn line(&mut self, file: FileId, whole: Span, rest: &[Token]) {
        let number = rest.first().and_then(|t| match &t.tok {
            Tok::Int(n) => u32::try_from(&n.value).ok(),
            _ => None,
        });
        let name = match rest.get(1).map(|t| &t.tok) {
            Some(Tok::Str(name)) => Some(name.to_string()),
            _ => None,
        };
        match number {
            Some(number) => {
                let text = self.sources.get(file).map_or("", |f| &f.text);
                let from = whole.end as usize;
                let next = text.get(from..).and_then(|t| t.find('\n')).map_or(text.len(), |n| from + n + 1);
                self.sources.rename_from(file, next as u32, number, name);
            }
            None => self.error(codes::BAD_DIRECTIVE, whole, "`#line` needs a line number"),
        }
    }

    fn include(&mut self, from: &str, whole: Span, rest: Vec<Token>) {
        let rest = if matches!(rest.first().map(|t| &t.tok), Some(Tok::Ident(_))) {
            self.expand_all(rest)
        } else {
            rest
        };
        let (name, system) = match rest.first() {
            Some(Token { tok: Tok::Str(name), .. }) => (name.to_string(), false),
            Some(first) if first.is("<") => {
                let close = rest.iter().find(|t| t.is(">")).map_or(whole.tail(), |t| t.span);
                let inside = Span { file: first.span.file, start: first.span.end, end: close.start };
                (self.sources.text(inside).trim().to_owned(), true)
            }
            _ => {
                self.error(codes::BAD_DIRECTIVE, whole, "expected <name> or \"name\" after `#include`");
                return;
            }
        };
        if self.depth >= MAX_INCLUDE_DEPTH {
            self.report_limit(whole, "includes are nested too deeply");
            return;
        }
        let local = resolve(from, &name);
        let candidates = [local.as_str(), name.as_str()];
        let elsewhere: Vec<String> = self.includes.iter().map(|dir| format!("{dir}/{name}")).collect();
        let elsewhere: Vec<&str> = elsewhere.iter().map(String::as_str).collect();
        let mut refused = None;
        let found = if system { None } else { self.load(&candidates, &mut refused) };
        let found = found
            .or_else(|| builtin(&name).map(|text| (format!("<{name}>"), text.to_owned())))
            .or_else(|| self.load(&candidates, &mut refused))
            .or_else(|| self.load(&elsewhere, &mut refused));
        match (found, refused) {
            (Some((path, text)), _) => {
                self.depth += 1;
                self.file(&path, &text, system);
                self.depth -= 1;
            }
            (None, Some((path, reason))) => {
                self.error(codes::NO_SUCH_FILE, whole, format!("`{path}` {reason}"));
            }
            (None, None) => {
                self.sink.push(
                    Diagnostic::error(codes::NO_SUCH_FILE, whole, format!("file not found: `{name}`"))
                        .note(format!("searched for `{local}`")),
                );
            }
        }
    }

    /// Loads the first of some files that can be read. The first that exists, but cannot be read is recorded in
    /// `refused`: a later one may be the file that is meant, as for a directory with the name of a header.
    fn load(
        &self,
        candidates: &[&str],
        refused: &mut Option<(String, NotIncluded)>,
    ) -> Option<(String, String)> {
        for path in candidates {
            match self.loader.include(path) {
                Ok(text) => return Some(((*path).to_owned(), text)),
                Err(NotIncluded::Missing) => {}
                Err(reason) => {
                    refused.get_or_insert_with(|| ((*path).to_owned(), reason));
                }
            }
        }
        None
    }
}

/// Takes the tokens up to the end of the line.
fn take_line(tokens: &mut VecDeque<Token>) -> Vec<Token> {
    let mut line = Vec::new();
    while tokens.front().is_some_and(|t| !t.line_start && t.tok != Tok::Eof) {
        line.extend(tokens.pop_front());
    }
    line
}
