//! Macros and their expansion, with hide sets against recursive expansion (C11, section 6.10.3).

use std::collections::VecDeque;
use std::rc::Rc;

use super::{EXPANSION_WORK, MAX_CALL_DEPTH, MAX_TOKENS, Preprocessor, TOKEN_WORK, TOO_MUCH_EXPANSION};
use crate::diagnostic::{Diagnostic, codes, given, plural};
use crate::lex::{Name, Tok, Token, lex, to_text};
use crate::source::Span;

/// A macro.
#[derive(Debug)]
pub(super) struct Macro {
    /// Where it was defined.
    span: Span,
    /// Its parameters, if it is function-like.
    params: Option<Vec<Name>>,
    /// Whether the last parameter takes all remaining arguments.
    variadic: bool,
    /// Its replacement list.
    body: Vec<Token>,
}

impl Macro {
    /// Creates an object-like macro.
    pub(super) fn object(span: Span, body: Vec<Token>) -> Macro {
        Macro { span, params: None, variadic: false, body }
    }

    fn same(&self, other: &Macro) -> bool {
        self.params == other.params
            && self.body.len() == other.body.len()
            && self.body.iter().zip(&other.body).all(|(a, b)| a.tok == b.tok)
    }
}

impl Preprocessor<'_> {
    pub(super) fn define(&mut self, whole: Span, rest: &[Token]) {
        let Some((first, mut body)) = rest.split_first() else {
            self.error(codes::BAD_DIRECTIVE, whole, "`#define` needs a macro name");
            return;
        };
        let Some(name) = first.ident().cloned() else {
            self.error(codes::BAD_DIRECTIVE, first.span, "a macro name must be an identifier");
            return;
        };
        let (mut params, mut variadic) = (None, false);
        if body.first().is_some_and(|t| t.is("(") && !t.space) {
            let Some(close) = body.iter().position(|t| t.is(")")) else {
                self.error(codes::BAD_DIRECTIVE, whole, "expected `)` after the macro parameters");
                return;
            };
            let mut names = Vec::new();
            for token in &body[1..close] {
                if token.is("...") {
                    variadic = true;
                    names.push("__VA_ARGS__".into());
                } else if let Some(name) = token.ident() {
                    names.push(name.clone());
                } else if !token.is(",") {
                    self.error(codes::BAD_DIRECTIVE, token.span, "macro parameters must be identifiers");
                }
            }
            params = Some(names);
            body = &body[close + 1..];
        }
        let new = Macro { span: whole, params, variadic, body: body.to_vec() };
        if let Some(old) = self.macros.get(&name)
            && !old.same(&new)
        {
            self.sink.push(
                Diagnostic::warning(codes::MACRO_REDEFINED, whole, format!("macro `{name}` redefined"))
                    .also(old.span, "previous definition"),
            );
        }
        self.macros.insert(name, Rc::new(new));
    }

    /// Expands all macros in a list of tokens.
    pub(super) fn expand_all(&mut self, tokens: Vec<Token>) -> Vec<Token> {
        let mut queue: VecDeque<Token> = tokens.into();
        let mut out = Vec::new();
        while let Some(token) = queue.pop_front() {
            if self.exhausted {
                break;
            }
            if !self.expand_one(&token, &mut queue) {
                out.push(token);
            }
        }
        out
    }

    /// If the token is a macro (followed by arguments, if it is function-like), prepends its expansion to `rest` and
    /// returns true.
    pub(super) fn expand_one(&mut self, token: &Token, rest: &mut VecDeque<Token>) -> bool {
        let Some(name) = token.ident() else { return false };
        if token.hidden.as_ref().is_some_and(|h| h.contains(name)) {
            return false;
        }
        if let Some(value) = self.builtin_macro(name, token.span) {
            rest.push_front(Token { tok: value, ..token.clone() });
            return true;
        }
        let Some(definition) = self.macros.get(name).cloned() else { return false };
        let args = match &definition.params {
            None => Vec::new(),
            Some(params) => {
                if !rest.front().is_some_and(|t| t.is("(")) {
                    return false;
                }
                match self.arguments(token.span, rest) {
                    Some(args) => match fit_arguments(args, params.len(), definition.variadic) {
                        Ok(args) => args,
                        Err(found) => {
                            let message = format!(
                                "macro `{name}` takes {}, but {}",
                                plural(params.len(), "argument"),
                                given(found)
                            );
                            self.error(codes::BAD_MACRO_CALL, token.span, message);
                            return true;
                        }
                    },
                    None => return true,
                }
            }
        };
        let mut hidden = token.hidden.as_deref().cloned().unwrap_or_default();
        if !self.spend(EXPANSION_WORK + hidden.len(), token.span, TOO_MUCH_EXPANSION) {
            return true;
        }
        hidden.push(name.clone());
        let expansion = self.substitute(&definition, &args, token.span, &Rc::new(hidden));
        for (i, mut new) in expansion.into_iter().enumerate().rev() {
            if i == 0 {
                new.space = token.space;
            }
            rest.push_front(new);
        }
        true
    }

    fn builtin_macro(&self, name: &str, span: Span) -> Option<Tok> {
        let number =
            |value: u32| Tok::Int(Rc::new(crate::lex::IntLiteral { value: value.into(), width: None }));
        match name {
            "__LINE__" => Some(number(self.sources.place(span).0)),
            "__FILE__" => Some(Tok::Str(self.sources.place(span).1.into())),
            "__p4__" | "__p4_16__" => Some(number(1)),
            _ => None,
        }
    }

    /// Collects the arguments of a macro call; `None` (reported) if the closing parenthesis is missing.
    fn arguments(&mut self, call: Span, rest: &mut VecDeque<Token>) -> Option<Vec<Vec<Token>>> {
        rest.pop_front();
        let mut args = vec![Vec::new()];
        let mut depth = 0usize;
        loop {
            let Some(token) = rest.pop_front() else {
                self.error(codes::BAD_MACRO_CALL, call, "expected `)` after the macro arguments");
                return None;
            };
            if !self.spend(TOKEN_WORK, call, TOO_MUCH_EXPANSION) {
                return None;
            }
            match &token.tok {
                Tok::Eof => {
                    rest.push_front(token);
                    self.error(codes::BAD_MACRO_CALL, call, "expected `)` after the macro arguments");
                    return None;
                }
                Tok::Punct(")") if depth == 0 => return Some(args),
                Tok::Punct(",") if depth == 0 => {
                    args.push(Vec::new());
                    continue;
                }
                Tok::Punct("(" | "[" | "{") => depth += 1,
                Tok::Punct(")" | "]" | "}") => depth = depth.saturating_sub(1),
                _ => {}
            }
            if let Some(last) = args.last_mut() {
                last.push(token);
            }
        }
    }

    fn substitute(
        &mut self,
        definition: &Macro,
        args: &[Vec<Token>],
        call: Span,
        hidden: &Rc<Vec<Name>>,
    ) -> Vec<Token> {
        let index = |token: &Token| {
            let name = token.ident()?;
            definition.params.as_ref()?.iter().position(|p| p == name)
        };
        let mut out: Vec<Token> = Vec::new();
        let body = &definition.body;
        let params = definition.params.as_ref().map_or(0, Vec::len);
        let mut at = 0;
        while let Some(token) = body.get(at) {
            at += 1;
            if !self.spend(EXPANSION_WORK + hidden.len() + params / 8, call, TOO_MUCH_EXPANSION) {
                return Vec::new();
            }
            let pasted = at >= 2 && body[at - 2].is("##");
            let pastes = body.get(at).is_some_and(|t| t.is("##"));
            if token.is("#")
                && definition.params.is_some()
                && let Some(arg) = body.get(at).and_then(index).and_then(|i| args.get(i))
            {
                at += 1;
                let text = to_text(arg, self.sources);
                self.spend(text.len(), call, TOO_MUCH_EXPANSION);
                out.push(Token { tok: Tok::Str(text.into()), ..token.clone() });
                continue;
            }
            if token.is("##") {
                continue;
            }
            let mut new = match index(token).and_then(|i| args.get(i)) {
                Some(arg) if pasted || pastes => arg.clone(),
                Some(arg) => self.expand_argument(arg, call),
                None => vec![Token { line_start: false, span: call, ..token.clone() }],
            };
            self.spend(new.len() * (EXPANSION_WORK + hidden.len()), call, TOO_MUCH_EXPANSION);
            // Pasting with an empty argument changes nothing.
            if pasted
                && !new.is_empty()
                && let Some(left) = out.pop()
            {
                let right = new.remove(0);
                out.extend(self.paste(&left, &right, call));
            }
            out.append(&mut new);
        }
        hide(&mut out, hidden);
        out
    }

    /// Expands an argument that is neither pasted nor made a string.
    fn expand_argument(&mut self, arg: &[Token], call: Span) -> Vec<Token> {
        if self.call_depth >= MAX_CALL_DEPTH {
            self.report_limit(call, "macro calls are nested too deeply");
            return Vec::new();
        }
        self.call_depth += 1;
        let expanded = self.expand_all(arg.to_vec());
        self.call_depth -= 1;
        expanded
    }

    fn paste(&mut self, left: &Token, right: &Token, call: Span) -> Vec<Token> {
        let text = to_text([left], self.sources) + &to_text([right], self.sources);
        self.spend(text.len(), call, TOO_MUCH_EXPANSION);
        let mut tokens = lex(call.file, &text, MAX_TOKENS);
        tokens.pop();
        for token in &mut tokens {
            token.span = call;
            token.space = false;
        }
        tokens
    }
}

/// Macros that must not be expanded in a token again.
type HideSet = Rc<Vec<Name>>;

/// Adds names to the hide sets of tokens. Tokens that shared a hide set still do: the sets of long expansions would
/// need more memory than their tokens.
fn hide(tokens: &mut [Token], names: &Rc<Vec<Name>>) {
    let mut last: Option<(HideSet, HideSet)> = None;
    for token in tokens {
        token.line_start = false;
        token.hidden = Some(match token.hidden.take() {
            None => Rc::clone(names),
            Some(own) => match &last {
                Some((before, merged)) if Rc::ptr_eq(before, &own) => Rc::clone(merged),
                _ => {
                    let new = names.iter().filter(|name| !own.contains(name));
                    let merged: Rc<Vec<Name>> = Rc::new(own.iter().chain(new).cloned().collect());
                    last = Some((own, Rc::clone(&merged)));
                    merged
                }
            },
        });
    }
}

/// Pads the arguments to the number of parameters, or returns the number of arguments if they do not fit.
fn fit_arguments(mut args: Vec<Vec<Token>>, wanted: usize, variadic: bool) -> Result<Vec<Vec<Token>>, usize> {
    if variadic {
        while args.len() < wanted {
            args.push(Vec::new());
        }
        let comma =
            |span| Token { tok: Tok::Punct(","), span, line_start: false, space: false, hidden: None };
        let tail = args.split_off(wanted);
        if let Some(last) = args.last_mut() {
            for arg in tail {
                let span = arg.first().map_or(Span::default(), |t| t.span);
                last.push(comma(span));
                last.extend(arg);
            }
        }
        return Ok(args);
    }
    if wanted == 0 && args.len() == 1 && args[0].is_empty() {
        args.clear();
    }
    if args.len() == wanted { Ok(args) } else { Err(args.len()) }
}
