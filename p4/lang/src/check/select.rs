//! Key sets: labels of `select`, entries of tables.

use num_traits::ToPrimitive as _;

use super::Checker;
use crate::diagnostic::{Diagnostic, codes, plural};
use crate::hir::{Expr, ExprKind, Keyset, Type, VarKind};
use crate::source::Span;
use crate::syntax::ast::{self, ExprKind as Ast};

impl Checker<'_> {
    /// Checks the key sets of a label for keys of these types.
    pub(super) fn keysets(&mut self, sets: &[ast::Expr], keys: &[Type], span: Span) -> Vec<Keyset> {
        if let [only] = sets {
            if matches!(only.kind, Ast::Default | Ast::DontCare) {
                return vec![Keyset::Any; keys.len().max(1)];
            }
            if let Some(set) = self.value_set(only, keys) {
                return vec![set];
            }
            if let (Ast::List { items, dots: false }, [key]) = (&only.kind, keys)
                && items.len() == 1
                && self.module.fields(key).is_none()
            {
                return vec![self.keyset(&items[0], key)];
            }
            if keys.len() > 1 {
                if let Ast::List { items, dots: false } = &only.kind {
                    return self.keysets(items, keys, span);
                }
                // A constant tuple or struct supplies the values of all keys.
                let value = self.expr(only, Some(&Type::Tuple(keys.to_vec().into())));
                if value.ty.fixed_width().is_some() || matches!(value.ty, Type::Int | Type::Bool) {
                    let message = format!("expected {} key sets, found 1", keys.len());
                    self.error(codes::BAD_KEY, span, message);
                    return unknown_sets(keys, span);
                }
                let value = self.coerce(value, &Type::Tuple(keys.to_vec().into()));
                if let ExprKind::Items(items) = value.kind {
                    return items.into_iter().map(Keyset::Value).collect();
                }
                return unknown_sets(keys, span);
            }
        }
        if sets.len() != keys.len() {
            let message = format!("expected {}, found {}", plural(keys.len(), "key set"), sets.len());
            self.error(codes::BAD_KEY, span, message);
            return unknown_sets(keys, span);
        }
        sets.iter().zip(keys).map(|(set, key)| self.keyset(set, key)).collect()
    }

    fn value_set(&mut self, set: &ast::Expr, keys: &[Type]) -> Option<Keyset> {
        let Ast::Name(path) = &set.kind else { return None };
        let super::Entity::Var(id) = self.find_entity(&path.ident.name)? else { return None };
        let var = self.module.vars.get(id.index())?.clone();
        if var.kind != VarKind::ValueSet {
            return None;
        }
        let Type::ValueSet(member) = &var.ty else { return Some(Keyset::Any) };
        let parts: Vec<Type> = match self.module.fields(member) {
            Some(fields) => fields.into_iter().map(|(_, t)| t).collect(),
            None => vec![(**member).clone()],
        };
        let whole = keys.len() == 1 && self.unify(&keys[0], member);
        let fits = |c: &mut Self, parts: &[Type]| {
            parts.len() == keys.len() && parts.iter().zip(keys).all(|(a, b)| c.unify(a, b))
        };
        let mut scalars = Vec::new();
        self.scalar_types(member, &mut scalars);
        if !whole && !fits(self, &parts) && !fits(self, &scalars) {
            let message =
                format!("the members of value set `{}` have type `{}`", path.ident.name, self.show(member));
            self.error(codes::TYPE_MISMATCH, set.span, message);
        }
        Some(Keyset::ValueSet(id))
    }

    /// Collects the types of the scalars that a type consists of.
    fn scalar_types(&self, ty: &Type, out: &mut Vec<Type>) {
        match self.module.fields(ty) {
            Some(fields) => fields.iter().for_each(|(_, part)| self.scalar_types(part, out)),
            None => out.push(ty.clone()),
        }
    }

    /// Checks the key set for one key.
    pub(super) fn keyset(&mut self, set: &ast::Expr, key: &Type) -> Keyset {
        match &set.kind {
            Ast::Default | Ast::DontCare => Keyset::Any,
            Ast::Mask(value, mask) => {
                let key = self.set_base(key, set);
                let (value, mask) = self.set_bounds(value, mask, &key, set.span);
                Keyset::Mask(value, mask)
            }
            Ast::Range(low, high) => {
                let key = self.set_base(key, set);
                let (low, high) = self.set_bounds(low, high, &key, set.span);
                self.warn_empty_range(&low, &high);
                Keyset::Range(low, high)
            }
            Ast::List { items, dots: false } if self.module.fields(key).is_some() => {
                let fields = self.module.fields(key).unwrap_or_default();
                if fields.len() != items.len() {
                    let message = format!("`{}` has {} fields", self.show(key), fields.len());
                    self.error(codes::BAD_KEY, set.span, message);
                    return Keyset::Any;
                }
                Keyset::Items(items.iter().zip(&fields).map(|(i, (_, t))| self.keyset(i, t)).collect())
            }
            _ => {
                if let Some(set) = self.value_set(set, std::slice::from_ref(key)) {
                    return set;
                }
                let value = self.expr_as(set, key);
                if matches!(value.kind, ExprKind::Call(_)) {
                    self.error(codes::NOT_CONSTANT, set.span, "a key set cannot contain calls");
                }
                Keyset::Value(value)
            }
        }
    }

    fn set_base(&mut self, key: &Type, set: &ast::Expr) -> Type {
        let base = self.module.representation(key);
        if !matches!(base, Type::Bit(_) | Type::Signed(_) | Type::Bad | Type::Bool | Type::Int) {
            let message = format!("masks and ranges of `{}` are not defined", self.show(key));
            self.error(codes::BAD_KEY, set.span, message);
            return Type::Bad;
        }
        base
    }

    /// Checks the two operands of a mask or range; both must have the type of the key.
    fn set_bounds(&mut self, first: &ast::Expr, second: &ast::Expr, key: &Type, span: Span) -> (Expr, Expr) {
        let (a, b) = (self.set_bound(first, key), self.set_bound(second, key));
        let sized = a.ty.fixed_width().is_some() && b.ty.fixed_width().is_some();
        if sized && a.ty != b.ty {
            let message = "the operands of this key set have different types";
            self.report(
                Diagnostic::error(codes::BAD_OPERANDS, span, message)
                    .also(a.span, format!("`{}`", self.show(&a.ty)))
                    .also(b.span, format!("`{}`", self.show(&b.ty))),
            );
            return (Expr::bad(a.span), Expr::bad(b.span));
        }
        // If both operands have the same wrong type, one diagnostic is enough.
        let fits = !sized || key.is_bad() || a.ty == *key;
        let a = self.coerce(a, key);
        if !fits {
            return (a, Expr::bad(b.span));
        }
        (a, self.coerce(b, key))
    }

    fn set_bound(&mut self, bound: &ast::Expr, key: &Type) -> Expr {
        let value = self.expr(bound, Some(key));
        match &value.ty {
            Type::New(_) | Type::Enum(_) => {
                let repr = self.module.representation(&value.ty);
                let span = value.span;
                self.cast(value, &repr, span)
            }
            _ => value,
        }
    }

    /// Reports masks and ranges of a `select` that are not known at compile time.
    pub(super) fn check_constant_set(&mut self, set: &Keyset) {
        match set {
            Keyset::Mask(a, b) | Keyset::Range(a, b) => {
                for bound in [a, b] {
                    if !bound.ty.is_bad() {
                        self.require_known(bound);
                    }
                }
            }
            Keyset::Items(items) => items.iter().for_each(|i| self.check_constant_set(i)),
            Keyset::Any | Keyset::Value(_) | Keyset::ValueSet(_) => {}
        }
    }

    /// Checks a number of elements.
    pub(super) fn size_expr(&mut self, size: &ast::Expr, what: &str) -> Expr {
        let value = self.expr(size, None);
        let value = self.as_representation(value);
        if !value.ty.is_bad() && !matches!(value.ty, Type::Int | Type::Bit(_) | Type::Signed(_)) {
            let message = format!("{what} must be a number, found `{}`", self.show(&value.ty));
            self.error(codes::TYPE_MISMATCH, size.span, message);
            return Expr::bad(size.span);
        }
        self.require_known(&value);
        if value.as_int().is_some_and(|v| v.to_u64().is_none()) {
            let message = format!("{what} must not be negative");
            self.error(codes::BAD_WIDTH, size.span, message);
        }
        value
    }
}

/// Key sets that replace those of an erroneous label, to avoid follow-up errors.
fn unknown_sets(keys: &[Type], span: Span) -> Vec<Keyset> {
    vec![Keyset::Value(Expr::bad(span)); keys.len()]
}
