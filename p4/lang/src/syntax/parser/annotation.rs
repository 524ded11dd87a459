//! Annotations: `@a`, `@a(anything)`, `@a[list or map]`, `@pragma a anything`.

use super::Parser;
use crate::diagnostic::{Diagnostic, Sink, codes};
use crate::lex::{Tok, Token};
use crate::syntax::ast::{Annotation, AnnotationBody, Annotations, Ident};

/// Reports and removes unknown characters, except in unstructured annotations.
pub(super) fn remove_unknown_characters(tokens: Vec<Token>, sink: &mut Sink) -> Vec<Token> {
    let mut kept: Vec<Token> = Vec::with_capacity(tokens.len());
    // Number of open parentheses in the current annotation.
    let mut depth = 0usize;
    let mut pragma = false;
    for token in tokens {
        match &token.tok {
            Tok::Bad(code, message) if *code == codes::UNEXPECTED_CHARACTER && depth == 0 && !pragma => {
                sink.push(Diagnostic::error(*code, token.span, message.to_string()));
                continue;
            }
            Tok::Punct("(") => {
                let annotates =
                    matches!(kept.as_slice(), [.., at, name] if at.is("@") && name.ident().is_some());
                depth += usize::from(depth > 0 || annotates);
            }
            Tok::Punct(")") => depth = depth.saturating_sub(1),
            Tok::Ident(name) if &**name == "pragma" => pragma = kept.last().is_some_and(|t| t.is("@")),
            Tok::PragmaEnd => pragma = false,
            _ => {}
        }
        kept.push(token);
    }
    kept
}

/// Concatenates `"a" ++ "b"` in annotations that take a string.
fn joined(name: &str, tokens: Vec<Token>) -> Vec<Token> {
    if !matches!(name, "name" | "deprecated" | "noWarn") {
        return tokens;
    }
    let mut out: Vec<Token> = Vec::new();
    for token in tokens {
        if let [.., left, plus] = out.as_slice()
            && plus.is("++")
            && let (Tok::Str(a), Tok::Str(b)) = (&left.tok, &token.tok)
        {
            let span = left.span.to(token.span);
            let tok = Tok::Str(format!("{a}{b}").into());
            let first = Token { tok, span, ..left.clone() };
            out.truncate(out.len() - 2);
            out.push(first);
        } else {
            out.push(token);
        }
    }
    out
}

impl Parser<'_> {
    pub(super) fn annotations(&mut self) -> Annotations {
        let mut list = Vec::new();
        while self.at("@") {
            let start = self.bump().span;
            if self.at_word("pragma") {
                self.bump();
                list.extend(self.pragma(start));
                continue;
            }
            let span = self.span();
            let Some(name) = self.word() else {
                self.expected("the annotation's name");
                continue;
            };
            self.bump();
            let name = Ident { name, span };
            let body = if self.at("(") && !self.speculating {
                self.bump();
                let tokens = joined(&name.name, self.balanced());
                self.expect(")");
                AnnotationBody::Tokens(tokens)
            } else if self.at("(") {
                self.bump();
                let tokens = self.balanced();
                self.eat(")");
                AnnotationBody::Tokens(tokens)
            } else if self.eat("[") {
                let body = self.structured();
                self.expect("]");
                body
            } else {
                AnnotationBody::Tokens(Vec::new())
            };
            list.push(Annotation { name, body, span: start.to(self.previous()) });
        }
        list
    }

    fn pragma(&mut self, start: crate::source::Span) -> Option<Annotation> {
        let span = self.span();
        let name = self.word();
        let mut tokens = Vec::new();
        if name.is_some() {
            self.bump();
        } else {
            self.expected("the annotation's name");
        }
        while !self.at_end() {
            let token = self.bump();
            if token.tok == Tok::PragmaEnd {
                break;
            }
            tokens.push(token);
        }
        let name = Ident { name: name?, span };
        Some(Annotation { name, body: AnnotationBody::Tokens(tokens), span: start.to(self.previous()) })
    }

    /// Takes the tokens up to the matching closing parenthesis.
    fn balanced(&mut self) -> Vec<Token> {
        let mut tokens = Vec::new();
        let mut depth = 0usize;
        while !self.at_end() {
            if self.at("(") {
                depth += 1;
            } else if self.at(")") {
                if depth == 0 {
                    break;
                }
                depth -= 1;
            }
            tokens.push(self.bump());
        }
        tokens
    }

    fn structured(&mut self) -> AnnotationBody {
        let keyed = self.peek().ident().is_some() && self.peek_at(1).is("=");
        if keyed {
            AnnotationBody::Map(self.comma_list("]", |p| {
                let span = p.span();
                let name = p.word();
                if name.is_none() {
                    p.expected("a key");
                }
                p.bump();
                let key = Ident { name: name?, span };
                p.expect("=");
                Some((key, p.expr()))
            }))
        } else {
            AnnotationBody::List(self.comma_list("]", |p| Some(p.expr())))
        }
    }
}
