//! Instances that implement abstract methods (specification, "Instantiating objects with abstract methods").

use super::params::ParamsOf;
use super::{Checker, Enclosing};
use crate::diagnostic::{Diagnostic, codes};
use crate::hir::{Signature, Type, TypeArgs, VarId};
use crate::syntax::ast::{self, DeclKind, Ident, StmtKind};

impl Checker<'_> {
    /// Checks the methods in the body of an instance, and that none is missing.
    pub(super) fn instance_body(
        &mut self,
        name: &Ident,
        ty: &Type,
        object: VarId,
        body: Option<&ast::Block>,
    ) {
        let (wanted, types) = match ty {
            Type::Extern(id, args) => match self.module.externs.get(id.index()) {
                Some(e) => {
                    let types = e.type_params.iter().copied().zip(args.iter().cloned()).collect();
                    (e.abstract_methods.clone(), types)
                }
                None => return,
            },
            _ => (Vec::new(), TypeArgs::new()),
        };
        let Some(body) = body else {
            let required: Vec<Signature> = wanted.into_iter().filter(is_required).collect();
            if !required.is_empty() {
                self.missing_methods(name, &required);
            }
            return;
        };
        if wanted.is_empty() && !ty.is_bad() {
            let message = format!("`{}` has no abstract methods to implement", self.show(ty));
            self.error(codes::BAD_CALL, body.span, message);
        }
        let outer = self.context.this.replace((object, ty.clone()));
        let mut given = Vec::new();
        self.scoped(|c| {
            for stmt in &body.stmts {
                let StmtKind::Decl(decl) = &stmt.kind else { continue };
                match &decl.kind {
                    DeclKind::Function(f) => {
                        let known = wanted.iter().find(|w| w.name == f.prototype.name.name);
                        c.instance_method(name, ty, known, &types, f);
                        given.push(f.prototype.name.name.clone());
                    }
                    DeclKind::Instance(i) => {
                        c.instance(i);
                    }
                    _ => c.error(
                        codes::MISPLACED,
                        decl.span,
                        "the body of an instance can contain only functions",
                    ),
                }
            }
        });
        self.context.this = outer;
        let missing: Vec<Signature> =
            wanted.into_iter().filter(|w| is_required(w) && !given.contains(&w.name)).collect();
        if !missing.is_empty() {
            self.missing_methods(name, &missing);
        }
    }

    fn missing_methods(&mut self, name: &Ident, missing: &[Signature]) {
        let names: Vec<String> = missing.iter().map(|m| format!("`{}`", m.name)).collect();
        let message = format!("`{}` does not implement the abstract methods {}", name.name, names.join(", "));
        let mut diagnostic = Diagnostic::error(codes::BAD_CALL, name.span, message);
        for method in missing {
            diagnostic = diagnostic.also(method.span, "not implemented");
        }
        self.report(diagnostic);
    }

    fn instance_method(
        &mut self,
        instance: &Ident,
        ty: &Type,
        wanted: Option<&Signature>,
        types: &TypeArgs,
        function: &ast::Function,
    ) {
        let this = self.context.this.clone();
        let signature = self.scoped(|c| {
            let signature = c.signature(&function.annotations, &function.prototype, ParamsOf::Function);
            c.function_body_of(&function.body, &signature, Enclosing::Function, this);
            signature
        });
        let name = &function.prototype.name;
        let Some(wanted) = wanted else {
            if !ty.is_bad() {
                let message = format!("no abstract method `{1}` in `{0}`", self.show(ty), name.name);
                self.error(codes::UNKNOWN_MEMBER, name.span, message);
            }
            return;
        };
        let required = wanted.params.iter().filter(|p| !p.optional).count();
        let count = (required..=wanted.params.len()).contains(&signature.params.len());
        let pairs: Vec<_> = wanted
            .params
            .iter()
            .filter(|p| !p.optional || signature.params.iter().any(|s| s.name == p.name))
            .zip(&signature.params)
            .map(|(w, s)| (w.direction == s.direction, w.ty.substitute(types), s.ty.clone()))
            .collect();
        let params = pairs.iter().all(|(same, w, s)| *same && self.unify(w, s));
        let result = self.unify(&wanted.result.substitute(types), &signature.result);
        if !count || !params || !result {
            let message = format!(
                "the signature of method `{}` differs from its declaration in `{}`",
                name.name,
                self.show(ty)
            );
            self.report(
                Diagnostic::error(codes::TYPE_MISMATCH, instance.span, message)
                    .also(name.span, "implemented here")
                    .also(wanted.span, "declared here"),
            );
        }
    }
}

/// Returns whether an instance must implement an abstract method.
fn is_required(method: &Signature) -> bool {
    !method.annotations.iter().any(|a| &*a.name.name == "optional")
}
