//! Actions: inlined where they are called directly, objects of the IR where tables use them.

use std::collections::BTreeSet;

use super::function::{Argument, mentions};
use super::lvalue::LValue;
use super::value::Val;
use super::{Binding, Lowerer};
use crate::hir::{self, Call, Callee, Expr, ExprKind, Param, VarId};
use crate::ir::{self, ScalarId, Stmt};
use crate::source::Span;
use crate::syntax::ast::Direction;

impl Lowerer<'_> {
    /// Returns the scalars of all variables that the body of an action can reach besides its parameters.
    fn reachable(&self, action: &hir::Action) -> Option<BTreeSet<ScalarId>> {
        let mut vars: BTreeSet<VarId> = BTreeSet::new();
        let mut seen: BTreeSet<hir::ActionId> = BTreeSet::new();
        self.mentioned_by(action, &mut vars, &mut seen);
        let own: BTreeSet<VarId> = action.params.iter().map(|p| p.var).collect();
        let mut scalars = BTreeSet::new();
        for var in vars.difference(&own) {
            match self.env.vars.get(var) {
                Some(Binding::LValue(lvalue)) => scalars.extend(self.lvalue_scalars(lvalue)?),
                Some(Binding::Value(value)) => {
                    let mut set = BTreeSet::new();
                    if !self.reads(value, &mut set) {
                        return None;
                    }
                    scalars.extend(set);
                }
                _ => {}
            }
        }
        Some(scalars)
    }

    fn mentioned_by(
        &self,
        action: &hir::Action,
        vars: &mut BTreeSet<VarId>,
        seen: &mut BTreeSet<hir::ActionId>,
    ) {
        mentions(&action.body, vars);
        let mut called = Vec::new();
        hir::visit_stmts(&action.body, &mut |expr| {
            if let ExprKind::Call(call) = &expr.kind
                && let Callee::Action(id) = call.callee
            {
                called.push(id);
            }
        });
        for id in called {
            if seen.insert(id)
                && let Some(inner) = self.module.actions.get(id.index())
            {
                self.mentioned_by(inner, vars, seen);
            }
        }
    }

    pub(super) fn call_action(&mut self, id: hir::ActionId, call: &Call, span: Span) {
        let module = self.module;
        let Some(action) = module.actions.get(id.index()) else { return };
        let outermost = self.sender.is_empty();
        let shared = action.params.is_empty() && self.copy_outs.iter().all(Vec::is_empty);
        if shared && !self.exits_by_flag(id) {
            let id = self.table_action(id, &[], span);
            if outermost {
                self.record_called(id);
            }
            self.emit(Stmt::CallAction(id));
            return;
        }
        self.check_action_body(&action.body);
        let args = self.arguments(&action.params, &call.args);
        let outer = std::mem::take(&mut self.out);
        let position = self.action_position(id, action);
        self.sender.push(position);
        self.inline_action(action, args, span);
        self.sender.pop();
        let body = std::mem::replace(&mut self.out, outer);
        if self.known_action(id).is_none() && !self.called.contains_key(&(self.env.instance, id)) {
            // P4Info lists it, although no table can choose it.
            let preamble = self.action_preamble(id, action);
            let made = ir::ActionId(self.program.actions.len() as u32);
            self.program.actions.push(ir::Action { preamble, params: Vec::new(), body: body.clone() });
            self.called.insert((self.env.instance, id), made);
        }
        let known = self.known_action(id).or_else(|| self.called.get(&(self.env.instance, id)).copied());
        if let (true, Some(known)) = (outermost, known) {
            self.record_called(known);
        }
        self.out.extend(body);
    }

    fn action_preamble(&mut self, id: hir::ActionId, action: &hir::Action) -> ir::Preamble {
        let path = if action.global { String::new() } else { self.env.path.clone() };
        let position = self.action_position(id, action);
        let preamble = self.preamble(&path, &action.name, &action.annotations);
        self.record_action_name(&preamble.name, action.span);
        ir::Preamble { position, ..preamble }
    }

    /// Returns the position of an action; a top-level action is positioned in the block that uses it.
    fn action_position(&self, id: hir::ActionId, action: &hir::Action) -> Vec<u32> {
        match action.global {
            true => Vec::new(),
            false => self.position_of(hir::Declared::Action(id)),
        }
    }

    /// Records that a control calls the action directly: P4Info lists it even if no table uses it.
    fn record_called(&mut self, id: ir::ActionId) {
        self.listed.insert(id);
        self.called_here.push(id);
    }

    fn inline_action(&mut self, action: &hir::Action, args: Vec<Argument>, span: Span) {
        let reachable = self.reachable(action);
        let mentioned = |set: &BTreeSet<ScalarId>| reachable.as_ref().is_none_or(|r| !r.is_disjoint(set));
        // Storage that the body can modify besides its parameters must not be aliased by a parameter.
        let args = args
            .into_iter()
            .zip(&action.params)
            .map(|(arg, param)| match arg {
                Argument::Value(value) => {
                    let mut set = BTreeSet::new();
                    let safe = self.reads(&value, &mut set) && !mentioned(&set);
                    let ty = self.ty(&param.ty);
                    Argument::Value(if safe { value } else { self.materialize(value, &ty, span) })
                }
                lvalue => lvalue,
            })
            .collect();
        let copies = self.bind(&action.params, args, &mentioned, span);
        self.inline(copies, None, |l| l.stmts(&action.body));
    }

    /// Returns an action of a table's list as an IR object: its body assigns the bound directional arguments, the
    /// control plane supplies the other parameters.
    pub(super) fn table_action(&mut self, id: hir::ActionId, bound: &[Expr], span: Span) -> ir::ActionId {
        if bound.is_empty()
            && let Some(known) = self.known_action(id)
        {
            return known;
        }
        let module = self.module;
        let Some(action) = module.actions.get(id.index()) else { return ir::ActionId(0) };
        let (directional, data): (Vec<&Param>, Vec<&Param>) =
            action.params.iter().partition(|p| p.direction != Direction::None);
        self.check_action_body(&action.body);
        let mut params = Vec::new();
        let ids = self.field_ids(data.iter().map(|param| &*param.annotations));
        for (param, id) in data.iter().zip(ids) {
            self.data_param(param, id, &mut params);
        }
        let outer_copies = std::mem::take(&mut self.copy_outs);
        let leaving = self.exits_by_flag(id).then(|| self.exit_flag());
        let outer_leaving = std::mem::replace(&mut self.leaving, leaving);
        let position = self.action_position(id, action);
        self.sender.push(position);
        let body = self.collect(|l| {
            let signature: Vec<Param> = directional.iter().map(|p| (*p).clone()).collect();
            let exprs: Vec<Option<Expr>> = bound.iter().cloned().map(Some).collect();
            let args = l.arguments(&signature, &exprs);
            if signature.is_empty() {
                l.results.push(None);
                l.stmts(&action.body);
                l.results.pop();
                return;
            }
            let reachable = l.reachable(action);
            let mentioned = |set: &BTreeSet<ScalarId>| reachable.as_ref().is_none_or(|r| !r.is_disjoint(set));
            let copies = l.bind(&signature, args, &mentioned, span);
            l.inline(copies, None, |l| l.stmts(&action.body));
        });
        self.copy_outs = outer_copies;
        self.leaving = outer_leaving;
        self.sender.pop();
        let preamble = self.action_preamble(id, action);
        let made = ir::Action { preamble, params, body };
        let listed = self.called.get(&(self.env.instance, id)).copied();
        let slot = listed.and_then(|l| self.program.actions.get_mut(l.index()));
        let ir_id = match (slot, listed) {
            (Some(slot), Some(listed)) if bound.is_empty() => {
                *slot = made;
                listed
            }
            _ => {
                self.program.actions.push(made);
                ir::ActionId(self.program.actions.len() as u32 - 1)
            }
        };
        if bound.is_empty() {
            self.remember_action(id, ir_id, action.global);
        }
        ir_id
    }

    fn known_action(&self, id: hir::ActionId) -> Option<ir::ActionId> {
        let local = self.env.instance.and_then(|i| self.instances.get(i)).and_then(|i| i.actions.get(&id));
        local.or_else(|| self.global_actions.get(&id)).copied()
    }

    fn remember_action(&mut self, id: hir::ActionId, ir_id: ir::ActionId, global: bool) {
        if global {
            self.global_actions.insert(id, ir_id);
        } else if let Some(instance) = self.env.instance.and_then(|i| self.instances.get_mut(i)) {
            instance.actions.insert(id, ir_id);
        }
    }

    /// Allocates a parameter that the control plane supplies; a struct becomes one parameter for each field.
    fn data_param(&mut self, param: &Param, id: u32, out: &mut Vec<ir::Param>) {
        let ty = self.ty(&param.ty);
        self.check_action_data(param, &ty);
        let lvalue = self.allocate(&ty, &param.name);
        match &lvalue {
            LValue::Scalar(scalar) => {
                let kind = self.scalar(*scalar).ty;
                out.push(ir::Param {
                    id,
                    name: self.name_annotation(&param.annotations).unwrap_or_else(|| param.name.to_string()),
                    scalar: *scalar,
                    kind,
                    type_name: self.user_type_name(&ty),
                    annotations: self.annotation_texts(&param.annotations),
                });
            }
            _ => {
                let mut leaves = Vec::new();
                let value = self.load(&lvalue);
                self.flatten(&value, &ty, &mut leaves);
                for leaf in leaves {
                    if let ir::ExprKind::Scalar(scalar) = leaf.kind {
                        let name = self
                            .program
                            .storage
                            .scalars
                            .get(scalar.index())
                            .map_or_else(String::new, |s| s.name.clone());
                        out.push(ir::Param {
                            id: out.len() as u32 + 1,
                            name,
                            scalar,
                            kind: leaf.ty,
                            type_name: None,
                            annotations: Vec::new(),
                        });
                    }
                }
            }
        }
        self.env.vars.insert(param.var, Binding::LValue(lvalue));
    }

    /// Returns the values of action data, flattened like the parameters.
    pub(super) fn action_data(&mut self, args: &[Expr]) -> Vec<ir::Bits> {
        let mut out = Vec::new();
        for arg in args {
            let value: Val = self.eval(arg);
            let mut leaves = Vec::new();
            self.flatten(&value, &arg.ty, &mut leaves);
            for leaf in leaves {
                match leaf.kind {
                    ir::ExprKind::Const(bits) => out.push(bits),
                    _ => self.unsupported(arg.span, "action data must be a constant"),
                }
            }
        }
        out
    }
}
