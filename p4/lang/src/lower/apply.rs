//! `apply` of controls.

use super::function::Argument;
use super::lvalue::LValue;
use super::objects::Object;
use super::value::Val;
use super::{Binding, Lowerer};
use crate::hir::{Control, Expr, ExprKind, Local, Param, Type};
use crate::ir::{self, Stmt};
use crate::source::Span;
use crate::syntax::ast::Direction;

impl Lowerer<'_> {
    /// Lowers a control that the package runs; its parameters are the storage of the packet.
    pub(super) fn top_control(&mut self, construct: &Expr, params: Vec<Binding>) -> ir::Block {
        let Some(Object::Instance(index)) = self.top_object(construct) else {
            return ir::Block::default();
        };
        let Some(Type::Control(id, _)) = self.instances.get(index).map(|i| i.ty.clone()) else {
            return ir::Block::default();
        };
        let module = self.module;
        let Some(control) = module.controls.get(id.index()) else { return ir::Block::default() };
        if let Some(instance) = self.instances.get_mut(index) {
            for (param, binding) in control.params.iter().zip(params) {
                instance.env.vars.insert(param.var, binding);
            }
        }
        let body = self.collect(|l| l.run_control(index, control));
        self.position_global_actions();
        ir::Block { body }
    }

    /// Returns an object among the package's arguments, which is named after its type.
    pub(super) fn top_object(&mut self, construct: &Expr) -> Option<Object> {
        self.block_number += 1;
        let object = match &construct.kind {
            ExprKind::Construct(_) => self.construct_in_place(construct),
            _ => match self.eval(construct) {
                Val::Object(object) => Some(object),
                _ => None,
            },
        }?;
        if let Object::Instance(index) = &object {
            // The control plane names the blocks after their types.
            let name = match self.instances.get(*index).map(|i| i.ty.clone()) {
                Some(Type::Control(id, _)) => self.module.controls.get(id.index()).map(|c| c.name.clone()),
                Some(Type::Parser(id, _)) => self.module.parsers.get(id.index()).map(|p| p.name.clone()),
                _ => None,
            };
            if let (Some(name), Some(instance)) = (name, self.instances.get_mut(*index)) {
                instance.env.path = name.to_string();
                instance.top = true;
                instance.env.position = vec![self.block_number];
            }
        }
        Some(object)
    }

    /// Lowers the declarations on the first application, then the body.
    fn run_control(&mut self, index: usize, control: &Control) {
        let Some(instance) = self.instances.get_mut(index) else { return };
        let first = !std::mem::replace(&mut instance.ready, true);
        let env = std::mem::take(&mut instance.env);
        let ((), env) = self.within(env, |l| {
            l.control_locals(control, first);
            l.inline(Vec::new(), None, |l| l.stmts(&control.body));
        });
        if let Some(instance) = self.instances.get_mut(index) {
            instance.env = env;
        }
    }

    fn control_locals(&mut self, control: &Control, first: bool) {
        for local in &control.locals {
            match local {
                Local::Var(id, init) => match self.env.vars.get(id) {
                    Some(Binding::LValue(lvalue)) if !first => {
                        let lvalue = lvalue.clone();
                        self.initialise(&lvalue, init.as_ref());
                    }
                    _ => {
                        let span = init.as_ref().map_or(control.span, |i| i.span);
                        self.declare(*id, init.as_ref(), span);
                    }
                },
                Local::Instance(instance) if first => {
                    if let Some(object) = self.make_object(&instance.construct, instance) {
                        self.env.vars.insert(instance.var, Binding::Object(object));
                    }
                }
                Local::Instance(_) | Local::ValueSet { .. } => {}
            }
        }
    }

    /// Initialises a variable on a further application of the control.
    pub(super) fn initialise(&mut self, lvalue: &LValue, init: Option<&Expr>) {
        match init {
            Some(init) => {
                let value = self.eval(init);
                self.assign(lvalue, value, &init.ty, init.span);
            }
            None => self.reset_headers(lvalue),
        }
    }

    /// Lowers `object.apply(args)`.
    pub(super) fn apply_object(&mut self, object: &Expr, args: &[Option<Expr>], span: Span) {
        let once = match &object.kind {
            ExprKind::Var(id) => self.apply_counts.get(id).copied().unwrap_or(0) <= 1,
            _ => true,
        };
        let Val::Object(Object::Instance(index)) = self.eval(object) else {
            self.unsupported(span, "this expression has no `apply` method");
            return;
        };
        match self.instances.get(index).map(|i| i.ty.clone()) {
            Some(Type::Control(id, _)) => {
                let module = self.module;
                if let Some(control) = module.controls.get(id.index()) {
                    self.apply_control(index, control, args, once, span);
                }
            }
            Some(Type::Parser(id, _)) => self.apply_parser(index, id, args, span),
            _ => {}
        }
    }

    /// Returns the parameters of an instance, with type arguments substituted.
    pub(super) fn instance_params(&self, index: usize, params: &[Param]) -> Vec<Param> {
        let types = self.instances.get(index).map(|i| i.env.types.clone()).unwrap_or_default();
        params.iter().map(|p| Param { ty: p.ty.substitute(&types), ..p.clone() }).collect()
    }

    fn apply_control(
        &mut self,
        index: usize,
        control: &Control,
        args: &[Option<Expr>],
        once: bool,
        span: Span,
    ) {
        let params = self.instance_params(index, &control.params);
        let values = self.arguments(&params, args);
        let bound = self.instances.get(index).is_some_and(|i| i.ready);
        let (copy_in, copy_out) = if bound {
            self.rebind(index, &params, values, span)
        } else {
            self.first_binding(index, &params, values, once, span)
        };
        for stmt in copy_in {
            self.emit(stmt);
        }
        self.copy_outs.push(copy_out.clone());
        self.run_control(index, control);
        self.copy_outs.pop();
        for stmt in copy_out {
            self.emit(stmt);
        }
    }

    /// Binds the parameters of an instance: to the arguments themselves if it is applied only once.
    fn first_binding(
        &mut self,
        index: usize,
        params: &[Param],
        args: Vec<Argument>,
        once: bool,
        span: Span,
    ) -> (Vec<Stmt>, Vec<Stmt>) {
        let mentioned = |_: &std::collections::BTreeSet<ir::ScalarId>| !once;
        let args = if once { args } else { self.copy_in_values(params, args, span) };
        let mut copy_out = Vec::new();
        let copy_in = self.collect(|l| copy_out = l.bind(params, args, &mentioned, span));
        // The parameters belong to the instance, not to the caller.
        for param in params {
            if let Some(binding) = self.env.vars.remove(&param.var)
                && let Some(instance) = self.instances.get_mut(index)
            {
                instance.env.vars.insert(param.var, binding);
            }
        }
        (copy_in, copy_out)
    }

    /// Copies the `in` arguments of an instance that is applied several times to storage that each call fills.
    fn copy_in_values(&mut self, params: &[Param], args: Vec<Argument>, span: Span) -> Vec<Argument> {
        let mut out = Vec::new();
        for (param, arg) in params.iter().zip(args) {
            out.push(match arg {
                Argument::Value(Val::Object(object)) => Argument::Value(Val::Object(object)),
                Argument::Value(value) => {
                    let ty = self.ty(&param.ty);
                    let lvalue = self.allocate(&ty, &param.name);
                    self.assign(&lvalue, value, &ty, span);
                    Argument::Value(self.load(&lvalue))
                }
                lvalue => lvalue,
            });
        }
        out
    }

    /// Lowers a further application of an instance: copies into the parameters' storage and out of it.
    fn rebind(
        &mut self,
        index: usize,
        params: &[Param],
        args: Vec<Argument>,
        span: Span,
    ) -> (Vec<Stmt>, Vec<Stmt>) {
        let mut copies: Vec<(LValue, LValue, Type)> = Vec::new();
        let copy_in = self.collect(|l| {
            for (param, arg) in params.iter().zip(args) {
                let own = l.instances.get(index).and_then(|i| i.env.vars.get(&param.var)).cloned();
                let ty = l.ty(&param.ty);
                match (own, arg) {
                    (Some(Binding::LValue(own)), Argument::LValue(lvalue)) => {
                        if own == lvalue {
                            if param.direction == Direction::Out {
                                l.reset_headers(&own);
                            }
                            continue;
                        }
                        if param.direction == Direction::InOut {
                            let value = l.load(&lvalue);
                            l.assign(&own, value, &ty, span);
                        } else {
                            l.reset_headers(&own);
                        }
                        copies.push((lvalue, own, ty));
                    }
                    (Some(Binding::LValue(own)), Argument::Value(value)) => l.assign(&own, value, &ty, span),
                    (Some(Binding::Value(own)), Argument::Value(value)) => {
                        if let Some(lvalue) = l.lvalue_of_value(&own) {
                            l.assign(&lvalue, value, &ty, span);
                        }
                    }
                    _ => {}
                }
            }
        });
        let copy_out = self.collect(|l| {
            for (target, own, ty) in copies {
                let value = l.load(&own);
                l.assign(&target, value, &ty, span);
            }
        });
        (copy_in, copy_out)
    }

    /// Returns the l-value that a value was read from unchanged.
    fn lvalue_of_value(&self, value: &Val) -> Option<LValue> {
        use super::value::HeaderVal;
        match value {
            Val::Scalar(ir::Expr { kind: ir::ExprKind::Scalar(id), .. }) => Some(LValue::Scalar(*id)),
            Val::Struct(items) => {
                items.iter().map(|i| self.lvalue_of_value(i)).collect::<Option<Vec<_>>>().map(LValue::Struct)
            }
            Val::Header(HeaderVal::Ref(header)) => Some(LValue::Header(header.clone())),
            Val::Whole(lvalue) => Some(lvalue.clone()),
            _ => None,
        }
    }
}
