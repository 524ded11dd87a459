//! Implicit conversions and casts (specification, section 8.11).

use std::rc::Rc;

use num_bigint::BigInt;
use num_traits::{One as _, Zero as _};

use super::Checker;
use crate::constant;
use crate::diagnostic::{Diagnostic, codes, plural};
use crate::hir::{Expr, ExprKind, Type};
use crate::lex::Name;
use crate::source::Span;
use crate::syntax::ast;

impl Checker<'_> {
    /// Checks an expression against an expected type, and converts it implicitly where P4 allows that.
    pub(super) fn expr_as(&mut self, expr: &ast::Expr, want: &Type) -> Expr {
        let value = self.expr(expr, Some(want));
        self.coerce(value, want)
    }

    /// Converts a value implicitly; reports an error if P4 has no implicit conversion.
    pub(super) fn coerce(&mut self, value: Expr, want: &Type) -> Expr {
        let span = value.span;
        let found = value.ty.clone();
        let compound = matches!(
            value.kind,
            ExprKind::Binary(..)
                | ExprKind::Mux(..)
                | ExprKind::Slice(..)
                | ExprKind::PlusSlice(..)
                | ExprKind::Cast(_)
        );
        match self.implicit(value, want) {
            Some(value) => value,
            None => {
                self.mismatch(&found, want, compound, span);
                Expr::bad(span)
            }
        }
    }

    fn mismatch(&mut self, found: &Type, want: &Type, compound: bool, span: Span) {
        let (found_text, want_text) = (self.show(found), self.show(want));
        let expected = format!("expected `{want_text}`, found `{found_text}`");
        let (found, want) = (self.zonk(found), self.zonk(want));
        if !self.castable(&found, &want) {
            let diagnostic = Diagnostic::error(codes::TYPE_MISMATCH, span, expected);
            let mut diagnostic = diagnostic.label(format!("has type `{found_text}`"));
            if want == Type::Bool {
                diagnostic = Checker::hint_at_condition(diagnostic, &found, compound, span);
            }
            diagnostic = self.hint_at_block(diagnostic, &want, &found);
            self.report(diagnostic);
            return;
        }
        let message = format!("no implicit conversion from `{found_text}` to `{want_text}`");
        let diagnostic = Diagnostic::error(codes::TYPE_MISMATCH, span, message).label(expected);
        self.report(match compound {
            true => diagnostic.help(format!("add an explicit cast: `({want_text})(...)`")),
            false => diagnostic.suggest("add an explicit cast", span_start(span), format!("({want_text})")),
        });
    }

    /// Returns the value in the wanted type, or `None` if P4 has no implicit conversion.
    pub(super) fn implicit(&mut self, value: Expr, want: &Type) -> Option<Expr> {
        let want = self.zonk(want);
        let found = self.zonk(&value.ty);
        if want.is_bad() || found.is_bad() {
            return Some(Expr { ty: want, ..value });
        }
        match (&found, &want) {
            (Type::Untyped, _) => return self.untyped(value, &want),
            (Type::Seq(_) | Type::Record(_), Type::Var(id)) => {
                let settled = self.settle(value);
                let ty = settled.ty.clone();
                return self.solve(*id, ty).then_some(settled);
            }
            (Type::Seq(_), _) => return self.sequence(value, &want),
            (Type::Record(_), _) if !matches!(want, Type::Record(_)) => return self.record(value, &want),
            (Type::Int, Type::Bit(_) | Type::Signed(_)) => return Some(self.literal(value, &want)),
            (Type::Int, Type::New(_)) if value.as_int().is_some() && self.castable(&found, &want) => {
                return Some(self.literal_of_new_type(value, &want));
            }
            (Type::Bit(_) | Type::Signed(_), Type::Int) if value.as_int().is_some() => {
                return Some(Expr { ty: Type::Int, ..value });
            }
            _ => {}
        }
        if self.unify(&found, &want) {
            let ty = self.zonk(&want);
            let ty = if matches!(found, Type::Parser(..) | Type::Control(..)) { found } else { ty };
            return Some(Expr { ty, ..value });
        }
        // A serialisable enum converts to its underlying type.
        if let Type::Enum(_) = &found {
            let repr = self.module.representation(&found);
            if repr == want {
                return Some(retype(value, &want));
            }
        }
        None
    }

    /// Converts an arbitrary-precision integer to a type of fixed width.
    fn literal(&mut self, value: Expr, want: &Type) -> Expr {
        let span = value.span;
        let Some(number) = value.as_int().cloned() else {
            return Expr { kind: ExprKind::Cast(Box::new(value)), ty: want.clone(), span };
        };
        let wrapped = constant::wrap(&number, want);
        self.warn_truncated_literal(&number, want, span);
        Expr { kind: ExprKind::Int(wrapped), ty: want.clone(), span }
    }

    /// Inserts the cast of a number to a type that `type` declares, as p4c does.
    fn literal_of_new_type(&mut self, value: Expr, want: &Type) -> Expr {
        let (span, name) = (value.span, self.show(want));
        self.report(
            Diagnostic::warning(
                codes::IMPLICIT_CAST,
                span,
                format!("a number is no value of `{name}` without a cast"),
            )
            .label("the cast is inserted, as p4c does")
            .suggest("write it", span_start(span), format!("({name})")),
        );
        self.cast(value, want, span)
    }

    /// Converts `{#}` and `...`.
    fn untyped(&mut self, value: Expr, want: &Type) -> Option<Expr> {
        let fine = match &value.kind {
            ExprKind::Invalid => self.module.is_header(want) || self.module.is_union(want),
            _ => !matches!(want, Type::Var(_) | Type::Extern(..) | Type::Void | Type::List(_)),
        };
        fine.then(|| match &value.kind {
            ExprKind::Default => self.default_of(want, value.span),
            _ => Expr { ty: want.clone(), ..value },
        })
    }

    /// Returns the default value of a type (specification, "Default values"), expanded if the type contains no headers.
    fn default_of(&self, ty: &Type, span: Span) -> Expr {
        let parts = match ty {
            Type::Aggregate(..) if !self.module.is_struct(ty) => None,
            Type::Aggregate(..) | Type::Tuple(_) => self.module.fields(ty),
            Type::Stack(..) if self.module.is_array(ty) => self.module.fields(ty),
            _ => None,
        };
        let kind = match (self.module.underlying(ty), parts) {
            (_, Some(parts)) => {
                ExprKind::Items(parts.iter().map(|(_, part)| self.default_of(part, span)).collect())
            }
            (Type::Bool, _) => ExprKind::Bool(false),
            (Type::Bit(_) | Type::Signed(_) | Type::Int | Type::Enum(_) | Type::Error, _) => {
                ExprKind::Int(BigInt::zero())
            }
            _ => ExprKind::Default,
        };
        Expr { kind, ty: ty.clone(), span }
    }

    /// Converts `{a, b}` to a tuple, struct, header or list.
    fn sequence(&mut self, value: Expr, want: &Type) -> Option<Expr> {
        let span = value.span;
        let ExprKind::Items(mut items) = value.kind else {
            return self.unify(&value.ty, want).then_some(value);
        };
        if let Type::List(of) = want {
            let items = items.into_iter().map(|i| self.coerce(i, of)).collect();
            return Some(Expr { kind: ExprKind::Items(items), ty: want.clone(), span });
        }
        if self.module.is_union(want) {
            return None;
        }
        let fields = match want {
            Type::Stack(of, n) => (0..*n).map(|_| (Name::from(""), (**of).clone())).collect(),
            _ => self.module.fields(want)?,
        };
        let dots = items.last().is_some_and(|i| i.kind == ExprKind::Default && i.ty == Type::Untyped);
        if dots && items.len() <= fields.len() + 1 {
            items.pop();
            let missing = fields.get(items.len()..).unwrap_or_default();
            items.extend(missing.iter().map(|(_, ty)| self.default_of(ty, span)));
        }
        if items.len() != fields.len() {
            let message = format!(
                "`{}` has {}, but {} {} given",
                self.show(want),
                plural(fields.len(), "field"),
                plural(items.len(), "value"),
                if items.len() == 1 { "was" } else { "were" }
            );
            self.error(codes::TYPE_MISMATCH, span, message);
            return Some(Expr::bad(span));
        }
        let items = items.into_iter().zip(&fields).map(|(item, (_, ty))| self.coerce(item, ty)).collect();
        let ty = self.zonk(want);
        Some(Expr { kind: ExprKind::Items(items), ty, span })
    }

    /// Converts `{a = x, b = y}` to a struct or header.
    fn record(&mut self, value: Expr, want: &Type) -> Option<Expr> {
        let span = value.span;
        let Type::Record(names) = &value.ty else { return None };
        let ExprKind::Items(items) = &value.kind else { return None };
        if !matches!(want, Type::Aggregate(..)) || self.module.is_union(want) {
            return None;
        }
        let fields = self.module.fields(want)?;
        let dots = names.last().is_some_and(|(n, _)| &**n == "...");
        let mut given: Vec<Option<Expr>> = vec![None; fields.len()];
        let mut unknown = false;
        for ((name, _), item) in names.iter().zip(items).filter(|((n, _), _)| &**n != "...") {
            let Some(position) = fields.iter().position(|(f, _)| f == name) else {
                let message = format!("`{}` has no field `{name}`", self.show(want));
                let near = self.closest(name, fields.iter().map(|(f, _)| &**f));
                let diagnostic = Diagnostic::error(codes::UNKNOWN_MEMBER, item.span, message);
                self.report(match near {
                    Some(near) => diagnostic.help(format!("a field with a similar name exists: `{near}`")),
                    None => diagnostic,
                });
                unknown = true;
                continue;
            };
            let item = self.coerce(item.clone(), &fields[position].1);
            if let Some(slot) = given.get_mut(position) {
                *slot = Some(item);
            }
        }
        let mut missing = Vec::new();
        let mut values = Vec::new();
        for ((name, ty), value) in fields.iter().zip(given) {
            if value.is_none() && !dots {
                missing.push(format!("`{name}`"));
            }
            values.push(value.unwrap_or_else(|| self.default_of(ty, span)));
        }
        // An unknown field name is probably a misspelt missing field: one diagnostic is enough.
        if !missing.is_empty() && !unknown {
            let message =
                format!("missing fields in the initialiser of `{}`: {}", self.show(want), missing.join(", "));
            self.error(codes::TYPE_MISMATCH, span, message);
        }
        Some(Expr { kind: ExprKind::Items(values), ty: want.clone(), span })
    }

    /// Gives a list or record without an expected type the type of a tuple or of an anonymous struct.
    pub(super) fn settle(&mut self, value: Expr) -> Expr {
        let span = value.span;
        match (value.kind, value.ty) {
            (ExprKind::Items(items), Type::Seq(_)) => {
                let items: Vec<Expr> = items.into_iter().map(|i| self.settle(i)).collect();
                let types: Rc<[Type]> = items.iter().map(|i| i.ty.clone()).collect();
                Expr { kind: ExprKind::Items(items), ty: Type::Tuple(types), span }
            }
            (ExprKind::Items(items), Type::Record(names)) => {
                let items: Vec<Expr> = items.into_iter().map(|i| self.settle(i)).collect();
                let fields = names.iter().zip(&items).map(|((n, _), i)| (n.clone(), i.ty.clone())).collect();
                Expr { kind: ExprKind::Items(items), ty: Type::Record(fields), span }
            }
            (kind, ty) => Expr { kind, ty, span },
        }
    }

    /// Returns whether the cast `(to) from` exists.
    pub(super) fn castable(&self, from: &Type, to: &Type) -> bool {
        if from == to || from.is_bad() || to.is_bad() {
            return true;
        }
        let repr = |ty: &Type| self.module.representation(ty);
        match (from, to) {
            (Type::Bit(a), Type::Signed(b)) | (Type::Signed(a), Type::Bit(b)) => a == b,
            (Type::Bit(_), Type::Bit(_)) | (Type::Signed(_), Type::Signed(_)) => true,
            (Type::Bit(1), Type::Bool) | (Type::Bool, Type::Bit(1)) => true,
            (Type::Int, Type::Bit(_) | Type::Signed(_) | Type::Bool) => true,
            (Type::Bit(_) | Type::Signed(_), Type::Int) => true,
            (Type::Enum(_), Type::Enum(_)) => {
                let (from, to) = (repr(from), repr(to));
                !matches!(from, Type::Enum(_)) && !matches!(to, Type::Enum(_)) && self.castable(&from, &to)
            }
            // A type declared with `type` converts to its original type and back. An `int` converts to both.
            (Type::Int, Type::New(_)) => self.castable(from, &repr(to)),
            (Type::New(_), _) | (_, Type::New(_)) => {
                let made_of = |made: &Type, of: &Type| match made {
                    Type::New(id) => self.module.newtypes.get(id.index()).is_some_and(|n| n.ty == *of),
                    _ => false,
                };
                made_of(from, to) || made_of(to, from)
            }
            (Type::Enum(_), _) => {
                let inner = repr(from);
                inner != *from && self.castable(&inner, to)
            }
            (_, Type::Enum(_)) => {
                let inner = repr(to);
                inner != *to && self.castable(from, &inner)
            }
            _ => false,
        }
    }

    /// Checks the cast `(to) value`.
    pub(super) fn cast(&mut self, value: Expr, to: &Type, span: Span) -> Expr {
        let to = self.zonk(to);
        let from = self.zonk(&value.ty);
        if to.is_bad() || from.is_bad() {
            return Expr { kind: ExprKind::Bad, ty: to, span };
        }
        if matches!(from, Type::Seq(_) | Type::Record(_) | Type::Untyped) {
            return Expr { span, ..self.coerce(value, &to) };
        }
        if !self.castable(&from, &to) {
            let message = format!("cannot cast `{}` to `{}`", self.show(&from), self.show(&to));
            self.error(codes::BAD_CAST, span, message);
            return Expr { kind: ExprKind::Bad, ty: to, span };
        }
        let (repr_from, repr_to) = (self.module.representation(&from), self.module.representation(&to));
        if let ExprKind::Bool(bit) = value.kind {
            let number = if bit { BigInt::one() } else { BigInt::zero() };
            return Expr { kind: ExprKind::Int(number), ty: to, span };
        }
        let Some(number) = value.as_int().cloned() else {
            if to == Type::Int {
                self.error(codes::NOT_CONSTANT, span, "only constants can be cast to `int`");
            }
            return Expr { kind: ExprKind::Cast(Box::new(Expr { ty: from, ..value })), ty: to, span };
        };
        if repr_to == Type::Bool {
            if number != BigInt::zero() && number != BigInt::one() {
                self.error(codes::BAD_CAST, span, "only 0 and 1 can be cast to `bool`");
            }
            return Expr { kind: ExprKind::Bool(!number.is_zero()), ty: to, span };
        }
        if repr_from == Type::Int && !constant::fits(&number, &repr_to) {
            let wrapped = constant::wrap(&number, &repr_to);
            let signed_pattern = matches!(repr_to, Type::Signed(w) if constant::fits(&number, &Type::Bit(w)));
            if !signed_pattern && repr_to.fixed_width().is_some() {
                let text = self.show(&to);
                self.report(Diagnostic::warning(
                    codes::TRUNCATED,
                    span,
                    format!("{number} is out of range for `{text}` and is truncated to {wrapped}"),
                ));
            }
        }
        Expr { kind: ExprKind::Int(constant::wrap(&number, &repr_to)), ty: to, span }
    }
}

/// Converts a value of a serialisable enum to its underlying type.
fn retype(value: Expr, want: &Type) -> Expr {
    let span = value.span;
    match value.kind {
        ExprKind::Int(number) => Expr { kind: ExprKind::Int(number), ty: want.clone(), span },
        _ => Expr { kind: ExprKind::Cast(Box::new(value)), ty: want.clone(), span },
    }
}

fn span_start(span: Span) -> Span {
    Span { end: span.start, ..span }
}
