//! Types.

use super::Parser;
use crate::lex::Tok;
use crate::source::Span;
use crate::syntax::ast::{Expr, Ident, Path, Type, TypeKind};

impl Parser<'_> {
    /// Returns whether a type starts here: a base type, or a name declared as a type.
    pub(super) fn at_type(&self) -> bool {
        match &self.peek().tok {
            Tok::Ident(name) => match &**name {
                "bool" | "error" | "match_kind" | "bit" | "int" | "varbit" | "string" | "tuple" | "void" => {
                    true
                }
                "list" => self.peek_at(1).is("<") || self.is_type_name(name),
                name => self.is_type_name(name),
            },
            Tok::Punct(".") => self.peek_at(1).ident().is_some_and(|n| {
                self.scopes.first().is_some_and(|s| s.get(n) == Some(&super::NameKind::Type))
            }),
            _ => false,
        }
    }

    /// Parses a type, including the brackets of a stack.
    pub(super) fn ty(&mut self) -> Type {
        let bad = Type { kind: TypeKind::Bad, span: self.span() };
        self.nested(bad, |p| {
            let mut ty = p.simple_type();
            while p.at("[") {
                p.bump();
                let size = p.bracketed(Self::expr);
                p.expect("]");
                let span = ty.span.to(p.previous());
                ty = Type { kind: TypeKind::Stack(Box::new(ty), Box::new(size)), span };
            }
            ty
        })
    }

    /// Parses the name after a type, with the array sizes that may follow it: in `T name[2][3]`, the first index has
    /// size 2.
    pub(super) fn declarator(&mut self, mut ty: Type, what: &str) -> Option<(Ident, Type)> {
        let name = self.ident(what)?;
        for size in self.declarator_sizes().into_iter().rev() {
            let span = ty.span.to(size.span);
            ty = Type { kind: TypeKind::Stack(Box::new(ty), Box::new(size)), span };
        }
        Some((name, ty))
    }

    /// Parses `[2][3]`.
    pub(super) fn declarator_sizes(&mut self) -> Vec<Expr> {
        let mut sizes = Vec::new();
        while self.eat("[") {
            sizes.push(self.bracketed(Self::expr));
            self.expect("]");
        }
        sizes
    }

    fn simple_type(&mut self) -> Type {
        let start = self.span();
        let Some(word) = self.word() else {
            if self.at(".") {
                return self.named_type();
            }
            self.expected("a type");
            return Type { kind: TypeKind::Bad, span: start };
        };
        let kind = match &*word {
            "bool" => TypeKind::Bool,
            "error" => TypeKind::Error,
            "match_kind" => TypeKind::MatchKind,
            "string" => TypeKind::String,
            "void" => TypeKind::Void,
            "bit" => {
                self.bump();
                let width = self.at("<").then(|| Box::new(self.width()));
                return Type { kind: TypeKind::Bit(width), span: start.to(self.previous()) };
            }
            "int" => {
                self.bump();
                let kind =
                    if self.at("<") { TypeKind::Signed(Box::new(self.width())) } else { TypeKind::Int };
                return Type { kind, span: start.to(self.previous()) };
            }
            "varbit" => {
                self.bump();
                let kind = if self.at("<") {
                    TypeKind::Varbit(Box::new(self.width()))
                } else {
                    self.expected("`<` and a maximum size");
                    TypeKind::Bad
                };
                return Type { kind, span: start.to(self.previous()) };
            }
            "tuple" | "list" if &*word == "tuple" || self.peek_at(1).is("<") => {
                self.bump();
                let args = self.type_args();
                let kind = if &*word == "tuple" { TypeKind::Tuple(args) } else { TypeKind::List(args) };
                return Type { kind, span: start.to(self.previous()) };
            }
            _ => return self.named_type(),
        };
        self.bump();
        Type { kind, span: start }
    }

    fn named_type(&mut self) -> Type {
        let start = self.span();
        let global = self.eat(".");
        let Some(ident) = self.ident("a type") else {
            return Type { kind: TypeKind::Bad, span: start };
        };
        let path = Path { global, ident };
        let kind =
            if self.at("<") { TypeKind::Specialized(path, self.type_args()) } else { TypeKind::Named(path) };
        Type { kind, span: start.to(self.previous()) }
    }

    /// Parses `<8>`, `<W + 1>` or `<(W > 8 ? W : 8)>`: an expression in which `>` is allowed only in parentheses.
    fn width(&mut self) -> Expr {
        self.expect("<");
        let outer = std::mem::replace(&mut self.angle, true);
        let width = if self.at(">") {
            self.expected("a width");
            self.bad_expr()
        } else {
            self.expr()
        };
        self.angle = outer;
        self.close_angle();
        width
    }

    /// Parses `<A, B>`.
    pub(super) fn type_args(&mut self) -> Vec<Type> {
        self.expect("<");
        let mut args = Vec::new();
        while !self.at(">") && !self.at_end() {
            let before = self.at;
            args.push(self.bracketed(Self::type_arg));
            if !self.eat(",") || self.at == before {
                break;
            }
        }
        self.close_angle();
        args
    }

    /// Parses a type, or `_` for an inferred type.
    fn type_arg(&mut self) -> Type {
        let span = self.span();
        if self.eat_word("_") {
            return Type { kind: TypeKind::DontCare, span };
        }
        self.ty()
    }

    fn close_angle(&mut self) {
        self.expect(">");
    }

    /// Parses `<T, U>` after the name of a declaration.
    pub(super) fn type_params(&mut self) -> Vec<Ident> {
        let mut params = Vec::new();
        if self.eat("<") {
            params = self.comma_list(">", |p| p.ident("a type parameter"));
            self.close_angle();
            for param in &params {
                self.declare(param, super::NameKind::Type);
            }
        }
        params
    }

    /// Parses the type arguments of a call, if `<...>` and `(` follow.
    pub(super) fn call_type_args(&mut self) -> Option<Vec<Type>> {
        if !self.at("<") {
            return None;
        }
        self.attempt(super::Speculation::CallTypeArgs, |p| {
            let args = p.type_args();
            let all_types = args.iter().all(|t| p.plausible(t));
            (all_types && p.at("(")).then_some(args)
        })
    }

    /// Returns whether what was parsed as a type can be one, given the names declared so far.
    fn plausible(&self, ty: &Type) -> bool {
        match &ty.kind {
            TypeKind::Named(path) | TypeKind::Specialized(path, _) => {
                self.is_type_name(&path.ident.name) || !self.is_declared(&path.ident.name)
            }
            TypeKind::Bad => false,
            _ => true,
        }
    }

    pub(super) fn span_from(&self, start: Span) -> Span {
        start.to(self.previous())
    }
}
