//! Calls: the analysis follows actions and tables; all other calls write their `out` arguments.

use super::flow::Flow;
use super::state::{State, Validity};
use crate::hir::{ActionId, Call, Callee, Expr, ExprKind, HeaderMethod, Param, TableId, Type};
use crate::syntax::ast::Direction;

/// The maximum depth of calls that the analysis follows.
const MAX_DEPTH: usize = 32;

impl Flow<'_> {
    pub(super) fn call(&mut self, call: &Call) {
        match &call.callee {
            Callee::Header(method, object) => self.header_method(*method, object),
            Callee::Table(table) => self.apply_table(*table),
            Callee::Action(action) => self.call_action(*action, &call.args),
            Callee::Function(id) => {
                let params = self.module.functions.get(id.index()).map(|f| f.signature.params.as_slice());
                self.opaque(params.unwrap_or_default(), &call.args, false);
            }
            Callee::ExternFunction(id) => {
                let decl = self.module.extern_functions.get(id.index());
                let params = decl.map(|f| f.signature.params.as_slice());
                self.opaque(params.unwrap_or_default(), &call.args, true);
            }
            Callee::Method { object, method } => {
                let params = match &object.ty {
                    Type::Extern(id, _) => self
                        .module
                        .externs
                        .get(id.index())
                        .and_then(|e| e.methods.get(*method))
                        .map(|m| m.params.as_slice()),
                    _ => None,
                };
                self.opaque(params.unwrap_or_default(), &call.args, true);
            }
            Callee::Apply(object) => {
                let params = match &object.ty {
                    Type::Parser(id, _) => self.module.parsers.get(id.index()).map(|p| p.params.as_slice()),
                    Type::Control(id, _) => self.module.controls.get(id.index()).map(|c| c.params.as_slice()),
                    Type::Arch(id, _) => self.module.arch_types.get(id.index()).map(|a| a.params.as_slice()),
                    _ => None,
                };
                self.opaque(params.unwrap_or_default(), &call.args, true);
            }
        }
    }

    fn header_method(&mut self, method: HeaderMethod, object: &Expr) {
        self.lvalue(object, false);
        let locs = self.locs(object);
        match method {
            HeaderMethod::IsValid => {
                for loc in &locs {
                    self.state.checked.insert(*loc);
                    let parts = self.storage.node_at(*loc).parts().to_vec();
                    if self.module.is_union(&object.ty) {
                        self.state.checked.extend(parts);
                    }
                }
            }
            HeaderMethod::SetValid => self.set_header(object, Validity::Yes),
            HeaderMethod::SetInvalid => self.set_header(object, Validity::No),
            HeaderMethod::PushFront | HeaderMethod::PopFront => {
                self.set_written(&locs, true);
                self.set_headers(&locs, Validity::Yes);
            }
        }
    }

    /// A call that is not followed: reads the inputs and writes the outputs.
    fn opaque(&mut self, params: &[Param], args: &[Option<Expr>], makes_valid: bool) {
        for (param, arg) in params.iter().zip(args) {
            if let Some(arg) = arg
                && param.direction != Direction::Out
            {
                self.read(arg);
            }
        }
        for (param, arg) in params.iter().zip(args) {
            if let Some(arg) = arg
                && matches!(param.direction, Direction::Out | Direction::InOut)
            {
                self.lvalue(arg, true);
                if makes_valid {
                    self.written_by_call(arg);
                }
                self.write(arg);
            }
        }
    }

    fn call_action(&mut self, id: ActionId, args: &[Option<Expr>]) {
        let module = self.module;
        let Some(action) = module.actions.get(id.index()) else { return };
        if self.depth() >= MAX_DEPTH {
            self.opaque(&action.params, args, true);
            return;
        }
        for (param, arg) in action.params.iter().zip(args) {
            if let Some(arg) = arg
                && param.direction != Direction::Out
            {
                self.read(arg);
            }
        }
        for (index, param) in action.params.iter().enumerate() {
            self.enter(param.var, param.direction != Direction::Out);
            let arg = args.get(index).and_then(Option::as_ref);
            if let (Some(arg), Some(loc)) = (arg, self.location(param.var))
                && param.direction != Direction::Out
            {
                self.transfer(&[loc], arg);
            }
        }
        self.called(&action.body);
        self.check_outs(&action.params, &action.name);
        for (param, arg) in action.params.iter().zip(args) {
            if let Some(arg) = arg
                && matches!(param.direction, Direction::Out | Direction::InOut)
            {
                self.lvalue(arg, true);
                let from = Expr { kind: ExprKind::Var(param.var), ty: arg.ty.clone(), span: arg.span };
                self.assign_validity(arg, &from);
                self.write(arg);
            }
        }
    }

    /// Applies a table: one of its actions runs.
    pub(super) fn apply_table(&mut self, id: TableId) {
        let module = self.module;
        let Some(table) = module.tables.get(id.index()) else { return };
        let checked = self.state.checked.clone();
        table.keys.iter().for_each(|key| self.read(&key.expr));
        let before = std::mem::take(&mut self.state);
        // A table without a default action of its own may do nothing.
        let mut after = if table.default_action.is_none() { before.clone() } else { State::dead() };
        for action in &table.actions {
            self.state = before.clone();
            let args: Vec<Option<Expr>> = action.bound.iter().cloned().map(Some).collect();
            self.call_action(action.action, &args);
            after = after.join(std::mem::take(&mut self.state));
        }
        self.state = if table.actions.is_empty() { before } else { after };
        self.state.checked = checked;
    }
}
