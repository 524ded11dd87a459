//! Inlining: parameters, copy-in and copy-out (specification, section 6.8).

use std::collections::BTreeSet;

use super::lvalue::LValue;
use super::value::Val;
use super::{Binding, Lowerer, build};
use crate::hir::{Call, Expr, ExprKind, FunctionId, Param, Type, VarId};
use crate::ir::{ScalarId, Stmt};
use crate::source::Span;
use crate::syntax::ast::Direction;

/// An evaluated argument.
pub(super) enum Argument {
    /// A value to copy in, or `Void` for none.
    Value(Val),
    /// An l-value that the call writes.
    LValue(LValue),
}

impl Lowerer<'_> {
    pub(super) fn call_function(&mut self, id: FunctionId, call: &Call, span: Span) -> Val {
        let module = self.module;
        let Some(function) = module.functions.get(id.index()) else { return Val::Void };
        let signature = &function.signature;
        let type_args: Vec<Type> = call.type_args.iter().map(|t| self.ty(t)).collect();
        let bindings = self.arguments(&signature.params, &call.args);
        let outer_types = self.env.types.clone();
        self.env.types.extend(signature.type_params.iter().copied().zip(type_args));
        let copies = self.bind(&signature.params, bindings, &|_| false, span);
        let result_ty = self.ty(&signature.result);
        let result = (result_ty != Type::Void).then(|| {
            self.allocate(&result_ty, &format!("${}{}", signature.name, self.program.storage.scalars.len()))
        });
        self.inline(copies, result.clone(), |l| l.stmts(&function.body));
        self.env.types = outer_types;
        result.map_or(Val::Void, |lvalue| self.load(&lvalue))
    }

    /// Runs a body in its own scope, then copies out.
    pub(super) fn inline(&mut self, copies: Vec<Stmt>, result: Option<LValue>, body: impl FnOnce(&mut Self)) {
        if !self.count_statement() {
            return;
        }
        self.copy_outs.push(copies.clone());
        self.results.push(result);
        let stmts = self.collect(body);
        self.results.pop();
        self.copy_outs.pop();
        let leaves = self.leaving.is_some() && super::exit::returns(&stmts);
        self.scope(stmts);
        for copy in copies {
            self.emit(copy);
        }
        if leaves {
            self.propagate_exit();
        }
    }

    /// Evaluates arguments from left to right.
    pub(super) fn arguments(&mut self, params: &[Param], args: &[Option<Expr>]) -> Vec<Argument> {
        let mut out: Vec<Argument> = Vec::new();
        let mut spans: Vec<(Type, Span)> = Vec::new();
        for (param, arg) in params.iter().zip(args) {
            let mark = self.out.len();
            let (ty, span) = match arg {
                Some(arg) => (arg.ty.clone(), arg.span),
                None => (param.ty.clone(), param.span),
            };
            let argument = match (param.direction, arg) {
                (Direction::Out | Direction::InOut, Some(arg)) => match self.lvalue_of(arg) {
                    Some(lvalue) => Argument::LValue(lvalue),
                    None => {
                        self.unsupported(arg.span, "argument is not an l-value");
                        Argument::Value(Val::Void)
                    }
                },
                (_, Some(arg)) => Argument::Value(self.eval(arg)),
                (_, None) => {
                    let name = format!("$unused{}", self.program.storage.scalars.len());
                    let ty = self.ty(&param.ty);
                    Argument::LValue(self.allocate(&ty, &name))
                }
            };
            if self.out.len() > mark {
                for i in 0..out.len() {
                    let old = std::mem::replace(&mut out[i], Argument::Value(Val::Void));
                    out[i] = match old {
                        Argument::Value(value) => {
                            Argument::Value(self.spill(value, &spans[i].0, mark, spans[i].1))
                        }
                        Argument::LValue(lvalue) => Argument::LValue(self.fix_lvalue(lvalue, mark)),
                    };
                }
            }
            out.push(argument);
            spans.push((ty, span));
        }
        out
    }

    /// Binds parameters to arguments and returns the statements that copy out. An l-value that nothing else in the call
    /// can reach is bound directly, without a copy.
    pub(super) fn bind(
        &mut self,
        params: &[Param],
        args: Vec<Argument>,
        mentioned: &dyn Fn(&BTreeSet<ScalarId>) -> bool,
        span: Span,
    ) -> Vec<Stmt> {
        let shared = self.shared_lvalues(&args);
        let mut copies: Vec<(LValue, LValue, Type)> = Vec::new();
        for (i, (param, arg)) in params.iter().zip(args).enumerate() {
            let ty = self.ty(&param.ty);
            let binding = match arg {
                Argument::Value(Val::Object(object)) => Binding::Object(object),
                Argument::Value(value) => self.bind_value(param, value, &ty, shared[i], span),
                Argument::LValue(lvalue) => {
                    let scalars = self.lvalue_scalars(&lvalue);
                    let direct = !shared[i]
                        && scalars.as_ref().is_some_and(|s| !mentioned(s))
                        && !matches!(lvalue, LValue::Slice(..))
                        && !self.is_member(&lvalue);
                    if direct {
                        if param.direction == Direction::Out {
                            self.reset_headers(&lvalue);
                        }
                        Binding::LValue(lvalue)
                    } else {
                        let own = self.allocate(&ty, &param.name);
                        if param.direction == Direction::InOut {
                            let value = self.load(&lvalue);
                            self.assign(&own, value, &ty, span);
                        } else {
                            self.reset_headers(&own);
                        }
                        copies.push((lvalue, own.clone(), ty));
                        Binding::LValue(own)
                    }
                }
            };
            self.env.vars.insert(param.var, binding);
        }
        self.collect(|l| {
            for (target, own, ty) in copies {
                let value = l.load(&own);
                l.assign(&target, value, &ty, span);
            }
        })
    }

    /// Returns whether an l-value is a member of a union: copying out an invalid header changes the other members.
    fn is_member(&self, lvalue: &LValue) -> bool {
        matches!(lvalue, LValue::Header(header) if !self.siblings(header).is_empty())
    }

    fn bind_value(&mut self, param: &Param, value: Val, ty: &Type, shared: bool, span: Span) -> Binding {
        match &value {
            Val::Int(_) | Val::Str(_) | Val::List(_) | Val::Void => return Binding::Value(value),
            Val::Scalar(expr) if build::is_const(expr) => return Binding::Value(value),
            // The call does not write it, so no copy is needed.
            Val::Struct(_) | Val::Header(_) | Val::Whole(_) if !shared && self.in_storage(&value) => {
                return Binding::Value(value);
            }
            _ => {}
        }
        let lvalue = self.allocate(ty, &param.name);
        self.assign(&lvalue, value, ty, span);
        Binding::LValue(lvalue)
    }

    /// Returns whether a value is read from storage known at compile time.
    fn in_storage(&self, value: &Val) -> bool {
        use super::value::HeaderVal;
        match value {
            Val::Struct(items) => items.iter().all(|i| self.in_storage(i)),
            Val::Scalar(expr) => matches!(expr.kind, crate::ir::ExprKind::Scalar(_)) || build::is_const(expr),
            Val::Header(HeaderVal::Ref(header)) => matches!(header, crate::ir::HeaderRef::Static(_)),
            Val::Whole(LValue::Stack(_) | LValue::Union(_)) => true,
            _ => false,
        }
    }

    /// Returns, for each argument, whether it overlaps with something that the call writes.
    fn shared_lvalues(&self, args: &[Argument]) -> Vec<bool> {
        let sets: Vec<(bool, Option<BTreeSet<ScalarId>>)> = args
            .iter()
            .map(|arg| match arg {
                Argument::LValue(lvalue) => (true, self.lvalue_scalars(lvalue)),
                Argument::Value(value) => {
                    let mut set = BTreeSet::new();
                    let known = self.reads(value, &mut set);
                    (false, known.then_some(set))
                }
            })
            .collect();
        (0..sets.len())
            .map(|i| {
                let (writes_i, scalars_i) = &sets[i];
                sets.iter().enumerate().any(|(j, (writes_j, scalars_j))| {
                    if i == j || (!writes_i && !writes_j) {
                        return false;
                    }
                    match (scalars_i, scalars_j) {
                        (Some(a), Some(b)) => !a.is_disjoint(b),
                        (Some(a), None) => !a.is_empty(),
                        (None, _) => true,
                    }
                })
            })
            .collect()
    }
}

/// Collects the variables that statements refer to.
pub(super) fn mentions(stmts: &[crate::hir::Stmt], out: &mut BTreeSet<VarId>) {
    crate::hir::visit_stmts(stmts, &mut |expr| {
        if let ExprKind::Var(id) = &expr.kind {
            out.insert(*id);
        }
    });
}
