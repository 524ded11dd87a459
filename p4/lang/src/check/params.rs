//! The types that parameters and results may have, depending on the declaration they belong to (specification, "Calling
//! convention", "Parser and control blocks types" and "Optional parameter annotations").

use super::Checker;
use crate::diagnostic::{Diagnostic, codes};
use crate::hir::{ExternId, Param, Signature, Type};
use crate::source::Span;
use crate::syntax::ast::{self, Direction, Prototype};

/// The kind of declaration that parameters belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ParamsOf {
    /// A parser or control with a body.
    Apply,
    /// The constructor of a parser or control.
    Constructor,
    /// A function or an action.
    Function,
    /// A function, method or constructor of the architecture.
    Extern,
    /// A parser or control type.
    ArchType,
    Package,
}

impl ParamsOf {
    /// Whether the arguments must be known at compile time.
    pub(super) fn are_constructor(self) -> bool {
        matches!(self, ParamsOf::Constructor | ParamsOf::Package)
    }
}

impl Checker<'_> {
    /// Checks the type of a parameter, and whether it may be optional.
    pub(super) fn check_param_type(&mut self, param: &ast::Param, ty: &Type, of: ParamsOf) {
        let fine = match ty {
            Type::Void | Type::MatchKind | Type::Parser(..) | Type::Control(..) => false,
            Type::Arch(..) | Type::Package(..) => of.are_constructor(),
            _ => true,
        };
        if !fine {
            let message = format!("a parameter cannot have type `{}`", self.show(ty));
            // The label marks the name, which is easier to find when parameters are on separate lines.
            let span =
                if matches!(ty, Type::Void | Type::MatchKind) { param.ty.span } else { param.name.span };
            let mut diagnostic = Diagnostic::error(codes::BAD_TYPE, span, message);
            if self.is_object(ty) {
                diagnostic = diagnostic.note(
                    "parsers and controls can be passed only to constructors, as parser or control types",
                );
            }
            self.report(diagnostic);
        }
        let optional = param.annotations.iter().find(|a| &*a.name.name == "optional");
        let Some(optional) = optional.map(|a| a.span) else { return };
        if matches!(of, ParamsOf::Constructor | ParamsOf::Function) {
            let message = "parameters of functions and constructors cannot be optional";
            self.error(codes::BAD_CALL, optional.to(param.name.span), message);
        }
        if let Some(default) = &param.default {
            let message = "an optional parameter cannot have a default value";
            self.error(codes::BAD_CALL, default.span, message);
        }
    }

    /// Checks a return type; reports an error and returns `Bad` if it is not allowed.
    pub(super) fn result_type(&mut self, ty: Type, written: &ast::Type) -> Type {
        let bad = matches!(
            ty,
            Type::Int
                | Type::MatchKind
                | Type::Arch(..)
                | Type::Parser(..)
                | Type::Control(..)
                | Type::Package(..)
        );
        if bad {
            let message = format!("`{}` is not allowed as a return type", self.show(&ty));
            self.error(codes::BAD_TYPE, written.span, message);
            return Type::Bad;
        }
        ty
    }

    /// A method must neither take nor return objects of its own extern type.
    pub(super) fn check_self_reference(&mut self, id: ExternId, signature: &Signature, written: &Prototype) {
        let own = |ty: &Type| ty.any(&mut |t| matches!(t, Type::Extern(other, _) if *other == id));
        let mut places: Vec<Span> = Vec::new();
        if own(&signature.result) {
            places.push(written.result.span);
        }
        let params = signature.params.iter().zip(&written.params);
        places.extend(params.filter(|(p, _)| own(&p.ty)).map(|(_, w)| w.ty.span));
        for span in places {
            let message = "a method cannot take or return its own extern type";
            self.error(codes::BAD_TYPE, span, message);
        }
    }

    /// A control cannot run a parser, so it cannot have a parser as a parameter.
    pub(super) fn check_no_parsers(&mut self, params: &[Param]) {
        for param in params {
            let Type::Arch(id, _) = &param.ty else { continue };
            if self.module.arch_types.get(id.index()).is_some_and(|a| a.is_parser) {
                let message = format!("a control cannot take the parser `{}`", param.name);
                self.error(codes::MISPLACED, param.span, message);
            }
        }
    }

    /// Strings are not data-plane values, so a directional parameter cannot take one.
    pub(super) fn check_string_params(&mut self, signature: &Signature, types: &[Type], span: Span) {
        for param in &signature.params {
            let Type::Param(id) = &param.ty else { continue };
            let position = signature.type_params.iter().position(|p| p == id);
            let ty = position.and_then(|p| types.get(p));
            if ty == Some(&Type::Str) && param.direction != Direction::None {
                self.report(
                    Diagnostic::error(
                        codes::BAD_TYPE,
                        param.span,
                        format!("directional parameter `{}` cannot be a `string`", param.name),
                    )
                    .also(span, "string argument"),
                );
            }
        }
    }
}
