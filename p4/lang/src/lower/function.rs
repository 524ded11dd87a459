//! Inlining: parameters, copy-in and copy-out (specification, section 6.8).

use std::collections::BTreeSet;

use super::place::Place;
use super::value::Val;
use super::{Binding, Lowerer, build};
use crate::hir::{Call, Expr, ExprKind, FunctionId, Param, Type, VarId};
use crate::ir::{ScalarId, Stmt};
use crate::source::Span;
use crate::syntax::ast::Direction;

/// An argument after evaluation.
pub(super) enum Argument {
    /// Copied in, or nothing.
    Value(Val),
    /// Written by the call.
    Place(Place),
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
        result.map_or(Val::Void, |place| self.load(&place))
    }

    /// Runs a body in its own scope, then copies out.
    pub(super) fn inline(&mut self, copies: Vec<Stmt>, result: Option<Place>, body: impl FnOnce(&mut Self)) {
        if !self.spend() {
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
            self.go_on_leaving();
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
                (Direction::Out | Direction::InOut, Some(arg)) => match self.place_of(arg) {
                    Some(place) => Argument::Place(place),
                    None => {
                        self.unsupported(arg.span, "this cannot be written");
                        Argument::Value(Val::Void)
                    }
                },
                (_, Some(arg)) => Argument::Value(self.eval(arg)),
                (_, None) => {
                    let name = format!("$unused{}", self.program.storage.scalars.len());
                    let ty = self.ty(&param.ty);
                    Argument::Place(self.allocate(&ty, &name))
                }
            };
            if self.out.len() > mark {
                for i in 0..out.len() {
                    let old = std::mem::replace(&mut out[i], Argument::Value(Val::Void));
                    out[i] = match old {
                        Argument::Value(value) => {
                            Argument::Value(self.spill(value, &spans[i].0, mark, spans[i].1))
                        }
                        Argument::Place(place) => Argument::Place(self.fix_place(place, mark)),
                    };
                }
            }
            out.push(argument);
            spans.push((ty, span));
        }
        out
    }

    /// Binds parameters to arguments and gives what has to be copied out afterwards. A place that nothing else
    /// in the call can reach is bound as it is, without a copy.
    pub(super) fn bind(
        &mut self,
        params: &[Param],
        args: Vec<Argument>,
        mentioned: &dyn Fn(&BTreeSet<ScalarId>) -> bool,
        span: Span,
    ) -> Vec<Stmt> {
        let shared = self.shared_places(&args);
        let mut copies: Vec<(Place, Place, Type)> = Vec::new();
        for (i, (param, arg)) in params.iter().zip(args).enumerate() {
            let ty = self.ty(&param.ty);
            let binding = match arg {
                Argument::Value(Val::Object(object)) => Binding::Object(object),
                Argument::Value(value) => self.bind_value(param, value, &ty, shared[i], span),
                Argument::Place(place) => {
                    let scalars = self.place_scalars(&place);
                    let direct = !shared[i]
                        && scalars.as_ref().is_some_and(|s| !mentioned(s))
                        && !matches!(place, Place::Slice(..));
                    if direct {
                        if param.direction == Direction::Out {
                            self.reset_headers(&place);
                        }
                        Binding::Place(place)
                    } else {
                        let own = self.allocate(&ty, &param.name);
                        if param.direction == Direction::InOut {
                            let value = self.load(&place);
                            self.assign(&own, value, &ty, span);
                        } else {
                            self.reset_headers(&own);
                        }
                        copies.push((place, own.clone(), ty));
                        Binding::Place(own)
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

    fn bind_value(&mut self, param: &Param, value: Val, ty: &Type, shared: bool, span: Span) -> Binding {
        match &value {
            Val::Int(_) | Val::Str(_) | Val::List(_) | Val::Void => return Binding::Value(value),
            Val::Scalar(expr) if build::is_const(expr) => return Binding::Value(value),
            // Nothing in the call writes it, so it need not be copied.
            Val::Struct(_) | Val::Header(_) | Val::Whole(_) if !shared && self.in_storage(&value) => {
                return Binding::Value(value);
            }
            _ => {}
        }
        let place = self.allocate(ty, &param.name);
        self.assign(&place, value, ty, span);
        Binding::Place(place)
    }

    /// Whether a value is read from storage that is known.
    fn in_storage(&self, value: &Val) -> bool {
        use super::value::HeaderVal;
        match value {
            Val::Struct(items) => items.iter().all(|i| self.in_storage(i)),
            Val::Scalar(expr) => matches!(expr.kind, crate::ir::ExprKind::Scalar(_)) || build::is_const(expr),
            Val::Header(HeaderVal::Ref(header)) => matches!(header, crate::ir::HeaderRef::Static(_)),
            Val::Whole(Place::Stack(_) | Place::Union(_)) => true,
            _ => false,
        }
    }

    /// For each argument whether what it denotes overlaps with something the call writes.
    fn shared_places(&self, args: &[Argument]) -> Vec<bool> {
        let sets: Vec<(bool, Option<BTreeSet<ScalarId>>)> = args
            .iter()
            .map(|arg| match arg {
                Argument::Place(place) => (true, self.place_scalars(place)),
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

/// The variables that statements mention.
pub(super) fn mentions(stmts: &[crate::hir::Stmt], out: &mut BTreeSet<VarId>) {
    crate::hir::visit_stmts(stmts, &mut |expr| {
        if let ExprKind::Var(id) = &expr.kind {
            out.insert(*id);
        }
    });
}
