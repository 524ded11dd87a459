//! Parameters and results: which types they may have, by what they belong to (specification, "Calling
//! convention", "Parser and control blocks types" and "Optional parameter annotations").

use super::Checker;
use crate::diagnostic::{Diagnostic, codes};
use crate::hir::{ExternId, Param, Signature, Type};
use crate::source::Span;
use crate::syntax::ast::{self, Direction, Prototype};

/// What parameters belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ParamsOf {
    /// A parser or control with a body.
    Apply,
    /// The constructor of one.
    Constructor,
    /// A function or an action.
    Function,
    /// A function, method or constructor of the architecture.
    Extern,
    /// The type of a parser or control.
    ArchType,
    Package,
}

impl ParamsOf {
    /// Whether the arguments are known when the program is compiled.
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
            // The name is what the reader looks for when parameters stand one a line.
            let span =
                if matches!(ty, Type::Void | Type::MatchKind) { param.ty.span } else { param.name.span };
            let mut diagnostic = Diagnostic::error(codes::BAD_TYPE, span, message);
            if self.is_object(ty) {
                diagnostic = diagnostic
                    .note("parsers and controls are passed to constructors, as types without a body");
            }
            self.report(diagnostic);
        }
        let optional = param.annotations.iter().find(|a| &*a.name.name == "optional");
        let Some(optional) = optional.map(|a| a.span) else { return };
        if matches!(of, ParamsOf::Constructor | ParamsOf::Function) {
            let message = "parameters of functions and constructors are not optional";
            self.error(codes::BAD_CALL, optional.to(param.name.span), message);
        }
        if let Some(default) = &param.default {
            let message = "an optional parameter has no default";
            self.error(codes::BAD_CALL, default.span, message);
        }
    }

    /// The type of a result; `Bad` and reported if nothing can have it.
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
            let message = format!("nothing returns a `{}`", self.show(&ty));
            self.error(codes::BAD_TYPE, written.span, message);
            return Type::Bad;
        }
        ty
    }

    /// A method neither takes nor gives objects of its own extern.
    pub(super) fn check_self_reference(&mut self, id: ExternId, signature: &Signature, written: &Prototype) {
        let own = |ty: &Type| ty.any(&mut |t| matches!(t, Type::Extern(other, _) if *other == id));
        let mut places: Vec<Span> = Vec::new();
        if own(&signature.result) {
            places.push(written.result.span);
        }
        let params = signature.params.iter().zip(&written.params);
        places.extend(params.filter(|(p, _)| own(&p.ty)).map(|(_, w)| w.ty.span));
        for span in places {
            let message = "an extern's methods cannot have its own type";
            self.error(codes::BAD_TYPE, span, message);
        }
    }

    /// A control can run no parser, so it is given none.
    pub(super) fn check_no_parsers(&mut self, params: &[Param]) {
        for param in params {
            let Type::Arch(id, _) = &param.ty else { continue };
            if self.module.arch_types.get(id.index()).is_some_and(|a| a.is_parser) {
                let message = format!("a control cannot have the parser `{}`", param.name);
                self.error(codes::BAD_PLACE, param.span, message);
            }
        }
    }

    /// A text is no value of the data plane, so no parameter with a direction takes one.
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
                        format!("`{}` has a direction and cannot be a `string`", param.name),
                    )
                    .also(span, "a text is given here"),
                );
            }
        }
    }
}
