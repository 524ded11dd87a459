//! Conditions of `#if` and `#elif`: integers, `defined`, the operators of C.

use super::Preprocessor;
use crate::diagnostic::codes;
use crate::lex::{Tok, Token};
use crate::source::Span;

impl Preprocessor<'_> {
    /// Evaluates the condition of `#if`, `#ifdef` or `#ifndef`.
    pub(super) fn condition(&mut self, directive: &str, whole: Span, rest: &[Token]) -> bool {
        if directive == "if" {
            let tokens = self.resolve_defined(rest);
            let tokens = self.expand_all(tokens);
            let mut evaluator = Evaluator { tokens: &tokens, at: 0, bad: None, depth: 0 };
            let value = evaluator.ternary();
            if evaluator.bad.is_none() && evaluator.at < tokens.len() {
                evaluator.bad = Some("unexpected tokens after the condition");
            }
            if let Some(bad) = evaluator.bad {
                let span = tokens.get(evaluator.at).map_or(whole, |t| t.span);
                self.error(codes::BAD_CONDITION, span, bad);
            }
            return value != 0;
        }
        match rest.first().and_then(Token::ident) {
            Some(name) => self.macros.contains_key(name) == (directive == "ifdef"),
            None => {
                let message = format!("`#{directive}` needs a macro name");
                self.error(codes::BAD_DIRECTIVE, whole, message);
                false
            }
        }
    }

    /// Replaces `defined X` and `defined(X)` before macros are expanded.
    fn resolve_defined(&self, rest: &[Token]) -> Vec<Token> {
        let mut out = Vec::new();
        let mut at = 0;
        while let Some(token) = rest.get(at) {
            at += 1;
            if token.ident().is_none_or(|n| &**n != "defined") {
                out.push(token.clone());
                continue;
            }
            let parens = rest.get(at).is_some_and(|t| t.is("("));
            let Some(name) = rest.get(at + usize::from(parens)).and_then(Token::ident) else {
                out.push(token.clone());
                continue;
            };
            at += if parens { 3 } else { 1 };
            let value = u8::from(self.macros.contains_key(name)).into();
            let number = crate::lex::IntLiteral { value, width: None };
            out.push(Token { tok: Tok::Int(std::rc::Rc::new(number)), ..token.clone() });
        }
        out
    }
}

struct Evaluator<'a> {
    tokens: &'a [Token],
    at: usize,
    bad: Option<&'static str>,
    depth: u32,
}

/// Binary operators by precedence, lowest first.
const LEVELS: &[&[&str]] = &[
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", "<=", ">", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl Evaluator<'_> {
    fn eat(&mut self, punct: &str) -> bool {
        let here = self.tokens.get(self.at).is_some_and(|t| t.is(punct));
        self.at += usize::from(here);
        here
    }

    fn fail(&mut self, why: &'static str) -> i128 {
        self.bad.get_or_insert(why);
        0
    }

    fn ternary(&mut self) -> i128 {
        self.depth += 1;
        if self.depth > 200 {
            return self.fail("condition is nested too deeply");
        }
        let condition = self.binary(0);
        let value = if self.eat("?") {
            let then = self.ternary();
            if !self.eat(":") {
                return self.fail("expected `:` in the condition");
            }
            let otherwise = self.ternary();
            if condition != 0 { then } else { otherwise }
        } else {
            condition
        };
        self.depth -= 1;
        value
    }

    fn operator(&mut self, level: &[&'static str]) -> Option<&'static str> {
        let shift_right = level.contains(&">>")
            && self.tokens.get(self.at).is_some_and(|t| t.is(">"))
            && self.tokens.get(self.at + 1).is_some_and(|t| t.is(">") && !t.space);
        if shift_right {
            self.at += 2;
            return Some(">>");
        }
        let double = self.tokens.get(self.at + 1).is_some_and(|t| t.is(">") && !t.space);
        if level.contains(&">") && self.tokens.get(self.at).is_some_and(|t| t.is(">")) && double {
            return None;
        }
        level.iter().find(|op| self.eat(op)).copied()
    }

    fn binary(&mut self, level: usize) -> i128 {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1);
        while let Some(op) = self.operator(operators) {
            let right = self.binary(level + 1);
            left = self.apply(op, left, right);
        }
        left
    }

    fn apply(&mut self, op: &str, a: i128, b: i128) -> i128 {
        let bit = |value: bool| i128::from(value);
        match op {
            "||" => bit(a != 0 || b != 0),
            "&&" => bit(a != 0 && b != 0),
            "|" => a | b,
            "^" => a ^ b,
            "&" => a & b,
            "==" => bit(a == b),
            "!=" => bit(a != b),
            "<" => bit(a < b),
            "<=" => bit(a <= b),
            ">" => bit(a > b),
            ">=" => bit(a >= b),
            "<<" => u32::try_from(b).ok().and_then(|b| a.checked_shl(b)).unwrap_or(0),
            ">>" => u32::try_from(b).ok().and_then(|b| a.checked_shr(b)).unwrap_or(0),
            "+" => a.wrapping_add(b),
            "-" => a.wrapping_sub(b),
            "*" => a.wrapping_mul(b),
            "/" | "%" if b == 0 => self.fail("division by zero"),
            "/" => a.wrapping_div(b),
            _ => a.wrapping_rem(b),
        }
    }

    fn unary(&mut self) -> i128 {
        self.depth += 1;
        if self.depth > 200 {
            return self.fail("condition is nested too deeply");
        }
        let value = if self.eat("!") {
            i128::from(self.unary() == 0)
        } else if self.eat("-") {
            self.unary().wrapping_neg()
        } else if self.eat("+") {
            self.unary()
        } else if self.eat("~") {
            !self.unary()
        } else {
            self.primary()
        };
        self.depth -= 1;
        value
    }

    fn primary(&mut self) -> i128 {
        if self.eat("(") {
            let value = self.ternary();
            if !self.eat(")") {
                return self.fail("expected `)` in the condition");
            }
            return value;
        }
        match self.tokens.get(self.at).map(|t| &t.tok) {
            Some(Tok::Int(n)) => {
                self.at += 1;
                i128::try_from(&n.value).unwrap_or(i128::MAX)
            }
            Some(Tok::Ident(name)) => {
                self.at += 1;
                i128::from(&**name == "true")
            }
            _ => self.fail("expected a value in the condition"),
        }
    }
}
