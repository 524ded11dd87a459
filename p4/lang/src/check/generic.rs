//! Instantiation of generic types (specification, "Type specialization").

use super::{Checker, Entity};
use crate::diagnostic::{Diagnostic, codes};
use crate::hir::{Type, TypeArgs};
use crate::source::Span;
use crate::syntax::ast;

impl Checker<'_> {
    /// Returns the type `error`, which exists only after the program, or `core.p4`, has declared errors.
    pub(super) fn error_type(&mut self, span: Span) -> Type {
        if self.errors_declared {
            return Type::Error;
        }
        self.report(
            Diagnostic::error(codes::UNKNOWN_NAME, span, "`error` is not declared")
                .help("include `core.p4`, or declare `error { ... }`"),
        );
        Type::Bad
    }

    /// Checks the type of a tuple's field: a value, not an object.
    pub(super) fn tuple_field(&mut self, field: &ast::Type) -> Type {
        let ty = self.ty(field);
        if self.is_object(&ty) || matches!(ty, Type::Void) {
            let message = format!("a tuple cannot have a field of type `{}`", self.show(&ty));
            self.error(codes::BAD_TYPE, field.span, message);
            return Type::Bad;
        }
        ty
    }

    /// Returns whether a type is that of a parser, control, package or extern, none of which is a value.
    pub(super) fn is_object(&self, ty: &Type) -> bool {
        matches!(
            ty,
            Type::Extern(..) | Type::Arch(..) | Type::Parser(..) | Type::Control(..) | Type::Package(..)
        )
    }

    /// Checks the type arguments of the generic type written at `span`.
    pub(super) fn check_type_args(&mut self, made: &Type, span: Span) {
        let (Type::Aggregate(_, args) | Type::Extern(_, args) | Type::Arch(_, args) | Type::Package(_, args)) =
            made
        else {
            return;
        };
        let args = args.clone();
        for arg in args.iter() {
            if self.mentions(arg, made, 0) {
                let message = format!("`{}` is its own type argument", self.show(made));
                self.error(codes::BAD_TYPE_ARGUMENTS, span, message);
                return;
            }
            if matches!(made, Type::Aggregate(..)) && self.is_object(arg) {
                let message =
                    format!("`{}` is not a value type and cannot be a type argument here", self.show(arg));
                self.error(codes::BAD_TYPE_ARGUMENTS, span, message);
                return;
            }
        }
        self.check_instantiated_fields(made, span);
    }

    /// Returns whether a type is an instance of the same generic type as `made`, or an object with such a parameter.
    fn mentions(&self, ty: &Type, made: &Type, depth: u32) -> bool {
        // Objects refer only to earlier declarations, so the recursion ends; the limit is for erroneous programs.
        const MAX_DEPTH: u32 = 16;
        ty.any(&mut |t| match (t, made) {
            (Type::Aggregate(a, args), Type::Aggregate(b, _)) => a == b && !args.is_empty(),
            (Type::Extern(a, args), Type::Extern(b, _)) => a == b && !args.is_empty(),
            (Type::Arch(a, args), Type::Arch(b, _)) => a == b && !args.is_empty(),
            (Type::Package(a, args), Type::Package(b, _)) => a == b && !args.is_empty(),
            (Type::Parser(..) | Type::Control(..), _) if depth < MAX_DEPTH => {
                let params = match t {
                    Type::Parser(id, _) => self.module.parsers.get(id.index()).map(|p| &p.params),
                    Type::Control(id, _) => self.module.controls.get(id.index()).map(|c| &c.params),
                    _ => None,
                };
                params.is_some_and(|list| list.iter().any(|p| self.mentions(&p.ty, made, depth + 1)))
            }
            _ => false,
        })
    }

    /// Checks the fields whose types depend on type parameters, now that the type arguments are known.
    fn check_instantiated_fields(&mut self, made: &Type, span: Span) {
        let Type::Aggregate(id, args) = made else { return };
        let Some(decl) = self.module.aggregates.get(id.index()).cloned() else { return };
        let types: TypeArgs = decl.type_params.iter().copied().zip(args.iter().cloned()).collect();
        for field in &decl.fields {
            let ty = self.zonk(&field.ty.substitute(&types));
            let open = ty.any(&mut |t| matches!(t, Type::Var(_) | Type::Param(_) | Type::Bad));
            if field.ty == ty || open || self.field_fits(decl.kind, &ty) {
                continue;
            }
            let message = format!("field `{}` cannot have type `{}`", field.name, self.show(&ty));
            let made = self.show(made);
            self.report(
                Diagnostic::error(codes::BAD_TYPE, field.span, message)
                    .label("its type depends on a type parameter")
                    .also(span, format!("`{made}` is used here")),
            );
        }
    }

    /// Checks that `main` is an instance of a package.
    pub(super) fn check_main(&mut self, name: &ast::Ident, entity: &Entity) {
        if &*name.name != "main" || self.scopes.len() != 1 {
            return;
        }
        let package = match entity {
            Entity::Var(id) => self
                .module
                .vars
                .get(id.index())
                .is_some_and(|v| matches!(v.ty, Type::Package(..) | Type::Bad)),
            Entity::Functions(_) => true,
            _ => false,
        };
        if !package {
            self.report(
                Diagnostic::error(codes::MISPLACED, name.span, "`main` must be an instance of a package")
                    .note("the name is reserved for the instance of the architecture's package"),
            );
        }
    }
}
