//! Expressions and key sets.

use super::{Parser, RESERVED, Speculation};
use crate::diagnostic::{Diagnostic, codes};
use crate::lex::Tok;
use crate::source::Span;
use crate::syntax::ast::{Arg, BinaryOp, Expr, ExprKind, Ident, Path, Type, TypeKind, UnaryOp};

/// Binary operators by precedence, lowest first (specification, section 8).
const LEVELS: &[&[(&str, BinaryOp)]] = &[
    &[("||", BinaryOp::Or)],
    &[("&&", BinaryOp::And)],
    &[("==", BinaryOp::Eq), ("!=", BinaryOp::Ne)],
    &[("<=", BinaryOp::Le), (">=", BinaryOp::Ge), ("<", BinaryOp::Lt), (">", BinaryOp::Gt)],
    &[("|", BinaryOp::BitOr)],
    &[("^", BinaryOp::BitXor)],
    &[("&", BinaryOp::BitAnd)],
    &[("<<", BinaryOp::Shl), (">>", BinaryOp::Shr)],
    &[
        ("++", BinaryOp::Concat),
        ("|+|", BinaryOp::AddSat),
        ("|-|", BinaryOp::SubSat),
        ("+", BinaryOp::Add),
        ("-", BinaryOp::Sub),
    ],
    &[("*", BinaryOp::Mul), ("/", BinaryOp::Div), ("%", BinaryOp::Mod)],
];

impl Parser<'_> {
    /// Parses an expression.
    pub(super) fn expr(&mut self) -> Expr {
        let bad = self.bad_expr();
        self.nested(bad, |p| {
            let condition = p.binary(0);
            if !p.eat("?") {
                return condition;
            }
            let then = p.expr();
            p.expect(":");
            let at = p.at;
            let otherwise = p.expr();
            let nested = matches!(otherwise.kind, ExprKind::Mux(..)) && p.parenthesized != Some((at, p.at));
            if nested {
                p.warn_nested_mux(otherwise.span);
            }
            let span = condition.span.to(otherwise.span);
            let kind = ExprKind::Mux(Box::new(condition), Box::new(then), Box::new(otherwise));
            Expr { kind, span }
        })
    }

    /// Warns about `a ? b : c ? d : e`, which p4c reads as `(a ? b : c) ? d : e`. The specification says that `?:` has
    /// the meaning that it has in C.
    fn warn_nested_mux(&mut self, span: Span) {
        let diagnostic =
            Diagnostic::warning(codes::NESTED_CONDITIONAL, span, "p4c reads this nested `?:` differently")
                .label("the second alternative, as in C")
                .note("p4c takes `a ? b : c ? d : e` as `(a ? b : c) ? d : e`");
        let (open, close) = (Span { end: span.start, ..span }, span.tail());
        self.sink.push(
            diagnostic.suggest("add parentheses, which both read in the same way", open, "(").and(close, ")"),
        );
    }

    /// Reports `and`, `or` and `not`, which other languages have.
    fn word_operator(&mut self, word: &str, operator: &str) {
        let span = self.bump().span;
        self.report(
            Diagnostic::error(codes::UNEXPECTED_TOKEN, span, format!("P4 has no operator `{word}`"))
                .label(format!("expected `{operator}`"))
                .suggest(format!("write `{operator}`"), span, operator),
        );
    }

    fn binary_operator(&mut self, level: usize) -> Option<BinaryOp> {
        let words = [("or", "||", BinaryOp::Or), ("and", "&&", BinaryOp::And)];
        if let Some((word, operator, op)) = words.get(level)
            && self.at_word(word)
            && !self.peek().line_start
        {
            self.word_operator(word, operator);
            return Some(*op);
        }
        if self.angle && (self.at(">") || self.at(">=")) {
            return None;
        }
        let shift_right = self.adjacent(">", ">");
        if LEVELS[level][0].0 == "<<" && shift_right {
            // `>>=` is an assignment.
            if self.peek_at(2).is(">=") && !self.peek_at(2).space {
                return None;
            }
            self.bump();
            self.bump();
            return Some(BinaryOp::Shr);
        }
        if self.at(">") && (shift_right || self.adjacent(">", ">=")) {
            return None;
        }
        let found = LEVELS[level].iter().find(|(punct, _)| self.at(punct))?;
        self.bump();
        Some(found.1)
    }

    fn binary(&mut self, level: usize) -> Expr {
        if level >= LEVELS.len() {
            return self.unary();
        }
        let mut left = self.binary(level + 1);
        let mut terms = 0;
        while let Some(op) = self.binary_operator(level) {
            let right = self.binary(level + 1);
            let span = left.span.to(right.span);
            left = Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span };
            terms += 1;
            if terms > 2000 {
                self.error(codes::TOO_LARGE, span, "expression is too long");
                self.at = self.tokens.len() - 1;
            }
        }
        left
    }

    pub(super) fn unary(&mut self) -> Expr {
        let start = self.span();
        let op = match &self.peek().tok {
            Tok::Punct("-") => UnaryOp::Negate,
            Tok::Punct("+") => UnaryOp::Plus,
            Tok::Punct("~") => UnaryOp::BitNot,
            Tok::Punct("!") => UnaryOp::Not,
            Tok::Punct("(") => {
                if let Some(ty) = self.cast_type() {
                    let bad = self.bad_expr();
                    let operand = self.nested(bad, Self::unary);
                    let span = start.to(operand.span);
                    return Expr { kind: ExprKind::Cast(ty, Box::new(operand)), span };
                }
                return self.postfix();
            }
            _ => return self.postfix(),
        };
        self.bump();
        let bad = self.bad_expr();
        let operand = self.nested(bad, Self::unary);
        let span = start.to(operand.span);
        Expr { kind: ExprKind::Unary(op, Box::new(operand)), span }
    }

    /// Parses `(type)` before an operand.
    fn cast_type(&mut self) -> Option<Type> {
        let at = self.at;
        self.bump();
        if self.at_type() {
            let ty = self.attempt(Speculation::Cast, |p| {
                let ty = p.bracketed(Self::ty);
                (p.at(")") && !p.peek_at(1).is(".")).then_some(ty)
            });
            if let Some(ty) = ty {
                self.bump();
                return Some(ty);
            }
        }
        self.at = at;
        None
    }

    fn postfix(&mut self) -> Expr {
        let mut expr = self.primary();
        let mut links = 0;
        loop {
            links += 1;
            if links > 500 {
                self.error(codes::TOO_LARGE, expr.span, "expression is too long");
                self.at = self.tokens.len() - 1;
                return expr;
            }
            let start = expr.span;
            if self.at_fraction(&expr) {
                self.bump();
                let span = start.to(self.bump().span);
                let message = "P4 has no floating-point numbers";
                self.error(codes::BAD_NUMBER, span, message);
                return Expr { kind: ExprKind::Bad, span };
            }
            let kind = if self.at(".") {
                self.bump();
                let span = self.span();
                let Some(name) = self.word().filter(|n| n.as_ref() == "apply" || self.member_name(n)) else {
                    self.expected("a member name");
                    return expr;
                };
                self.bump();
                ExprKind::Member(Box::new(expr), Ident { name, span })
            } else if self.eat("[") {
                self.subscript(expr)
            } else if self.at("(") {
                ExprKind::Call { callee: Box::new(expr), type_args: Vec::new(), args: self.args() }
            } else if self.at("<")
                && matches!(expr.kind, ExprKind::Name(_) | ExprKind::Member(..))
                && let Some(type_args) = self.call_type_args()
            {
                ExprKind::Call { callee: Box::new(expr), type_args, args: self.args() }
            } else {
                return expr;
            };
            expr = Expr { kind, span: start.to(self.previous()) };
        }
    }

    /// Returns whether a point and digits follow the number `expr`, without white space.
    fn at_fraction(&self, expr: &Expr) -> bool {
        let (point, digits) = (self.peek(), self.peek_at(1));
        matches!(expr.kind, ExprKind::Int(_))
            && point.is(".")
            && !point.space
            && matches!(digits.tok, Tok::Int(_))
            && !digits.space
    }

    fn member_name(&self, name: &str) -> bool {
        !RESERVED.contains(&name)
    }

    fn subscript(&mut self, base: Expr) -> ExprKind {
        self.bracketed(|p| p.subscript_in_brackets(base))
    }

    fn subscript_in_brackets(&mut self, base: Expr) -> ExprKind {
        let first = self.expr();
        let kind = if self.eat(":") {
            let low = self.expr();
            ExprKind::Slice(Box::new(base), Box::new(first), Box::new(low))
        } else if self.eat("+:") {
            let width = self.expr();
            ExprKind::PlusSlice(Box::new(base), Box::new(first), Box::new(width))
        } else {
            ExprKind::Index(Box::new(base), Box::new(first))
        };
        self.expect("]");
        kind
    }

    /// Parses `(a, name = b, _)`.
    pub(super) fn args(&mut self) -> Vec<Arg> {
        self.bracketed(Self::args_in_brackets)
    }

    fn args_in_brackets(&mut self) -> Vec<Arg> {
        self.expect("(");
        let args = self.comma_list(")", |p| {
            let start = p.span();
            let name = if p.peek().ident().is_some() && p.peek_at(1).is("=") {
                let name = p.ident("an argument name");
                p.bump();
                name
            } else {
                None
            };
            let value = if p.at_word("_") {
                p.bump();
                None
            } else {
                Some(p.expr())
            };
            Some(Arg { name, value, span: p.span_from(start) })
        });
        self.expect(")");
        args
    }

    fn primary(&mut self) -> Expr {
        let start = self.span();
        let kind = match self.peek().tok.clone() {
            Tok::Int(n) => {
                self.bump();
                ExprKind::Int(n)
            }
            Tok::Str(s) => {
                self.bump();
                ExprKind::Str(s)
            }
            Tok::Punct("(") => {
                self.bump();
                let at = self.at - 1;
                let mut inner = self.bracketed(Self::expr);
                self.expect(")");
                inner.span = self.span_from(start);
                self.parenthesized = Some((at, self.at));
                return inner;
            }
            Tok::Punct("{") => return self.bracketed(Self::braces),
            Tok::Punct("...") => {
                self.bump();
                ExprKind::Dots
            }
            Tok::Punct(".") => {
                if self.at_type() {
                    ExprKind::Type(self.ty())
                } else {
                    self.bump();
                    match self.ident("a name") {
                        Some(ident) => ExprKind::Name(Path { global: true, ident }),
                        None => ExprKind::Bad,
                    }
                }
            }
            Tok::Ident(word) => return self.word_expr(&word),
            // A malformed number or string, already reported.
            Tok::Bad(..) => {
                self.bump();
                ExprKind::Bad
            }
            _ => {
                self.expected("an expression");
                ExprKind::Bad
            }
        };
        Expr { kind, span: self.span_from(start) }
    }

    fn word_expr(&mut self, word: &str) -> Expr {
        let start = self.span();
        let kind = match word {
            "true" | "false" => {
                self.bump();
                ExprKind::Bool(word == "true")
            }
            "not" if !self.is_declared("not") && self.operand_follows() => {
                self.word_operator("not", "!");
                return self.unary();
            }
            "this" => {
                self.bump();
                ExprKind::This
            }
            "default" => {
                self.bump();
                ExprKind::Default
            }
            "_" => {
                self.bump();
                ExprKind::DontCare
            }
            _ if self.at_type() => ExprKind::Type(self.type_in_expr()),
            _ => match self.ident("an expression") {
                Some(ident) => ExprKind::Name(Path { global: false, ident }),
                None => ExprKind::Bad,
            },
        };
        Expr { kind, span: self.span_from(start) }
    }

    /// Returns whether the token after this one starts an operand.
    fn operand_follows(&self) -> bool {
        let next = self.peek_at(1);
        next.is("(") || next.ident().is_some() && !next.line_start
    }

    /// Parses a type in an expression: `.member`, `(arguments)` or nothing follows.
    fn type_in_expr(&mut self) -> Type {
        if self.peek_at(1).is("<") {
            return self.ty();
        }
        let start = self.span();
        let named = self.word().filter(|w| !RESERVED.contains(&&**w));
        match named {
            Some(name) => {
                self.bump();
                let ident = Ident { name, span: start };
                Type { kind: TypeKind::Named(Path { global: false, ident }), span: start }
            }
            None => self.ty(),
        }
    }

    /// Parses `{...}`: a list, a record, or an invalid header.
    fn braces(&mut self) -> Expr {
        let start = self.span();
        let bad = self.bad_expr();
        self.nested(bad, |p| {
            p.bump();
            if p.at("#") && !p.peek().space && !p.peek_at(1).space {
                p.bump();
                p.expect("}");
                return Expr { kind: ExprKind::InvalidHeader, span: p.span_from(start) };
            }
            let keyed = p.peek().ident().is_some() && p.peek_at(1).is("=");
            let mut dots = false;
            let kind = if keyed {
                let fields = p.comma_list("}", |p| {
                    if p.eat("...") {
                        dots = true;
                        return p.dots_end();
                    }
                    let name = p.ident("a field name")?;
                    p.expect("=");
                    Some((name, p.expr()))
                });
                ExprKind::Record { fields, dots }
            } else {
                let items = p.comma_list("}", |p| {
                    if p.at("...") {
                        p.bump();
                        dots = true;
                        return p.dots_end();
                    }
                    Some(p.keyset())
                });
                ExprKind::List { items, dots }
            };
            p.expect("}");
            Expr { kind, span: p.span_from(start) }
        })
    }

    /// Checks that `...` is the last item; it adds nothing to the list.
    fn dots_end<T>(&mut self) -> Option<T> {
        let last = self.at("}") || self.at(",") && self.peek_at(1).is("}");
        if !last {
            self.expected("`}` after `...`");
        }
        None
    }

    /// Parses `default`, `_`, a value, `a &&& b` or `a .. b`.
    pub(super) fn keyset(&mut self) -> Expr {
        let first = self.expr();
        let build = match &self.peek().tok {
            Tok::Punct("&&&") => ExprKind::Mask as fn(Box<Expr>, Box<Expr>) -> ExprKind,
            Tok::Punct("..") => ExprKind::Range as fn(Box<Expr>, Box<Expr>) -> ExprKind,
            _ => return first,
        };
        self.bump();
        let second = self.expr();
        let span = first.span.to(second.span);
        Expr { kind: build(Box::new(first), Box::new(second)), span }
    }

    /// Parses the part before `:` in a select case or an entry: one key set, or several in parentheses.
    pub(super) fn keysets(&mut self) -> Vec<Expr> {
        if self.at("(") {
            let several = self.attempt(Speculation::KeySets, |p| {
                p.bump();
                let list = p.comma_list(")", |p| Some(p.keyset()));
                (p.eat(")") && p.at(":") && !list.is_empty()).then_some(list)
            });
            if let Some(list) = several {
                return list;
            }
        }
        vec![self.keyset()]
    }
}
