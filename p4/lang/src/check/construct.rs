//! Constructor calls of externs, packages, parsers and controls.

use std::rc::Rc;

use super::Checker;
use super::call::{CallKind, only_in_omitted};
use crate::diagnostic::{Diagnostic, codes};
use crate::hir::{Construct, Expr, ExprKind, Param, Signature, Type, TypeArgs, TypeParamId, type_args};
use crate::lex::Name;
use crate::source::Span;
use crate::syntax::ast::{self, Arg};

impl Checker<'_> {
    /// Checks a constructor call in an expression, which cannot implement abstract methods.
    pub(super) fn construct_value(
        &mut self,
        ty: Type,
        args: &[Arg],
        want: Option<&Type>,
        span: Span,
    ) -> Expr {
        if let Type::Extern(id, _) = &ty
            && let Some(decl) = self.module.externs.get(id.index())
            && let Some(method) = decl.abstract_methods.first()
        {
            let message =
                format!("`{}` has abstract methods and cannot be constructed in an expression", decl.name);
            let diagnostic = Diagnostic::error(codes::BAD_CALL, span, message)
                .also(method.span, "abstract method")
                .help(format!("implement them in a declaration: `{}() name = {{ ... }};`", decl.name));
            self.report(diagnostic);
        }
        self.construct(ty, args, want, span)
    }

    /// Checks a constructor call.
    pub(super) fn construct(&mut self, ty: Type, args: &[Arg], want: Option<&Type>, span: Span) -> Expr {
        let ty = self.choose_overload(&ty, args);
        let Some((signatures, outer)) = self.constructors(&ty) else {
            if !ty.is_bad() {
                let message = format!("`{}` has no constructor", self.show(&ty));
                self.error(codes::BAD_CALL, span, message);
            }
            return Expr::bad(span);
        };
        let name = self.show(&ty);
        let refs: Vec<&Signature> = signatures.iter().collect();
        let alone = !self.is_overloaded(&ty);
        let declared = signatures.first().map(|s| s.span).filter(|s| alone && s.file == span.file);
        let container = matches!(ty, Type::Package(..) | Type::Parser(..) | Type::Control(..));
        let chosen = match declared.filter(|_| container) {
            Some(declared) => {
                self.reported_at(declared, "declared here", |c| c.choose(&refs, args, &name, span))
            }
            None => self.choose(&refs, args, &name, span),
        };
        let Some(index) = chosen else {
            return Expr::bad(span);
        };
        let signature = signatures[index].clone();
        self.deprecated(&signature, span);
        let kind = CallKind::Constructor(declared.filter(|_| container));
        let type_args: Vec<(TypeParamId, Type)> = outer.iter().map(|(id, ty)| (*id, ty.clone())).collect();
        let (args, _, _) = self.apply_signature(&signature, outer, &[], args, None, kind, span);
        for (param, ty) in type_args {
            // A type parameter that only an omitted optional argument would determine stays undetermined.
            if let Type::Var(id) = self.zonk(&ty)
                && only_in_omitted(param, &signature, &args)
            {
                self.solve(id, Type::Void);
            }
        }
        if let Some(want) = want {
            let want = want.clone();
            if self.is_open(&ty) {
                self.unify(&ty, &want);
            }
        }
        let ty = self.zonk(&ty);
        let ty = if self.is_open(&ty) && !self.context.open_types {
            if !args.iter().flatten().any(|a| a.ty.is_bad()) {
                let message = format!("cannot infer the type arguments of `{name}`");
                self.error(codes::CANNOT_INFER, span, message);
            }
            Type::Bad
        } else {
            ty
        };
        let construct = Construct { constructor: index, args };
        Expr { kind: ExprKind::Construct(Box::new(construct)), ty, span }
    }

    /// Returns the constructors of a type, and its type arguments.
    fn constructors(&self, ty: &Type) -> Option<(Vec<Signature>, TypeArgs)> {
        let plain = |name: &Name, params: &[Param], span: Span| Signature {
            name: name.clone(),
            type_params: Vec::new(),
            params: params.to_vec(),
            result: Type::Void,
            span,
            annotations: Rc::default(),
        };
        match ty {
            Type::Extern(id, args) => {
                let decl = self.module.externs.get(id.index())?;
                let outer = type_args(&decl.type_params, args);
                let mut constructors = decl.constructors.clone();
                if !decl.annotations.is_empty() {
                    constructors.iter_mut().for_each(|c| c.annotations = decl.annotations.clone());
                }
                Some((constructors, outer))
            }
            Type::Package(id, args) => {
                let decl = self.module.packages.get(id.index())?;
                let outer = type_args(&decl.type_params, args);
                Some((vec![plain(&decl.name, &decl.params, decl.span)], outer))
            }
            Type::Parser(id, args) => {
                let decl = self.module.parsers.get(id.index())?;
                let outer = type_args(&decl.type_params, args);
                Some((vec![plain(&decl.name, &decl.constructor, decl.span)], outer))
            }
            Type::Control(id, args) => {
                let decl = self.module.controls.get(id.index())?;
                let outer = type_args(&decl.type_params, args);
                Some((vec![plain(&decl.name, &decl.constructor, decl.span)], outer))
            }
            _ => None,
        }
    }
}

/// Returns whether `_` stands for a type argument.
pub(super) fn leaves_open(ty: &ast::Type) -> bool {
    matches!(&ty.kind, ast::TypeKind::Specialized(_, args)
        if args.iter().any(|a| matches!(a.kind, ast::TypeKind::DontCare)))
}
