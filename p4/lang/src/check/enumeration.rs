//! Enums, with and without an underlying type (specification, "Enumeration types").

use std::collections::BTreeSet;

use num_bigint::BigInt;
use num_traits::ToPrimitive as _;

use super::{Checker, Entity, TypeEntity};
use crate::constant;
use crate::diagnostic::{Diagnostic, codes};
use crate::hir::{Enum, EnumId, Expr, ExprKind, Type, VarKind};
use crate::syntax::ast::{self, Ident};

impl Checker<'_> {
    /// Declares an enum.
    pub(super) fn enumeration(
        &mut self,
        name: &Ident,
        repr: Option<&ast::Type>,
        members: &[(Ident, Option<ast::Expr>)],
    ) {
        let repr = repr.map(|r| {
            let ty = self.ty(r);
            let base = self.module.underlying(&ty);
            if !matches!(ty, Type::Bit(_) | Type::Signed(_) | Type::Bad) {
                let message = format!("the underlying type of an enum cannot be `{}`", self.show(&ty));
                let mut diagnostic = Diagnostic::error(codes::BAD_TYPE, r.span, message);
                if matches!(base, Type::Bit(_) | Type::Signed(_)) {
                    let note =
                        "only `bit<w>`, `int<w>` and `typedef`s of them are allowed, not types declared with `type`";
                    diagnostic = diagnostic.note(note);
                }
                self.report(diagnostic);
                return Type::Bad;
            }
            ty
        });
        let mut list: Vec<(crate::lex::Name, BigInt)> = Vec::new();
        if members.is_empty() {
            self.error(codes::BAD_TYPE, name.span, "an enum must have at least one member");
        }
        // A member may use those before it.
        self.scopes.push(Default::default());
        let mut names = BTreeSet::new();
        for (member, value) in members {
            if !names.insert(&member.name) {
                let message = format!("member `{}` is declared more than once", member.name);
                self.error(codes::DUPLICATE_NAME, member.span, message);
                continue;
            }
            let number = match (&repr, value) {
                (Some(repr), Some(value)) => self.member_value(member, repr, value),
                (Some(_), None) => {
                    let message = format!("member `{}` of a serialisable enum has no value", member.name);
                    self.error(codes::BAD_TYPE, member.span, message);
                    BigInt::from(0)
                }
                (None, Some(value)) => {
                    let message = "only members of an enum with an underlying type can have values";
                    self.error(codes::BAD_TYPE, value.span, message);
                    BigInt::from(0)
                }
                (None, None) => BigInt::from(list.len().to_u32().unwrap_or(0)),
            };
            if let Some(repr) = repr.as_ref().filter(|r| !r.is_bad()) {
                let kind = ExprKind::Int(number.clone());
                let value = Expr { kind, ty: repr.clone(), span: member.span };
                let var = self.add_var(member, repr.clone(), VarKind::Const(Box::new(value)));
                self.declare(member, Entity::Var(var));
            }
            list.push((member.name.clone(), number));
        }
        self.scopes.pop();
        let id = EnumId(self.module.enums.len() as u32);
        self.module.enums.push(Enum { name: name.name.clone(), repr, members: list });
        self.declare(name, Entity::Type(TypeEntity::Plain(Type::Enum(id))));
    }

    /// Returns the value of a member of a serialisable enum; it must fit the underlying type.
    fn member_value(&mut self, member: &Ident, repr: &Type, value: &ast::Expr) -> BigInt {
        let value = self.expr(value, Some(repr));
        if let (Type::Int, Some(number)) = (&value.ty, value.as_int())
            && !constant::fits(number, repr)
        {
            let message = format!(
                "{number} is out of range for `{}`, the underlying type of `{}`",
                self.show(repr),
                member.name
            );
            self.report(
                Diagnostic::error(codes::OUT_OF_RANGE, member.span, message).also(value.span, "out of range"),
            );
            return BigInt::from(0);
        }
        let value = self.coerce(value, repr);
        let known = value.as_int().cloned();
        if known.is_none() && !value.ty.is_bad() {
            self.error(codes::NOT_CONSTANT, value.span, "the value of an enum member must be a constant");
        }
        constant::wrap(&known.unwrap_or_default(), repr)
    }
}
